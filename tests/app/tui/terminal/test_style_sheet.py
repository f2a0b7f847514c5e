"""The app's style sheet: parsed once, and anew where its colours change; parts that nobody asks for
are not styled.
"""

from __future__ import annotations

import asyncio

import pytest
from textual.app import App, ComposeResult
from textual.css import stylesheet
from textual.widgets import Static

from app.tui.terminal.style_sheet import StyleSheet

RULES = "Label { color: $ink; }"


def colour(sheet: StyleSheet) -> str:
    return sheet.rules[0].styles.color.hex


def test_it_is_parsed_again_for_other_colours_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    parsed = []

    def parse(*given: object, **named: object) -> object:
        parsed.append(given)
        return real(*given, **named)  # type: ignore[arg-type]

    real = stylesheet.parse
    monkeypatch.setattr(stylesheet, "parse", parse)
    sheet = StyleSheet(variables={"ink": "#ff0000"})
    sheet.add_source(RULES, ("a", "b"))
    sheet.reparse()
    assert (colour(sheet), len(parsed)) == ("#FF0000", 1)
    sheet.set_variables({"ink": "#ff0000"})
    sheet.reparse()
    assert (colour(sheet), len(parsed)) == ("#FF0000", 1), "the same colours"
    sheet.set_variables({"ink": "#0000ff"})
    sheet.reparse()
    assert (colour(sheet), len(parsed)) == ("#0000FF", 2)
    sheet.add_source("Label { color: $ink; } Label:hover { color: $ink; }", ("c", "d"))
    sheet.reparse()
    assert (len(sheet.rules), len(parsed)) == (3, 3), "what was there is known"


class Parted(Static):
    """A widget of two parts, the first of which is red, or blue where it stands out."""

    COMPONENT_CLASSES = {"parted--one", "parted--two"}  # noqa: RUF012 (as in the base)
    DEFAULT_CSS = """
    Parted { .parted--one { color: #ff0000; } }
    Parted.-out { .parted--one { color: #0000ff; } }
    """
    painted = 0

    def refresh(self, *given: object, **named: object) -> Parted:  # type: ignore[override]
        self.painted += 1
        return self

    @property
    def ink(self) -> str:
        return self.get_component_styles("parted--one").color.hex


class PartedApp(App[None]):
    """An app with our style sheet."""

    def __init__(self) -> None:
        super().__init__()
        self.stylesheet = StyleSheet(variables=self.get_css_variables())

    def compose(self) -> ComposeResult:
        yield Parted()


def test_a_part_is_styled_when_it_is_asked_for_and_painted_anew_when_that_changes() -> None:
    async def run() -> None:
        async with PartedApp().run_test() as pilot:
            widget = pilot.app.query_one(Parted)
            await pilot.pause()
            assert dict(widget._component_styles) == {}
            assert widget.ink == "#FF0000"
            assert set(dict(widget._component_styles)) == {"parted--one"}
            painted = widget.painted
            widget.add_class("-other")
            assert widget.painted == painted and widget.ink == "#FF0000", "it looks the same"
            widget.add_class("-out")
            assert widget.painted > painted and widget.ink == "#0000FF"
            with pytest.raises(KeyError):
                widget.get_component_styles("parted--three")
            await widget.remove()
            with pytest.raises(KeyError):
                widget.get_component_styles("parted--one")

    asyncio.run(run())
