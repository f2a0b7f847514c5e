"""The settings: what holds and who says so; changed at once, kept by a key, or taken back."""

from __future__ import annotations

import argparse
import dataclasses
import tomllib
from pathlib import Path

import pytest

from app.config import ChatSettings, settings_for_pair
from app.errors import AppError, SettingsError
from app.paths import Paths
from app.tui.screens.settings import SettingsScreen
from app.tui.setting_rows import ROWS, Now, Value, parsed, shown, typed
from app.tui.setting_sources import (
    AT_LOAD,
    AT_START,
    LOADING,
    SAMPLING,
    Looks,
    changed,
    settings_now,
)
from app.tui.widgets.setting_list import SettingList, laid_out
from tests.app.test_sanitise import HOSTILE
from tests.app.tui.alone import Scenario, Seen, drive
from tests.app.tui.driving import SIZES
from tests.app.tui.test_screen import CONTROL, MARKUP

LOOKS = Looks("slipstream-dark", ("slipstream-dark", "slipstream-light"))


class Chat:
    """A chat's settings, changed as the app does it."""

    def __init__(self, error: Exception | None = None, **flags: Value) -> None:
        self.args = argparse.Namespace(**flags)
        self.chosen: dict[str, Value | None] = {}
        self._error = error

    def now(self) -> dict[str, Now]:
        return dict(settings_now(self.args, "demo", self.chosen, LOOKS))

    def apply(self, name: str, value: Value | None) -> str:
        if self._error is not None:
            raise self._error
        self.chosen[name] = value
        return AT_LOAD if name in LOADING else ""


def play(scenario: Scenario, chat: Chat, size: tuple[int, int] = (80, 24)) -> None:
    async def when_known(seen: Seen) -> None:
        await seen.until_shown("top-k 40")
        await scenario(seen)

    drive(SettingsScreen(chat.now, chat.apply), when_known, size)


async def go_to(seen: Seen, name: str) -> None:
    """Highlight a setting."""
    seen.widget(SettingList).highlight(name)
    await seen.until(lambda: seen.widget(SettingList).highlighted is ROWS[name])
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
            "seed random default",
        ):
            assert seen.shows(row), row
        await seen.until_shown("--temp says so")
        await go_to(seen, "top_p")
        await seen.until_shown("SLIPSTREAM_TOP_P")
        await seen.until(lambda: "esc Back" in seen.footer)

    play(scenario, Chat(temp=0.3), size)


def test_a_value_that_cannot_be_is_refused_while_it_is_typed() -> None:
    async def scenario(seen: Seen) -> None:
        await seen.press("enter")
        await seen.press(*"abc")
        await seen.until_shown("temperature: a number, found 'abc'.")
        await seen.press("enter")
        assert not chat.chosen
        await seen.press(*["backspace"] * 3, *"-1")
        await seen.until_shown("temp must be 0 or more, found -1.0.")
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


def test_what_holds_later_says_when() -> None:
    async def scenario(seen: Seen) -> None:
        await go_to(seen, "ctx_size")
        await seen.press("enter", *"4096", "enter")
        await seen.until_shown("context 4096: takes effect at the next load")

    chat = Chat()
    play(scenario, chat)
    assert chat.chosen == {"ctx_size": 4096}


def test_a_choice_is_taken_from_a_list_or_stepped_through() -> None:
    async def scenario(seen: Seen) -> None:
        await go_to(seen, "cache_type")
        await seen.until(lambda: "←→ Step" in seen.footer)
        await seen.press("enter", "down", "enter")
        await seen.until_shown("cache type q8_0 this chat")
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
        await seen.until_shown("memory off this chat")

    play(scenario, Chat())


def test_a_click_highlights_and_two_change() -> None:
    async def scenario(seen: Seen) -> None:
        await seen.pilot.click("SettingList OptionList", offset=(6, 2))
        await seen.until_shown("Choose among the K likeliest")
        await seen.pilot.click("SettingList OptionList", offset=(6, 2), times=2)
        await seen.until(lambda: "Leave it" in seen.footer)

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

    play(scenario, Chat(temp=0.3))


def test_what_no_file_can_hold_is_not_offered_to_be_kept() -> None:
    async def scenario(seen: Seen) -> None:
        await go_to(seen, "persona")
        await seen.until(lambda: "Keep" not in seen.footer)
        await seen.press("s")
        await seen.pilot.pause()

    play(scenario, Chat())
    assert not written()


def test_a_damaged_file_is_one_line_and_stays_as_it_is() -> None:
    async def scenario(seen: Seen) -> None:
        await seen.until_shown("Cannot read")
        await seen.press("enter", "s", "delete", "escape")
        await seen.until(lambda: not seen.is_open)

    write("temp = \n")
    chat = Chat()
    drive(SettingsScreen(chat.now, chat.apply), scenario)
    assert Paths().settings_file.read_text() == "temp = \n"


def test_what_the_chat_refuses_is_one_line_and_nothing_changes() -> None:
    async def scenario(seen: Seen) -> None:
        await seen.press("enter", *"0.5", "enter")
        await seen.until_shown("not now")
        assert seen.shows("temperature 0 pair")

    play(scenario, Chat(error=AppError("not now")))


def test_it_is_painted_before_anything_is_read() -> None:
    def refuse() -> dict[str, Now]:
        raise OSError("no disk")

    async def scenario(seen: Seen) -> None:
        assert seen.widget(SettingList).highlighted is ROWS["temp"]
        await seen.until_shown("no disk")
        assert seen.shows("Sampling temperature top-k")

    drive(SettingsScreen(refuse, lambda name, value: ""), scenario)


@pytest.mark.parametrize("text", [*HOSTILE.values(), MARKUP], ids=[*HOSTILE.keys(), "markup"])
def test_hostile_values_are_harmless(text: str) -> None:
    async def scenario(seen: Seen) -> None:
        await go_to(seen, "system")
        await seen.pilot.pause()
        assert not any(CONTROL.search(line) for line in seen.lines)

    chat = Chat()
    chat.chosen["system"] = text
    play(scenario, chat, (120, 40))


@pytest.mark.parametrize("size", [*SIZES, (60, 20), (40, 12), (20, 6)])
def test_everything_lies_on_the_screen_at_any_size(size: tuple[int, int]) -> None:
    async def scenario(seen: Seen) -> None:
        await seen.pilot.pause()
        assert all(len(line) == size[0] for line in seen.lines)

    chat = Chat()
    drive(SettingsScreen(chat.now, chat.apply), scenario, size)


@pytest.mark.parametrize("width", [0, 5, 30, 50, 76])
def test_a_row_never_exceeds_the_width(width: int) -> None:
    now = Now("x" * 200, None, "chat")
    assert laid_out(ROWS["system"], now, width).cell_length <= width


@pytest.mark.parametrize(
    "name, text, value",
    [
        ("temp", " 0,5 ", 0.5),
        ("temp", "1", 1.0),
        ("top_k", "0", 0),
        ("seed", "", None),
        ("seed", "random", None),
        ("seed", "7", 7),
        ("draft_tokens", "AUTO", "auto"),
        ("draft_tokens", "4", 4),
        ("memory", "off", False),
        ("system", " two\nlines ", " two\nlines "),
        ("system", "", None),
    ],
)
def test_what_is_typed_becomes_a_value(name: str, text: str, value: Value | None) -> None:
    found = parsed(ROWS[name], text)
    assert (found, type(found)) == (value, type(value))


@pytest.mark.parametrize(
    "name, text",
    [
        ("temp", ""),
        ("temp", "warm"),
        ("top_k", "1.5"),
        ("gpu_layers", "-1"),
        ("draft_tokens", "²"),
        ("memory", "perhaps"),
        ("drafter", "nobody"),
        ("seed", "9" * 5000),
    ],
)
def test_what_is_no_value_is_refused_in_one_line(name: str, text: str) -> None:
    with pytest.raises(SettingsError) as error:
        parsed(ROWS[name], text, ("auto", "none"))
    assert str(error.value).startswith(ROWS[name].label)
    assert len(str(error.value)) < 200


def test_every_value_is_shown_and_typed_as_it_is_read() -> None:
    for name, now in Chat().now().items():
        row = ROWS[name]
        assert shown(row, now.value)
        if now.value is not None or row.nothing:
            assert parsed(row, typed(row, now.value), now.choices) == now.value


def test_every_row_is_known_to_what_says_the_values() -> None:
    assert set(Chat().now()) == set(ROWS)
    assert set(SAMPLING) | set(LOADING) <= set(ROWS)


def test_a_pair_says_what_no_other_source_does(own_folders: Path) -> None:
    file = Paths().own_catalog
    file.parent.mkdir(parents=True, exist_ok=True)
    target = own_folders / "t.gguf"
    target.write_bytes(b"GGUF")
    file.write_text(
        f'[models.t]\npath = "{target}"\n[pairs.mine]\ntitle = "Mine"\nfor_whom = "me"\n'
        'target = "t"\nctx_size = 512\nsettings = { temp = 0.1 }\n'
    )
    now = settings_now(argparse.Namespace(), "mine", {}, LOOKS)
    assert (now["temp"].value, now["temp"].source) == (0.1, "pair")
    assert (now["ctx_size"].value, now["ctx_size"].source) == (512, "pair")
    assert now["top_k"].source == "default"


def test_a_change_reaches_the_chat_or_says_when() -> None:
    settings: ChatSettings = settings_for_pair(argparse.Namespace(), "demo")
    for name, now in Chat().now().items():
        after, effect = changed(settings, name, now.value)
        if name in SAMPLING or name == "system":
            assert effect == ""
        elif name in LOADING:
            assert effect == AT_LOAD
        else:
            assert (after, effect) == (settings, AT_START)
    warmer, _ = changed(settings, "temp", 1.5)
    assert warmer == dataclasses.replace(settings, sampling=settings.sampling.at(1.5))
    assert changed(settings, "memory", False)[0].pair.memory is None
    assert changed(settings, "gpu_layers", "auto")[0].pair.gpu_layers is None
    assert changed(settings, "drafter", "auto")[0].pair.drafter == "auto"
    assert changed(settings, "ctx_size", 512)[0].pair.n_ctx == 512
    assert changed(settings, "seed", None)[0].sampling.seed != settings.sampling.seed
