"""`Hub`: a Hugging Face Hub and its CDN on the loopback, with records, that misbehaves on command.

Contract: standard library only. The hub answers at `endpoint` (http://127.0.0.1:PORT), the CDN at
`cdn` (http://localhost:PORT): two host names, so that a token meant for the one can be caught on
its way to the other. Unless told otherwise it answers as the real Hub does, see `repositories.py`.
`requests` holds every request in the order of arrival, `sent_bytes` what the CDN wrote of a file's
body. `stop` raises what broke in the hub itself, so that no test mistakes it for misbehaviour.
"""

from __future__ import annotations

import threading
from collections import Counter
from dataclasses import dataclass, replace
from pathlib import Path
from types import TracebackType

from tests.hub.answers import Answer, Asked, Place, Request, Version
from tests.hub.listener import LOOPBACK, Listener
from tests.hub.misbehaviour import Misbehaviour
from tests.hub.repositories import Repositories


@dataclass(slots=True)
class _Rule:
    """One misbehaviour, for which file, and how many more requests it passes over and strikes."""

    behaviour: Misbehaviour
    file: str | None
    after: int
    times: float

    def strikes(self, asked: Asked) -> bool:
        """Tell whether it strikes this request, and count it."""
        if self.file not in (None, asked.path) and asked.place is not Place.API:
            return False
        if not asked.kind or not self.behaviour.strikes(asked):
            return False
        if self.after:
            self.after -= 1
            return False
        self.times -= 1
        return self.times >= 0

    def edit_version(self, version: Version) -> Version:
        """Edit the file where it is the one this is about: the API lists others too."""
        if self.file not in (None, version.name):
            return version
        return self.behaviour.edit_version(version)


class Hub:
    """A hub with repositories of the test's making; a context manager."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._stopping = threading.Event()
        self._requests: list[Request] = []
        self._sent: Counter[str] = Counter()
        self._rules: list[_Rule] = []
        self._listeners = tuple(
            Listener(name, self._reply, self._count, self._stopping) for name in ("hub", "cdn")
        )
        hub, cdn = self._listeners
        self.endpoint = f"http://{LOOPBACK}:{hub.port}"
        self.cdn = f"http://localhost:{cdn.port}"
        self._repositories = Repositories(self.endpoint, self.cdn)

    def __enter__(self) -> Hub:
        self.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.stop()

    def start(self) -> None:
        """Begin to answer."""
        for listener in self._listeners:
            listener.start()

    def stop(self) -> None:
        """Wake what stalls, end every connection, raise what broke in here."""
        self._stopping.set()
        for listener in self._listeners:
            listener.stop()
        for fault in (fault for listener in self._listeners for fault in listener.faults):
            raise RuntimeError("the test hub itself failed") from fault

    @property
    def token(self) -> str | None:
        """The one token that opens gated and private repositories; any other is refused."""
        return self._repositories.token

    @token.setter
    def token(self, token: str | None) -> None:
        self._repositories.token = token

    def add(
        self,
        repo: str,
        file: str,
        content: bytes | Path,
        *,
        sha256: str | None = None,
        commit: str | None = None,
        gated: bool = False,
        private: bool = False,
    ) -> str:
        """Hold one more file, `sha256` calculated unless given; return the commit that holds it.

        A new name joins the newest commit, a known one starts a new commit.
        """
        with self._lock:
            return self._repositories.add(repo, file, content, sha256, commit, gated, private)

    def misbehave(
        self,
        behaviour: Misbehaviour,
        *,
        times: int | None = None,
        after: int = 0,
        file: str | None = None,
    ) -> None:
        """Misbehave on requests it strikes: pass over `after`, then do so `times`, or for ever.

        `file` narrows it to one file; requests to the API, which name none, are struck all the
        same, but only that file is listed otherwise.
        """
        rule = _Rule(behaviour, file, after, float("inf") if times is None else times)
        with self._lock:
            self._rules.append(rule)

    def behave(self) -> None:
        """Forget every misbehaviour."""
        with self._lock:
            self._rules.clear()

    @property
    def requests(self) -> list[Request]:
        """Every request so far, in the order of arrival."""
        with self._lock:
            return list(self._requests)

    def sent_bytes(self, file: str) -> int:
        """Return how many bytes of bodies the CDN has written in answer to GETs of this file."""
        with self._lock:
            return self._sent[file]

    def _reply(self, request: Request) -> Answer:
        asked = self._repositories.understand(request)
        with self._lock:
            self._requests.append(request)
            struck = [rule for rule in self._rules if rule.strikes(asked)]

        def edit(version: Version) -> Version:
            for rule in struck:
                version = rule.edit_version(version)
            return version

        answer = self._repositories.answer(asked, edit)
        for rule in struck:
            answer = rule.behaviour.edit_answer(answer, asked)
        return replace(answer, file=asked.path if asked.place is Place.CDN else "")

    def _count(self, file: str, count: int) -> None:
        with self._lock:
            self._sent[file] += count
