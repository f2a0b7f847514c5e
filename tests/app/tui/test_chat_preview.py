"""The preview of a chat says in one line what it is: pair, questions, speed, when, branches."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from app.history import Chat, Figures, History, Outcome
from app.tui.widgets.chat_preview import about, preview_of
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
