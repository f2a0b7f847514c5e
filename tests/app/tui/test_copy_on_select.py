"""What the mouse selects in a chat is copied at once, if that is wished for, and once."""

from __future__ import annotations

import pytest

from app.settings.habits import Habits
from app.tui.actions.tuning import apply
from app.tui.app import SlipstreamApp
from app.tui.text import copied
from tests.app.tui.driving import NARROW, SIZES, Chat, drive
from tests.app.tui.fakes import Answer, FakeEngine, FakeSettings, words
from tests.app.tui.test_selecting import ANSWER, asked, clicks, drag, place

ON = FakeSettings(habits=Habits(copy_on_select=True))


@pytest.fixture
def taken(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What was copied, in its order."""
    texts: list[str] = []

    def copy(app: SlipstreamApp, text: str) -> str:
        texts.append(text)
        return f"as it went: {text}"

    monkeypatch.setattr(copied, "copied_now", copy)
    return texts


@pytest.mark.parametrize("size", SIZES, ids=["80x24", "160x50"])
def test_what_is_dragged_over_is_copied_and_how_that_went_is_said(
    size: tuple[int, int], taken: list[str]
) -> None:
    async def scenario(chat: Chat) -> None:
        await asked(chat, "how?")
        x, y = place(chat, "joins")
        await drag(chat, (x, y), (x + 4, y))
        await chat.until(lambda: chat.toasts("as it went: joins"))
        assert taken == ["joins"] and chat.app.clipboard == "joins"
        assert chat.screen.get_selected_text() == "joins", "it can still be quoted"
        await chat.pilot.press("alt+q")
        await chat.until(lambda: chat.prompt.text == "> joins\n\n")

    drive(scenario, FakeEngine(Answer(words(ANSWER))), size, ON)


def test_clicks_copy_the_word_and_then_the_paragraph(taken: list[str]) -> None:
    async def scenario(chat: Chat) -> None:
        await asked(chat, "how?")
        await clicks(chat, place(chat, "paragraph"), 2)
        await chat.until(lambda: taken == ["paragraph"])
        await clicks(chat, place(chat, "second"), 3)
        await chat.until(lambda: len(taken) == 3)
        assert taken == ["paragraph", "second", "A second paragraph stands here."]

    drive(scenario, FakeEngine(Answer(words(ANSWER))), NARROW, ON)


def test_a_click_on_nothing_and_what_is_typed_copy_nothing(taken: list[str]) -> None:
    async def scenario(chat: Chat) -> None:
        await asked(chat, "how?")
        x, y = place(chat, "joins")
        await clicks(chat, (x, y), 1)
        chat.prompt.insert("some words")
        await chat.pilot.pause()
        x, y = place(chat, "some words")
        await drag(chat, (x, y), (x + 4, y))
        assert taken == []

    drive(scenario, FakeEngine(Answer(words(ANSWER))), NARROW, ON)


def test_a_selection_is_copied_once_wherever_the_mouse_is_pressed_then(taken: list[str]) -> None:
    async def scenario(chat: Chat) -> None:
        await asked(chat, "how?")
        x, y = place(chat, "joins")
        await drag(chat, (x, y), (x + 4, y))
        await chat.until(lambda: taken == ["joins"])
        chat.screen.on_text_selected()
        await chat.pilot.pause()
        assert taken == ["joins"]
        await clicks(chat, (x, y), 1)
        await drag(chat, (x, y), (x + 4, y))
        await chat.until(lambda: len(taken) == 2)
        assert taken == ["joins", "joins"], "something else may have been copied meanwhile"

    drive(scenario, FakeEngine(Answer(words(ANSWER))), NARROW, ON)


def test_it_is_off_by_default_and_a_change_holds_at_once(taken: list[str]) -> None:
    async def scenario(chat: Chat) -> None:
        await asked(chat, "how?")
        x, y = place(chat, "joins")
        await drag(chat, (x, y), (x + 4, y))
        assert taken == [] and chat.app.clipboard == ""
        assert apply(chat.screen, "copy_on_select", True) == ""
        await drag(chat, (x, y), (x + 2, y))
        await chat.until(lambda: taken == ["joi"])
        apply(chat.screen, "copy_on_select", False)
        await drag(chat, (x, y), (x + 4, y))
        assert taken == ["joi"]

    drive(scenario, FakeEngine(Answer(words(ANSWER))), NARROW)
