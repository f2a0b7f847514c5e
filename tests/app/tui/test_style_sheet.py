"""The app's style sheet: parsed once, and anew where its colours change."""

from __future__ import annotations

import pytest
from textual.css import stylesheet

from app.tui.style_sheet import StyleSheet

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
