"""Work beside the screen, on threads that nobody waits for when the app ends."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import TypeVar

T = TypeVar("T")


async def in_thread(work: Callable[[], T]) -> T:
    """Return or raise what `work` does on a thread of its own.

    asyncio.to_thread would keep the app from ending until the work is done.
    """
    loop = asyncio.get_running_loop()
    ended: asyncio.Future[T] = loop.create_future()

    def tell(result: T | None, error: Exception | None) -> None:
        if ended.done():  # nobody wants it any more
            return
        if error is not None:
            ended.set_exception(error)
        else:
            ended.set_result(result)  # type: ignore[arg-type]

    def run() -> None:
        result, failed = None, None
        try:
            result = work()
        except Exception as error:
            failed = error
        with suppress(RuntimeError):  # the loop has gone, and with it the app
            loop.call_soon_threadsafe(tell, result, failed)

    threading.Thread(target=run, daemon=True).start()
    return await ended
