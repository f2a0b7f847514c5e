"""An answer that another window is still writing is not called stopped where it is opened, and is
mended where it stands once it has ended.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from app.chat.conversation import Turn
from app.chat.recorder import HistoryRecorder
from app.history import History, Outcome
from app.tui.actions.answering import can_go_on, is_whole
from app.tui.chats import elsewhere
from app.tui.widgets.turn_view import GROWING
from engine import PLAIN, Span
from tests.app.tui.chats.test_resuming import start
from tests.app.tui.driving import Chat

FEW = elsewhere.LOOKS


@pytest.fixture(autouse=True)
def looks_often(monkeypatch: pytest.MonkeyPatch) -> None:
    """Look often, and never in vain once too often: whoever writes may take his time."""
    monkeypatch.setattr(elsewhere, "LOOK_S", 0.2)
    monkeypatch.setattr(elsewhere, "LOOKS", 1_000_000)


def begun(folder: Path, text: str = "It ") -> tuple[History, int]:
    """Return another window's history, and the answer that it is writing."""
    other = History.open(folder / "history.db")
    number = other.new_chat()
    answer = other.add(number, other.add(number, None, "user", "long?"), "assistant")
    other.write(answer, [Span(text, PLAIN)])
    assert other.flush()
    (folder / "last.json").write_text(f'{{"chat": {number}, "open": [{number}]}}')
    return other, answer


def test_an_answer_that_grows_in_another_window_is_said_to_and_taken_in_at_its_end(
    tmp_path: Path,
) -> None:
    other, answer = begun(tmp_path)

    def grow() -> bool:
        other.write(answer, [Span("grows ", PLAIN)])
        return other.flush()

    async def scenario(chat: Chat) -> None:
        await chat.ready()
        await chat.until(lambda: grow() and chat.shows(GROWING))
        assert not chat.shows("stopped") and not can_go_on(chat.screen)
        assert is_whole(chat.screen) == "Another window is still answering this question."
        other.finish(answer, "It grows, and ends.", Outcome("stop"))
        assert other.flush()
        await chat.until(lambda: chat.shows("has ended there"))
        assert chat.shows("It grows, and ends.") and not chat.shows(GROWING)

    start(tmp_path, scenario)
    assert other.close()


def test_an_answer_that_grows_no_more_is_stopped_and_can_go_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other, answer = begun(tmp_path)

    async def scenario(chat: Chat) -> None:
        await chat.ready()
        assert chat.shows("stopped") and can_go_on(chat.screen)
        other.write(answer, [Span("grows ", PLAIN)])
        assert other.flush()
        await chat.until(lambda: chat.shows(GROWING))
        monkeypatch.setattr(elsewhere, "LOOKS", FEW)
        other.write(answer, [Span("and grows ", PLAIN)])
        assert other.flush()
        await chat.until(lambda: chat.shows("stopped"))
        assert not chat.shows(GROWING) and can_go_on(chat.screen)

    start(tmp_path, scenario)
    assert other.close()


async def seen_to_grow(chat: Chat, other: History, answer: int) -> None:
    def grow() -> bool:
        other.write(answer, [Span("grows ", PLAIN)])
        return other.flush()

    await chat.ready()
    await chat.until(lambda: grow() and chat.shows(GROWING))


def end(other: History, answer: int, text: str) -> None:
    other.finish(answer, text, Outcome("stop"))
    assert other.flush()


def test_an_answer_asked_again_is_not_the_one_that_grows(tmp_path: Path) -> None:
    other, answer = begun(tmp_path)

    async def scenario(chat: Chat) -> None:
        await seen_to_grow(chat, other, answer)
        await chat.pilot.press("ctrl+r")
        await chat.until(lambda: chat.turns[0].text == "Answer number 0.")
        await chat.answered(1)
        assert not chat.turns[0].is_growing and not chat.shows(GROWING)
        assert is_whole(chat.screen).startswith("This answer is complete")

    start(tmp_path, scenario)
    assert other.close()


def test_an_answer_that_grows_above_a_question_that_waits_is_the_one_that_is_told_of(
    tmp_path: Path,
) -> None:
    other, answer = begun(tmp_path)

    async def scenario(chat: Chat) -> None:
        await chat.ready()
        chat.screen.session.put_off(lambda _: True)
        await chat.ask("next")
        await chat.until(lambda: len(chat.turns) == 2)
        await seen_to_grow(chat, other, answer)
        assert [view.is_growing for view in chat.turns] == [True, False]
        end(other, answer, "It grows, and ends.")
        await elsewhere.look_for_others(chat.screen)
        assert chat.turns[0].text == "It ", "nothing changes above what waits"
        chat.screen.session.put_off()
        await chat.answered(2)
        await chat.until(lambda: chat.turns[0].text == "It grows, and ends.")

    start(tmp_path, scenario)
    assert other.close()


def test_an_answer_that_grew_ends_above_what_was_asked_since(tmp_path: Path) -> None:
    other, answer = begun(tmp_path)

    async def scenario(chat: Chat) -> None:
        await seen_to_grow(chat, other, answer)
        await chat.ask("next")
        await chat.answered(2)
        assert chat.shows(GROWING)
        end(other, answer, "It grows, and ends.")
        await chat.until(lambda: chat.turns[0].text == "It grows, and ends.")
        await chat.until(lambda: chat.shows("has ended there") and not chat.shows(GROWING))
        assert chat.turns[1].text == "Answer number 0."

    start(tmp_path, scenario)
    assert other.close()


LINES = "\n".join(f"- line {number}" for number in range(60))


@pytest.mark.parametrize("whole", [f"{LINES}\n- the end", "Something else."])
def test_who_reads_what_grows_stays_there_when_it_ends(tmp_path: Path, whole: str) -> None:
    other, answer = begun(tmp_path, LINES)

    async def scenario(chat: Chat) -> None:
        await chat.ready()
        await chat.until(lambda: chat.shows("- line 59") or chat.shows("• line 59"))
        transcript, (view,) = chat.transcript, chat.turns
        transcript.select(view)
        await chat.pilot.press("pagedown", "pageup")
        await chat.until(lambda: not transcript.is_followed)
        at = transcript.scroll_y
        end(other, answer, whole)
        await chat.until(lambda: view.text == whole)
        await chat.until(lambda: transcript.has_unseen or len(whole) < len(LINES))
        assert chat.turns == [view] and transcript.selected is view
        assert transcript.scroll_y == min(at, transcript.max_scroll_y)
        assert not transcript.is_followed or len(whole) < len(LINES)

    start(tmp_path, scenario)
    assert other.close()


def test_what_ends_above_who_reads_waits_until_they_are_at_the_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other, answer = begun(tmp_path, LINES)
    looked: list[bool] = []
    running = HistoryRecorder.running

    def watched(recorder: HistoryRecorder, turn: Turn) -> str | None:
        now = running(recorder, turn)
        looked.append(now is None)
        return now

    looks, look = 0, elsewhere._Growing.look

    def counted(growing: elsewhere._Growing) -> None:
        nonlocal looks
        looks += 1
        look(growing)

    monkeypatch.setattr(HistoryRecorder, "running", watched)
    monkeypatch.setattr(elsewhere._Growing, "look", counted)

    async def scenario(chat: Chat) -> None:
        await chat.ready()
        await chat.ask("next")
        await chat.answered(2)
        await chat.pilot.press("pageup")
        await chat.until(lambda: not chat.transcript.is_followed)
        end(other, answer, f"{LINES}\n- the end")
        await chat.until(lambda: looked.count(True) == 1)
        n = looks
        await chat.until(lambda: looks > n + 3)
        assert looked.count(True) == 1, "what has ended is not read again and again"
        assert chat.turns[0].text == LINES
        await chat.screen.action_act("newest")
        await chat.until(lambda: chat.turns[0].text == f"{LINES}\n- the end")

    start(tmp_path, scenario)
    assert other.close()
