"""What is known of the pairs, put together. Pure."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from app.tui.models.model_access import Facts
from app.tui.serving.orders import SessionSettings

if TYPE_CHECKING:
    from app.models.offers import Offer


def name_of(settings: SessionSettings, facts: Facts) -> str:
    """Return the name of the pair that a chat is with, "" for files that are not among them."""
    pair = settings.pair
    files = [_absolute(file) for file in (pair.target, pair.draft, pair.mmproj) if file]
    for offer in facts.offers:
        paths = _paths(offer)
        if offer.title == settings.title and paths[:1] == files[:1] and {*files} <= {*paths}:
            return offer.name
    return ""


def with_files(facts: Facts, own: Offer | None) -> Facts:
    """Return the facts with files that are no pair before all pairs."""
    return facts if own is None else replace(facts, offers=(own, *facts.offers))


def with_verdicts(facts: Facts, known: Facts) -> Facts:
    """Return new facts with what an earlier look said of the machine."""
    before = {offer.name: offer for offer in known.offers}
    offers = tuple(
        replace(offer, verdict=old.verdict, fit=old.fit, alternatives=old.alternatives)
        if (old := before.get(offer.name))
        else offer
        for offer in facts.offers
    )
    return Facts(offers, facts.begun, known.recommended)


def _paths(offer: Offer) -> list[str]:
    return [_absolute(held.installed.path) for held in offer.files if held.installed is not None]


def _absolute(path: Path | str) -> str:
    return str(Path(path).absolute())
