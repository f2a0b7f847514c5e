"""What stands around the chat gives way to it, is hidden when asked to, and hides no bad news."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from app.settings.habits import Habits
from app.tui.actions.tuning import apply
from app.tui.frame import ROOM_FOR_FIGURES, ROOM_FOR_KEYS, ROOM_FOR_TOP_BAR
from app.tui.screens.models import ModelsScreen
from app.tui.widgets.top_bar import STATES, TopBar
from tests.app.tui.driving import NARROW, SIZES, WIDE, Chat, drive
from tests.app.tui.fake_models import ALPHA, FakeModels, settings_of
from tests.app.tui.fakes import READY, Answer, FakeEngine, FakeSettings, words

WHY = "no drafter fits this machine"
OFF = replace(READY, drafters=[], off=WHY)
NO_DRAFTS = f"speculation off: {WHY}"
FIGURES, KEYS = "tok/s", "Help"
LONG = words("\n\n".join(f"line {n}" for n in range(40)))


def rows_of_chat(chat: Chat) -> int:
    """Return how many rows of the screen the transcript has."""
    return chat.transcript.region.height


@pytest.mark.parametrize("height", [6, 7, 8, 9, 12, 14, 24])
def test_the_chat_has_the_rows_first_and_the_rest_gives_way_in_order(height: int) -> None:
    async def scenario(chat: Chat) -> None:
        await chat.ask("question")
        await chat.answered()
        await chat.until(lambda: any("Ask something" in line for line in chat.lines))
        assert rows_of_chat(chat) >= min(4, height - 3)
        shown = [line for line in chat.lines if FIGURES in line and "tokens" not in line]
        assert bool(shown) == (height >= ROOM_FOR_FIGURES)
        assert chat.lines[0].startswith(" Slipstream") == (height >= ROOM_FOR_TOP_BAR)
        assert (KEYS in chat.lines[-1]) == (height >= ROOM_FOR_KEYS)

    drive(scenario, FakeEngine(Answer(LONG)), (30, height))


@pytest.mark.parametrize("size", SIZES, ids=["80x24", "160x50"])
@pytest.mark.parametrize("frame", ["full", "figures", "keys", "none"])
def test_the_settings_say_what_stands_around_the_chat(frame: str, size: tuple[int, int]) -> None:
    async def scenario(chat: Chat) -> None:
        figures = "by place" if size == NARROW else "acceptance length"
        await chat.ready()
        await chat.until(lambda: chat.shows(figures) and KEYS in chat.lines[-1])
        await chat.ask(f"/frame {frame}")
        has_figures, has_keys = frame in ("full", "figures"), frame in ("full", "keys")
        await chat.until(lambda: chat.shows(figures) == has_figures)
        await chat.until(lambda: (KEYS in chat.lines[-1]) == has_keys)
        assert "● ready" in chat.lines[0]
        taken = 4 + (1 if has_keys else 0) + (3 if has_figures and size == NARROW else 0)
        await chat.until(lambda: rows_of_chat(chat) == size[1] - taken)

    drive(scenario, FakeEngine(), size)


def test_without_a_word_it_steps_through_the_choices_and_comes_back() -> None:
    async def scenario(chat: Chat) -> None:
        await chat.ready()
        seen = []
        for _ in range(4):
            await chat.screen.action_act("frame")
            seen.append(chat.screen.session.settings.habits.frame)
        assert seen == ["figures", "keys", "none", "full"]

    drive(scenario, FakeEngine())


@pytest.mark.parametrize("size", [*SIZES, (30, 8), (30, 6), (60, 12), (160, 8)], ids=str)
@pytest.mark.parametrize("frame", ["full", "none"])
def test_that_speculation_is_off_is_seen_in_every_frame(frame: str, size: tuple[int, int]) -> None:
    async def scenario(chat: Chat) -> None:
        await chat.ready()
        apply(chat.screen, "frame", frame)
        await chat.until(lambda: len([x for x in chat.lines if "speculation off" in x]) == 1)
        if size[0] >= 80 and frame == "none":
            await chat.until(lambda: NO_DRAFTS in chat.lines[0])
        if "speculation off" in chat.lines[0]:
            assert chat.lines[0].rstrip().endswith(STATES["ready"][0])

    drive(scenario, FakeEngine(ready=OFF), size)


@pytest.mark.parametrize(
    ("size", "seen"), [(NARROW, "What does os.path.join d"), (WIDE, "on the left?")]
)
def test_the_only_chats_title_stands_in_the_first_line(size: tuple[int, int], seen: str) -> None:
    async def scenario(chat: Chat) -> None:
        await chat.ready()
        assert "New chat" not in chat.lines[0]
        await chat.ask("What does os.path.join do when the right part begins with a slash?")
        await chat.answered()
        await chat.until(lambda: "What does os.path.join d" in chat.lines[0])
        await chat.ask("/rename Paths and slashes")
        await chat.until(lambda: "Slipstream demo · Paths and slashes " in chat.lines[0])
        await chat.pilot.press("ctrl+n")
        await chat.until(lambda: "Paths" not in chat.lines[0] and "Paths" in chat.lines[1])

    drive(scenario, FakeEngine(), size)


def test_a_click_on_the_first_line_shows_models_or_changes_the_title() -> None:
    async def scenario(chat: Chat) -> None:
        await chat.ask("What is a path?")
        await chat.answered()
        await chat.until(lambda: "Alpha · What is a path?" in chat.lines[0])
        line = chat.lines[0]
        await chat.pilot.click(TopBar, offset=(line.index("What") + 2, 0))
        await chat.until(lambda: chat.prompt.text == "/rename What is a path?")
        await chat.pilot.click(TopBar, offset=(line.index("Slip") + 2, 0))
        await chat.pilot.pause()
        assert chat.is_on_top
        await chat.pilot.click(TopBar, offset=(line.index("Alpha"), 0))
        await chat.until(lambda: isinstance(chat.app.screen, ModelsScreen))
        assert chat.prompt.text == "/rename What is a path?"

    drive(scenario, FakeEngine(), settings=settings_of(ALPHA), models=FakeModels())


def test_the_frame_of_the_settings_holds_from_the_start() -> None:
    async def scenario(chat: Chat) -> None:
        await chat.ready()
        await chat.until(lambda: KEYS not in chat.lines[-1])
        assert not chat.shows("TTFT")

    drive(scenario, FakeEngine(), settings=FakeSettings(habits=Habits(frame="none")))
