"""The downloads of the app: several at once, paused and gone on with, outliving every screen.

Each runs on a thread of its own that only leaves notes; a timer of the app reads them ten times a
second at most and publishes `changed`. Threads are daemons: one that waits for a dead server does
not keep the app from ending, and what it wrote is on the disk.
"""

from __future__ import annotations

import asyncio
import threading
import time
from collections import deque
from dataclasses import dataclass, replace
from typing import Any, Literal, TypeAlias

from textual.app import App
from textual.signal import Signal
from textual.timer import Timer

from app.errors import FitError
from app.tui.failures import error_line
from app.tui.models.model_access import Fetched, ModelAccess, Puller, Stopped

UPDATE_S = 0.1
GRACE_S = 3.0
SPEED_OVER_S = 5.0

Status = Literal["running", "pausing", "paused", "failed", "done"]


@dataclass(frozen=True, slots=True)
class PullState:
    """How a download is. fetched: None before the Hub has answered; error: why it failed, one
    line; bytes_per_s: of the last seconds, 0 if nothing came in them, None while unknown;
    is_misfit: it was refused, as it does not fit this machine.
    """

    name: str
    status: Status
    fetched: Fetched | None = None
    bytes_per_s: float | None = None
    error: str = ""
    is_misfit: bool = False

    @property
    def is_running(self) -> bool:
        """Whether a thread is at work."""
        return self.status in ("running", "pausing")

    @property
    def share(self) -> float | None:
        """How much of it is here, 0 to 1; None if unknown."""
        if self.fetched is None or not self.fetched.total:
            return None
        return min(1.0, self.fetched.done / self.fetched.total)


States: TypeAlias = dict[str, PullState]


def words_of(states: States) -> str:
    """Return what is being downloaded and how far it is, in a few words; "" if nothing is."""
    running = [state for state in states.values() if state.is_running]
    if not running:
        return ""
    what = running[0].name if len(running) == 1 else f"{len(running)} models"
    known = [state.fetched for state in running if state.fetched is not None]
    total = sum(fetched.total or 0 for fetched in known)
    if len(known) < len(running) or not total:
        return f"↓ {what} …"
    return f"↓ {what} {100 * sum(fetched.done for fetched in known) / total:.0f} %"


class _Job:
    """One run of a download; written by its thread, read by the app's."""

    def __init__(self, name: str, models: ModelAccess, force: bool) -> None:
        self.newest: Fetched | None = None
        self.end: Status | None = None
        self.error, self.is_misfit = "", False
        self._name, self._models, self._force = name, models, force
        self._puller: Puller | None = None
        self._is_stopped = False
        self.thread = threading.Thread(target=self._run, name=f"pull {name}", daemon=True)

    def stop(self) -> None:
        """End soon."""
        self._is_stopped = True
        if self._puller is not None:
            self._puller.stop()

    def _run(self) -> None:
        end: Status = "done"
        try:
            self._puller = self._models.puller(self._name, self._report, self._force)
            if self._is_stopped:
                raise Stopped
            self._puller.run()
        except Stopped:
            end = "paused"
        except Exception as error:  # whatever it is, the app goes on and shows it
            end, self.error = ("paused", "") if self._is_stopped else ("failed", error_line(error))
            self.is_misfit = isinstance(error, FitError)
        self.end = end  # last: whoever sees it sees the rest

    def _report(self, fetched: Fetched) -> None:
        self.newest = fetched


class _Speed:
    """Bytes a second over the last seconds of downloading."""

    def __init__(self) -> None:
        self._seen: deque[tuple[float, int]] = deque()

    def over(self, fetched: Fetched) -> float | None:
        """Take in how far it is, and return the speed."""
        if fetched.note:  # what is checked or waited for says nothing of the network
            self._seen.clear()
            return None
        now = time.monotonic()
        self._seen.append((now, fetched.done))
        while now - self._seen[0][0] > SPEED_OVER_S:
            self._seen.popleft()
        since, done = self._seen[0]
        return (fetched.done - done) / (now - since) if now > since else None


class Pulls:
    """All downloads since the app was started, by the pair's name."""

    def __init__(self, app: App[Any], models: ModelAccess) -> None:
        self.states: States = {}
        self.changed: Signal[States] = Signal(app, "pulls changed")
        self._app = app
        self._models = models
        self._jobs: dict[str, _Job] = {}
        self._forced: set[str] = set()
        self._speeds: dict[str, _Speed] = {}
        self._timer: Timer | None = None

    @property
    def running(self) -> list[PullState]:
        """Those at work, the oldest first."""
        return [state for state in self.states.values() if state.is_running]

    def start(self, name: str, force: bool = False) -> None:
        """Begin a download, or go on with one. force: also if it does not fit this machine, now and
        whenever it is gone on with.
        """
        if name in self._jobs:
            return
        if force:
            self._forced.add(name)
        job = self._jobs[name] = _Job(name, self._models, name in self._forced)
        self._speeds[name] = _Speed()
        before = self.states.pop(name, None)
        self._show(PullState(name, "running", before.fetched if before else None))
        job.thread.start()
        if self._timer is None:
            self._timer = self._app.set_interval(UPDATE_S, self._read)
        self._timer.resume()

    def misfit(self, name: str) -> str:
        """Return why the last try of a download was refused, if it was as that does not fit this
        machine; else "".
        """
        state = self.states.get(name)
        return state.error if state is not None and state.is_misfit else ""

    def pause(self, name: str) -> None:
        """Stop a download; what came stays."""
        job = self._jobs.get(name)
        if job is not None:
            job.stop()
            self._show(replace(self.states[name], status="pausing"))

    def forget(self, name: str) -> None:
        """Forget a download that is over: its files are gone."""
        if name in self._jobs:
            return
        self._forced.discard(name)
        if self.states.pop(name, None) is not None:
            self.changed.publish(self.states)

    async def close(self) -> None:
        """Pause all, and wait for them as long as a person would."""
        jobs = list(self._jobs.values())
        for job in jobs:
            job.stop()
        await asyncio.gather(*(asyncio.to_thread(job.thread.join, GRACE_S) for job in jobs))

    def _read(self) -> None:
        """Publish what the threads have left."""
        for name, job in list(self._jobs.items()):
            end, fetched = job.end, job.newest
            state = self.states[name]
            if fetched is not None and (fetched != state.fetched or state.bytes_per_s):
                speed = self._speeds[name].over(fetched)
                state = replace(state, fetched=fetched, bytes_per_s=speed)
            if end is not None:
                del self._jobs[name]
                state = replace(
                    state,
                    status=end,
                    error=job.error,
                    is_misfit=job.is_misfit,
                    bytes_per_s=None,
                )
                self._toast(state)
            if state != self.states[name]:
                self._show(state)
        if not self._jobs and self._timer is not None:
            self._timer.pause()

    def _show(self, state: PullState) -> None:
        self.states[state.name] = state
        self.changed.publish(self.states)

    def _toast(self, state: PullState) -> None:
        name = state.name
        if state.status == "done":
            self._app.notify(f"{name} is installed. /model {name} goes on with it.", markup=False)
        elif state.status == "failed":
            self._app.notify(
                state.error, title=f"{name} was not downloaded", severity="error", markup=False
            )
