"""The client against engine processes that behave, fail, and die."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from engine import (
    GPU_CRASHED,
    GPU_HAS_NO_ROOM,
    DecodeError,
    EngineClient,
    EngineDied,
    EngineError,
    Finished,
    Message,
    ModelFileError,
    PairSettings,
    Ready,
    SamplingSettings,
)
from engine.process.attempt import GPU_IS_BAD, GPU_IS_FULL
from engine.process.child import KILLED
from engine.system.threads import default_threads
from tests.pair import load as load_pair
from tests.pair import pair, user
from tests.patience import PATIENCE_S

ASKED = [Message(role="user", content="hi")]
SCRIPT = Path(__file__).with_name("scripted_worker.py")


def with_client(tmp_path: Path, use: Callable[[EngineClient], Awaitable[None]]) -> None:
    async def session() -> None:
        client = EngineClient(tmp_path / "engine.log", (sys.executable, str(SCRIPT)))
        try:
            await use(client)
        finally:
            await client.close()
            assert client.pid is None

    asyncio.run(session())


async def loaded(client: EngineClient, target: str = "good", draft: str | None = None) -> Ready:
    events = [event async for event in client.load(PairSettings(target=target, draft=draft))]
    assert isinstance(events[-1], Ready)
    return events[-1]


async def asked(client: EngineClient) -> Finished:
    events = [event async for event in client.ask(ASKED, SamplingSettings())]
    assert isinstance(events[-1], Finished)
    return events[-1]


def test_it_loads_and_answers(tmp_path: Path) -> None:
    async def use(client: EngineClient) -> None:
        assert client.pid is None
        assert (await loaded(client)).n_ctx == 64
        assert (await asked(client)).text == "word " * 5
        assert not client.answering

    with_client(tmp_path, use)


def test_the_process_is_told_its_threads_and_to_bind_them(tmp_path: Path) -> None:
    async def use(client: EngineClient) -> None:
        ready = await loaded(client)
        assert (ready.threads, ready.system_info) == (default_threads(), "true")

    with_client(tmp_path, use)


def test_a_failed_load_is_the_engines_own_error_and_the_process_lives(tmp_path: Path) -> None:
    async def use(client: EngineClient) -> None:
        with pytest.raises(ModelFileError, match="no such file"):
            await loaded(client, "missing")
        pid = client.pid
        await loaded(client)
        assert client.pid == pid

    with_client(tmp_path, use)


def test_cancel_ends_the_answer_with_what_there_is(tmp_path: Path) -> None:
    async def use(client: EngineClient) -> None:
        await loaded(client, "endless")
        events = []
        async for event in client.ask(ASKED, SamplingSettings()):
            events.append(event)
            if len(events) == 3:
                await client.cancel()
        assert isinstance(events[-1], Finished)
        assert events[-1].reason == "cancelled"

    with_client(tmp_path, use)


def test_an_iterator_closed_early_cancels_and_the_next_answer_is_clean(tmp_path: Path) -> None:
    async def use(client: EngineClient) -> None:
        await loaded(client, "endless")
        answer = client.ask(ASKED, SamplingSettings())
        await anext(answer)
        await answer.aclose()
        await loaded(client, "good")
        assert (await asked(client)).text == "word " * 5

    with_client(tmp_path, use)


@pytest.mark.parametrize(
    ("target", "how", "has_words"),
    [
        ("segv", "by SIGSEGV", True),
        ("exit", "with exit code 3", True),
        ("killed", "SIGKILL", False),
    ],
)
def test_a_death_in_mid_answer_names_the_signal_and_what_was_said_of_it(
    tmp_path: Path, target: str, how: str, has_words: bool
) -> None:
    async def use(client: EngineClient) -> None:
        await loaded(client, target)
        with pytest.raises(EngineDied, match=how) as caught:
            await asked(client)
        assert ("ggml said something" in str(caught.value)) is has_words
        assert (KILLED in caught.value.hint) is (target == "killed")
        assert caught.value.hint.endswith(f"Log: {tmp_path / 'engine.log'}")
        await loaded(client)
        assert (await asked(client)).text

    with_client(tmp_path, use)


def test_kernels_that_crash_are_replaced_once_and_it_says_so(tmp_path: Path) -> None:
    async def use(client: EngineClient) -> None:
        ready = await loaded(client, "fragile")
        (notice,) = ready.notices
        assert "optimised kernels crash" in notice and "doctor" in notice
        assert "SIGILL" in ready.crash
        assert (await loaded(client)).crash == ""
        with pytest.raises(EngineDied, match=r"^Loading hopeless failed\. .* SIGILL"):
            await loaded(client, "hopeless")

    with_client(tmp_path, use)


def test_the_processor_stands_in_for_a_gpu_that_ends_the_process_and_it_says_so(
    tmp_path: Path,
) -> None:
    async def use(client: EngineClient) -> None:
        ready = await loaded(client, "bad gpu")
        assert ready.notices == [GPU_CRASHED + GPU_IS_BAD] and ready.crash == ""
        assert ready.gpu_crash.startswith("CUDA0: ") and "SIGSEGV" in ready.gpu_crash
        both = await loaded(client, "bad gpu, fragile")
        assert "SIGSEGV" in both.gpu_crash and "SIGILL" in both.crash
        assert len(both.notices) == 2
        full = await loaded(client, "gpu out of memory")
        assert full.notices == [GPU_CRASHED + GPU_IS_FULL]
        assert (await loaded(client)).gpu_crash == ""

    with_client(tmp_path, use)


async def tried(client: EngineClient, pair: PairSettings) -> tuple[list[str], Ready | str]:
    """Return on which devices a load was tried, and how it ended."""
    devices = []
    try:
        async for event in client.load(pair):
            if isinstance(event, Ready):
                return devices, event
            devices.append(event.device)
    except ModelFileError as error:
        return devices, str(error)
    raise AssertionError("a load ends with Ready or an exception")


def test_the_processor_stands_in_for_a_gpu_without_room_and_it_says_so(tmp_path: Path) -> None:
    async def use(client: EngineClient) -> None:
        pid = None
        for target in ("gpu with no room", "good"):
            devices, ready = await tried(client, PairSettings(target=target))
            assert isinstance(ready, Ready)
            is_full = target != "good"
            assert devices == (["CUDA0", "CPU"] if is_full else ["CPU"])
            assert ready.notices == ([GPU_HAS_NO_ROOM] if is_full else [])
            assert ready.gpu_crash == ("CUDA0: cudaMalloc failed: out of memory" * is_full)
            assert pid in (None, client.pid), "nothing ended it"
            pid = client.pid

    with_client(tmp_path, use)


def test_a_load_is_not_tried_again_for_a_damaged_file_or_layers_that_a_person_wants(
    tmp_path: Path,
) -> None:
    async def use(client: EngineClient) -> None:
        damaged = PairSettings(target="gpu and damaged")
        assert await tried(client, damaged) == (["CUDA0"], "it is damaged")
        wanted = PairSettings(target="gpu with no room", gpu_layers=20)
        assert await tried(client, wanted) == (["CUDA0"], "cudaMalloc failed: out of memory")

    with_client(tmp_path, use)


def test_a_draft_model_that_ends_the_process_is_left_out_and_it_says_so(tmp_path: Path) -> None:
    async def use(client: EngineClient) -> None:
        ready = await loaded(client, "good", "fragile")
        (notice,) = ready.notices
        assert notice == f"The draft model is not used: {ready.draft_refused}"
        assert ready.draft_refused.startswith("loading fragile failed (")
        assert "SIGABRT" in ready.draft_refused and ready.draft_refused.endswith(").")
        assert ready.crash == ""
        both = await loaded(client, "fragile", "fragile")
        assert "SIGILL" in both.crash and "SIGABRT" in both.draft_refused
        assert len(both.notices) == 2

    with_client(tmp_path, use)


def test_a_projector_that_ends_the_process_is_left_out_and_it_says_so(tmp_path: Path) -> None:
    async def use(client: EngineClient) -> None:
        pair = PairSettings(target="good", draft="good", mmproj="fragile", gpu_layers=9)
        events = [event async for event in client.load(pair)]
        ready = events[-1]
        assert isinstance(ready, Ready)
        (notice,) = ready.notices
        assert notice.startswith("Pictures are off: loading fragile failed (")
        assert "SIGABRT" in notice and notice.endswith(").")
        assert (ready.crash, ready.gpu_crash, ready.draft_refused) == ("", "", "")

    with_client(tmp_path, use)


@pytest.mark.parametrize("target", ["verbose", "garbled"])
def test_a_process_that_nobody_understands_is_ended_and_the_next_one_is_heard(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, target: str
) -> None:
    monkeypatch.setattr("engine.process.child.LINE_LIMIT_BYTES", 2**16)

    async def use(client: EngineClient) -> None:
        with pytest.raises(EngineDied, match="nobody understands"):
            await loaded(client, target)
        assert client.pid is None
        await loaded(client)
        assert (await asked(client)).text

    with_client(tmp_path, use)


def test_a_death_at_load_that_no_kernel_caused_is_not_tried_again(tmp_path: Path) -> None:
    async def use(client: EngineClient) -> None:
        with pytest.raises(EngineDied, match="SIGKILL"):
            await loaded(client, "out of memory")

    with_client(tmp_path, use)


def test_closing_during_a_load_starts_no_other_engine(tmp_path: Path) -> None:
    async def use(client: EngineClient) -> None:
        loading = client.load(PairSettings(target="slow"))
        await anext(loading)
        await client.close()
        with pytest.raises(EngineDied):
            await anext(loading)
        assert client.pid is None

    with_client(tmp_path, use)


def test_a_load_gets_its_own_events_and_not_those_of_an_abandoned_one(tmp_path: Path) -> None:
    async def use(client: EngineClient) -> None:
        first = client.load(PairSettings(target="good"))
        await anext(first)
        await first.aclose()
        assert (await loaded(client, "other")).target == "other"

    with_client(tmp_path, use)


def test_a_load_that_was_abandoned_keeps_nobody_from_counting_later(tmp_path: Path) -> None:
    async def use(client: EngineClient) -> None:
        first = client.load(PairSettings(target="good"))
        await anext(first)
        await first.aclose()
        assert await client.count("one two") is not None

    with_client(tmp_path, use)


def test_one_answer_runs_at_a_time(tmp_path: Path) -> None:
    async def use(client: EngineClient) -> None:
        await loaded(client, "endless")
        answer = client.ask(ASKED, SamplingSettings())
        await anext(answer)
        with pytest.raises(EngineError, match="is answering"):
            await asked(client)
        await client.cancel()
        assert isinstance([event async for event in answer][-1], Finished)

    with_client(tmp_path, use)


def test_asking_a_dead_engine_says_so(tmp_path: Path) -> None:
    async def use(client: EngineClient) -> None:
        with pytest.raises(EngineDied, match="not running"):
            await asked(client)
        await loaded(client)
        assert client.pid is not None
        os.kill(client.pid, signal.SIGKILL)
        with pytest.raises(EngineDied, match="SIGKILL"):
            await asked(client)

    with_client(tmp_path, use)


def test_closing_leaves_no_process_even_one_that_does_not_listen(tmp_path: Path) -> None:
    async def use(client: EngineClient) -> None:
        await loaded(client, "deaf")
        pid = client.pid
        await client.close()
        assert pid is not None
        with pytest.raises(ProcessLookupError):
            os.kill(pid, 0)

    with_client(tmp_path, use)


def test_tokens_are_counted_while_the_engine_is_idle_and_at_no_other_time(tmp_path: Path) -> None:
    async def run() -> None:
        client = EngineClient(tmp_path / "engine.log")
        assert await client.count("hello") is None, "nothing is loaded"
        try:
            await load_pair(client, pair("none"))
            short, long = await client.count("What is len?"), await client.count("len " * 50)
            assert short is not None and long is not None and 0 < short < long
            assert await client.count("") == 0
            both = await asyncio.gather(client.count("a"), client.count("b"))
            assert sorted(n is None for n in both) == [False, True], "one at a time"
            answer = client.ask([user("What is len?")], SamplingSettings(temperature=0.0), 20)
            await anext(answer)
            assert await client.count("hello") is None, "it answers"
            async for _ in answer:
                pass
            assert await client.count("hello") is not None
        finally:
            await client.close()

    asyncio.run(run())


def test_it_tells_of_its_end_at_once_while_nothing_is_asked(tmp_path: Path) -> None:
    async def use(client: EngineClient) -> None:
        assert await client.ended() is None
        await loaded(client)
        ending = asyncio.create_task(client.ended())
        await asked(client)
        assert not ending.done()
        assert client.pid is not None
        os.kill(client.pid, signal.SIGKILL)
        death = await asyncio.wait_for(ending, PATIENCE_S)
        assert isinstance(death, EngineDied) and death.signal == signal.SIGKILL

    with_client(tmp_path, use)


def test_its_end_is_no_death_where_it_was_closed(tmp_path: Path) -> None:
    async def use(client: EngineClient) -> None:
        await loaded(client)
        ending = asyncio.create_task(client.ended())
        await asyncio.sleep(0)
        await client.close()
        assert await asyncio.wait_for(ending, PATIENCE_S) is None

    with_client(tmp_path, use)


def test_what_the_process_before_said_last_is_kept_beside_the_log(tmp_path: Path) -> None:
    log = tmp_path / "engine.log"

    async def use(client: EngineClient) -> None:
        await loaded(client)
        await client.close()
        log.write_text("its last words")
        await loaded(client)
        assert log.with_suffix(".before.log").read_text() == "its last words"
        assert "its last words" not in log.read_text()

    with_client(tmp_path, use)


def test_nothing_is_counted_beside_a_proof(tmp_path: Path) -> None:
    async def use(client: EngineClient) -> None:
        await loaded(client)
        counts = []
        with pytest.raises(DecodeError, match="no more"):
            async for _ in client.prove(1.0, SamplingSettings()):
                counts.append(await client.count("hi"))
        assert counts == [None]
        assert await client.count("hi") == 5
        assert (await asked(client)).text

    with_client(tmp_path, use)


def test_a_load_that_failed_is_over(tmp_path: Path) -> None:
    async def use(client: EngineClient) -> None:
        with pytest.raises(ModelFileError):
            async for _ in client.load(PairSettings(target="missing")):
                pass
        assert await client.count("hi") == 5, "the process is asked again"

    with_client(tmp_path, use)
