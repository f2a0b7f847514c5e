"""Prompts are files that people write: each is used as it is now, or refused in one line."""

from __future__ import annotations

import os
import stat
import unicodedata
from pathlib import Path

import pytest

from app.chat.example_chat import ExampleChat
from app.errors import SettingsError
from app.prompts.prompt_library import (
    BUILT_IN,
    CHAT_LIMIT_BYTES,
    LIMIT_BYTES,
    Prompt,
    asked,
    listed,
    load,
    save,
    save_chat,
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    path = tmp_path / "prompts"
    path.mkdir()
    return path


def refusal(folder: Path, name: str) -> str:
    with pytest.raises(SettingsError) as refused:
        load(folder, name)
    assert "\n" not in str(refused.value)
    return str(refused.value)


def test_what_is_typed_goes_where_it_belongs() -> None:
    assert Prompt("Explain {{input}} and {{input}}.").filled("x") == "Explain x and x."
    assert Prompt("Explain.").filled("x\ny") == "Explain.\n\nx\ny"
    assert Prompt("Explain.").filled("") == "Explain."
    assert Prompt("About {{input}}").filled("{{input}}") == "About {{input}}", "put in once"
    assert Prompt("{input} {{ x }} %s $a").filled("") == "{input} {{ x }} %s $a", "one plain form"


def test_without_a_folder_there_are_ours(tmp_path: Path) -> None:
    assert [name for name, _ in listed(tmp_path / "nowhere")] == sorted(BUILT_IN)
    for name, ours in BUILT_IN.items():
        assert load(tmp_path, name.upper()) is ours
        assert ours.about and len(ours.about) < 50 and len(ours.text) < 300


def test_an_own_one_stands_beside_ours_or_in_its_place(folder: Path) -> None:
    (folder / "Explain.txt").write_text("Mine.")
    (folder / "commit.md").write_text("# What a commit does\n\nExplain the commit.\n\nBriefly.\n")
    assert load(folder, "explain").text == "Mine."
    assert load(folder, "COMMIT") == Prompt("Explain the commit.\n\nBriefly.", "What a commit does")
    assert [name for name, _ in listed(folder)] == [
        "commit", "Explain", "improve", "summarise", "translate",
    ]  # fmt: skip
    assert dict(listed(folder))["Explain"] == "Mine."


def test_only_a_heading_in_the_very_first_line_says_what_it_is(folder: Path) -> None:
    for content, text in (
        ("# About\nText", "Text"),
        ("\ufeff# About\r\nText\r\n", "Text"),
        ("\n# Heading\nText", "# Heading\nText"),
        ("## About\nText", "## About\nText"),
        ("#tag\nText", "#tag\nText"),
        ("# About\n\n    if x:\n        y", "    if x:\n        y"),
    ):
        (folder / "a.md").write_bytes(content.encode())
        assert load(folder, "a").text == text


def test_a_change_holds_at_once(folder: Path) -> None:
    path = folder / "a.md"
    path.write_text("one")
    assert load(folder, "a").text == "one"
    path.write_text("two")
    assert load(folder, "a").text == "two"
    path.unlink()
    assert refusal(folder, "a").startswith("There is no prompt 'a'; there are explain, improve,")


def test_the_name_comes_first_and_may_have_spaces(folder: Path) -> None:
    for name in ("code", "code review", "née", "né né"):
        stem = unicodedata.normalize("NFD", name)
        (folder / f"{stem}.md").write_text(name)
    for typed, text, behind in (
        ("code review @a.py", "code review", "@a.py"),
        ("Code Review", "code review", ""),
        ("code reviewed", "code", "reviewed"),
        ("code\nx = 1\ny = 2", "code", "x = 1\ny = 2"),
        ("code  \n    x = 1\n    y = 2", "code", "    x = 1\n    y = 2"),
        ("NÉE  a  b ", "née", "a  b"),
        ("né né x", "né né", "x"),
    ):
        found, rest = asked(folder, typed)
        assert (found.text, rest) == (text, behind)
    with pytest.raises(SettingsError, match=r"^There is no prompt 'codes'; there are code, code r"):
        asked(folder, "codes x")


def test_of_one_name_the_same_file_is_always_meant(folder: Path) -> None:
    (folder / "a.txt").write_text("txt")
    (folder / "a.md").write_text("md")
    assert load(folder, "a").text == "md" and len(listed(folder)) == 1 + len(BUILT_IN)
    (folder / "B.md").write_text("great")
    if not (folder / "b.md").exists():  # else great and small letters are one here
        (folder / "b.md").write_text("small")
        assert (load(folder, "B").text, load(folder, "b").text) == ("great", "small")


def test_what_cannot_be_used_is_refused_in_one_line_and_listed_with_it(folder: Path) -> None:
    for name, content, words in (
        ("empty", b" \n\n", "is empty: write the prompt into it."),
        ("heading", b"# Only this\n", "is empty: write the prompt into it."),
        ("latin", b"caf\xe9", "line 1 is no UTF-8 text; save the file as UTF-8."),
        ("binary", b"a\x00b", "it is no text."),
        ("large", b"x" * (LIMIT_BYTES + 1), "is too large: 20001 bytes, at most 20000."),
    ):
        (folder / f"{name}.md").write_bytes(content)
        assert str(folder / f"{name}.md") in refusal(folder, name)
        assert refusal(folder, name).endswith(words)
        shown = dict(listed(folder))[name]
        assert shown == refusal(folder, name).replace(f"{folder}/", "") and shown.endswith(words)


def test_what_is_no_file_is_never_waited_for(folder: Path) -> None:
    (folder / "folder.md").mkdir()
    os.mkfifo(folder / "pipe.md")
    (folder / "loop.md").symlink_to(folder / "loop.md")
    (folder / "gone.md").symlink_to(folder / "nothing")
    assert refusal(folder, "folder").endswith("is no file: a prompt is a text file.")
    assert refusal(folder, "pipe").endswith("is no file: a prompt is a text file.")
    assert refusal(folder, "loop").endswith("Too many levels of symbolic links.")
    assert refusal(folder, "gone").endswith("No such file or directory.")
    assert len(listed(folder)) == 4 + len(BUILT_IN)


def test_what_cannot_be_typed_is_no_prompt(folder: Path) -> None:
    for name in (".hidden.md", ".#lock.md", "a\nb.md", "a\x1b[2J.md", "x" * 60 + ".md", "a.pdf"):
        (folder / name).write_text("x")
    (folder / "a  b.md").write_text("x")
    assert [name for name, _ in listed(folder)] == sorted(BUILT_IN)


def test_what_is_saved_is_used_as_it_was(folder: Path) -> None:
    for name, text in (
        ("plain", "What is it?\nSay."),
        ("headed", "# Title\ntext"),
        ("cut-out", "  a: 1\n  b: 2"),
        ("é.1", "x"),
    ):
        path = save(folder, name, text)
        assert load(folder, name).text == text
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert not [each for each in folder.iterdir() if each.suffix != ".md"], "nothing is left over"


def test_a_text_that_looks_like_a_chat_is_saved_as_a_text(folder: Path) -> None:
    text = "## User\nfirst\n## User\nsecond"
    save(folder, "odd", text)
    assert load(folder, "odd") == Prompt(text, "## User") and not load(folder, "odd").begins_chat


def test_a_chat_may_be_longer_than_a_text_for_the_box(folder: Path) -> None:
    chat = ExampleChat("Be brief.", (("One?", "x" * 2 * LIMIT_BYTES),))
    path = save_chat(folder, "long", chat, "A\nlong one")
    assert path.read_text().startswith("# A long one\n\n## System\nBe brief.\n\n## User\n")
    assert load(folder, "long") == Prompt("", "A long one", "Be brief.", chat.turns)
    assert ("long", "begins a chat: A long one") in listed(folder)
    with pytest.raises(SettingsError, match="There is a prompt long already"):
        save_chat(folder, "long", chat, "")
    with pytest.raises(SettingsError, match=f"too large: .* at most {CHAT_LIMIT_BYTES}"):
        save_chat(folder, "more", ExampleChat(text="x" * CHAT_LIMIT_BYTES), "")
    (folder / "text.md").write_text("## User\n" + "x" * LIMIT_BYTES)
    assert "too large" in refusal(folder, "text")


def test_what_is_typed_belongs_in_the_last_question_alone(folder: Path) -> None:
    for number, before in enumerate(
        ("## System\n{{input}}\n", "## User\n{{input}}\n## Assistant\na\n")
    ):
        (folder / f"odd{number}.md").write_text(f"{before}## User\nb")
        assert "{{input}} belongs in the last question alone." in refusal(folder, f"odd{number}")
    chat = ExampleChat("", (("What is {{input}}?", "A mark."),), "{{input}}")
    with pytest.raises(SettingsError, match=r"^The prompt a: {{input}} belongs in the"):
        save_chat(folder, "a", chat, "")
    assert not (folder / "a.md").exists()


def test_a_chat_that_does_not_begin_with_a_heading_is_listed_with_why_it_is_none(
    folder: Path,
) -> None:
    (folder / "late.md").write_text("# About\n---\n## User\na\n## Assistant\nb")
    assert not load(folder, "late").begins_chat
    about = "About (a text, no chat: something stands before its first heading)"
    assert dict(listed(folder))["late"] == about


def test_the_first_one_makes_the_folder(tmp_path: Path) -> None:
    path = save(tmp_path / "new" / "prompts", "a", "text")
    assert path.read_text() == "text\n"
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700


@pytest.mark.parametrize("there", ["mine.md", "MINE.md", "Mine.txt"])
def test_nothing_is_written_over(folder: Path, there: str) -> None:
    (folder / there).write_text("first")
    with pytest.raises(SettingsError, match=r"^There is a prompt mine already: give another name"):
        save(folder, "mine", "second")
    assert [(each.name, each.read_text()) for each in folder.iterdir()] == [(there, "first")]


@pytest.mark.parametrize("name", ["", "a b", "../a", "a/b", ".a", "-a", "a" * 41, "a\x1b", "a:b"])
def test_a_name_that_is_none_is_refused(folder: Path, name: str) -> None:
    with pytest.raises(SettingsError, match=r"^A prompt's name is one word of at most 40 ") as said:
        save(folder, name, "text")
    assert "\n" not in str(said.value) and "\x1b" not in str(said.value)
    assert not list(folder.iterdir())


def test_what_could_not_be_used_again_is_not_saved(folder: Path, tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match=r"^The prompt a is too large: 20001 bytes, at"):
        save(folder, "a", "x" * LIMIT_BYTES)
    with pytest.raises(SettingsError, match=r"^There is nothing to keep as a: type the prompt"):
        save(folder, "a", " \n")
    with pytest.raises(SettingsError, match=r"it is no UTF-8 text\.$"):
        save(folder, "a", "\ud800")
    (tmp_path / "file").write_text("")
    with pytest.raises(SettingsError, match=r"^Cannot write .*a\.md: .*file is no folder\.$"):
        save(tmp_path / "file", "a", "x")
    assert not list(folder.iterdir())


def test_a_disk_that_is_full_leaves_no_half_of_one(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(SettingsError, match=r"^Cannot write .*a\.md: No space left on device\.$"):
        save(folder, "a", "text")
    assert not list(folder.iterdir())
