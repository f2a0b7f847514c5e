"""Work on threads gives back what it did, and keeps nobody waiting."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import threading

import pytest

from app.tui.background.threads import in_thread

LONG_S = 60.0
"""By then an app that ends has ended, on a machine that is busy too."""
GIVES_UP = """
import asyncio, threading
from app.tui.background.threads import in_thread

async def give_up():
    work = asyncio.create_task(in_thread(threading.Event().wait))
    await asyncio.sleep(0)
    work.cancel()

asyncio.run(give_up())
print("over")
"""


def test_what_the_work_returns_or_raises_comes_back() -> None:
    def fail() -> None:
        raise OSError("no")

    assert asyncio.run(in_thread(threading.get_ident)) != threading.get_ident()
    with pytest.raises(OSError, match="no"):
        asyncio.run(in_thread(fail))


def test_the_app_ends_though_the_work_does_not() -> None:
    done = subprocess.run(
        [sys.executable, "-c", GIVES_UP], capture_output=True, text=True, timeout=LONG_S
    )
    assert (done.stdout, done.stderr, done.returncode) == ("over\n", "", 0)
