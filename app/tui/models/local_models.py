"""The models of this person: catalogue, store and machine behind the models screen.

Imports everything late: the first picture must not wait for it.
"""

from __future__ import annotations

import argparse
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from app.errors import OFFLINE, OfflineError
from app.tui.models.model_access import Facts, Fetched, FirstOffer, Leaving, Meant, Puller, Stopped
from app.tui.serving.orders import SessionSettings
from engine import PairSettings

if TYPE_CHECKING:
    from app.models.catalog import ModelSpec
    from app.models.download import Progress
    from app.models.machine import Machine
    from app.models.offers import Offer
    from app.models.pull import Plan, Pull
    from app.models.shelf import Held, Shelf, Shelved
    from app.settings.rows import SettingsNow, Value
    from app.tui.preferences.setting_sources import Looks

NOTES = {"checking": "checking", "waiting": "waiting"}
ANYWAY = "try again to download it all the same"


class LocalModels:
    """The models of this machine. args: the flags of the start, which hold for every pair."""

    def __init__(self, args: argparse.Namespace, offline: bool) -> None:
        self.offline = offline
        self.args = args

    def glance(self) -> Facts:
        """Return what files tell."""
        shelf = _shelf()
        return Facts(tuple(_unjudged(pair) for pair in shelf.pairs()), _begun(shelf))

    def look(self) -> Facts:
        """Return all; measures the machine."""
        from app.models.offers import offers, recommended

        shelf = _shelf()
        machine = _machine(shelf)
        return Facts(
            tuple(offers(shelf, machine)), _begun(shelf), dict(recommended(shelf, machine))
        )

    def note(self) -> str:
        """Return what is to be known of all that was looked at. Raises CatalogError."""
        _shelf().store.check()
        return "offline: nothing is downloaded" if self.offline else ""

    def first_offer(self, current: SessionSettings) -> FirstOffer | None:
        """Return the pair for who has nothing but the demo, and that open. Raises CatalogError
        where more may be here that cannot be found.
        """
        from app.models.catalog import DEFAULT_PAIR
        from app.models.offers import recommended
        from app.models.shelf import NOT_HERE

        shelf = _shelf()
        shelf.store.check()
        others = [pair for pair in shelf.pairs() if pair.name != DEFAULT_PAIR]
        demo = shelf.pair(DEFAULT_PAIR).files[0].spec.own_path
        is_bare = all(pair.state in NOT_HERE for pair in others) and not shelf.loose()
        if self.offline or not is_bare or demo is None or Path(current.pair.target) != demo:
            return None
        for name, _ in recommended(shelf, _machine(shelf))[:1]:
            if name != DEFAULT_PAIR:
                return FirstOffer(name, shelf.pair(name).size)
        return None

    def opened(self, settings: SessionSettings) -> Offer:
        """Return the files that a chat is with and that are no pair, as a pair is shown."""
        from app.models.own_files import offer_of

        shelf = _shelf()
        return offer_of(settings.pair, settings.title, shelf, _machine(shelf))

    def settings(self, name: str) -> SessionSettings:
        """Return how a pair is opened; the flags of the start hold, the sampling is the pair's."""
        from app.settings.config import settings_for_pair

        return settings_for_pair(self.args, name)

    def meant(self, name: str) -> Meant:
        """Return what a person means by a name, a path, or OWNER/REPO[:FILE]."""
        from app.tui.models.meaning import meant

        return meant(name, _shelf(), self.args)

    def settings_now(
        self, opened: Mapping[str, str], chosen: Mapping[str, Value | None], looks: Looks
    ) -> SettingsNow:
        """Return every setting, and who says so."""
        from app.tui.preferences.setting_sources import settings_now

        return settings_now(self.args, opened, chosen, looks)

    def placed(self, settings: SessionSettings) -> PairSettings:
        """Return where the pair is to be loaded on this machine."""
        from app.fitting import fitted
        from app.settings.config import ChatSettings
        from app.threads_for_screen import leave_core_to_screen

        if not isinstance(settings, ChatSettings):
            return settings.pair
        return leave_core_to_screen(fitted(settings).pair)

    def puller(self, name: str, report: Callable[[Fetched], None], force: bool = False) -> Puller:
        """Return a download, not begun."""
        if self.offline:
            raise OfflineError(f"{name} is not downloaded: {OFFLINE}.")
        return _Download(name, report, force)

    def leaving(self, name: str) -> Leaving:
        """Return what goes and what stays."""
        from app.models.removal import parting

        found = parting(_shelf(), [name])
        return Leaving(
            going=tuple(Path(going.name).name for going in found.goes),
            staying=tuple(f"{_file(held)} {why}: it stays." for held, why in found.stays),
            losing=found.losing,
            freed_bytes=sum(going.n_bytes for going in found.goes),
        )

    def remove(self, name: str) -> int:
        """Remove what goes."""
        from app.models.removal import parting

        shelf = _shelf()
        return sum(shelf.store.remove(going.held.spec) for going in parting(shelf, [name]).goes)


def _shelf() -> Shelf:
    from app.models.shelf import Shelf

    return Shelf.open()


def _machine(shelf: Shelf) -> Machine:
    from app.models.machine import look

    return look(shelf.store.folder)


def _unjudged(pair: Shelved) -> Offer:
    """Return a pair before anybody has looked at the machine."""
    from app.models.offers import Offer

    return Offer(
        name=pair.name,
        title=pair.spec.title,
        for_whom=pair.spec.for_whom,
        tier=pair.spec.tier,
        state=pair.state,
        is_usable=pair.is_usable,
        size=pair.size,
        verdict="",
        fit="",
        alternatives=(),
        files=pair.files,
        sees=pair.spec.mmproj is not None,
    )


def _begun(shelf: Shelf) -> dict[str, int]:
    """Return the bytes of files that are not whole yet, by pair. A part of a draft model alone is
    of another pair's download: they are shared.
    """
    begun = {}
    for pair in shelf.pairs():
        n_bytes = sum(shelf.store.downloaded(held.spec) for held in pair.files)
        target = pair.members[0].files
        if n_bytes and any(held.installed or shelf.store.downloaded(held.spec) for held in target):
            begun[pair.name] = n_bytes
    return begun


def _file(held: Held) -> str:
    return Path(held.spec.file or str(held.spec.own_path)).name


class _Download:
    """A pull of a pair, whose files report as one."""

    def __init__(self, name: str, report: Callable[[Fetched], None], force: bool) -> None:
        self._name, self._report, self._force = name, report, force
        self._pull: Pull | None = None
        self._stopped = threading.Event()
        self._fetched = Fetched(0, None)
        self._files: dict[str, int] = {}

    def stop(self) -> None:
        """End soon."""
        self._stopped.set()
        if self._pull is not None:
            self._pull.stop()

    def run(self) -> None:
        """Ask the Hub, look at machine and disk, download. Raises Stopped, AppError."""
        from app.models.download import Paused
        from app.models.names import found_on_hub
        from app.models.pull import Pull, check_disk, plan
        from app.models.retrying import Patience

        shelf, patience = _shelf(), Patience(sleep=self._sleep)
        models = found_on_hub(self._name, shelf.catalog, patience).models
        planned = plan(self._name, models, shelf.store, patience)
        is_agreed = planned.begun and self._name not in shelf.catalog.pairs  # they share files
        if planned.to_fetch and not is_agreed:
            self._check_fit(planned, models, shelf)
        check_disk(planned, shelf.store)
        self._files = {
            remote.spec.source: shelf.store.downloaded(remote.spec) for remote in planned.to_fetch
        }
        self._fetched = Fetched(planned.begun, planned.total_bytes or None)
        self._report(self._fetched)
        self._pull = Pull(shelf.store, self._on_progress)
        if self._stopped.is_set():
            raise Stopped
        try:
            self._pull.run(planned)
        except Paused:
            raise Stopped from None

    def _check_fit(self, planned: Plan, models: Sequence[ModelSpec], shelf: Shelf) -> None:
        """Raise FitError for what does not fit this machine, unless forced. Of what was begun, that
        is decided.
        """
        from app.fitting import machine_now, must_fit
        from app.models.offers import judge_planned

        judged = judge_planned(shelf, planned, models, machine_now(shelf.store.folder))
        must_fit(self._name, judged, self._force, ANYWAY)

    def _sleep(self, seconds: float) -> None:
        """Wait until the Hub may be asked again. Raises Stopped."""
        if self._stopped.wait(seconds):
            raise Stopped

    def _on_progress(self, progress: Progress) -> None:
        if progress.is_anew:  # it was here, and is to come all the same
            self._files[progress.file] = 0
            total = (self._fetched.total or 0) + (progress.size or 0)
            self._fetched = replace(self._fetched, total=total or None)
        if progress.file not in self._files:  # a file that is here, and is only looked at
            self._report(replace(self._fetched, note="checking"))
            return
        if progress.stage != "checking":  # what an earlier run left is counted already
            self._files[progress.file] = progress.done
        note = progress.note or NOTES.get(progress.stage, "")
        self._fetched = replace(self._fetched, done=sum(self._files.values()), note=note)
        self._report(self._fetched)
