"""The `[keys]` table: what it gives holds, and what is wrong with it is one line that says so."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

import pytest
from textual._ansi_sequences import ANSI_SEQUENCES_KEYS
from textual.binding import Binding
from textual.screen import Screen

from app.settings.settings_file import KEYS, SettingsFile
from app.tui.app import SlipstreamApp
from app.tui.dispatch import KEYS as CHAT_KEYS
from app.tui.keys.key_name import SAME, listed, pretty
from app.tui.keys.key_table import of_file, read
from app.tui.keys.keymap import DEFAULT, NO_KEY, Keys, named
from app.tui.keys.screen_keys import SCREEN_KEYS
from app.tui.screens.answer_source import AnswerSource
from app.tui.screens.block_cursor import BlockCursor
from app.tui.screens.chats import ChatsScreen
from app.tui.screens.deleted import DeletedScreen
from app.tui.screens.doctor import DoctorScreen
from app.tui.screens.file_picker import FilePicker
from app.tui.screens.help import HelpScreen
from app.tui.screens.inspector import Inspector
from app.tui.screens.models import ModelsScreen
from app.tui.screens.pasted_source import PastedSource
from app.tui.screens.settings import SettingsScreen
from app.tui.widgets.setting_editor import SettingEditor
from tests.pair import ROOT

FILE = Path("/home/settings.toml")
PLACE = f"{FILE}: keys: "
SCREENS: tuple[tuple[str, Any], ...] = (
    ("source", AnswerSource),
    ("source", PastedSource),
    ("blocks", BlockCursor),
    ("chats", ChatsScreen),
    ("deleted", DeletedScreen),
    ("doctor", DoctorScreen),
    ("files", FilePicker),
    ("help", HelpScreen),
    ("inspector", Inspector),
    ("models", ModelsScreen),
    ("settings", SettingsScreen),
    ("settings", SettingEditor),
)


def given(text: str) -> Keys:
    return read(tomllib.loads(text), FILE)


def test_nothing_is_other_than_by_default_without_a_table(tmp_path: Path) -> None:
    path = tmp_path / "settings.toml"
    path.write_text("temp = 0.3\n", "utf-8")
    assert of_file(path) == DEFAULT == Keys()
    assert DEFAULT.for_textual == {} and DEFAULT.notice == ""
    assert (DEFAULT.key("retry"), DEFAULT.key("chat-3"), DEFAULT.key("undo")) == (
        "Ctrl+R",
        "Alt+3",
        "",
    )


@pytest.mark.parametrize(
    ("written", "keys"),
    [
        ('"ctrl+b"', ("ctrl+b",)),
        ('" Ctrl-B "', ("ctrl+b",)),
        ('"control + b"', ("ctrl+b",)),
        ('"^b"', ("ctrl+b",)),
        ('"Alt+1"', ("alt+1",)),
        ('"F12"', ("f12",)),
        ('"shift+alt+z"', ("alt+shift+z",)),
        ('"Ctrl+\\\\"', ("ctrl+backslash",)),
        ('"ctrl+Page Up"', ("ctrl+pageup",)),
        ('"PgUp"', ("pageup",)),
        ('["ctrl+b", "f7", "ctrl-b"]', ("ctrl+b", "f7")),
        ('""', ()),
        ('"None"', ()),
        ("[]", ()),
    ],
)
def test_a_key_is_read_however_it_is_written(written: str, keys: tuple[str, ...]) -> None:
    found = given(f"retry = {written}")
    assert found.wrong == ()
    assert found.of("retry") == keys


@pytest.mark.parametrize("name", ["retry", "RETRY", "/retry", "regenerate", "Regenerate"])
def test_an_action_is_found_by_its_slash_command_too(name: str) -> None:
    assert given(f'"{name}" = "f7"').own == {"retry": ("f7",)}


def test_names_may_have_either_dash() -> None:
    assert given('next_chat = "f7"\nchats_delete = "f8"').own == {
        "next-chat": ("f7",),
        "chats-delete": ("f8",),
    }


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ('serch = "f9"', "serch: there is nothing of that name; the nearest is search; /help keys"),
        ('zzzzz = "f9"', "zzzzz: there is nothing of that name; /help keys lists the names."),
        (
            "retry = 3",
            'retry: should be a key in quotes, a list of such, or "" for none, found 3',
        ),
        ("retry = [1]", "retry: should be a key in quotes"),
        ('retry = "banana"', "retry: should be a key such as ctrl+t, alt+k or f7, found 'banana'."),
        ('retry = "f25"', "retry: should be a key such as"),
        ('retry = "ctrl+"', "retry: should be a key such as"),
        (
            'retry = "ctrl+i"',
            "retry: should be another key: to a terminal this one is Tab, found",
        ),
        ('retry = "Ctrl+M"', "retry: should be another key: to a terminal this one is Enter"),
        ('retry = "ctrl-j"', "retry: should be another key: to a terminal this one is a new line"),
        ('retry = "ctrl+["', "retry: should be another key: to a terminal this one is Esc"),
        ('retry = "enter"', "retry: should be another key: Enter, Esc, Tab and Ctrl+C"),
        ('retry = "ctrl+c"', "retry: should be another key: Enter, Esc, Tab and Ctrl+C"),
        ('retry = "Esc"', "retry: should be another key: Enter, Esc, Tab and Ctrl+C"),
        ('retry = "r"', "retry: should be another key, as one types with this one"),
        ('retry = "shift+r"', "retry: should be another key, as one types with this one"),
        ('retry = "space"', "retry: should be another key, as one types with this one"),
        ('retry = "ctrl+backspace"', "retry: should be another key, as one types with this one"),
        ('retry = "up"', "retry: should be another key: this one moves and selects"),
        ('retry = "shift+left"', "retry: should be another key: this one moves and selects"),
        ('retry = "ctrl+shift+x"', "retry: should be another key, as no terminal tells this one"),
        ('retry = "ctrl+1"', "retry: should be another key, as no terminal tells this one"),
        ('retry = "alt+."', "retry: should be another key, as no terminal tells this one"),
        ('light = "pageup"', "light: should be another key: this one scrolls there"),
        ('chats-delete = "x"', "chats-delete: should be another key, as one types with this one"),
        ('retry = "f7"\nregenerate = "f8"', "regenerate: is about retry, as an earlier entry is"),
        (
            'retry = "f7"\nedit = ["f8", "F7"]',
            "edit: should be another key: F7 is given to retry",
        ),
        ('light = "f7"\nmodels-unload = "f7"', "models-unload: should be another key: F7 is given"),
        ('model = "f7"\nmodels-unload = "f7"', "models-unload: should be another key: F7 is given"),
    ],
)
def test_a_wrong_entry_is_one_line_and_keeps_its_default(text: str, told: str) -> None:
    found = given(f'undo = "f5"\n{text}')
    [line] = found.wrong
    assert line.startswith(PLACE + told) and "\n" not in line and line.endswith(".")
    name = next(iter(tomllib.loads(text.splitlines()[-1])))
    if name in named():
        assert found.of(name) == named()[name].keys
        assert line.endswith(f"{name} keeps {listed(named()[name].keys)}.")
    assert found.of("undo") == ("f5",), "the other entries hold"
    assert found.notice == line


def test_a_table_that_is_none_is_told() -> None:
    found = read(3, FILE)
    assert found.own == {}
    assert found.wrong == (
        f'{PLACE}should be a table: [keys], and below it lines such as retry = "ctrl+t", found 3.',
    )


def test_of_several_wrong_entries_one_is_told_and_where_the_others_are() -> None:
    found = given('a-a = "f7"\nretry = "x"\nhelp = "f6"\nedit = 3')
    assert len(found.wrong) == 3
    assert found.notice == f"{found.wrong[0]} 2 more: F6 tells them all."


def test_a_given_key_is_taken_from_what_has_it_by_default_where_both_hold() -> None:
    found = given('retry = "ctrl+t"\nlight = "ctrl+d"\nchats-undo = "ctrl+r"')
    assert found.wrong == ()
    assert found.of("retry") == ("ctrl+t",) and found.of("light") == ("ctrl+d",)
    assert found.of("chats-delete") == (), "the light changes in every screen"
    assert found.of("chats-rename") == ("f2",), "it had two"
    assert given('retry = "ctrl+d"').own == {"retry": ("ctrl+d",)}, "the chats are elsewhere"


def test_two_can_change_their_keys() -> None:
    found = given('retry = "ctrl+e"\nedit = "ctrl+r"')
    assert found.wrong == () and found.of("retry") == ("ctrl+e",)
    assert found.of("edit") == ("ctrl+r",)


def test_a_wrong_entry_whose_default_was_taken_is_told_to_have_no_key() -> None:
    found = given('retry = "ctrl+e"\nedit = "x"')
    assert found.wrong[0].endswith("edit has no key now.")
    assert found.of("edit") == ()


def test_one_key_may_mean_different_things_in_different_screens() -> None:
    found = given('models-unload = "x"\ninspector-rejection = "x"')
    assert found.wrong == () and found.of("models-unload") == found.of("inspector-rejection")


@pytest.mark.parametrize("name", [name for name in named() if named()[name].keys])
def test_every_default_may_be_written_down(name: str) -> None:
    keys = named()[name].keys
    found = read({name: list(keys)}, FILE)
    assert found.own == {} and found.wrong == ()
    assert read({name: [pretty(key) for key in keys]}, FILE).wrong == (), "also as it is shown"


def test_by_default_no_key_means_two_things_in_one_screen() -> None:
    for name, what in named().items():
        for other, its in named().items():
            if name != other and what.places & its.places:
                assert not set(what.keys) & set(its.keys), (name, other)


def bindings(owner: type[Screen[object]]) -> list[Binding]:
    return [each for each in owner.BINDINGS if isinstance(each, Binding)]


def test_what_screens_bind_is_what_is_told_of_them() -> None:
    bound = {one.id: (one, place) for place, kind in SCREENS for one in bindings(kind) if one.id}
    assert set(SCREEN_KEYS) <= set(bound)
    for name, (one, place) in bound.items():
        assert one.key == ",".join(named()[str(name)].keys)
        assert place in named()[str(name)].places
    of_chat = {str(one.id): one for one in CHAT_KEYS}
    assert {name for name, what in named().items() if "chat" in what.places} - {"palette"} == set(
        of_chat
    )
    assert {one.key for one in CHAT_KEYS if not named()[str(one.id)].keys} == {NO_KEY}
    everywhere = {str(one.id): one.key for one in SlipstreamApp.BINDINGS}  # type: ignore[union-attr]
    assert everywhere == {name: named()[name].keys[0] for name in ("quit", "light", "palette")}


@pytest.mark.parametrize("key", ["alt+b", "alt+f", "alt+0"])
def test_what_is_refused_as_another_key_is_one_to_the_terminal(key: str) -> None:
    assert f"\x1b{key[-1]}" in ANSI_SEQUENCES_KEYS and key in SAME


def test_a_key_is_shown_as_it_stands_on_a_keyboard() -> None:
    keys = ("ctrl+r", "escape", "alt+left", "pageup", "s", "R", "ctrl+backslash", "alt+shift+x")
    assert [pretty(key) for key in keys] == (
        ["Ctrl+R", "Esc", "Alt+←", "Page up", "s", "R", "Ctrl+\\", "Alt+Shift+X"]
    )
    assert listed(["alt+1", "alt+2", "alt+3", "f7", "f8"]) == "Alt+1…3, F7, F8"


@pytest.mark.parametrize(
    ("text", "way"),
    [
        ('retry = "f7"', "F7"),
        ('retry = ""', "/retry"),
        ('edit = ""', "“Edit” in Ctrl+P"),
        ('edit = ""\npalette = "f9"', "“Edit” in F9"),
        ('edit = ""\npalette = ""', "“Edit” (no key)"),
        ('chats-undo = ""', "“Undo” (no key)"),
    ],
)
def test_what_has_no_key_is_told_by_the_way_that_is_left(text: str, way: str) -> None:
    name = next(iter(tomllib.loads(text)))
    found = given(text)
    assert found.wrong == () and found.told(f"{{{name}}} does it, {{nothing}}.") == (
        f"{way} does it, {{nothing}}."
    )


def test_the_app_leaves_the_table_and_its_comments_as_they_are(tmp_path: Path) -> None:
    path = tmp_path / "settings.toml"
    table = (
        '\n# as in my editor\n[keys]  # mine\nretry = "ctrl+t"  # again\n\nsearch = [\n  "f7",\n]\n'
    )
    path.write_text(f"temp = 0.3  # cool\n{table}", "utf-8")
    file = SettingsFile(path)
    file.set("temp", 0.7)
    file.set("seed", 4)
    file.unset("temp")
    file.set("logit_bias", {"7": 1.0})
    text = path.read_text("utf-8")
    assert table in text and "seed = 4" in text and "temp" not in text
    assert of_file(path).own == {"retry": ("ctrl+t",), "light": (), "search": ("f7",)}


def test_the_table_of_the_page_on_settings_is_right() -> None:
    page = (ROOT / "app" / "README.md").read_text("utf-8")
    [table] = re.findall(r"```toml\n(\[keys\]\n.*?)```", page, re.DOTALL)
    found = read(tomllib.loads(table)[KEYS], FILE)
    assert found.wrong == () and len(found.own) == 5 and found.of("light") == ()
