"""A pair as the models screen shows it: what the models, the downloads and the session know of it.

Pure; every foreign text comes out of here in harmless lines.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from textual.content import Content

from app.sizes import size
from app.terminal.sanitise import one_line
from app.tui.models.model_access import DOES_NOT_FIT, Facts
from app.tui.models.pulls import PullState
from app.tui.serving.shared_engine import LOADED
from app.tui.tones import DIM

if TYPE_CHECKING:
    from app.models.offers import Offer
    from app.models.shelf import Held

STAR = "★"
VERDICTS = {"GPU": "$success", "partly on GPU": "$success", DOES_NOT_FIT: "$error", "unknown": DIM}
STATES = {"available": DIM, "file missing": "$error"}
UNKNOWN = "—"
"""In the table for what nobody knows before the Hub is asked; below it says so in words."""
PICTURES = "Takes pictures: @photo.png in a question, or drop one on the window."
LOOKING = "…"


@dataclass(frozen=True, slots=True)
class PairView:
    """One pair. engine: the session's state if the chat is with this pair, else "".

    begun: bytes that an earlier download left; why: why it is recommended, "" if it is not.
    """

    offer: Offer
    pull: PullState | None = None
    begun: int = 0
    why: str = ""
    engine: str = ""

    @property
    def name(self) -> str:
        """The pair's name."""
        return one_line(self.offer.name)

    @property
    def is_usable(self) -> bool:
        """Whether it can be opened."""
        return self.offer.is_usable

    @property
    def is_to_come(self) -> bool:
        """Whether a download brings what is missing: a file of one's own comes from nowhere."""
        return self.offer.state in ("available", "partly installed")

    @property
    def is_pulling(self) -> bool:
        """Whether it is being downloaded."""
        return self.pull is not None and self.pull.is_running

    @property
    def is_loaded(self) -> bool:
        """Whether it is what answers."""
        return self.engine in LOADED

    @property
    def is_removable(self) -> bool:
        """Whether there are files of ours to remove, be they damaged."""
        found = (held.installed or held.damaged for held in self.offer.files)
        own = any(file is not None and file.place == "store" for file in found)
        return (own or self.begun > 0) and not self.is_pulling

    @property
    def missing(self) -> int | None:
        """Bytes that a download has still to bring; None if unknown."""
        sizes = [held.size for held in self.offer.files if held.installed is None]
        if None in sizes:
            return None
        return max(0, sum(known or 0 for known in sizes) - self.begun)

    @property
    def share(self) -> float | None:
        """How much of a download is here, 0 to 1; None if unknown, or none is under way."""
        if self.pull is not None and self.pull.share is not None:
            return self.pull.share
        missing = [held.size for held in self.offer.files if held.installed is None]
        total = sum(known or 0 for known in missing)
        if not self.begun or not total or None in missing:
            return None
        return min(1.0, self.begun / total)

    @property
    def state(self) -> Content:
        """The state in a word or two."""
        percent = LOOKING if self.share is None else f"{100 * self.share:.0f} %"
        if self.pull is not None and self.pull.is_running:
            return Content.styled(f"↓ {percent}", "$primary")
        if self.pull is not None and self.pull.status == "failed":
            return Content.styled("↓ failed", "$error")
        if self.engine == "loading":
            return Content.styled("◌ loading", "$warning")
        if self.is_loaded:
            return Content.styled("● loaded", "$success")
        if self.begun and self.offer.state != "installed":
            return Content.styled(f"paused {percent}".rstrip(LOOKING), "$warning")
        return Content.styled(self.offer.state, STATES.get(self.offer.state, ""))

    def row(self) -> tuple[Content, ...]:
        """Return name, state, tier, size and verdict."""
        star = Content.styled(f" {STAR}", "$accent") if self.why else Content("")
        verdict = one_line(self.offer.verdict)
        return (
            Content(self.name) + star,
            self.state,
            Content.styled(one_line(self.offer.tier), DIM),
            Content(size(self.offer.size))
            if self.offer.size is not None
            else Content.styled(UNKNOWN, DIM),
            Content.styled(
                UNKNOWN if verdict == "unknown" else verdict or LOOKING,
                VERDICTS.get(verdict, "") if verdict else DIM,
            ),
        )

    def about(self) -> Content:
        """Return what it is, for whom, and how its download is."""
        lines = [Content.styled(one_line(self.offer.title), "bold $primary")]
        lines.append(Content(one_line(self.offer.for_whom)))
        if self.offer.sees:
            lines.append(Content(PICTURES))
        if self.why:
            lines.append(Content.styled(f"{STAR} Recommended: {one_line(self.why)}", "$accent"))
        return Content("\n").join([*lines, *self._download()])

    def fit(self) -> Content:
        """Return how it fits this machine, and what would fit better."""
        offer = self.offer
        if not offer.verdict:
            return Content.styled("Looking at this machine…", DIM)
        style = f"bold {VERDICTS.get(offer.verdict, '')}".strip()
        fit = one_line(offer.fit)
        lines = [Content.assemble((one_line(offer.verdict), style), f": {fit}")]
        if offer.verdict == "unknown":  # its words say so
            lines = [Content(fit[:1].upper() + fit[1:])]
        lines += [
            Content.assemble(("or ", DIM), one_line(alternative))
            for alternative in offer.alternatives
        ]
        return Content("\n").join(lines)

    def files(self) -> Content:
        """Return its files, and what to know about them."""
        lines = [line for held in self.offer.files for line in _file(held)]
        notes = dict.fromkeys(one_line(held.spec.notes) for held in self.offer.files)
        lines += [Content.styled(note, DIM) for note in notes if note]
        return Content("\n").join(lines)

    def _download(self) -> list[Content]:
        pull = self.pull
        if pull is None or pull.status in ("done", "paused"):
            return []
        if pull.status == "failed":
            return [Content.styled(f"Not downloaded: {pull.error}", "$error")]
        return [Content.styled(f"↓ {progress_words(pull)}", "$primary")]


def progress_words(pull: PullState) -> str:
    """Return how far a download is: bytes, speed, time left."""
    if pull.status == "pausing":
        return "pausing…"
    if pull.fetched is None:
        return "asking the Hub…"
    parts = [size(pull.fetched.done)]
    if pull.fetched.total:
        parts = [f"{size(pull.fetched.done)} of {size(pull.fetched.total)}"]
    if pull.fetched.note:
        parts.append(one_line(pull.fetched.note))
    elif pull.bytes_per_s:
        parts.append(f"{size(pull.bytes_per_s)}/s")
        if pull.fetched.total:
            parts.append(_left((pull.fetched.total - pull.fetched.done) / pull.bytes_per_s))
    return " · ".join(parts)


def _left(seconds: float) -> str:
    if seconds < 90:
        return f"{seconds:.0f} s left"
    minutes = round(seconds / 60)
    return f"{minutes} min left" if minutes < 90 else f"{seconds / 3600:.1f} h left"


def _file(held: Held) -> list[Content]:
    spec, here = held.spec, held.installed
    known = size(held.size) if held.size is not None else "size unknown until asked"
    licence = here.licence if here and spec.licence == "unknown" else spec.licence
    state: str = held.state
    if here is None and spec.own_path is not None:
        state = f"not at {one_line(str(spec.own_path))}"
    source = f" · from {one_line(spec.repo)}" if spec.repo else ""
    under = "licence unknown" if licence == "unknown" else one_line(licence)
    about = f"  {known} · {state} · {under}{source}"
    name = Path(spec.file or str(spec.own_path)).name
    return [Content.styled(one_line(name), "bold"), Content.styled(about, DIM)]


def views(facts: Facts, pulls: dict[str, PullState], loaded: str, engine: str) -> list[PairView]:
    """Join what is known. loaded: the name of the pair that the chat is with, "" for files."""
    return [
        PairView(
            offer,
            pulls.get(offer.name),
            facts.begun.get(offer.name, 0),
            facts.recommended.get(offer.name, ""),
            engine if offer.name == loaded else "",
        )
        for offer in facts.offers
    ]
