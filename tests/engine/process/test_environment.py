"""What the engine process is told through its environment, and what comes of it."""

from __future__ import annotations

import asyncio
from pathlib import Path

import msgspec
import pytest

from app.hardware import asks_for_pages
from engine import EngineClient
from engine.process.environment import PAGES, environment
from tests.lab.pages import huge_mib
from tests.pair import load, pair

THP = Path("/sys/kernel/mm/transparent_hugepage/enabled")
GRANTED = THP.read_text() if THP.exists() and asks_for_pages() else "[never]"


def huge_mib_of_pair(folder: Path) -> int:
    """Load the embedded pair and return how much of the engine process is in huge pages."""

    async def measure() -> int:
        client = EngineClient(folder / "engine.log")
        try:
            await load(client, pair())
            return huge_mib(client.pid)
        finally:
            await client.close()

    return asyncio.run(measure())


@pytest.mark.skipif("[never]" in GRANTED, reason="this system grants no huge pages")
def test_what_the_engine_computes_with_is_in_huge_pages(tmp_path: Path) -> None:
    assert huge_mib_of_pair(tmp_path) > 8


@pytest.mark.skipif("[madvise]" not in GRANTED, reason="pages are not by who asks for them here")
def test_what_the_person_says_of_pages_wins(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in PAGES:
        monkeypatch.setenv(name, "")
    assert huge_mib_of_pair(tmp_path) == 0


@pytest.mark.parametrize("batch_invariant", [True, False])
def test_tiles_are_left_where_batches_of_every_width_shall_give_the_same_rows(
    batch_invariant: bool,
) -> None:
    told = environment(batch_invariant=batch_invariant)
    assert (told.get("GGML_CPU_TILED_MM") == "0") == batch_invariant


@pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason="no environment to read")
def test_a_pair_that_shall_be_batch_invariant_has_an_engine_that_is(tmp_path: Path) -> None:
    async def run() -> list[bool]:
        client, found = EngineClient(tmp_path / "engine.log"), []
        try:
            for batch_invariant in (False, True):
                await load(client, msgspec.structs.replace(pair(), batch_invariant=batch_invariant))
                told = Path(f"/proc/{client.pid}/environ").read_bytes().split(b"\0")
                found.append(b"GGML_CPU_TILED_MM=0" in told)
        finally:
            await client.close()
        return found

    assert asyncio.run(run()) == [False, True]
