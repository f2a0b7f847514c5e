"""Scripted models: pairs, downloads that are moved by hand, files that can be removed."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path

from app.errors import UnknownError
from app.models.catalog import ModelSpec
from app.models.offers import Offer
from app.models.shelf import Held
from app.models.store import Installed
from app.tui.models.model_access import (
    Facts,
    Fetched,
    FirstOffer,
    Leaving,
    Listed,
    Meant,
    OnHub,
    Stopped,
    Usable,
)
from app.tui.serving.orders import SessionSettings
from engine import PairSettings
from tests.app.tui.fakes import FakeSettings
from tests.patience import PATIENCE_S

MB = 1_000_000


def held(file: str, size: int, is_here: bool) -> Held:
    """A file of the Hub."""
    spec = ModelSpec(repo="someone/some-models-GGUF", file=file, size=size, licence="Apache-2.0")
    here = Installed(Path("/models", file), size, "verified", "store", licence="Apache-2.0")
    return Held(spec, here if is_here else None)


def offer(name: str, is_here: bool = False, verdict: str = "CPU", n_files: int = 2) -> Offer:
    """A pair of two files, all here or none."""
    sizes = (2500 * MB, 640 * MB)[:n_files]
    roles = ("Q4_K_M", "draft-Q8_0")
    files = tuple(
        held(f"{name}-{role}.gguf", n, is_here) for role, n in zip(roles, sizes, strict=False)
    )
    return Offer(
        name=name,
        title=name.capitalize(),
        for_whom="A laptop with 8 GB: questions that need thought.",
        tier="8 GB",
        state="installed" if is_here else "available",
        is_usable=is_here,
        size=sum(sizes),
        verdict=verdict,
        fit="needs 4.4 GB: weights 2.9, caches 1.1, buffers 0.4; free: 6.2 GB of memory",
        alternatives=("with a context of 4096 tokens (--ctx-size 4096): fits, 3.9 GB",),
        files=files,
    )


def settings_of(one: Offer) -> FakeSettings:
    """Return how a chat with a pair is opened."""
    target, *rest = [str(file.installed.path) for file in one.files if file.installed]
    return FakeSettings(
        PairSettings(target=target, draft=rest[0] if rest else None), title=one.title
    )


ALPHA = offer("alpha", is_here=True)
BETA = offer("beta", is_here=True)
GAMMA = offer("gamma", verdict="GPU")
DELTA = offer("delta", verdict="does not fit")
PAIRS = (ALPHA, BETA, GAMMA, DELTA)


@dataclass
class FakePuller:
    """A download that goes on when it is told to."""

    report: Callable[[Fetched], None]
    done: Callable[[], None]
    error: Exception | None = None
    is_forced: bool = False
    stopped: threading.Event = field(default_factory=threading.Event)
    ended: threading.Event = field(default_factory=threading.Event)
    moved: threading.Event = field(default_factory=threading.Event)

    def run(self) -> None:
        assert self.moved.wait(PATIENCE_S)
        if self.stopped.is_set():
            self.ended.set()
            raise Stopped
        if self.error is not None:
            raise self.error
        self.done()

    def stop(self) -> None:
        self.stopped.set()
        self.moved.set()

    def finish(self, error: Exception | None = None) -> None:
        """Let it end."""
        self.error = error
        self.moved.set()


class FakeModels:
    """Pairs by name. hold: `look` waits until `looks` is set; error: what `glance` raises;
    settings_error: what `settings` raises."""

    def __init__(
        self,
        *pairs: Offer,
        offline: bool = False,
        first: FirstOffer | None = None,
        staying: tuple[str, ...] = (),
        losing: tuple[str, ...] = (),
        hold: bool = False,
        error: Exception | None = None,
    ) -> None:
        self.offline = offline
        self.pairs = {pair.name: pair for pair in pairs or PAIRS}
        self.begun: dict[str, int] = {}
        self.recommended = {"gamma": "Gamma runs on the GPU with 4.4 GB."}
        self.pullers: dict[str, FakePuller] = {}
        self.removed: list[str] = []
        self.looks = threading.Event()
        self.n_looks = 0
        self.opening = threading.Event()
        self.opening.set()
        self.opened_error: Exception | None = None
        self.settings_error: Exception | None = None
        self.place_error: Exception | None = None
        self.note_error: Exception | None = None
        self._first, self._staying, self._losing, self._error = first, staying, losing, error
        if not hold:
            self.looks.set()

    def add(self, name: str) -> None:
        """Have one more pair that is not here."""
        self.pairs[name] = offer(name)

    def placed(self, settings: SessionSettings) -> PairSettings:
        """Place it as its settings say."""
        if self.place_error is not None:
            raise self.place_error
        return settings.pair

    def glance(self) -> Facts:
        if self._error is not None:
            raise self._error
        bare = (replace(pair, verdict="", fit="", alternatives=()) for pair in self.pairs.values())
        return Facts(tuple(bare), dict(self.begun))

    def look(self) -> Facts:
        assert self.looks.wait(PATIENCE_S)
        self.n_looks += 1
        return Facts(tuple(self.pairs.values()), dict(self.begun), self.recommended)

    def note(self) -> str:
        if self.note_error is not None:
            raise self.note_error
        return "offline: nothing is downloaded" if self.offline else ""

    def first_offer(self, current: SessionSettings) -> FirstOffer | None:
        return self._first

    def opened(self, settings: SessionSettings) -> Offer:
        assert self.opening.wait(PATIENCE_S)
        if self.opened_error is not None:
            raise self.opened_error
        pair = settings.pair
        paths = [Path(file).absolute() for file in (pair.target, pair.draft) if file]
        files = tuple(
            Held(ModelSpec(path=str(path)), Installed(path, 640 * MB, "unchecked", "path"))
            for path in paths
        )
        return replace(ALPHA, name=paths[0].name, title=settings.title, files=files)

    def settings(self, name: str) -> FakeSettings:
        if self.settings_error is not None:
            raise self.settings_error
        return settings_of(self.pairs[name])

    def meant(self, name: str) -> Meant:
        if self.settings_error is not None:
            raise self.settings_error
        if "/" in name:
            return OnHub(name)
        if name not in self.pairs:
            raise UnknownError(f"There is no pair named {name!r}.")
        pair = self.pairs[name]
        return Usable(settings_of(pair)) if pair.state == "installed" else Listed(name)

    def puller(
        self, name: str, report: Callable[[Fetched], None], force: bool = False
    ) -> FakePuller:
        def done() -> None:
            self.pairs[name] = offer(name, is_here=True, verdict=self.pairs[name].verdict)
            self.begun.pop(name, None)

        puller = self.pullers[name] = FakePuller(report, done, is_forced=force)
        return puller

    def leaving(self, name: str) -> Leaving:
        files = [Path(one.spec.file or "").name for one in self.pairs[name].files]
        going = files[: len(files) - len(self._staying)]
        return Leaving(tuple(going), self._staying, self._losing, 2500 * MB)

    def remove(self, name: str) -> int:
        self.removed.append(name)
        self.pairs[name] = offer(name)
        self.begun.pop(name, None)
        return 2500 * MB
