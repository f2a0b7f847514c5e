"""What is typed is painted at once, whatever else waits to be painted."""

from __future__ import annotations

import asyncio
from time import perf_counter

import pytest
from textual.events import Key, Paste

from app.tui.widgets import answer_text
from app.tui.widgets.answer_text import JUST_S, LATEST_S, LOOK_S, TYPING_S, AnswerText
from app.tui.widgets.quick_text_area import QuickTextArea
from tests.app.tui.driving import Chat, drive
from tests.app.tui.fakes import Answer, FakeEngine, words


def displayed(chat: Chat, monkeypatch: pytest.MonkeyPatch) -> list[bool]:
    """Return a list that tells of each picture whether it was let through."""
    pictures: list[bool] = []
    app = chat.app
    monkeypatch.setattr(app, "_display", lambda *_: pictures.append(not app._batch_count))
    return pictures


def test_a_letter_is_painted_while_an_answer_is_put_together(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async def scenario(chat: Chat) -> None:
        await chat.ready()
        await chat.pilot.pause()
        pictures = displayed(chat, monkeypatch)
        with chat.app.batch_update():
            chat.prompt.insert("a")
            assert pictures == [True]
            assert any("│ a" in line for line in chat.lines)
            assert chat.app._batch_count
        await chat.until(lambda: not chat.app._batch_count)

    drive(scenario, FakeEngine())


def test_a_field_that_is_covered_is_not_painted(monkeypatch: pytest.MonkeyPatch) -> None:
    async def scenario(chat: Chat) -> None:
        await chat.ready()
        await chat.pilot.press("f1")
        await chat.until(lambda: not chat.is_on_top)
        await chat.pilot.pause()
        pictures = displayed(chat, monkeypatch)
        chat.prompt.insert("a")
        assert pictures == []
        assert chat.prompt.text == "a"

    drive(scenario, FakeEngine())


@pytest.mark.parametrize(
    ("keys", "text"),
    [
        (("left", "X"), "one twXo"),
        (("home", "X"), "Xone two"),
        (("ctrl+w", "X"), "one X"),
        (("shift+left", "X", "home", "Y"), "Yone twX"),
        (("ctrl+u", "X"), "X"),
    ],
    ids=lambda keys: "-".join(keys) if isinstance(keys, tuple) else "",
)
def test_keys_that_come_at_once_do_what_they_do_in_their_order(
    keys: tuple[str, ...], text: str
) -> None:
    async def scenario(chat: Chat) -> None:
        await chat.ready()
        chat.prompt.insert("one two")
        for key in keys:
            chat.app.post_message(Key(key, key if len(key) == 1 else None))
        await chat.pilot.pause()
        await chat.pilot.pause()
        assert chat.prompt.text == text

    drive(scenario, FakeEngine())


@pytest.mark.parametrize("key", ["backspace", "ctrl+u", "ctrl+w"])
def test_what_is_typed_behind_keys_that_found_nothing_to_erase_stays(key: str) -> None:
    async def scenario(chat: Chat) -> None:
        await chat.ready()
        chat.prompt.insert("ab")
        for each in (*[key] * 4, "h", "i", key):
            chat.app.post_message(Key(each, each if len(each) == 1 else None))
        chat.app.post_message(Paste("pasted"))
        await chat.pilot.pause()
        await chat.pilot.pause()
        assert chat.prompt.text == ("hpasted" if key == "backspace" else "pasted")

    drive(scenario, FakeEngine())


@pytest.mark.parametrize(
    ("since_letter_s", "since_due_s", "is_time"),
    [
        (JUST_S / 2, 0.0, True),
        (2 * JUST_S, LATEST_S / 2, False),
        (2 * JUST_S, 2 * LATEST_S, True),
        (2 * TYPING_S, 0.0, True),
        (JUST_S / 2, -1.0, False),
    ],
    ids=["just behind a letter", "before the next", "waited enough", "nobody types", "not due"],
)
def test_an_answer_is_drained_when_no_letter_is_expected(
    monkeypatch: pytest.MonkeyPatch, since_letter_s: float, since_due_s: float, is_time: bool
) -> None:
    monkeypatch.setattr(answer_text, "LATEST_S", LATEST_S)  # as long as outside the tests

    async def scenario(chat: Chat) -> None:
        await chat.ask("question")
        await chat.until(lambda: chat.state == "answering")
        answer, now = chat.screen.query_one(AnswerText), perf_counter()
        chat.prompt.typed_at = now - since_letter_s
        answer._rest_until = now - since_due_s
        assert answer._is_time(now) is is_time
        chat.engine.release()
        await chat.answered()

    drive(scenario, FakeEngine(Answer(words("One word and another."), hold_after=1)))


def test_what_a_drain_brought_is_laid_out_behind_the_next_letter(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    just_s, typing_s, latest_s = 50.0, 900.0, 0.05

    async def scenario(chat: Chat) -> None:
        await chat.ask("question")
        await chat.until(lambda: chat.state == "answering")
        answer = chat.screen.query_one(AnswerText)
        with monkeypatch.context() as patch:
            patch.setattr(answer_text, "JUST_S", just_s)
            patch.setattr(answer_text, "TYPING_S", typing_s)
            chat.prompt.typed_at = perf_counter() - 2 * typing_s
            assert await answer._behind_a_letter() == 0, "nobody types"
            patch.setattr(answer_text, "LATEST_S", typing_s)
            chat.prompt.typed_at = perf_counter() - 2 * just_s
            waiting = asyncio.create_task(answer._behind_a_letter())
            await asyncio.sleep(2 * LOOK_S)
            assert not waiting.done()
            await chat.pilot.press("left")  # a key that changes nothing is painted in time, too
            assert await waiting > LOOK_S
            patch.setattr(answer_text, "LATEST_S", latest_s)
            chat.prompt.typed_at = perf_counter() - 2 * just_s
            assert await answer._behind_a_letter() >= latest_s, "no letter came"
        chat.engine.release()
        await chat.answered()

    drive(scenario, FakeEngine(Answer(words("One word and another."), hold_after=1)))


def test_neither_field_nor_answer_minds_that_the_app_is_taken_down() -> None:
    async def scenario(chat: Chat) -> None:
        field, answer = QuickTextArea(), AnswerText()
        field.insert("a")
        answer.feed(words("One word."))
        answer._tick()
        assert field.text == "a"
        assert not answer.parts

    drive(scenario, FakeEngine())


@pytest.mark.parametrize(
    ("times", "x", "selected"),
    [
        (1, 8, ""),
        (2, 8, "src/a.py"),
        (3, 8, "see src/a.py now"),
        (2, 3, ""),
        (2, 60, ""),
        (3, 60, ""),
        (4, 8, ""),
    ],
    ids=["once", "word", "line", "space", "behind", "line-behind", "four"],
)
def test_the_mouse_selects_a_word_and_a_line_in_the_box(times: int, x: int, selected: str) -> None:
    async def scenario(chat: Chat) -> None:
        chat.prompt.insert("the first\nsee src/a.py now")
        await chat.pilot.pause()
        border = chat.prompt.gutter
        await chat.pilot.click(chat.prompt, offset=(border.left + x, border.top + 1), times=times)
        assert chat.prompt.selected_text == selected
        assert chat.screen.get_selected_text() is None

    drive(scenario, FakeEngine())


def test_two_clicks_on_the_frame_of_the_box_select_nothing() -> None:
    async def scenario(chat: Chat) -> None:
        chat.prompt.insert("the first")
        await chat.pilot.pause()
        await chat.pilot.click(chat.prompt, offset=(5, 0), times=2)
        assert chat.prompt.selected_text == ""

    drive(scenario, FakeEngine())
