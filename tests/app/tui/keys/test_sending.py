"""Enter sends, or makes a new line, as the setting says; every word names the key that holds."""

from __future__ import annotations

import pytest
from textual._xterm_parser import XTermParser
from textual.events import Key

from app.settings.fields import checked
from app.settings.habits import Habits
from app.settings.values import ENTERS
from app.tui.help.typed import typing
from app.tui.keys.keymap import Keys
from app.tui.keys.sending import BREAKING, SENDING
from app.tui.terminal import alt_digits
from app.tui.widgets.prompt import Prompt
from tests.app.settings.test_config import settings, write_file
from tests.app.tui.alone import Seen
from tests.app.tui.driving import SIZES, Chat, drive
from tests.app.tui.fakes import Answer, FakeEngine, FakeSettings, words
from tests.app.tui.prompt_alone import Desk, at_prompt, type_in

at_both_sizes = pytest.mark.parametrize("size", SIZES, ids=["80x24", "160x50"])
ANSWER = words("Yes.")
NEW_LINE = FakeSettings(habits=Habits(enter="newline"))


def test_in_each_way_a_key_that_every_terminal_tells_sends_and_another_breaks_the_line() -> None:
    told = {"enter", "ctrl+j"}
    for way in ENTERS:
        assert told & set(SENDING[way]) and told & set(BREAKING[way])
        assert not set(SENDING[way]) & set(BREAKING[way])


def test_alt_and_enter_are_told_of_as_terminals_send_them() -> None:
    alt_digits.are_keys()
    for sent, key in (("\x1b\r", "alt+enter"), ("\r", "enter"), ("\n", "ctrl+j")):
        parser = XTermParser()
        found = [*parser.feed(sent), *parser.feed("")]
        assert [each.key for each in found if isinstance(each, Key)] == [key]


@pytest.mark.parametrize("key", SENDING["newline"])
def test_enter_makes_a_new_line_and_another_key_sends(key: str) -> None:
    async def scenario(seen: Seen, desk: Desk) -> None:
        await type_in(seen, "one")
        await seen.press("enter")
        await type_in(seen, "two")
        await seen.press("shift+enter")
        assert desk.prompt.text == "one\ntwo\n"
        assert not desk.sent
        await seen.press(key)
        assert [each.question for each in desk.sent] == ["one\ntwo"]

    at_prompt(scenario, Prompt(enter=lambda: "newline"))


def test_enter_takes_what_is_offered_all_the_same() -> None:
    async def scenario(seen: Seen, desk: Desk) -> None:
        await type_in(seen, "/the")
        await seen.until(lambda: desk.prompt.is_completing)
        await seen.press("enter")
        assert desk.prompt.text == "/theme "

    at_prompt(scenario, Prompt(enter=lambda: "newline"))


@at_both_sizes
def test_the_command_switches_and_the_line_below_the_prompt_says_which_key_sends(
    size: tuple[int, int],
) -> None:
    async def scenario(chat: Chat) -> None:
        await chat.ready()
        await chat.until(lambda: chat.shows("Enter sends · Ctrl+J new line"))
        await chat.ask("/enter")
        await chat.until(lambda: chat.shows("Ctrl+J sends · Enter new line"))
        assert chat.toasts("Enter makes a new line, Ctrl+J sends")
        chat.prompt.insert("one")
        await chat.pilot.press("enter")
        chat.prompt.insert("two")
        await chat.pilot.press("ctrl+j")
        await chat.answered()
        assert chat.screen.session.conversation.turns[0].question == "one\ntwo"
        chat.prompt.insert("/enter send")
        await chat.pilot.press("ctrl+j")
        await chat.until(lambda: chat.shows("Enter sends · Ctrl+J new line"))

    drive(scenario, FakeEngine(Answer(ANSWER)), size)


def test_the_settings_can_have_it_so_from_the_start() -> None:
    async def scenario(chat: Chat) -> None:
        await chat.ready()
        await chat.until(lambda: chat.shows("Ctrl+J sends · Enter new line"))
        await chat.pilot.press("ctrl+r")
        assert chat.toasts("type a question, Ctrl+J sends it.")
        await chat.screen.action_act("prompt-save")
        await chat.until(lambda: bool(chat.toasts("a name for the prompt; Ctrl+J keeps it.")))

    drive(scenario, FakeEngine(Answer(ANSWER)), settings=NEW_LINE)


def test_the_help_names_the_keys_that_hold() -> None:
    sends, breaks = (typing(Keys(), "newline").entries[at].word for at in (0, 1))
    assert (sends, breaks) == ("Ctrl+J", "Enter")
    assert typing(Keys(), "send").entries[0].word == "Enter"


def test_the_help_promises_no_key_that_sends_in_some_terminals() -> None:
    breaks = typing(Keys(), "send").entries[1]
    told = "A new line; so does Shift+Enter or Alt+Enter, where the terminal tells them from Enter."
    assert breaks.word == "Ctrl+J" and breaks.meaning.startswith(told)
    swapped = typing(Keys(), "newline").entries[1].meaning
    assert swapped.startswith("A new line. ") and "Alt+Enter" not in swapped


def test_every_source_can_give_it(monkeypatch: pytest.MonkeyPatch) -> None:
    assert settings().habits.enter == "send"
    write_file('enter = "newline"')
    assert settings().habits.enter == "newline"
    monkeypatch.setenv("SLIPSTREAM_ENTER", "send")
    assert settings().habits.enter == "send"
    assert settings("--enter", "newline").habits.enter == "newline"


def test_another_value_is_refused_with_what_it_should_be() -> None:
    assert checked("enter", "newline") == "newline"
    with pytest.raises(Exception, match=r"send.*newline"):
        checked("enter", "both")


@pytest.mark.parametrize(
    ("typed", "is_done"),
    [
        ("/temp 0.5", True),
        ("/seed", True),
        ("/temp warm", False),
        ("/nothing", False),
        ("what is it?", False),
        ("/temp 0.5\n", False),
        ("/system", True),
        ("/system Be brief.", False),
    ],
)
def test_enter_does_a_command_without_a_text_on_one_line_where_it_makes_lines(
    typed: str, is_done: bool
) -> None:
    async def scenario(chat: Chat) -> None:
        await chat.ready()
        chat.prompt.insert(typed)
        await chat.pilot.press("enter")
        await chat.until(lambda: chat.prompt.text == ("" if is_done else f"{typed}\n"))
        assert not chat.turns

    drive(scenario, FakeEngine(), settings=NEW_LINE)
