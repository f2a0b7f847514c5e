"""A count that nobody waits for any more is given up by the engine, too."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from engine import EngineClient
from tests.engine.process.scripted_worker import ENDLESS
from tests.engine.process.test_client import asked, loaded, with_client


def test_a_count_that_is_overtaken_is_cancelled_in_the_engine_too(tmp_path: Path) -> None:
    async def use(client: EngineClient) -> None:
        await loaded(client)
        assert await client.count("hi") == 5
        overtaken = asyncio.create_task(client.count(ENDLESS))
        await asyncio.sleep(0)
        assert await client.count("hi") is None, "it is being counted"
        overtaken.cancel()
        with pytest.raises(asyncio.CancelledError):
            await overtaken
        assert await client.count("hi") == 6, "the worker knows of one that is cancelled"
        assert (await asked(client)).text == "word " * 5

    with_client(tmp_path, use)


def test_nothing_is_counted_while_the_engine_ends(tmp_path: Path) -> None:
    async def use(client: EngineClient) -> None:
        await loaded(client)
        closing = asyncio.create_task(client.close())
        await asyncio.sleep(0)
        assert client.pid is not None
        assert await client.count("hi") is None
        await closing

    with_client(tmp_path, use)
