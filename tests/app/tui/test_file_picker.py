"""Files are picked from their folders, and the prompt names them so that they are sent along."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from app.files.file_search import below
from app.tui.screens import file_picker
from app.tui.screens.file_picker import FilePicker
from app.tui.widgets.file_list import FileList
from tests.app.tui.alone import Seen
from tests.app.tui.alone import drive as drive_alone
from tests.app.tui.driving import SIZES, Chat, drive
from tests.app.tui.fakes import FakeEngine
from tests.patience import PATIENCE_S

at_both_sizes = pytest.mark.parametrize("size", SIZES, ids=["80x24", "160x50"])


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    here = tmp_path / "here"
    (here / "notes" / "deep").mkdir(parents=True)
    (here / "notes" / "first one.md").write_text("one\n" * 1000)
    (here / "notes" / "deep" / "moon.txt").write_text("x")
    (here / "empty").mkdir()
    (here / "a.py").write_text("import os\n")
    (here / "b.zip").write_bytes(b"PK")
    (here / ".secret").write_text("x")
    (tmp_path / "above.txt").write_text("x")
    monkeypatch.chdir(here)
    monkeypatch.setenv("HOME", str(tmp_path))
    return here


class Picking(Seen):
    """What is listed, and what came of it."""

    @property
    def names(self) -> list[str]:
        files: FileList = self.widget(FileList)
        return [row.entry.name for row in files.shown]

    @property
    def at(self) -> str:
        row = self.widget(FileList).highlighted
        return row.entry.name if row is not None else ""

    async def go_to(self, name: str) -> None:
        for _ in range(self.names.index(name) - self.names.index(self.at)):
            await self.press("down")
        await self.until(lambda: self.at == name)


def play(scenario, folder: Path, size: tuple[int, int] = (80, 24)) -> list[object]:  # type: ignore[no-untyped-def]
    """Drive a picker on its own, and return what it was left with."""
    picked: list[object] = []

    class Screen(FilePicker):
        CSS_PATH = Path(file_picker.__file__).with_suffix(".tcss")

        def dismiss(self, result=None):  # type: ignore[no-untyped-def]
            picked.append(result)
            return super().dismiss(result)

    async def run(seen: Seen) -> None:
        picking = Picking(seen.app, seen.pilot)
        await picking.until(lambda: bool(picking.names))
        await scenario(picking)

    drive_alone(Screen(folder), run, size)  # type: ignore[arg-type]
    return picked


@at_both_sizes
def test_it_shows_folders_first_with_sizes_and_unfolds_them(
    folder: Path, size: tuple[int, int]
) -> None:
    async def scenario(seen: Picking) -> None:
        assert seen.names == ["empty", "notes", "a.py", "b.zip"]
        await seen.until_shown("Attach files ~/here")
        await seen.go_to("notes")
        await seen.press("right")
        await seen.until(lambda: "first one.md" in seen.names)
        assert [line.split() for line in seen.lines if "first one" in line] == [
            ["first", "one.md", "4", "kB"]
        ]
        await seen.press("l")
        assert seen.at == "deep"
        await seen.press("h")
        assert seen.at == "notes"
        await seen.press("left")
        assert seen.names == ["empty", "notes", "a.py", "b.zip"]

    assert play(scenario, folder, size) == []


def test_enter_takes_the_file_and_unfolds_a_folder(folder: Path) -> None:
    async def scenario(seen: Picking) -> None:
        await seen.go_to("notes")
        await seen.press("enter")
        await seen.until(lambda: "first one.md" in seen.names)
        await seen.go_to("first one.md")
        await seen.until_shown("first one.md: 4 kB, about 1,000 tokens")
        await seen.press("enter")

    assert play(scenario, folder) == [(str(folder / "notes" / "first one.md"),)]


def test_space_marks_several_which_are_taken_in_their_order(folder: Path) -> None:
    async def scenario(seen: Picking) -> None:
        await seen.go_to("notes")
        await seen.press("l")
        await seen.until(lambda: "first one.md" in seen.names)
        await seen.go_to("a.py")
        await seen.press("space")
        await seen.until_shown("1 file marked: 10 B, about 2 tokens")
        await seen.press("up", "up", "space")
        await seen.until_shown("2 files marked: 4 kB")
        assert sum("✓" in line for line in seen.lines) == 2
        await seen.press("up", "up", "up", "enter")

    files = (folder / "a.py", folder / "notes" / "first one.md")
    assert play(scenario, folder) == [tuple(map(str, files))]


def test_a_second_space_takes_the_mark_away(folder: Path) -> None:
    async def scenario(seen: Picking) -> None:
        await seen.go_to("a.py")
        await seen.press("space", "up", "space")
        await seen.until(lambda: not any("✓" in line for line in seen.lines))
        await seen.press("escape")

    assert play(scenario, folder) == [None]


def test_what_cannot_be_attached_says_why_and_is_not_taken(folder: Path) -> None:
    async def scenario(seen: Picking) -> None:
        await seen.press("space")
        await seen.until_shown("empty is a folder: its files are attached one by one.")
        await seen.go_to("b.zip")
        for key in ("space", "enter"):
            await seen.press(key)
            await seen.until_shown("b.zip is an archive: unpack it and attach")
        assert not any("✓" in line for line in seen.lines)
        assert seen.is_open

    assert play(scenario, folder) == []


def test_a_folder_that_cannot_be_read_says_so_in_one_line(folder: Path) -> None:
    async def scenario(seen: Picking) -> None:
        (folder / "empty").rmdir()
        await seen.press("l")
        await seen.until_shown("empty cannot be read: No such file or directory.")
        assert seen.names == ["empty", "notes", "a.py", "b.zip"]

    assert play(scenario, folder) == []


def test_the_folder_above_and_the_home_folder_have_a_key(folder: Path, tmp_path: Path) -> None:
    async def scenario(seen: Picking) -> None:
        await seen.press("backspace")
        await seen.until(lambda: seen.names == ["here", "above.txt"])
        assert seen.at == "here"
        await seen.press("l")
        await seen.until(lambda: "notes" in seen.names)
        await seen.go_to("empty")
        await seen.press("minus")
        await seen.until(lambda: "above.txt" not in seen.names)
        await seen.press("tilde")
        await seen.until(lambda: "above.txt" in seen.names)
        await seen.go_to("above.txt")
        await seen.press("enter")

    assert play(scenario, folder) == [(str(tmp_path / "above.txt"),)]


def test_hidden_files_are_shown_by_a_key(folder: Path) -> None:
    async def scenario(seen: Picking) -> None:
        await seen.press("full_stop")
        await seen.until(lambda: ".secret" in seen.names)
        await seen.until_shown("hidden and ignored files, too")
        await seen.press("full_stop")
        await seen.until(lambda: ".secret" not in seen.names)
        assert seen.at == "empty"

    assert play(scenario, folder) == []


def test_a_part_of_a_name_finds_a_file_however_deep_it_is(folder: Path) -> None:
    async def scenario(seen: Picking) -> None:
        await seen.press("slash", "j")
        await seen.until_shown("2 letters at least.")
        await seen.press("k")
        await seen.until_shown("No file below has such a name.")
        await seen.press("backspace", "backspace", "o", "n")
        await seen.until(lambda: sorted(seen.names) == ["first one.md", "moon.txt"])
        await seen.until_shown("notes/deep/moon.txt")
        await seen.press("escape")
        await seen.until(lambda: seen.names == ["empty", "notes", "a.py", "b.zip"])
        await seen.press("slash", "m", "o", "o")
        await seen.until(lambda: seen.names == ["moon.txt"])
        await seen.press("enter")

    assert play(scenario, folder) == [(str(folder / "notes" / "deep" / "moon.txt"),)]


def held_back(monkeypatch: pytest.MonkeyPatch) -> threading.Event:
    """Have what begins with an m be sought until that is set."""
    go_on = threading.Event()

    def slow(typed: str, *given: object, **named: object) -> list[str]:
        assert not typed.startswith("m") or go_on.wait(PATIENCE_S)
        return below(typed, *given, **named)  # type: ignore[arg-type]

    monkeypatch.setattr(file_picker, "below", slow)
    return go_on


def test_an_enter_is_for_the_name_that_it_stood_behind(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    go_on = held_back(monkeypatch)

    async def scenario(seen: Picking) -> None:
        await seen.press("slash", "m", "o", "enter", "o", "backspace")
        go_on.set()
        await seen.until(lambda: seen.names == ["moon.txt"])
        assert seen.is_open

    assert play(scenario, folder) == []


@pytest.mark.parametrize("way", ["arrow", "click"])
def test_a_row_that_is_chosen_while_a_search_runs_is_the_one_that_is_taken(
    folder: Path, monkeypatch: pytest.MonkeyPatch, way: str
) -> None:
    go_on = held_back(monkeypatch)

    async def scenario(seen: Picking) -> None:
        await seen.press("slash", "o", "n")
        await seen.until(lambda: sorted(seen.names) == ["first one.md", "moon.txt"])
        at = seen.names.index("first one.md")
        await seen.press("home", "m", "delete")  # "mn": nothing is called so
        if way == "click":
            rows = seen.widget(FileList).rows
            await seen.pilot.click(rows, offset=(4, at), times=2)
        else:
            await seen.press("down" if at else "up", "enter")
        await seen.until(lambda: not seen.is_open)
        go_on.set()

    assert play(scenario, folder) == [(str(folder / "notes" / "first one.md"),)]


@pytest.mark.parametrize("keys", [("down", "enter"), ("enter", "down")])
def test_where_nothing_is_listed_no_arrow_goes_to_a_row(
    folder: Path, monkeypatch: pytest.MonkeyPatch, keys: tuple[str, str]
) -> None:
    go_on = held_back(monkeypatch)

    async def scenario(seen: Picking) -> None:
        await seen.press("slash", "q", "m", "o")
        await seen.until(lambda: seen.shows("No file below has such a name."))
        await seen.press("home", "delete", *keys)
        go_on.set()
        await seen.until(lambda: not seen.is_open)

    assert play(scenario, folder) == [(str(folder / "notes" / "deep" / "moon.txt"),)]


def test_enter_behind_the_last_letter_takes_what_that_finds(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    go_on = held_back(monkeypatch)

    async def scenario(seen: Picking) -> None:
        await seen.press("slash", "o", "n")
        await seen.until(lambda: sorted(seen.names) == ["first one.md", "moon.txt"])
        await seen.press("home", "m", "o", "enter")  # "moon"
        await seen.press("home", "m")  # what is sought now is another name
        await seen.press("backspace", "enter")
        go_on.set()

    assert play(scenario, folder) == [(str(folder / "notes" / "deep" / "moon.txt"),)]


def test_what_is_found_goes_with_what_is_marked(folder: Path) -> None:
    async def scenario(seen: Picking) -> None:
        await seen.go_to("a.py")
        await seen.press("space", "slash", "m", "o", "o")
        await seen.until(lambda: seen.names == ["moon.txt"])
        await seen.press("enter")

    files = (folder / "a.py", folder / "notes" / "deep" / "moon.txt")
    assert play(scenario, folder) == [tuple(map(str, files))]


def test_a_name_is_sought_from_the_home_folder_and_where_all_is_shown(folder: Path) -> None:
    async def scenario(seen: Picking) -> None:
        await seen.press("full_stop", "slash", *"secret")
        await seen.until(lambda: seen.names == [".secret"])
        await seen.press("escape", "slash", "tilde", "slash", *"above")
        await seen.until(lambda: seen.names == ["above.txt"])
        await seen.press("enter")

    assert play(scenario, folder) == [(str(folder.parent / "above.txt"),)]


def test_a_link_that_cannot_be_followed_is_listed_and_not_taken(folder: Path) -> None:
    (folder / "loop.txt").symlink_to("loop.txt")

    async def scenario(seen: Picking) -> None:
        await seen.press("slash", *"oop")
        await seen.until_shown("No file below has such a name.")
        await seen.press("escape")
        await seen.until(lambda: "loop.txt" in seen.names)
        await seen.go_to("loop.txt")
        await seen.press("enter")
        await seen.until_shown("loop.txt cannot be read: Too many levels of symbolic links.")

    assert play(scenario, folder) == []


def test_a_huge_folder_says_how_many_are_not_listed(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("app.files.folder.MOST_SHOWN", 2)

    async def scenario(seen: Picking) -> None:
        assert seen.names == ["empty", "notes"]
        await seen.until_shown("2 more are not listed")

    assert play(scenario, folder) == []


@at_both_sizes
def test_what_is_picked_is_named_in_the_prompt_at_the_cursor(
    folder: Path, size: tuple[int, int]
) -> None:
    async def scenario(chat: Chat) -> None:
        await chat.ready()
        chat.prompt.insert("compare")
        await chat.pilot.press("alt+a")
        await chat.until(lambda: isinstance(chat.app.screen, FilePicker))
        picker = chat.app.screen
        files = picker.query_one(FileList)
        await chat.until(lambda: len(files.shown) == 4)
        await chat.pilot.press("down", "l")
        await chat.until(lambda: len(files.shown) == 6)
        await chat.pilot.press("down", "down", "space", "space", "enter")
        await chat.until(lambda: chat.is_on_top)
        assert chat.prompt.text == 'compare @"notes/first one.md" @a.py '
        await chat.pilot.press("backspace", "backspace")
        assert chat.prompt.text == 'compare @"notes/first one.md" '

    drive(scenario, FakeEngine(), size)


def test_the_command_alone_shows_the_folders_and_with_a_path_attaches_that(folder: Path) -> None:
    async def scenario(chat: Chat) -> None:
        await chat.ready()
        await chat.ask("/attach notes/first one.md")
        await chat.until(lambda: chat.prompt.text == '@"notes/first one.md" ')
        chat.prompt.text = ""
        await chat.ask("/attach")
        await chat.until(lambda: isinstance(chat.app.screen, FilePicker))
        await chat.pilot.press("escape")
        await chat.until(lambda: chat.is_on_top)
        assert chat.prompt.text == ""

    drive(scenario, FakeEngine())
