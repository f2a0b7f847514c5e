"""The settings: what holds and who says so; changed at once, kept by a key, or taken back."""

from __future__ import annotations

import argparse
import tomllib

import pytest

from app.errors import AppError
from app.paths import Paths
from app.settings.rows import ROWS, Now, Value
from app.tui.preferences.setting_sources import AT_LOAD, LOADING, Looks, settings_now
from app.tui.screens.settings import SettingsScreen
from app.tui.widgets.setting_list import SettingList
from tests.app.terminal.test_sanitise import HOSTILE_AT_ONCE
from tests.app.tui.alone import Scenario, Seen, drive
from tests.app.tui.driving import SIZES, beyond
from tests.app.tui.test_screen import CONTROL, LINK, MARKUP, times

LOOKS = Looks("dark", ("dark", "light"))


class Chat:
    """A chat's settings, changed as the app does it."""

    def __init__(self, error: Exception | None = None, **flags: Value) -> None:
        self.args = argparse.Namespace(**flags)
        self.chosen: dict[str, Value | None] = {}
        self._error = error

    def now(self) -> dict[str, Now]:
        return dict(settings_now(self.args, {"pair": "demo"}, self.chosen, LOOKS))

    def apply(self, name: str, value: Value | None) -> str:
        if self._error is not None:
            raise self._error
        self.chosen[name] = value
        return AT_LOAD if name in LOADING else ""


def play(scenario: Scenario, chat: Chat, size: tuple[int, int] = (80, 24)) -> None:
    async def when_known(seen: Seen) -> None:
        await seen.until_shown("top-k 40")
        await scenario(seen)

    drive(SettingsScreen(chat.now, chat.apply, chat.apply), when_known, size)


async def go_to(seen: Seen, name: str) -> None:
    """Highlight a setting."""
    settings = seen.widget(SettingList)
    settings.rows.highlighted = settings.rows.get_option_index(name)
    await seen.until(lambda: settings.highlighted is ROWS[name])
    await seen.until_shown(ROWS[name].about.split(";")[0][:30])


def written() -> dict[str, object]:
    file = Paths().settings_file
    return tomllib.loads(file.read_text()) if file.exists() else {}


def write(text: str) -> None:
    file = Paths().settings_file
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)


@pytest.mark.parametrize("size", SIZES, ids=["80x24", "160x50"])
def test_each_setting_tells_its_value_and_where_it_comes_from(
    size: tuple[int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SLIPSTREAM_TOP_P", "0.5")
    write("min_p = 0.25\n")

    async def scenario(seen: Seen) -> None:
        for row in (
            "temperature 0.3 flag",
            "top-k 40 default",
            "top-p 0.5 environment",
            "min-p 0.25 settings.toml",
        ):
            assert seen.shows(row), row
        await seen.until_shown("--temp says so")
        await go_to(seen, "seed")
        await seen.until_shown("seed random default")
        await go_to(seen, "top_p")
        await seen.until_shown("SLIPSTREAM_TOP_P")
        await seen.until(lambda: "esc Back" in seen.footer)

    play(scenario, Chat(temp=0.3), size)


def test_what_is_refused_is_called_as_in_its_row() -> None:
    async def scenario(seen: Seen) -> None:
        await go_to(seen, "repeat_last_n")
        await seen.press("enter", "home", *["delete"] * 4, *"-7")
        await seen.until_shown("penalty window: must be -1 (all), 0 (off) or more, found -7.")
        assert not seen.shows("repeat_last_n:") and not chat.chosen

    chat = Chat()
    play(scenario, chat)


def test_a_value_that_cannot_be_is_refused_while_it_is_typed() -> None:
    async def scenario(seen: Seen) -> None:
        await seen.press("enter")
        await seen.press(*"abc")
        await seen.until_shown("temperature: a number, found 'abc'.")
        await seen.press("enter")
        assert not chat.chosen
        await seen.press(*["backspace"] * 3, *"-1")
        await seen.until_shown("temperature: must be 0 or more, found -1.0.")
        await seen.press(*["backspace"] * 2, *"1.5", "enter")
        await seen.until_shown("temperature 1.5 this chat")

    chat = Chat()
    play(scenario, chat)
    assert chat.chosen == {"temp": 1.5}


def test_escape_leaves_the_editor_first_and_then_the_screen() -> None:
    async def scenario(seen: Seen) -> None:
        await seen.press("enter", "9", "escape")
        await seen.until(lambda: "esc Back" in seen.footer)
        assert seen.is_open
        await seen.press("escape")
        await seen.until(lambda: not seen.is_open)

    chat = Chat()
    play(scenario, chat)
    assert not chat.chosen


def test_escape_leads_back_also_from_the_list_that_tab_led_to() -> None:
    async def scenario(seen: Seen) -> None:
        await seen.press("enter", "9", "tab")
        await seen.until(lambda: "esc Back" in seen.footer)
        await seen.press("escape")
        await seen.until(lambda: "Keep" in seen.footer)
        assert seen.is_open
        await seen.press("escape")
        await seen.until(lambda: not seen.is_open)

    chat = Chat()
    play(scenario, chat)
    assert not chat.chosen


def test_what_holds_later_says_when() -> None:
    async def scenario(seen: Seen) -> None:
        await go_to(seen, "ctx_size")
        await seen.press("enter", *"4096", "enter")
        later = "takes effect at the next load: choose the pair again in Ctrl+O"
        await seen.until_shown(f"context 4096: {later}")

    chat = Chat()
    play(scenario, chat)
    assert chat.chosen == {"ctx_size": 4096}


def test_a_choice_is_taken_from_a_list_or_stepped_through() -> None:
    async def scenario(seen: Seen) -> None:
        await go_to(seen, "cache_type")
        await seen.until(lambda: "←→ Step" in seen.footer)
        await seen.press("enter", "down", "enter")
        await seen.until_shown("cache type q8_0 all chats")
        await seen.press("right")
        await seen.until_shown("cache type f16 default")
        await go_to(seen, "persona")
        await seen.press("left")
        await seen.until(lambda: chat.chosen.get("persona") == "Translator")

    chat = Chat()
    play(scenario, chat)
    assert chat.chosen["cache_type"] == "f16"


def test_a_switch_is_turned_over_by_enter() -> None:
    async def scenario(seen: Seen) -> None:
        await go_to(seen, "memory")
        await seen.press("enter")
        await seen.until_shown("memory off all chats")

    chat = Chat()
    play(scenario, chat)
    assert chat.chosen == {"memory": False} and written() == {}


def test_thinking_is_on_off_or_left_alone() -> None:
    async def scenario(seen: Seen) -> None:
        await go_to(seen, "think")
        await seen.until_shown("think first auto default")
        for position in ("on", "off"):
            await seen.press("enter")
            await seen.until_shown(f"think first {position} this chat")
        await seen.press("s")
        await seen.until_shown("think first off is kept in settings.toml")
        await seen.press("right")
        await seen.until(lambda: chat.chosen["think"] is None)
        await seen.press("delete")
        await seen.until_shown("think first is not set any more: auto")

    chat = Chat()
    play(scenario, chat)
    assert written() == {}


def test_a_click_highlights_and_two_change() -> None:
    async def scenario(seen: Seen) -> None:
        await seen.pilot.click("SettingList OptionList", offset=(6, 2))
        await seen.until_shown("Choose among the K likeliest")
        await seen.pilot.click("SettingList OptionList", offset=(6, 2), times=2)
        await seen.until(lambda: "Leave it" in seen.footer)
        assert seen.widget(SettingList).highlighted is ROWS["top_k"]

    play(scenario, Chat())


def test_a_system_prompt_may_have_several_lines() -> None:
    async def scenario(seen: Seen) -> None:
        await go_to(seen, "system")
        await seen.press("enter", "B", "e", "enter", *"brief", "ctrl+s")
        await seen.until_shown("system prompt Be brief this chat")

    chat = Chat()
    play(scenario, chat)
    assert chat.chosen == {"system": "Be\nbrief"}


def test_a_key_keeps_a_value_and_another_forgets_it() -> None:
    async def scenario(seen: Seen) -> None:
        await seen.press("enter", *"0.5", "enter")
        await seen.until_shown("temperature 0.5 this chat")
        await seen.press("s")
        await seen.until_shown("temperature 0.5 is kept in settings.toml")
        assert written() == {"top_k": 40, "temp": 0.5}
        await seen.until_shown("temperature 0.5 settings.toml")
        await seen.press("delete")
        await seen.until_shown("temperature is not set any more: 0")
        await seen.until_shown("temperature 0 pair")

    write("# mine\ntop_k = 40\n")
    chat = Chat()
    play(scenario, chat)
    assert written() == {"top_k": 40}
    assert Paths().settings_file.read_text().startswith("# mine")
    assert chat.chosen == {"temp": 0.0}


def test_what_is_kept_below_a_flag_says_that_the_flag_wins() -> None:
    async def scenario(seen: Seen) -> None:
        await seen.press("s")
        await seen.until_shown("is kept in settings.toml, but --temp says so and wins over it")
        assert seen.shows("temperature 0.3 flag")

    play(scenario, Chat(temp=0.3))
    assert written() == {"temp": 0.3}


def test_a_value_that_a_flag_gives_stays_when_it_is_taken_out_of_the_file() -> None:
    async def scenario(seen: Seen) -> None:
        await seen.press("delete")
        await seen.until_shown("temperature stays 0.3: --temp says so")
        assert seen.shows("temperature 0.3 flag")

    write("temp = 0.7\n")
    play(scenario, Chat(temp=0.3))
    assert written() == {}


def test_a_system_prompt_that_is_kept_takes_the_place_of_a_kept_persona() -> None:
    async def scenario(seen: Seen) -> None:
        await go_to(seen, "system")
        await seen.until_shown("system prompt Be brief. this chat")
        await seen.press("s")
        await seen.until_shown("system prompt Be brief. is kept in settings.toml")
        await seen.until_shown("system prompt Be brief. settings.toml")

    write('persona = "Teacher"\ntop_k = 40\n')
    chat = Chat()
    chat.chosen = {"system": "Be brief.", "persona": None}
    play(scenario, chat)
    assert written() == {"system": "Be brief.", "top_k": 40}


def test_a_persona_is_kept_by_the_key_and_then_holds_for_every_chat() -> None:
    async def scenario(seen: Seen) -> None:
        await go_to(seen, "persona")
        await seen.press("left")
        await seen.until(lambda: chat.chosen.get("persona") == "Translator")
        await seen.until_shown("persona Translator this chat")
        await seen.press("s")
        await seen.until_shown("persona Translator is kept in settings.toml")
        await seen.until_shown("persona Translator settings.toml")
        assert seen.shows("temperature 0.2 persona"), "and its sampling comes with it"
        assert seen.shows("system prompt You translate.")

    chat = Chat()
    play(scenario, chat, (160, 50))
    assert written() == {"persona": "Translator"}


def test_a_damaged_file_is_one_line_and_stays_as_it_is() -> None:
    async def scenario(seen: Seen) -> None:
        await seen.until_shown("Cannot read")
        await seen.press("enter", "s", "delete", "escape")
        await seen.until(lambda: not seen.is_open)

    write("temp = \n")
    chat = Chat()
    drive(SettingsScreen(chat.now, chat.apply, chat.apply), scenario)
    assert Paths().settings_file.read_text() == "temp = \n"


def test_what_the_chat_refuses_is_one_line_and_nothing_changes() -> None:
    async def scenario(seen: Seen) -> None:
        await seen.press("enter", *"0.5", "enter")
        await seen.until_shown("not now")
        assert seen.shows("temperature 0 pair")

    play(scenario, Chat(error=AppError("not now")))


def test_it_is_painted_before_anything_is_read() -> None:
    chat = Chat()

    def refuse() -> dict[str, Now]:
        raise OSError("no disk")

    async def scenario(seen: Seen) -> None:
        assert seen.widget(SettingList).highlighted is ROWS["temp"]
        await seen.until_shown("no disk")
        assert seen.shows("Sampling temperature top-k")
        await seen.press("down", "enter", "down")
        assert seen.widget(SettingList).highlighted is ROWS["top_p"]
        assert seen.shows("no disk"), "as long as it is so"

    drive(SettingsScreen(refuse, chat.apply, chat.apply), scenario)


@pytest.mark.parametrize(
    "text", [*HOSTILE_AT_ONCE.values(), MARKUP], ids=[*HOSTILE_AT_ONCE.keys(), "markup"]
)
def test_hostile_values_are_harmless(text: str) -> None:
    async def scenario(seen: Seen) -> None:
        await go_to(seen, "system")
        await seen.press("enter")
        await seen.until(lambda: "Leave it" in seen.footer)
        assert not any(CONTROL.search(line) for line in seen.lines)
        assert times(LINK, seen.lines) == 3 * text.count(LINK)

    chat = Chat()
    chat.chosen["system"] = text
    play(scenario, chat, (120, 40))


@pytest.mark.parametrize("size", [*SIZES, (60, 20), (40, 12), (20, 6)])
def test_everything_lies_on_the_screen_at_any_size(size: tuple[int, int]) -> None:
    async def scenario(seen: Seen) -> None:
        await seen.pilot.pause()
        assert not beyond(seen.app.screen)

    chat = Chat()
    drive(SettingsScreen(chat.now, chat.apply, chat.apply), scenario, size)


def test_what_is_typed_is_in_sight_on_the_smallest_screen() -> None:
    async def scenario(seen: Seen) -> None:
        await seen.pilot.pause()
        await seen.press("enter", *"1.75")
        await seen.until_shown("1.75")
        field = seen.app.screen.focused
        assert field is not None and seen.app.screen.region.contains_region(field.region)

    chat = Chat()
    drive(SettingsScreen(chat.now, chat.apply, chat.apply), scenario, (20, 6))
