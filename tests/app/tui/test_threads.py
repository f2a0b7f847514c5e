"""Work on threads gives back what it did, and keeps nobody waiting."""

from __future__ import annotations

import asyncio
import threading

import pytest

from app.tui.threads import in_thread


def test_what_the_work_returns_or_raises_comes_back() -> None:
    def fail() -> None:
        raise OSError("no")

    assert asyncio.run(in_thread(threading.get_ident)) != threading.get_ident()
    with pytest.raises(OSError, match="no"):
        asyncio.run(in_thread(fail))


def test_the_app_ends_though_the_work_does_not() -> None:
    over = threading.Event()

    async def give_up() -> None:
        work = asyncio.create_task(in_thread(over.wait))
        await asyncio.sleep(0)
        work.cancel()

    asyncio.run(give_up())
    assert not over.is_set()
    over.set()
