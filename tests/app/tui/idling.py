"""Waits until the app is idle, as Textual's pilot does, and no longer.

Textual sleeps in rounds of 20 ms until one of them was idle: where 5 ms of work are done behind a
key it waits for 40. This looks twice as often whether the last 20 ms were.
"""

from __future__ import annotations

from asyncio import sleep
from collections import deque
from time import monotonic, process_time

IDLE_S, WORK_S = 0.02, 0.001
"""Idle is a process that worked less than WORK_S in the last IDLE_S, as Textual has it."""
LOOK_S = 0.01
"""Looking more often would be work itself."""


async def wait_for_idle(min_sleep: float = IDLE_S, max_sleep: float = 1.0) -> None:
    """Return once the process was idle for a while, at the latest after max_sleep."""
    began = now = monotonic()
    looks = deque([(now, process_time())])
    while now - began < max_sleep:
        await sleep(LOOK_S)
        now, worked = monotonic(), process_time()
        looks.append((now, worked))
        while now - looks[1][0] >= IDLE_S:
            looks.popleft()
        since, worked_before = looks[0]
        is_idle = now - since >= IDLE_S and worked - worked_before < WORK_S
        if is_idle and now - began > min_sleep:
            return
