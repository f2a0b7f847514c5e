"""What counts as a docstring's first sentence, and as a signature."""

from __future__ import annotations

import json
import os.path

import pytest
from docstrings import first_sentence, signature


@pytest.mark.parametrize(
    ("doc", "sentence"),
    [
        ("Return the sum.\n\nMore.", "Return the sum."),
        ("Return the\n    sum of two.  And more.", "Return the sum of two."),
        ("join(a, b) -> str\n\nJoin two parts. Fast.", "Join two parts."),
        ("D.clear() -> None.  Remove all items from D.", "Remove all items from D."),
        ("dict() -> new empty dictionary\ndict(m) -> new", "dict() -> new empty dictionary"),
        ("Take a part, e.g. The first. Then stop.", "Take a part, e.g. The first."),
        ("Use os.path.join here. Then stop.", "Use os.path.join here."),
        ("No full stop at the end", "No full stop at the end."),
    ],
)
def test_the_first_sentence_is_cut_from_the_first_paragraph(doc: str, sentence: str) -> None:
    assert first_sentence(doc) == sentence


@pytest.mark.parametrize("doc", [None, "", "Short.", "Two forms:", "x" * 300, "Größe der Datei."])
def test_a_docstring_without_a_quotable_sentence_gives_none(doc: str | None) -> None:
    assert first_sentence(doc) is None


def test_a_signature_leaves_out_self_and_annotations() -> None:
    class Box:
        def put(self, thing: int, where: str = "top") -> None: ...

    assert signature("Box.put", Box.put, bound=True) == "Box.put(thing, where='top')"


def test_a_signature_too_long_for_a_line_is_not_shown() -> None:
    assert signature("json.dumps", json.dumps, bound=False) is None


def test_a_function_of_the_standard_library_shows_its_parameters() -> None:
    assert signature("os.path.join", os.path.join, bound=False) == "os.path.join(a, *p)"
