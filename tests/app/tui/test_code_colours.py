"""The colours of code lie on its own words."""

from __future__ import annotations

import pytest

from app.tui.widgets.answer_blocks import Fence

GO = 'func f() {\n\tif x {\n\t\treturn "s"\n\t}\n}'


def coloured(code: str, language: str) -> list[str]:
    spans = Fence.highlight(code, language).spans
    return [code[span.start : span.end] for span in spans if span.end - span.start < len(code)]


def test_tabs_shift_no_colour() -> None:
    assert coloured(GO, "go") == coloured(GO.replace("\t", "        "), "go")
    assert {"func", "if", "return", '"s"'} <= set(coloured(GO, "go"))


@pytest.mark.parametrize(
    "info", ["go title=f.go", "{go}", "{.go .lines}", "go,ignore", "go:cmd/f.go", "Go"]
)
def test_a_language_is_known_by_its_name_whatever_stands_beside_it(info: str) -> None:
    assert coloured(GO, info) == coloured(GO, "go")


@pytest.mark.parametrize("language", ["c++", "c#", "f#", "objective-c", "html+jinja"])
def test_a_language_may_have_signs_in_its_name(language: str) -> None:
    assert coloured("int x = 1; // <b>{{ x }}</b>", language)


@pytest.mark.parametrize("info", ["", "12:15:f.go", "nonsense", "  ", "{}"])
def test_code_in_no_known_language_has_no_colours(info: str) -> None:
    assert not coloured(GO, info)
