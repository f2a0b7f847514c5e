"""`slipstream ask --prompt NAME` asks with what a prompt holds beside its text, too."""

from __future__ import annotations

import argparse
from pathlib import Path

import pytest

from app import cli
from app.commands import ask
from app.paths import Paths
from app.settings.config import ChatSettings
from engine import Message

NOTES = "## System\nBe brief.\n## User\nOne?\n## Assistant\nTwo.\n## User\nAnd {{input}}?"
TURNS = [("user", "One?"), ("assistant", "Two.")]


@pytest.fixture
def folder() -> Path:
    path = Paths().ensure().prompts_dir
    path.mkdir()
    return path


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[list[tuple[str, str]]]:
    """What would be asked."""
    found: list[list[tuple[str, str]]] = []

    async def answer(_: argparse.Namespace, __: ChatSettings, messages: list[Message]) -> int:
        found.append([(message.role, message.content) for message in messages])
        return 0

    monkeypatch.setattr(ask, "_answer", answer)
    monkeypatch.setattr("app.terminal.piped.read_piped", lambda _: "")
    return found


def test_its_turns_stand_before_the_question(
    folder: Path, asked: list[list[tuple[str, str]]]
) -> None:
    (folder / "notes.md").write_text(NOTES)
    assert cli.main(["ask", "--prompt", "notes", "three"]) == 0
    assert asked == [[("system", "Be brief."), *TURNS, ("user", "And three?")]]


def test_a_flag_is_stronger_than_its_system_prompt_and_a_setting_is_not(
    folder: Path, asked: list[list[tuple[str, str]]]
) -> None:
    (folder / "notes.md").write_text(NOTES)
    Paths().settings_file.write_text('system = "Be long."\n')
    assert cli.main(["ask", "--prompt", "notes", "3"]) == 0
    assert cli.main(["ask", "--prompt", "notes", "--system", "Be odd.", "3"]) == 0
    assert cli.main(["ask", "--prompt", "notes", "--persona", "Plain", "3"]) == 0
    assert [first for first, *_ in asked] == [
        ("system", "Be brief."), ("system", "Be odd."), ("user", "One?"),
    ]  # fmt: skip


def test_without_a_last_question_one_has_to_be_typed(
    folder: Path, asked: list[list[tuple[str, str]]], capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "pair.md").write_text("## User\nOne?\n## Assistant\nTwo.")
    assert cli.main(["ask", "--prompt", "pair"]) == 2 and not asked
    assert "nothing was asked" in capsys.readouterr().err
    assert cli.main(["ask", "--prompt", "pair", "Three?"]) == 0
    assert asked == [[*TURNS, ("user", "Three?")]]


def test_a_wrong_one_is_one_line(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "odd.md").write_text("## User\na\n## System\nb")
    assert cli.main(["ask", "--prompt", "odd", "x"]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith("slipstream: ") and "odd.md, line 3: ## System comes first" in line


@pytest.mark.parametrize(
    ("words", "question", "waits"),
    [
        ("What is 7 - 3", "What is 7 - 3", False),
        ("Sum up: -", "Sum up:", True),
        ("- is this right", "is this right", True),
        ("-", "", True),
        ("", "", True),
    ],
)
def test_a_minus_waits_for_the_pipe_at_an_end_and_is_one_between_words(
    monkeypatch: pytest.MonkeyPatch, words: str, question: str, waits: bool
) -> None:
    waited: list[float | None] = []

    def piped(wait_s: float | None) -> str:
        waited.append(wait_s)
        return "piped"

    monkeypatch.setattr("app.terminal.piped.read_piped", piped)
    assert ask.read_question(words.split()) == f"{question}\n\npiped".strip()
    assert (waited == [None]) is waits
