"""What the app needs of the models on this machine; `app.tui.models.local_models` is the real one.

Everything here may take long and is called from threads alone. Raises AppError or OSError, whose
text is one line for the person. Importing this is cheap.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol, TypeAlias

from app.tui.serving.orders import SessionSettings
from engine import PairSettings

if TYPE_CHECKING:
    from app.models.offers import Offer

DOES_NOT_FIT = "does not fit"


@dataclass(frozen=True, slots=True)
class Facts:
    """offers: in the catalogue's order; verdict and fit are "" while nobody has looked at the
    machine. begun: bytes that earlier downloads left, by pair. recommended: why, by pair, the best
    first.
    """

    offers: tuple[Offer, ...] = ()
    begun: Mapping[str, int] = field(default_factory=dict)
    recommended: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class FirstOffer:
    """A pair to begin with. size: bytes to download, None if unknown."""

    name: str
    size: int | None


@dataclass(frozen=True, slots=True)
class Leaving:
    """What removing a pair takes. going: files; staying: one sentence for each file that stays;
    losing: other installed pairs that are made of what goes.
    """

    going: tuple[str, ...]
    staying: tuple[str, ...]
    losing: tuple[str, ...]
    freed_bytes: int


@dataclass(frozen=True, slots=True)
class Fetched:
    """How far a download is, all files together. note: what it does if not downloading."""

    done: int
    total: int | None
    note: str = ""


@dataclass(frozen=True, slots=True)
class Usable:
    """What a word for a model means: one that is here. settings: how it is opened."""

    settings: SessionSettings


@dataclass(frozen=True, slots=True)
class Listed:
    """A pair of the catalogue that is not here, or not all of it."""

    name: str


@dataclass(frozen=True, slots=True)
class OnHub:
    """Files of a repository, none of which is here."""

    name: str


Meant: TypeAlias = Usable | Listed | OnHub


class Stopped(Exception):
    """A download was stopped because somebody wished so; what came is kept."""


class Puller(Protocol):
    """One download of a pair."""

    def run(self) -> None:
        """Download all that is missing. Raises Stopped."""

    def stop(self) -> None:
        """Make `run` end soon; from any thread."""


class ModelAccess(Protocol):
    """The pairs there are, and what can be done with their files. offline: no downloads."""

    @property
    def offline(self) -> bool: ...

    def glance(self) -> Facts:
        """Return what files tell, at once."""

    def look(self) -> Facts:
        """Return all, with what this machine has to say; takes seconds."""

    def note(self) -> str:
        """Return what is to be known of all that was looked at, "" if nothing. Raises CatalogError
        if what was downloaded cannot be found.
        """

    def first_offer(self, current: SessionSettings) -> FirstOffer | None:
        """Return the pair for who has nothing but the demo, and that open."""

    def opened(self, settings: SessionSettings) -> Offer:
        """Return the files that a chat is with and that are no pair, as a pair is shown."""

    def settings(self, name: str) -> SessionSettings:
        """Return how a pair is opened."""

    def meant(self, name: str) -> Meant:
        """Return what a person means by a name, a path, or OWNER/REPO[:FILE]."""

    def placed(self, settings: SessionSettings) -> PairSettings:
        """Return where the pair is to be loaded. Raises FitError if it fits nowhere."""

    def puller(self, name: str, report: Callable[[Fetched], None], force: bool) -> Puller:
        """Return a download, not begun, that raises FitError for what does not fit this machine,
        unless forced. report: called from any thread.
        """

    def leaving(self, name: str) -> Leaving:
        """Return what `remove` would do."""

    def remove(self, name: str) -> int:
        """Remove a pair's files and return the bytes freed."""
