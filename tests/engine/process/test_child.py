"""What the app holds of an engine process, apart from what it says."""

from __future__ import annotations

import asyncio
import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from engine.errors import EngineDied
from engine.process.child import GARBLED, KILLED, EngineProcess
from engine.system.deadline import OVERDUE
from tests.engine.process.scripted_worker import CUDA_ERROR

SAYS = "import sys; sys.stderr.write({!r}); sys.stderr.flush(); sys.stdin.readline(); sys.exit(3)"


UNBUILT = """
import msgspec
def build(of):
    raise AssertionError("Ctrl-C could strike here")
msgspec.json.Decoder = build
import engine.process.child
print("imported")
"""


def test_nothing_that_ctrl_c_could_crash_is_built_on_import() -> None:
    done = subprocess.run([sys.executable, "-c", UNBUILT], capture_output=True, text=True)
    assert done.stdout == "imported\n", done.stderr


def test_one_that_we_ended_ran_out_of_no_memory_whoever_waits_for_it(tmp_path: Path) -> None:
    garbled = "import sys; print('{nonsense', flush=True); sys.stdin.readline()"

    async def run() -> None:
        engine = EngineProcess(tmp_path / "engine.log", [sys.executable, "-c", garbled])
        await engine.start()
        ending = asyncio.create_task(engine.ended())
        try:
            with pytest.raises(EngineDied, match=GARBLED):
                await engine.receive()
            death = await ending
            assert death is not None and "SIGKILL" in str(death)
            assert KILLED not in death.hint
        finally:
            await engine.close()

    asyncio.run(run())


def saying(log: Path, words: str) -> EngineProcess:
    return EngineProcess(log, [sys.executable, "-c", SAYS.format(words)])


def test_of_two_engines_with_one_log_each_dies_with_its_own_last_words(tmp_path: Path) -> None:
    log = tmp_path / "engine.log"

    async def run() -> None:
        first, second = saying(log, "first: out of memory"), saying(log, "second: all is well")
        await first.start()
        while "first" not in log.read_text():
            await asyncio.sleep(0.01)
        await second.start()
        try:
            assert first._process is not None and first._process.stdin is not None
            first._process.stdin.close()
            with pytest.raises(EngineDied, match="Its last words: first: out of memory"):
                await first.receive()
        finally:
            await first.close()
            await second.close()
        assert first._log is None and second._log is None

    asyncio.run(run())


def test_a_log_that_cannot_be_written_keeps_no_engine_from_its_work(tmp_path: Path) -> None:
    log, before = tmp_path / "engine.log", tmp_path / "engine.before.log"
    log.mkdir()
    before.write_text("what the last one said")

    async def run() -> None:
        process = saying(log, "out of memory")
        await process.start()
        assert process.pid is not None and process._process is not None
        assert process._process.stdin is not None
        process._process.stdin.close()
        with pytest.raises(EngineDied) as death:
            await process.receive()
        await process.close()
        assert str(death.value) == (
            "The engine process ended with exit code 3. Its last words: out of memory There is no "
            f"log: {log}: Is a directory."
        )

    asyncio.run(run())
    assert before.read_text() == "what the last one said" and not list(log.iterdir())


def test_what_stands_in_the_place_of_the_log_before_it_is_left_there(tmp_path: Path) -> None:
    log, before = tmp_path / "engine.log", tmp_path / "engine.before.log"
    log.write_text("what the last one said")
    (before / "of the person").mkdir(parents=True)

    async def run() -> None:
        process = saying(log, "all is well")
        await process.start()
        while "well" not in log.read_text():
            await asyncio.sleep(0.01)
        await process.close()

    asyncio.run(run())
    assert log.read_text() == "all is well" and (before / "of the person").is_dir()


def test_its_log_is_for_its_owner_alone(tmp_path: Path) -> None:
    log = tmp_path / "engine.log"

    async def run() -> None:
        process = saying(log, "a prompt")
        await process.start()
        await process.close()

    mask = os.umask(0o022)
    try:
        asyncio.run(run())
    finally:
        os.umask(mask)
    assert stat.S_IMODE(log.stat().st_mode) == 0o600


@pytest.mark.parametrize(
    ("words", "last"),
    [
        ("one\ntwo\n\nthree\n", "two / three"),
        (f"one\n{CUDA_ERROR.format('out of memory')}\n", "CUDA error: out of memory"),
        (
            "cudaMalloc failed: out of memory\n3\n2\na.cpp:1: GGML_ASSERT(buffer) failed\n",
            "cudaMalloc failed: out of memory / a.cpp:1: GGML_ASSERT(buffer) failed",
        ),
        ("one\ntwo\na.cpp:1: GGML_ASSERT(n > 0) failed\n", "a.cpp:1: GGML_ASSERT(n > 0) failed"),
    ],
)
def test_the_last_words_are_the_assertion_that_failed_or_some_lines(
    tmp_path: Path, words: str, last: str
) -> None:
    async def run() -> EngineDied:
        process = saying(tmp_path / "engine.log", words)
        await process.start()
        assert process._process is not None and process._process.stdin is not None
        process._process.stdin.close()
        try:
            with pytest.raises(EngineDied) as caught:
                await process.receive()
            return caught.value
        finally:
            await process.close()

    assert str(asyncio.run(run()).args[0]).endswith(f"Its last words: {last}")


def test_a_log_that_another_start_has_just_moved_away_is_no_fault(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = tmp_path / "engine.log"
    monkeypatch.setattr(Path, "exists", lambda self: self == log)

    async def run() -> int | None:
        process = saying(log, "")
        await process.start()
        pid = process.pid
        await process.close()
        return pid

    assert asyncio.run(run()) is not None


LINGERS = "import sys, time; sys.stdin.read(); time.sleep(600)"


def test_an_engine_is_closed_for_nobody_before_it_has_ended(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("engine.process.child.QUIT_GRACE_S", 0.5)

    async def run() -> None:
        engine = EngineProcess(tmp_path / "engine.log", [sys.executable, "-c", LINGERS])
        await engine.start()
        pid = engine.pid
        first = asyncio.create_task(engine.close())
        await asyncio.sleep(0)
        assert pid is not None and engine.pid == pid and not engine.is_open
        await engine.close()
        assert engine.pid is None and engine._log is None
        with pytest.raises(ProcessLookupError):
            os.kill(pid, 0)
        await first

    asyncio.run(run())


def test_an_engine_that_is_begun_while_another_ends_waits_for_that_and_keeps_its_log(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("engine.process.child.QUIT_GRACE_S", 0.5)

    async def run() -> None:
        engine = EngineProcess(tmp_path / "engine.log", [sys.executable, "-c", LINGERS])
        await engine.start()
        pid = engine.pid
        first = asyncio.create_task(engine.close())
        await asyncio.sleep(0)
        await engine.start()
        await first
        try:
            assert pid is not None and engine.is_open and engine.pid not in (None, pid)
            assert engine._log is not None
            with pytest.raises(ProcessLookupError):
                os.kill(pid, 0)
        finally:
            await engine.close()

    asyncio.run(run())


@pytest.mark.skipif(OVERDUE is None, reason="this system ends nothing that is overdue")
def test_what_an_endless_template_ends_is_said_to_have_ended_of_that(tmp_path: Path) -> None:
    endless = f"import os; os.kill(os.getpid(), {OVERDUE})"

    async def run() -> None:
        process = EngineProcess(tmp_path / "engine.log", [sys.executable, "-c", endless])
        await process.start()
        try:
            with pytest.raises(EngineDied, match="chat template came to no end"):
                await process.receive()
        finally:
            await process.close()

    asyncio.run(run())


def test_an_engine_that_shall_compute_otherwise_is_begun_anew(tmp_path: Path) -> None:
    """llama.cpp reads its environment once."""

    async def run() -> list[int | None]:
        engine, pids = saying(tmp_path / "engine.log", ""), []
        try:
            for batch_invariant in (False, False, True, True, False):
                await engine.start(batch_invariant)
                pids.append(engine.pid)
        finally:
            await engine.close()
        return pids

    first, second, third, fourth, fifth = asyncio.run(run())
    assert first == second and third == fourth
    assert len({first, third, fifth}) == 3
