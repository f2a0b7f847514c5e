"""A field of one line has all that is typed and pasted, and keys act on what came before them."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from textual.app import App
from textual.binding import Binding
from textual.command import CommandInput
from textual.events import Key, Paste
from textual.screen import Screen
from textual.widgets import Input

from app.tui.widgets.line_input import LineInput
from app.tui.widgets.search import Search
from tests.app.tui import alone, chats_driving, test_settings_screen
from tests.app.tui.chats_driving import Kept, look
from tests.app.tui.driving import Chat, drive
from tests.app.tui.fakes import FakeEngine
from tests.app.tui.test_settings_screen import play


class Fields(Screen[None]):
    """A field alone."""

    def __init__(self, field: Input) -> None:
        super().__init__()
        self.field = field

    def on_mount(self) -> None:
        self.mount(self.field)
        self.field.focus()


def at_once(app: App[None], *keys: str) -> None:
    """Have keys come as fast as a terminal can send them; "a b" is a paste."""
    for key in keys:
        is_paste = len(key) > 1 and not key.isidentifier() and "+" not in key
        letter = key if len(key) == 1 else None
        app.post_message(Paste(key) if is_paste else Key(key, letter))


@pytest.mark.parametrize("kind", [LineInput, Search])
@pytest.mark.parametrize(
    ("keys", "text"),
    [
        (("a", "b", "backspace", "c"), "ac"),
        (("7", "home", "1", "2", "3"), "1237"),
        (("a", "ctrl+u", "1"), "1"),
        (("a", "b", "left", "c d"), "ac db"),
    ],
    ids=str,
)
def test_keys_that_come_at_once_do_what_they_do_in_their_order(
    kind: type[Input], keys: tuple[str, ...], text: str
) -> None:
    field = kind()

    async def scenario(seen: alone.Seen) -> None:
        await seen.until(lambda: field.has_focus)
        at_once(seen.app, *keys)
        await seen.until(lambda: field.value == text)

    alone.drive(Fields(field), scenario)
    assert field.value == text


def test_alt_with_a_letter_types_nothing_and_lines_become_one() -> None:
    field = LineInput()

    async def scenario(seen: alone.Seen) -> None:
        await seen.until(lambda: field.has_focus)
        seen.app.post_message(Key("alt+x", "x"))
        at_once(seen.app, "\n two\n  lines\n", "alt+backspace", " as they are ")
        await seen.until(lambda: "are" in field.value)

    alone.drive(Fields(field), scenario)
    assert field.value == "two lines as they are "


def test_enter_takes_the_value_whose_digits_came_with_it() -> None:
    async def scenario(seen: alone.Seen) -> None:
        await seen.press("enter")
        at_once(seen.app, "0", ".", "3", "1", "enter")
        await seen.until_shown("temperature 0.31 this chat")

    chat = test_settings_screen.Chat()
    play(scenario, chat)
    assert chat.chosen == {"temp": 0.31}


def test_enter_opens_what_is_found_by_the_words_that_came_with_it(tmp_path: Path) -> None:
    async def scenario(seen: chats_driving.Seen) -> None:
        at_once(seen.app, *"title", "enter")
        await seen.until(lambda: seen.app.result != chats_driving.NEVER)
        assert seen.app.result == wanted

    kept = Kept(tmp_path)
    wanted, _ = kept.chats("My title", "Another")
    look(scenario, kept)


def test_enter_gives_the_title_that_came_with_it(tmp_path: Path) -> None:
    async def scenario(seen: chats_driving.Seen) -> None:
        await seen.press("ctrl+r", "ctrl+u")
        at_once(seen.app, *"New", "enter")
        await seen.until(lambda: seen.titles == ["New"])
        assert kept.history.flush() and kept.history.chats()[0].title == "New"

    kept = Kept(tmp_path)
    kept.chats("Old")
    look(scenario, kept)


def test_a_palette_is_narrowed_by_keys_in_their_order() -> None:
    async def scenario(chat: Chat) -> None:
        await chat.ready()
        await chat.pilot.press("ctrl+p")
        await chat.until(lambda: isinstance(chat.app.focused, CommandInput))
        at_once(chat.app, "a", "b", "backspace", "c")
        field = chat.app.focused
        await chat.until(lambda: isinstance(field, Input) and field.value == "ac")
        assert isinstance(field, LineInput)

    drive(scenario, FakeEngine())


def test_what_is_typed_is_thrown_away_by_the_ctrl_c_that_came_with_it() -> None:
    async def scenario(chat: Chat) -> None:
        await chat.ready()
        at_once(chat.app, *"since", "ctrl+c")
        await chat.until(lambda: "since" in chat.prompt.past.prompts)
        assert chat.prompt.text == ""

    drive(scenario, FakeEngine())


def test_a_field_that_is_at_something_long_holds_up_no_key(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """It may itself wait for the app."""

    class Slow(LineInput):
        async def _on_key(self, event: Key) -> None:
            await never.wait()

    class Apart(Fields):
        BINDINGS = [Binding("escape", "go", "Go", priority=True)]  # noqa: RUF012 (as in the base)

        async def action_go(self) -> None:
            gone.append(True)

    async def scenario(seen: alone.Seen) -> None:
        await seen.until(lambda: field.has_focus)
        at_once(seen.app, "a", "escape")
        await seen.until(lambda: bool(gone))
        never.set()

    monkeypatch.setattr("app.tui.terminal.key_order.LONGEST_S", 0.01)
    gone: list[bool] = []
    never = asyncio.Event()
    field = Slow()
    alone.drive(Apart(field), scenario)
    assert gone
