"""What tests of the screen share: a Hub on the loopback, style sheets that are parsed once, and a
pilot that waits no longer than it must.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest
import textual.app
import textual.pilot
import textual.screen
from textual.css.model import RuleSet
from textual.css.stylesheet import Stylesheet

from app.files import file_search
from app.tui.terminal import quick_screen
from app.tui.widgets import answer_text
from tests.app.models.conftest import brisk, hub, one_certificate
from tests.app.tui.idling import KEYS_S, REPAINT_S, wait_for_idle
from tests.hub.real_client import untold
from tests.patience import PATIENCE_S

__all__ = [
    "brisk",
    "hub",
    "one_certificate",
    "patient_search",
    "quick_pilot",
    "rules_parsed_once",
    "untold",
]


@pytest.fixture(autouse=True)
def patient_search(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a search for files take its time: where it is cut short, files are not found."""
    monkeypatch.setattr(file_search, "MOST_S", PATIENCE_S)


@pytest.fixture(autouse=True, scope="session")
def rules_parsed_once() -> Iterator[None]:
    """Parse a rule once for all the apps of these tests, not for each."""
    parsed: dict[object, list[RuleSet]] = {}
    parse = Stylesheet._parse_rules
    variables: dict[frozenset[tuple[str, str]], int] = {}
    last: tuple[dict[str, str], int] = ({}, -1)

    def parse_once(sheet: Stylesheet, css: str, *place: object, **named: object) -> list[RuleSet]:
        nonlocal last
        if sheet._variables is not last[0]:  # hundreds, and the same from one rule to the next
            these = frozenset(sheet._variables.items())
            last = sheet._variables, variables.setdefault(these, len(variables))
        key = (last[1], css, place, tuple(named.items()))
        if key not in parsed:
            parsed[key] = parse(sheet, css, *place, **named)  # type: ignore[arg-type]
        return parsed[key]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Stylesheet, "_parse_rules", parse_once)
        yield


@pytest.fixture(autouse=True, scope="session")
def quick_pilot() -> Iterator[None]:
    """Have the pilot see sooner that the app is idle, and the app be idle sooner: the next letter
    never comes meanwhile, for the pilot waits for the app.
    """
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(textual.screen, "UPDATE_PERIOD", REPAINT_S)
        for module in (textual.app, textual.pilot):
            patch.setattr(module, "wait_for_idle", wait_for_idle)
        patch.setattr(answer_text, "LATEST_S", REPAINT_S)
        patch.setattr(quick_screen, "KEYS_S", KEYS_S)
        yield
