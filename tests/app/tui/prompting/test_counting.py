"""What is counted while it is typed is what would be sent: the files that are named, too."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

import app.files.attachments
from app.files.attachments import Attachment, pasted
from app.files.pdf import Stopper
from app.tui.prompting.counting import READING, Counting
from app.tui.serving.gauge import Gauge
from app.tui.widgets.prompt import Prompt
from engine import EngineDied
from tests.app.files.pdfs import pdf
from tests.app.tui.alone import Seen
from tests.app.tui.prompt_alone import Desk, at_prompt


class Engine:
    """Counts words."""

    def __init__(self, error: Exception | None = None) -> None:
        self.counted: list[str] = []
        self._error = error

    async def count(self, what: str, think: bool | None) -> int:
        self.counted.append(what)
        if self._error is not None:
            raise self._error
        return len(what.split())


def counting(
    scenario: Callable[[Seen, Prompt, Counting], Awaitable[None]], engine: Engine, base: Path
) -> None:
    async def play(seen: Seen, desk: Desk) -> None:
        await scenario(seen, desk.prompt, Counting(desk.prompt, Gauge(engine), base))

    at_prompt(play, Prompt(base=base))


def test_files_and_pastes_are_counted_as_they_are_sent(tmp_path: Path) -> None:
    (tmp_path / "paper.pdf").write_bytes(pdf(["one two three"]))
    engine = Engine()

    async def scenario(seen: Seen, prompt: Prompt, count: Counting) -> None:
        prompt.attach(pasted("x\n" * 40))
        await count.count("What is @paper.pdf", True)
        await seen.until(lambda: seen.shows(f"{len(engine.counted[0].split())} tokens"))
        assert "[page 1]\none two three" in engine.counted[0]
        assert engine.counted[0].startswith("What is @paper.pdf\n\nPasted text 1:")

    counting(scenario, engine, tmp_path)


def test_what_is_not_sent_or_cannot_be_counted_has_no_count(tmp_path: Path) -> None:
    engine = Engine(EngineDied("dead", "start it"))

    async def scenario(seen: Seen, prompt: Prompt, count: Counting) -> None:
        for text, is_free in (("/help", True), ("  ", True), ("hello", False)):
            prompt.show_count("3 tokens")
            await count.count(text, is_free)
            await seen.until(lambda: not seen.shows("tokens"))
        assert not engine.counted
        prompt.show_count("3 tokens")
        await count.count("hello", True)
        await seen.until(lambda: not seen.shows("tokens"))
        assert engine.counted == ["hello"]

    counting(scenario, engine, tmp_path)


def test_a_file_that_cannot_be_sent_leaves_the_count_of_the_text(tmp_path: Path) -> None:
    engine = Engine()

    async def scenario(seen: Seen, prompt: Prompt, count: Counting) -> None:
        await count.count("see @gone.pdf", True)
        await seen.until(lambda: seen.shows("2 tokens"))
        assert prompt.text == ""

    counting(scenario, engine, tmp_path)


def test_a_slow_file_is_told_of_and_read_once_for_typing_and_sending(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "slow.txt"
    path.write_text("one two")
    reading, writing = os.pipe()
    reads: list[Path] = []
    really = app.files.attachments.read

    def slow(path: Path, name: str, stopper: Stopper) -> Attachment:
        reads.append(path)
        os.read(reading, 1)
        return really(path, name, stopper)

    monkeypatch.setattr("app.files.attachments.read", slow)

    async def scenario(seen: Seen, prompt: Prompt, count: Counting) -> None:
        prompt.insert("see @slow.txt ")
        first = asyncio.create_task(count.count(prompt.text, True))
        await seen.until(lambda: seen.shows(READING))
        os.write(writing, b".")
        await first
        await seen.until(lambda: seen.shows("7 tokens") and not seen.shows(READING))
        await seen.press("enter")
        assert isinstance(prompt.screen, Desk)
        sent = prompt.screen.sent
        await seen.until(lambda: bool(sent))
        assert [each.text for each in sent[0].attachments] == ["one two"] and len(reads) == 1

    counting(scenario, Engine(), tmp_path)
