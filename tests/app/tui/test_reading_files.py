"""A question whose PDF is read for ever can be taken back, and the process that reads it ends."""

from __future__ import annotations

import errno
from pathlib import Path

import psutil
import pytest

import app.files.pdf
from app.files.attachments import pasted
from app.tui.prompting.words import ASK, READING
from tests.app.files.pdfs import endless_reader, pdf, started
from tests.app.tui.driving import SIZES, Chat, drive
from tests.app.tui.fakes import Answer, FakeEngine, words
from tests.patience import PATIENCE_S

QUESTION = "What is in @paper.pdf?"
BACK = "Esc takes the question back"
SAID = words("It joins one or more path segments.")
REAL = app.files.pdf.READER


class Counter(FakeEngine):
    """Counts words."""

    async def count(self, text: str, think: bool | None) -> int:
        return len(text.split())


@pytest.fixture
def processes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a PDF that is read for ever; returns where the processes put their ids."""
    (tmp_path / "paper.pdf").write_bytes(pdf(["one two three"]))
    (tmp_path / "processes").mkdir()
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(app.files.pdf, "READER", endless_reader(tmp_path / "processes"))
    monkeypatch.setattr(app.files.pdf, "DEADLINE_S", 600.0)
    return tmp_path / "processes"


async def is_read(chat: Chat, processes: Path) -> int:
    """Wait until a process reads; return its id."""
    await chat.until(lambda: bool(started(processes)))
    return started(processes)[0]


async def gone(chat: Chat, process: int) -> bool:
    await chat.until(lambda: not psutil.pid_exists(process))
    return True


def asked(chat: Chat) -> list[str]:
    return [each[-1].content for each in chat.engine.asked]


@pytest.mark.parametrize("size", SIZES, ids=["80x24", "160x50"])
@pytest.mark.parametrize("key", ["escape", "ctrl+c"])
def test_a_question_whose_file_is_read_is_taken_back_and_another_one_answered_at_once(
    key: str, size: tuple[int, int], processes: Path
) -> None:
    async def scenario(chat: Chat) -> None:
        await chat.ready()
        chat.prompt.attach(pasted("line\n" * 50))
        await chat.ask(QUESTION)
        process = await is_read(chat, processes)
        await chat.until(lambda: chat.shows(READING) and chat.shows(BACK))
        await chat.until(lambda: "esc Take back" in " ".join(chat.lines[-1].split()))
        await chat.pilot.press(key)
        assert (chat.prompt.text, len(chat.prompt.attachments)) == (QUESTION, 1)
        assert chat.app.is_running and not chat.turns and await gone(chat, process)
        await chat.until(lambda: not chat.shows(BACK))
        await chat.pilot.press("ctrl+u")
        chat.prompt.take_away(0)
        assert chat.prompt.placeholder == ASK
        await chat.ask("Hello")
        await chat.answered()
        assert asked(chat) == ["Hello"]

    drive(scenario, FakeEngine(Answer(SAID)), size)


def test_no_benchmark_begins_while_files_are_read_for_a_question(processes: Path) -> None:
    async def scenario(chat: Chat) -> None:
        await chat.ready()
        await chat.ask(QUESTION)
        process = await is_read(chat, processes)
        await chat.screen.action_act("bench")
        await chat.until(lambda: chat.toasts("The question that you sent comes first."))
        assert chat.is_on_top and chat.prompt.enclosing.is_reading
        await chat.pilot.press("escape")
        assert await gone(chat, process)

    drive(scenario, FakeEngine())


@pytest.mark.parametrize("action", ["edit", "amend", "retry", "undo"])
def test_no_turn_is_changed_while_files_are_read_for_a_question(
    processes: Path, action: str
) -> None:
    async def scenario(chat: Chat) -> None:
        await chat.ask("Hello")
        await chat.answered()
        await chat.ask(QUESTION)
        process = await is_read(chat, processes)
        await chat.screen.action_act(action)
        await chat.until(lambda: chat.toasts("The question that you sent comes first."))
        assert chat.screen.asking.editing is None and chat.turns[0].text == "Hello there."
        await chat.pilot.press("escape")
        assert await gone(chat, process)
        assert (chat.prompt.text, len(chat.turns)) == (QUESTION, 1)

    drive(scenario, FakeEngine(Answer(words("Hello there."))))


def test_what_was_stopped_is_not_read_again_until_it_is_sent_again(
    processes: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def scenario(chat: Chat) -> None:
        await chat.ready()
        await chat.ask(QUESTION)
        process = await is_read(chat, processes)
        await chat.pilot.press("escape")
        assert await gone(chat, process)
        await chat.until(lambda: chat.shows("4 tokens"))
        assert started(processes) == [process] and not chat.shows("reading files")
        monkeypatch.setattr(app.files.pdf, "READER", REAL)
        await chat.pilot.press("enter")
        await chat.answered()
        assert "one two three" in asked(chat)[0]

    drive(scenario, Counter(Answer(SAID)))


def test_what_is_read_since_it_was_typed_ends_with_the_question_that_waits_for_it(
    processes: Path,
) -> None:
    async def scenario(chat: Chat) -> None:
        await chat.ready()
        chat.prompt.insert(QUESTION)
        process = await is_read(chat, processes)
        await chat.until(lambda: chat.shows("reading files"))
        await chat.pilot.press("enter", "a", "n", "d", "escape")
        assert chat.prompt.text == f"{QUESTION}\n\nand"
        assert await gone(chat, process)
        await chat.until(lambda: chat.shows("5 tokens"))
        assert started(processes) == [process]

    drive(scenario, Counter())


def test_who_quits_leaves_no_process_that_reads(processes: Path) -> None:
    reading: list[psutil.Process] = []

    async def scenario(chat: Chat) -> None:
        await chat.ready()
        await chat.ask(QUESTION)
        reading.append(psutil.Process(await is_read(chat, processes)))
        await chat.pilot.press("ctrl+q")

    drive(scenario, FakeEngine())
    ended, _ = psutil.wait_procs(reading, timeout=PATIENCE_S)
    assert ended == reading


def test_stopping_an_answer_takes_back_what_is_read_and_what_waits(processes: Path) -> None:
    async def scenario(chat: Chat) -> None:
        await chat.ask("first")
        await chat.until(lambda: chat.state == "answering")
        await chat.ask("second")
        await chat.until(lambda: chat.screen.session.waiting == 1)
        await chat.ask(QUESTION)
        process = await is_read(chat, processes)
        await chat.pilot.press("escape")
        await chat.answered()
        assert chat.prompt.text == f"second\n\n{QUESTION}" and await gone(chat, process)
        assert chat.toasts("Stopped. The 2 questions that waited are back in the box.")
        assert asked(chat) == ["first"]

    drive(scenario, FakeEngine(Answer(SAID, hold_after=2), Answer(SAID)))


def test_a_question_that_was_changed_is_still_the_one_that_is_changed(processes: Path) -> None:
    async def scenario(chat: Chat) -> None:
        await chat.ask("first")
        await chat.answered()
        await chat.pilot.press("ctrl+e", "ctrl+u")
        await chat.ask(QUESTION)
        process = await is_read(chat, processes)
        await chat.pilot.press("escape")
        assert (editing := chat.screen.asking.editing) and editing.view is chat.turns[0]
        assert chat.prompt.text == QUESTION
        assert await gone(chat, process)
        await chat.pilot.press("escape")
        await chat.until(lambda: chat.screen.asking.editing is None)
        assert chat.prompt.text == "" and not chat.shows("leaves it as it was")

    drive(scenario, FakeEngine(Answer(SAID)))


def test_a_pdf_that_no_process_can_be_started_for_is_refused_in_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise OSError(errno.ENOMEM, "Cannot allocate memory")

    async def scenario(chat: Chat) -> None:
        await chat.ready()
        with monkeypatch.context() as machine:
            machine.setattr(app.files.pdf.subprocess, "Popen", refuse)
            await chat.ask(QUESTION)
            await chat.until(lambda: chat.shows("paper.pdf: Cannot allocate memory."))
            assert chat.prompt.text == QUESTION

    (tmp_path / "paper.pdf").write_bytes(pdf(["one two three"]))
    monkeypatch.chdir(tmp_path)
    drive(scenario, FakeEngine())
