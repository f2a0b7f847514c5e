"""Waits until the app is idle, as Textual's pilot does, and no longer.

Textual sleeps in rounds of 20 ms until a process hardly worked in one of them, which was half of
the time that tests of the screen took. Where nothing is left to be done it is idle at once: no
callback is ready, no timer is due soon, and no other thread has work. What cannot be seen to be
idle is given the time.
"""

from __future__ import annotations

import asyncio
import threading
from asyncio import BaseEventLoop
from collections import deque
from time import monotonic, process_time

from app.history.writer import Writer

IDLE_S, WORK_S = 0.02, 0.001
"""Idle is a process that worked less than WORK_S in the last IDLE_S, as Textual has it."""
REPAINT_S = 1 / 250
"""How often the screen may be painted anew here, or the next frame would be most of the time."""
KEYS_S = 0.0005
"""How long keys are waited for here between two bands; a timer of Textual takes no time of none."""
LOOK_S = 0.01
"""Looking more often would be work itself."""
RUNNERS = frozenset(threading.enumerate())
"""The threads of who runs the tests."""


async def wait_for_idle(min_sleep: float = IDLE_S, max_sleep: float = 1.0) -> None:
    """Return once the process is idle, or was for a while, at the latest after max_sleep."""
    loop = asyncio.get_running_loop()
    assert isinstance(loop, BaseEventLoop)
    granted_s = 0.0  # time in which others had the processor is no time in which nothing was done
    looks = deque([(granted_s, process_time())])
    while granted_s < max_sleep:
        began, worked_before = monotonic(), process_time()
        while loop._ready and monotonic() - began < max_sleep:
            await asyncio.sleep(0)
        due_s = _due_s(loop)
        is_done = due_s > IDLE_S and _threads_rest(loop) and not loop._ready  # threads first
        if is_done and granted_s >= min_sleep:
            return
        pause_s = min(LOOK_S, due_s)
        await asyncio.sleep(pause_s)
        worked = process_time()
        granted_s += min(monotonic() - began, pause_s + worked - worked_before)
        looks.append((granted_s, worked))
        while granted_s - looks[1][0] >= IDLE_S:
            looks.popleft()
        since, worked_then = looks[0]
        is_idle = granted_s - since >= IDLE_S and worked - worked_then < WORK_S
        if is_idle and granted_s > min_sleep and not loop._ready:
            return


def _due_s(loop: BaseEventLoop) -> float:
    """Return in how many seconds the next timer is due."""
    whens = [timer.when() for timer in loop._scheduled if not timer.cancelled()]
    return max(0.0, min(whens) - loop.time()) if whens else 2 * IDLE_S


def _threads_rest(loop: BaseEventLoop) -> bool:
    """Whether no other thread has anything to do."""
    others = [it for it in threading.enumerate() if it not in RUNNERS]
    return all(_rests(thread, loop) for thread in others)


def _rests(thread: threading.Thread, loop: BaseEventLoop) -> bool:
    """Whether it is one that waits for work, and has none."""
    if thread is threading.main_thread():
        return True
    executor = loop._default_executor
    if executor is not None and thread in executor._threads:
        return executor._idle_semaphore._value == len(executor._threads)
    writer = getattr(getattr(thread, "_target", None), "__self__", None)
    return isinstance(writer, Writer) and writer._written >= writer._posted
