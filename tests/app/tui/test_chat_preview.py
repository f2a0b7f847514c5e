"""The preview of a chat says in one line what it is: pair, questions, speed, when, branches."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from app.history import Chat, Figures, History, Hit, Outcome
from app.tui.chats.chat_row import FOUND
from app.tui.chats.preview import LONGEST, Preview, about, preview_of
from tests.app.history.chats import NOW, Clock
from tests.app.tui.fakes import stats_at

DAY_S = 86_400.0


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Iterator[Clock]:
    with monkeypatch.context() as patch:
        patch.setenv("TZ", "UTC")
        time.tzset()
        yield Clock(NOW)
    time.tzset()


@pytest.fixture
def history(tmp_path: Path, clock: Clock) -> History:
    return History.open(tmp_path / "history.db", clock=clock)


def answered(history: History, chat: int, asked: int, figures: Figures, text: str = "Yes.") -> int:
    message = history.add(chat, asked, "assistant", pair="Qwen3 4B")
    history.finish(message, text, Outcome("stop", figures))
    return message


def test_it_says_the_pair_the_questions_the_medians_the_days_and_the_branches(
    history: History, clock: Clock
) -> None:
    chat = history.new_chat(pair="Qwen3 4B")
    first = history.add(chat, None, "user", "Why?")
    before = answered(history, chat, first, Figures(stats_at(6, 10.0)))
    for tps in (30.0, 50.0):
        asked = history.add(chat, before, "user", "And?")
        before = answered(history, chat, asked, Figures(stats_at(6, tps)))
    clock.now += 3 * DAY_S
    answered(history, chat, first, Figures(stats_at(6, 99.0)))
    history.show(chat, before)
    assert history.flush()
    assert about(history.chat(chat)) == (
        "Qwen3 4B · 3 questions · 30 tok/s, ≈1.2\N{MULTIPLICATION SIGN} plain · "
        "15 Jan 2027 to 18 Jan 2027 · 2 branches"
    )
    assert history.close()


def test_what_nobody_measured_is_not_said(history: History) -> None:
    chat = history.new_chat()
    asked = history.add(chat, None, "user", "Why?")
    answered(history, chat, asked, Figures())
    empty = history.new_chat()
    assert history.flush()
    assert about(history.chat(chat)) == "Qwen3 4B · 1 question · 15 Jan 2027"
    assert about(history.chat(empty)) == "0 questions · 15 Jan 2027"
    assert history.close()


def test_an_answer_that_is_left_out_says_so(history: History) -> None:
    chat = history.new_chat()
    message = answered(history, chat, history.add(chat, None, "user", "Why?"), Figures())
    assert history.flush() and "left out" not in preview_of(history.chat(chat)).body.plain
    history.leave_out(message)
    assert history.flush() and "Answer  left out" in preview_of(history.chat(chat)).body.plain
    assert history.close()


def test_whether_answers_tell_their_pair_is_asked_of_a_chat_once(
    history: History, monkeypatch: pytest.MonkeyPatch
) -> None:
    chat, before = history.new_chat(), None
    for _ in range(4):
        before = answered(history, chat, history.add(chat, before, "user", "Why?"), Figures())
    assert history.flush()
    asked: list[Chat] = []
    monkeypatch.setattr(Chat, "are_pairs_told", property(lambda chat: bool(asked.append(chat))))
    preview_of(history.chat(chat))
    assert len(asked) == 1
    history.export_markdown(chat)
    assert len(asked) == 2
    assert history.close()


# what a search found


def found(history: History, typed: str) -> Hit:
    assert history.flush()
    (hit,) = history.search(typed)
    return hit


def previewed(history: History, typed: str) -> Preview:
    hit = found(history, typed)
    return preview_of(history.chat(hit.chat.id), hit)


def marked(preview: Preview) -> list[str]:
    body = preview.body
    return [body.plain[span.start : span.end] for span in body.spans if span.style == FOUND]


def test_it_begins_where_the_words_stand_and_marks_them(history: History) -> None:
    chat, before = history.new_chat(), None
    for n in range(12):
        asked = history.add(chat, before, "user", f"question {n}")
        before = answered(history, chat, asked, Figures(), f"answer {n}, pathlib" * (n == 5))
    preview = previewed(history, "PATHL")
    assert preview.body.plain.startswith(
        "… 11 earlier messages\n\nAnswer\nanswer 5, pathlib\n\nYou"
    )
    assert marked(preview) == ["pathl"]
    assert "question 11" in preview_of(history.chat(chat)).body.plain
    assert history.close()


@pytest.mark.parametrize("before", ["word " * 300, "字" * 2000])
def test_words_deep_in_a_message_are_near_its_beginning(history: History, before: str) -> None:
    chat = history.new_chat()
    asked = history.add(chat, None, "user", "Why?")
    answered(history, chat, asked, Figures(), f"{before} the Needle {'and more ' * 200}")
    body = previewed(history, "needle").body.plain
    assert body.index("Needle") < len("… 1 earlier message\n\nAnswer\n…") + 201
    assert "Answer\n…" in body and body.endswith("…") and len(body) < LONGEST + 100
    assert marked(previewed(history, "needle")) == ["Needle"]
    assert history.close()


def test_words_on_a_branch_that_is_not_shown_are_previewed_there(history: History) -> None:
    chat = history.new_chat()
    asked = history.add(chat, None, "user", "Why?")
    answered(history, chat, asked, Figures(), "the hidden one")
    history.show(chat, answered(history, chat, asked, Figures(), "the shown one"))
    assert "the hidden one" in previewed(history, "hidden").body.plain
    assert "the hidden one" not in preview_of(history.chat(chat)).body.plain
    assert history.close()


@pytest.mark.parametrize(
    ("text", "typed", "marks"),
    [
        ("Straße, STRASSE, Café", "cafe", ["Café"]),
        ("take os.path.join here", "path", ["path"]),
        ("写代码. 用路径", "路径", ["路径"]),
        ("an unfoldable word", "foldab", ["foldab"]),
        ("<think>needle</think>Nothing of it.", "needle", []),
        ("[red]brackets[/] in it", "brackets", ["brackets"]),
    ],
)
def test_what_is_marked_is_what_was_found(
    history: History, text: str, typed: str, marks: list[str]
) -> None:
    chat = history.new_chat()
    answered(history, chat, history.add(chat, None, "user", "Why?"), Figures(), text)
    preview = previewed(history, typed)
    assert marked(preview) == marks
    assert "Answer\n" in preview.body.plain
    assert history.close()


def test_a_chat_that_was_found_by_its_title_shows_its_end(history: History) -> None:
    chat, before = history.new_chat(), None
    for n in range(12):
        before = history.add(chat, before, "user", f"question {n}")
    history.rename(chat, "About birds")
    hit = found(history, "birds")
    assert hit.message is None
    assert preview_of(history.chat(chat), hit).body.plain.endswith("question 11")
    assert history.close()


@pytest.mark.parametrize(
    ("reason", "words"),
    [("stop", ""), ("cancelled", "stopped"), ("length", "cut off at the longest answer")],
)
def test_an_answer_says_how_it_ended(history: History, reason: str, words: str) -> None:
    chat = history.new_chat()
    message = history.add(chat, history.add(chat, None, "user", "Why?"), "assistant")
    history.finish(message, "Yes.", Outcome(reason))
    assert history.flush()
    heading = preview_of(history.chat(chat)).body.plain.split("\n")[-2]
    assert heading == f"Answer  {words}".rstrip()
    assert history.close()
