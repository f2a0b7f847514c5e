"""What is exported can be imported; what is wrong is refused whole, in one line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.errors import HistoryError
from app.history import Attachment, Chat, Figures, History, Outcome
from app.history.bring_in import imported
from app.history.ids import Ids
from engine import SamplingSettings, Span
from tests.app.history.chats import STOPPED, Clock, answered, found, said, titles


def shape(chat: Chat) -> list[object]:
    """Return all of a chat but its ids."""
    places = {message.id: place for place, message in enumerate(chat.messages)}
    messages = [
        (
            None if it.parent is None else places[it.parent],
            (it.role, it.content, it.created_at, it.pair, it.reason, it.error),
            (it.figures, it.attachments, it.spans(), it.summary, it.skipped),
        )
        for it in chat.messages
    ]
    info = chat.info
    about = (info.title, info.is_title_own, info.pinned, info.created_at, info.updated_at)
    leaf = None if chat.leaf is None else places[chat.leaf]
    return [about, info.pair, chat.system, chat.settings, leaf, messages]


def branched(history: History) -> int:
    """Write a chat with everything that a chat can have."""
    chat = history.new_chat("Be kind.", "demo", {"seed": 4, "deep": {"a": [1.5, None]}})
    file = Attachment("a.py", "x = 1", 5, "UTF-8")
    asked = history.add(chat, None, "user", "Why?", attachments=[file])
    first = answered(history, chat, asked, "Because 日本.")
    history.leave_out(answered(history, chat, asked, "Because not."))
    failed = history.add(chat, asked, "assistant", pair="demo")
    history.write(failed, [Span("Bec", "bonus")])
    history.finish(failed, "Bec", Outcome("failed", STOPPED.figures, "out of memory"))
    history.summarise(first, "Reasons were asked for: 日本.")
    history.show(chat, first)
    history.pin(chat)
    history.rename(chat, "Reasons")
    return chat


def test_biases_of_tokens_come_back_too(history: History) -> None:
    chat = history.new_chat()
    asked = history.add(chat, None, "user", "Why?")
    answer = history.add(chat, asked, "assistant")
    sampling = SamplingSettings(logit_bias={300: 1.0, 2: -100.0})
    history.finish(answer, "So.", Outcome("stop", Figures(sampling=sampling)))
    assert history.flush()
    raw = history.export_json([chat])
    (copy,) = history.import_json(raw.replace(b"So.", b"So!")).chats
    assert history.flush()
    *_, last = history.chat(copy).path()
    assert last.figures.sampling == sampling


def test_what_is_exported_is_imported_as_it_was(history: History, path: Path, clock: Clock) -> None:
    chats = [branched(history), said(history, "Second"), history.new_chat()]
    history.rename(chats[-1], "Empty")
    assert history.flush()
    raw = history.export_json(chats)
    elsewhere = History.open(path.with_name("other.db"), clock=Clock(clock.now + 99))
    copies = elsewhere.import_json(raw).chats
    assert elsewhere.flush()
    for chat, copy in zip(chats, copies, strict=True):
        assert shape(elsewhere.chat(copy)) == shape(history.chat(chat))
    assert found(elsewhere, "日本") == ["Reasons"]
    assert elsewhere.close()


def test_a_chat_of_which_all_is_undone_stays_so(history: History) -> None:
    chat = said(history, "Undone")
    assert history.flush()
    history.show_upto(chat, None)
    assert history.flush() and history.chat(chat).path() == []
    raw = history.export_json([chat])
    history.delete(chat)
    (copy,) = history.import_json(raw).chats
    assert history.flush()
    assert len(history.chat(copy).messages) == 2 and history.chat(copy).path() == []


def test_a_chat_that_names_no_leaf_shows_its_last_message(history: History) -> None:
    history.import_json(json.dumps(ours()).encode())
    assert history.flush()
    (chat,) = [info.id for info in history.chats() if info.title == "T"]
    assert [message.content for message in history.chat(chat).path()] == ["hello"]


def test_a_span_without_text_takes_no_other_with_it(history: History) -> None:
    spans = [["", "bonus"], ["He", "lookup"], ["", "nobody"], ["llo", "plain"], ["", "plain"]]
    answer = {"role": "assistant", "content": "Hello", "parent": 0, "spans": spans}
    file = ours(messages=[{"role": "user", "content": "Hi"}, answer])
    *_, chat = history.import_json(json.dumps(file).encode()).chats
    found = history.chat(chat).messages[-1]
    assert found.spans() == [Span("He", "lookup"), Span("llo", "plain")]


def ours(**changes: object) -> dict[str, object]:
    """Return an exported file with something changed."""
    chat = {"title": "T", "messages": [{"role": "user", "content": "hello"}], **changes}
    good = {"title": "good", "messages": []}
    return {"format": "slipstream-chats", "version": 1, "chats": [good, chat]}


def talk(*messages: object) -> list[object]:
    """Return a file in the form of OpenAI whose second chat holds these messages."""
    return [{"messages": []}, {"messages": list(messages)}]


WRONG: dict[str, object] = {
    "a number": 5,
    "words": "hello",
    "nothing": [],
    "no messages": [{"a": 1}],
    "another object": {"chats": []},
    "a later version": {"format": "slipstream-chats", "version": 2, "chats": []},
    "no title": {"format": "slipstream-chats", "version": 1, "chats": [{"messages": []}]},
    "a parent that is later": ours(messages=[{"role": "user", "content": "", "parent": 0}]),
    "a negative parent": ours(messages=[{"role": "user", "content": "", "parent": -1}]),
    "a leaf that is not there": ours(leaf=1),
    "an answer to nothing": ours(messages=[{"role": "assistant", "content": "Hello, I am Bob."}]),
    "an answer to an answer": ours(
        messages=[
            {"role": "user", "content": "a"},
            {"role": "assistant", "content": "b", "parent": 0},
            {"role": "assistant", "content": "c", "parent": 1},
        ]
    ),
    "a role": ours(messages=[{"role": "system", "content": ""}]),
    "a time before time": ours(created_at=-1),
    "a time after time": ours(updated_at=1e300),
    "settings": ours(settings=[]),
    "fewer than no turns left out": ours(
        messages=[{"role": "assistant", "content": "", "figures": {"left_out": -1}}]
    ),
    "an attachment of less than nothing": ours(
        messages=[
            {
                "role": "user",
                "content": "",
                "attachments": [{"name": "a", "text": "", "size_bytes": -1}],
            }
        ]
    ),
    "a number for a text": talk({"role": "user", "content": 3}),
    "another role": talk({"role": "critic", "content": "x"}),
    "no content of a question": talk({"role": "user"}),
    "a system message in the middle": talk(
        {"role": "user", "content": "x"}, {"role": "system", "content": "x"}
    ),
}


@pytest.mark.parametrize("file", WRONG.values(), ids=WRONG.keys())
def test_a_wrong_file_is_refused_whole(history: History, file: object) -> None:
    with pytest.raises(HistoryError, match=r"^Nothing was imported: [^\n]+\.$"):
        history.import_json(json.dumps(file).encode())
    assert titles(history) == []


@pytest.mark.parametrize(
    "raw", [b"", b"{", b"\xff\xfe", b"[" * 100_000, b'[{"messages":[{"role":"\xff"}]}]', b"null"]
)
def test_what_is_not_json_is_refused(history: History, raw: bytes) -> None:
    with pytest.raises(HistoryError, match=r"^Nothing was imported: [^\n]+$"):
        history.import_json(raw)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["format", "chats", "messages", "role"]), inner)
    ),
    max_leaves=10,
)


@given(JSON | st.fixed_dictionaries({"format": st.just("slipstream-chats"), "chats": JSON}))
def test_any_json_is_chats_or_is_refused(file: object) -> None:
    try:
        chats = imported(json.dumps(file).encode(), Ids(Clock()), 1.0).chats
    except HistoryError as refusal:
        assert "\n" not in str(refusal)
    else:
        assert chats
