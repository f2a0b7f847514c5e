"""Chats to files and back: where they go, what is never overwritten, what is said."""

from __future__ import annotations

import json
import os
import stat
from pathlib import Path

import pytest
from textual.widgets import RadioSet

from app.errors import HistoryError
from app.history import History
from app.tui.chats import chat_files
from app.tui.chats.chat_files import Form, bring_in, exported, form_of, proposed
from app.tui.screens.confirm import ConfirmScreen
from app.tui.screens.file_ask import ExportScreen, ImportScreen
from tests.app.tui.chats_driving import Kept, Seen, look
from tests.app.tui.driving import SIZES, beyond
from tests.app.tui.test_chats_screen import PATHS, TRICK

at_both_sizes = pytest.mark.parametrize("size", SIZES, ids=["80x24", "160x50"])
NAME = "How-do-I-join-two-paths"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder, empty."""
    folder = tmp_path / "here"
    folder.mkdir()
    monkeypatch.chdir(folder)
    return folder


@pytest.fixture
def kept(tmp_path: Path, folder: Path) -> Kept:
    """A history of one chat."""
    kept = Kept(tmp_path / "data")
    kept.chats(PATHS)
    return kept


async def asked(seen: Seen, key: str) -> None:
    """Press a key and wait for the box."""
    await seen.press(key)
    await seen.until(lambda: isinstance(seen.app.screen, ExportScreen | ImportScreen))
    await seen.until(lambda: seen.path.has_focus)


async def left(seen: Seen) -> None:
    await seen.until(lambda: seen.app.screen is seen.app.chats)


@pytest.mark.parametrize("form", ["md", "json"])
def test_what_was_said_this_moment_is_exported(tmp_path: Path, form: Form) -> None:
    history = History.open(tmp_path / "history.db")
    chat = history.new_chat()
    for n in range(200):
        history.add(chat, None, "user", f"Question {n}, and that is the last?")
    assert b"Question 199, and" in exported(history, chat, form).content
    assert history.close()


def test_a_file_that_no_import_takes_is_not_exported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    history = History.open(tmp_path / "history.db")
    chat = history.new_chat()
    history.rename(chat, "Paths")
    assert history.flush()
    monkeypatch.setattr(chat_files, "MOST_BYTES", len(exported(history, chat, "json").content))
    assert bring_in(history, write(tmp_path, exported(history, chat, "json").content)).chats
    monkeypatch.setattr(chat_files, "MOST_BYTES", 100)
    with pytest.raises(HistoryError, match=r"^The file would be .* B, at most 100 B can be impo"):
        exported(history, chat, "json")
    assert exported(history, chat, "md").content.startswith(b"# Paths")
    assert history.close()


def write(folder: Path, content: bytes) -> Path:
    path = folder / "chat.json"
    path.write_bytes(content)
    return path


@pytest.mark.parametrize("key", ["ctrl+e", "ctrl+o"], ids=["export", "import"])
def test_what_enter_and_esc_do_is_seen_in_a_low_terminal(kept: Kept, key: str) -> None:
    async def scenario(seen: Seen) -> None:
        await asked(seen, key)
        await seen.pilot.pause()
        assert seen.shows("Cancel (Esc)")
        assert not beyond(seen.app.screen)

    look(scenario, kept, (60, 12))


@at_both_sizes
def test_markdown_goes_where_the_box_said(kept: Kept, folder: Path, size: tuple[int, int]) -> None:
    async def scenario(seen: Seen) -> None:
        await asked(seen, "ctrl+e")
        assert seen.path.value == str(folder / f"{NAME}.md")
        assert seen.shows(f"Export “{PATHS}”")
        await seen.press("enter")
        await left(seen)
        assert (folder / f"{NAME}.md").read_text("utf-8").startswith(f"# {PATHS}")
        await seen.until(lambda: seen.toasts(f"Exported to {folder / NAME}.md"))

    look(scenario, kept, size)


def test_json_is_what_an_import_takes(kept: Kept, folder: Path) -> None:
    async def scenario(seen: Seen) -> None:
        await asked(seen, "ctrl+e")
        seen.app.screen.query_one(RadioSet).focus()
        await seen.press("down")
        await seen.until(lambda: seen.path.value == str(folder / f"{NAME}.json"))
        await seen.pilot.click("#yes")
        await left(seen)
        assert json.loads((folder / f"{NAME}.json").read_bytes())["format"] == "slipstream-chats"
        seen.search.value = "zebra"
        await imported(seen)
        assert seen.toasts("0 chats imported, 1 was here already.")
        assert seen.search.value == "zebra"
        kept.history.delete(kept.history.chats()[0].id)
        await imported(seen)
        await seen.until(lambda: seen.titles == [PATHS])
        assert seen.search.value == ""
        assert seen.toasts("1 chat imported.")

    async def imported(seen: Seen) -> None:
        await asked(seen, "ctrl+o")
        seen.path.value = f"{NAME}.json"
        await seen.press("enter")
        await left(seen)

    look(scenario, kept)


def test_a_name_that_is_typed_over_another_has_nothing_of_it_left(kept: Kept, folder: Path) -> None:
    async def scenario(seen: Seen) -> None:
        await asked(seen, "ctrl+e")
        await seen.press("tab", "down")
        await seen.until(lambda: seen.path.value.endswith(f"{NAME}.json"))
        await seen.press("shift+tab", "ctrl+u", *"exp.json")
        assert seen.path.value == "exp.json"

    look(scenario, kept)


def test_the_format_follows_the_name_and_the_name_the_format(kept: Kept, folder: Path) -> None:
    async def scenario(seen: Seen) -> None:
        await asked(seen, "ctrl+e")
        forms = seen.app.screen.query_one(RadioSet)
        await seen.press("ctrl+u", *"exp.json")
        await seen.until(lambda: forms.pressed_index == 1)
        await seen.press("tab", "up")
        await seen.until(lambda: forms.pressed_index == 0)
        assert seen.path.value == "exp.md"

    look(scenario, kept)


def test_enter_on_the_formats_saves_in_the_one_that_is_marked(kept: Kept, folder: Path) -> None:
    async def scenario(seen: Seen) -> None:
        await asked(seen, "ctrl+e")
        await seen.press("tab", "down", "enter")
        await left(seen)
        content = (folder / f"{NAME}.json").read_bytes()
        assert json.loads(content)["format"] == "slipstream-chats"

    look(scenario, kept)


@pytest.mark.parametrize("answer, is_replaced", [("y", True), ("n", False), ("escape", False)])
def test_nothing_is_replaced_unasked(
    kept: Kept, folder: Path, answer: str, is_replaced: bool
) -> None:
    file = folder / f"{NAME}.md"
    file.write_text("mine", "utf-8")

    async def scenario(seen: Seen) -> None:
        await asked(seen, "ctrl+e")
        await seen.press("enter")
        await seen.until(lambda: isinstance(seen.app.screen, ConfirmScreen))
        assert file.read_text("utf-8") == "mine"
        await seen.press(answer)
        if is_replaced:
            await left(seen)
        else:
            await seen.until(lambda: isinstance(seen.app.screen, ExportScreen))
        assert (file.read_text("utf-8") != "mine") == is_replaced
        assert list(folder.iterdir()) == [file]

    look(scenario, kept)


@pytest.mark.parametrize(
    "typed, told",
    [
        ("", "Type the path of a file."),
        ("nowhere/x.md", "There is no folder"),
        (".", "add a file name."),
    ],
)
def test_a_bad_path_is_said_in_the_box(kept: Kept, typed: str, told: str) -> None:
    async def scenario(seen: Seen) -> None:
        await asked(seen, "ctrl+e")
        seen.path.value = typed
        await seen.press("enter")
        await seen.until(lambda: seen.shows(told))
        await seen.press("x")
        await seen.until(lambda: not seen.shows(told))
        assert seen.path.value.endswith("x"), "what was typed stays, to be mended"
        await seen.press("escape")
        await left(seen)

    look(scenario, kept)


def test_a_folder_that_is_to_be_imported_is_told_to_be_one(tmp_path: Path) -> None:
    history = History.open(tmp_path / "history.db")
    with pytest.raises(HistoryError, match=rf"^{tmp_path} is a folder: name a file in it\.$"):
        bring_in(history, tmp_path)
    assert history.close()


@pytest.mark.parametrize(
    "content, told",
    [
        (None, "There is no file"),
        ("no json", "Nothing was imported"),
        ('[{"messages": [{"role": "bot", "content": ""}]}]', "has the role 'bot' there"),
    ],
)
def test_a_bad_file_is_said_in_the_box(
    kept: Kept, folder: Path, content: str | None, told: str
) -> None:
    if content is not None:
        (folder / "x.json").write_text(content, "utf-8")

    async def scenario(seen: Seen) -> None:
        await asked(seen, "ctrl+o")
        seen.path.value = "x.json"
        await seen.press("enter")
        await seen.until(lambda: seen.shows(told))
        assert kept.titles == [PATHS]

    look(scenario, kept)


@pytest.mark.parametrize("typed", ["{}", "'{}'", '"{}"', "{url}", "{escaped}"])
def test_conversations_of_other_programs_come_in_also_as_a_dropped_file(
    kept: Kept, folder: Path, typed: str
) -> None:
    chats = [{"messages": [{"role": "user", "content": TRICK}]}] * 2
    file = folder / "my chats.json"
    file.write_text(json.dumps(chats), "utf-8")
    escaped = str(file).replace(" ", r"\ ")

    async def scenario(seen: Seen) -> None:
        await asked(seen, "ctrl+o")
        seen.path.value = typed.format(file, url=file.as_uri(), escaped=escaped)
        await seen.press("enter")
        await left(seen)
        await seen.until(lambda: sorted(seen.titles) == sorted([TRICK, TRICK, PATHS]))
        assert seen.highlighted == TRICK
        assert seen.toasts("2 chats imported.")

    look(scenario, kept)


def test_what_chatgpt_exports_comes_in_and_what_is_left_out_is_told(
    kept: Kept, folder: Path
) -> None:
    parts = [{"content_type": "image_asset_pointer"}, "What is it?"]
    content = {"content_type": "multimodal_text", "parts": parts}
    question = {"message": {"author": {"role": "user"}, "content": content}, "parent": None}
    chats = [{"title": "A cat", "mapping": {"a": question}, "current_node": "a"}]
    (folder / "conversations.json").write_text(json.dumps(chats), "utf-8")

    async def scenario(seen: Seen) -> None:
        await asked(seen, "ctrl+o")
        assert seen.shows("ChatGPT's conversations.json")
        seen.path.value = "conversations.json"
        await seen.press("enter")
        await left(seen)
        await seen.until(lambda: seen.highlighted == "A cat")
        left_out = "One part that is no question or answer in plain text was left out."
        assert seen.toasts(f"1 chat imported. {left_out}")

    look(scenario, kept)


@pytest.mark.parametrize(
    "title, name",
    [
        ("../../etc/passwd", "etc-passwd.md"),
        ("C:\\autoexec.bat", "C-autoexec.bat.md"),
        ("", "chat.md"),
        ("...", "chat.md"),
        ("nul", "chat-nul.md"),
        ("com1.txt", "chat-com1.txt.md"),
        ("-rf *", "rf.md"),
        ("\x1b[31mred\x00", "31mred.md"),
        ("日本語の文章", "日本語の文章.md"),
        ("x" * 300, "x" * 60 + ".md"),
    ],
)
def test_a_title_makes_a_name_that_every_system_takes(folder: Path, title: str, name: str) -> None:
    assert proposed(title, "md") == str(folder / name)


@pytest.mark.parametrize(
    ("name", "form"),
    [("a.md", "md"), ("a.JSON", "json"), ("a.txt", "md"), ("a", "md"), ("on v1.2", "md")],
)
def test_a_name_says_in_which_form_a_chat_is_written(name: str, form: Form) -> None:
    assert form_of(Path(name)) == form


@pytest.mark.parametrize("name", ["a.pdf", "a.DOCX", "a.json.html"])
def test_a_name_of_another_form_is_refused(name: str) -> None:
    with pytest.raises(HistoryError, match=r"as \.md or \.json, and not as"):
        form_of(Path(name))


def test_a_chat_is_not_saved_under_a_name_of_another_form(kept: Kept, folder: Path) -> None:
    async def scenario(seen: Seen) -> None:
        await asked(seen, "ctrl+e")
        seen.path.value = str(folder / "paths.pdf")
        await seen.press("enter")
        await seen.until(lambda: seen.shows("and not as .pdf"))
        assert not list(folder.iterdir())

    look(scenario, kept)


def test_nothing_takes_the_place_of_a_pipe_or_a_device(folder: Path, kept: Kept) -> None:
    pipe, device = folder / "pipe.md", folder / "device.md"
    os.mkfifo(pipe)
    device.symlink_to(os.devnull)
    for path in (pipe, device):
        with pytest.raises(HistoryError, match=r" is a pipe or a device: give the name of a file"):
            chat_files.write_new(path, b"text")

    async def scenario(seen: Seen) -> None:
        await asked(seen, "ctrl+e")
        seen.path.value = str(pipe)
        await seen.press("enter")
        await seen.until(lambda: seen.shows("is a pipe or a device"))
        assert isinstance(seen.app.screen, ExportScreen)

    look(scenario, kept)
    assert stat.S_ISFIFO(pipe.stat().st_mode) and device.is_symlink()
