"""What tests of the screen share: a Hub on the loopback, and style sheets that are parsed once."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from textual.css.model import RuleSet
from textual.css.stylesheet import Stylesheet

from app import file_search
from tests.app.models.conftest import hasty, hub
from tests.patience import PATIENCE_S

__all__ = ["hasty", "hub", "patient_search", "rules_parsed_once"]


@pytest.fixture(autouse=True)
def patient_search(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a search for files take its time: where it is cut short, files are not found."""
    monkeypatch.setattr(file_search, "MOST_S", PATIENCE_S)


@pytest.fixture(autouse=True, scope="session")
def rules_parsed_once() -> Iterator[None]:
    """Parse a rule once for all the apps of these tests, not for each."""
    parsed: dict[object, list[RuleSet]] = {}
    parse = Stylesheet._parse_rules

    def parse_once(sheet: Stylesheet, css: str, *place: object, **named: object) -> list[RuleSet]:
        key = (frozenset(sheet._variables.items()), css, place, tuple(named.items()))
        if key not in parsed:
            parsed[key] = parse(sheet, css, *place, **named)  # type: ignore[arg-type]
        return parsed[key]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Stylesheet, "_parse_rules", parse_once)
        yield
