"""What ChatGPT exports comes in with its branches; a conversation that is no tree is left out."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.chat.recorder import HistoryRecorder
from app.errors import HistoryError
from app.history import History
from app.history.bring_in import imported
from app.history.ids import Ids
from tests.app.history.chatgpt_files import brought_in, conversation, node, only, shown
from tests.app.history.chats import NOW, Clock, titles
from tests.app.recorded import opened

PICTURE = {"content_type": "image_asset_pointer", "asset_pointer": "file-service://x"}
SPOKEN = {"content_type": "audio_transcription", "text": "Spoken."}


def hidden(parent: str) -> dict[str, object]:
    return node(parent, "user", "x", metadata={"is_visually_hidden_from_conversation": True})


TWICE = {
    "set-up": node("root", "system", ""),
    "asked": node("set-up", "user", "Why?"),
    "first": node("asked", "assistant", "Light.", metadata={"model_slug": "gpt-4o"}),
    "second": node("asked", "assistant", "Air."),
    "edited": node("set-up", "user", "Why not?"),
}


def test_titles_times_models_and_every_branch_come_in(history: History) -> None:
    chat = only(history, TWICE, current_node="first")
    places = {message.id: place for place, message in enumerate(chat.messages)}
    assert [
        (it.role, it.content, None if it.parent is None else places[it.parent], it.created_at)
        for it in chat.messages
    ] == [
        ("user", "Why?", None, 5.5),
        ("assistant", "Light.", 0, 5.5),
        ("assistant", "Air.", 0, 5.5),
        ("user", "Why not?", None, 5.5),
    ]
    info = chat.info
    assert (info.title, info.created_at, info.updated_at) == ("Sky", 1.5, 9.5)
    assert (info.pair, chat.messages[1].pair, chat.messages[1].reason) == ("gpt-4o",) * 2 + (
        "stop",
    )


@pytest.mark.parametrize(
    "current, branch",
    [
        ("first", ["Why?", "Light."]),
        ("second", ["Why?", "Air."]),
        ("edited", ["Why not?"]),
        ("asked", ["Why?"]),
        (None, ["Why not?"]),
    ],
)
def test_the_branch_of_the_current_node_is_shown(
    history: History, current: str | None, branch: list[str]
) -> None:
    assert shown(only(history, TWICE, current_node=current)) == branch


def test_siblings_are_in_their_parents_order(history: History) -> None:
    asked = TWICE["asked"] | {"children": ["second", "first"]}
    chat = only(history, TWICE | {"asked": asked})
    assert [it.content for it in chat.messages][:3] == ["Why?", "Air.", "Light."]


def test_children_may_stand_before_their_parents(history: History) -> None:
    backwards = dict(reversed(TWICE.items()))
    assert shown(only(history, backwards, current_node="first")) == ["Why?", "Light."]


def test_what_is_no_text_is_left_out_and_counted(history: History) -> None:
    thoughts = {"content_type": "thoughts", "thoughts": []}
    nodes = {
        "asked": node("root", "user", PICTURE, "What is it?", SPOKEN, 5),
        "thought": node("asked", "assistant", content=thoughts),
        "answer": node("thought", "assistant", "A cat."),
    }
    file = json.dumps([conversation(nodes, current_node="answer")]).encode()
    found = history.import_json(file)
    assert history.flush() and found.n_left_out == 3
    assert shown(history.chat(found.chats[0])) == ["What is it?\n\nSpoken.", "A cat."]


def test_files_are_counted_and_a_picture_among_them_once(history: History) -> None:
    attached = [{"id": "x"}, {"id": "file-1", "name": "report.pdf"}, {"id": []}, 5]
    about, empty = {"attachments": attached}, {"attachments": "none"}
    nodes = {
        "asked": node("root", "user", PICTURE, "What is it?", metadata=about),
        "answer": node("asked", "assistant", "A cat.", metadata=about),
        "again": node("answer", "user", "Sure?", metadata=empty),
    }
    found = history.import_json(json.dumps([conversation(nodes)]).encode())
    assert history.flush() and found.n_left_out == 4
    assert shown(history.chat(found.chats[0])) == ["What is it?", "A cat.", "Sure?"]


@pytest.mark.parametrize(
    ("question", "words"),
    [
        (node("a", "user", PICTURE), "(a picture, or another part: not imported)"),
        (
            node("a", "user", "", metadata={"attachments": [{"id": "1", "name": "re\nport.pdf"}]}),
            "(re port.pdf: not imported)",
        ),
        (node("a", "user", "", metadata={"attachments": ["x"]}), "(a file: not imported)"),
        (node("a", "user", ""), "(no words)"),
    ],
    ids=["picture", "named file", "file", "nothing"],
)
@pytest.mark.parametrize("is_first", [True, False])
def test_the_answer_to_a_question_without_words_stays_its_own(
    history: History, question: dict[str, object], words: str, is_first: bool
) -> None:
    first = (
        {} if is_first else {"q": node("root", "user", "2+2?"), "a": node("q", "assistant", "4")}
    )
    chat = only(history, {**first, "p": question, "c": node("p", "assistant", "A cat.")})
    assert shown(chat) == [*([] if is_first else ["2+2?", "4"]), words, "A cat."]


def test_system_tools_and_what_is_hidden_are_passed_over_without_a_count(history: History) -> None:
    nodes = {
        "set-up": node("root", "system", "x"),
        "about me": hidden("set-up"),
        "asked": node("about me", "user", "Sum?"),
        "call": node("asked", "assistant", "print(3)", recipient="python"),
        "result": node("call", "tool", "3", PICTURE),
        "empty": node("result", "assistant", ""),
        "answer": node("empty", "assistant", "Three.", recipient="all"),
    }
    found = history.import_json(json.dumps([conversation(nodes)]).encode())
    assert history.flush() and found.n_left_out == 0
    assert shown(history.chat(found.chats[0])) == ["Sum?", "Three."]


def test_the_pieces_of_an_answer_are_one_on_every_branch(history: History) -> None:
    nodes = {
        "asked": node("root", "user", "Search."),
        "begun": node("asked", "assistant", "I look."),
        "tool": node("begun", "tool", "found"),
        "one": node("tool", "assistant", "This."),
        "other": node("tool", "assistant", "That."),
        "thanks": node("other", "user", "Thanks."),
    }
    chat = only(history, nodes, current_node="thanks")
    assert shown(chat) == ["Search.", "I look.\n\nThat.", "Thanks."]
    assert [it.content for it in chat.messages] == [
        "Search.",
        "I look.\n\nThis.",
        "I look.\n\nThat.",
        "Thanks.",
    ]
    stopped = only(history, nodes, current_node="tool")
    assert shown(stopped) == ["Search.", "I look."]


def test_it_can_be_gone_on_with_as_turns(history: History) -> None:
    recorder = HistoryRecorder(history, lambda: "demo")
    turns = opened(recorder, only(history, TWICE, current_node="second").info.id)
    assert [(turn.question, turn.answer) for turn in turns] == [("Why?", "Air.")]
    assert recorder.branches.places(turns[0]).answer == (2, 2)


def test_an_answer_to_nothing_is_left_out(history: History) -> None:
    nodes = {"hello": node("root", "assistant", "Hi!"), "asked": node("hello", "user", "Why?")}
    found = history.import_json(json.dumps(conversation(nodes)).encode())
    assert history.flush() and found.n_left_out == 1
    assert shown(history.chat(found.chats[0])) == ["Why?"]


def test_a_chat_without_words_is_passed_over_and_a_nameless_one_gets_a_title(
    history: History,
) -> None:
    empty = conversation({})
    (chat,) = brought_in(history, empty, conversation(TWICE, title=None, create_time=None))
    assert chat.info.title == "Why?"
    with pytest.raises(HistoryError, match="holds no chats"):
        brought_in(history, empty)


def loop(**parents: str) -> dict[str, object]:
    return {id: node(parent, "user", "x") for id, parent in parents.items()}


WRONG: dict[str, object] = {
    "no mapping": {"title": "x"},
    "mapping null": {"mapping": None},
    "mapping of lists": {"mapping": []},
    "a node null": conversation({"a": None}),
    "a circle": conversation(loop(a="b", b="a")),
    "its own parent": conversation(loop(a="a")),
    "a current node of another kind": conversation(TWICE, current_node=3),
    "an author null": conversation({"a": node("root", "user", "x", author=None)}),
    "a role of another kind": conversation({"a": node("root", "user", "x", author={"role": 3})}),
    "parts of another kind": conversation(
        {"a": node("root", "user", content={"content_type": "text", "parts": "x"})}
    ),
    "a title of another kind": conversation({}, title=["x"]),
    "a time of another kind": conversation(TWICE, create_time="now"),
}


@pytest.mark.parametrize("wrong", WRONG.values(), ids=WRONG.keys())
def test_what_cannot_be_read_is_left_out_and_refused_where_nothing_else_is(
    history: History, wrong: object
) -> None:
    with pytest.raises(HistoryError, match=r"^Nothing was imported: [^\n]{1,300}\.$"):
        brought_in(history, wrong)
    assert titles(history) == []
    file = [wrong, conversation(TWICE), wrong, conversation(TWICE)]
    found = history.import_json(json.dumps(file).encode())
    assert titles(history) == ["Sky", "Sky"] and found.n_left_out == 2


def test_it_is_said_which_conversation_cannot_be_read(history: History) -> None:
    with pytest.raises(HistoryError, match=r"`\$\[1\]\.mapping\[\.\.\.\]\.parent`\.$"):
        brought_in(history, conversation({}), conversation({"a": {"parent": 3}}))
    with pytest.raises(HistoryError, match=r"\$\[0\]\.mapping goes round in a circle"):
        brought_in(history, conversation(loop(a="b", b="a")))


def test_a_node_without_its_parent_begins_a_branch(history: History) -> None:
    lost = {"lost": node("gone", "user", "And?"), "found": node("lost", "assistant", "So.")}
    odd = {"answer": node("gone", "assistant", "To nothing.")}
    chat = only(history, TWICE | lost | odd, current_node="found")
    assert shown(chat) == ["And?", "So."]
    assert [it.content for it in chat.messages if it.parent is None] == ["Why?", "Why not?", "And?"]


def test_a_current_node_that_is_not_there_is_passed_over(history: History) -> None:
    assert shown(only(history, TWICE, current_node="gone")) == ["Why not?"]


def test_times_that_cannot_be_are_not_known(history: History) -> None:
    nodes = {"a": node("root", "user", "x", create_time=1e300)}
    chat = only(history, nodes, create_time=-1, update_time=1e300)
    assert (chat.info.created_at, chat.info.updated_at) == (NOW, NOW)
    assert chat.messages[0].created_at == NOW


def test_answers_that_branch_into_far_more_than_the_file_are_refused(history: History) -> None:
    """A comb: every piece of a long answer ends a branch of its own."""
    nodes = {"0": node("root", "user", "x"), "tooth 0": node("0", "user", "x")}
    for place in range(1, 400):
        nodes[f"{place}"] = node(f"{place - 1}", "assistant", "long " * 100)
        nodes[f"tooth {place}"] = node(f"{place}", "user", "x")
    with pytest.raises(HistoryError, match="too many branches"):
        brought_in(history, conversation(nodes))
    assert titles(history) == []


def test_a_very_long_chat_comes_in(history: History) -> None:
    nodes = {"0": node("root", "user", "0")}
    for place in range(1, 20_000):
        role = "assistant" if place % 2 else "user"
        nodes[f"{place}"] = node(f"{place - 1}", role, f"{place}")
    assert len(shown(only(history, nodes))) == 20_000


def test_a_zip_is_said_to_be_one(history: History) -> None:
    with pytest.raises(HistoryError, match="Unpack it"):
        history.import_json(b"PK\x03\x04rest")


ANY = st.none() | st.integers() | st.text(max_size=3) | st.lists(st.text(max_size=3), max_size=2)
IDS = st.sampled_from(["a", "b", "c", "d", None, 3])
MESSAGES = st.fixed_dictionaries(
    {
        "author": st.fixed_dictionaries(
            {"role": st.sampled_from(["user", "assistant", "tool"]) | ANY}
        )
    },
    optional={
        "content": ANY | st.fixed_dictionaries({"content_type": st.just("text"), "parts": ANY}),
        "create_time": ANY | st.floats(),
        "metadata": ANY,
        "recipient": ANY,
    },
)
NODES = st.fixed_dictionaries(
    {}, optional={"message": MESSAGES | ANY, "parent": IDS, "children": st.lists(IDS) | ANY}
)
FILES = st.lists(
    st.fixed_dictionaries(
        {"mapping": st.dictionaries(st.sampled_from(["a", "b", "c", "d"]), NODES) | ANY},
        optional={"title": ANY, "create_time": ANY, "current_node": IDS},
    ),
    min_size=1,
    max_size=2,
)


@given(FILES)
def test_any_file_is_chats_or_is_refused(file: object) -> None:
    try:
        found = imported(json.dumps(file).encode(), Ids(Clock()), 1.0)
    except HistoryError as refusal:
        assert "\n" not in str(refusal)
    else:
        assert found.chats
