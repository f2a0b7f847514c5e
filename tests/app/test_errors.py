"""The tree of errors is drawn as it is."""

from __future__ import annotations

import re
from pathlib import Path

import app
from app import errors

CLASS = re.compile(r"^class (\w+)\((\w+)\):", re.MULTILINE)
DRAWN = re.compile(r"^\W*(\w+Error) +\S", re.MULTILINE)


def test_every_error_of_the_app_stands_in_the_tree() -> None:
    sources = [file.read_text("utf-8") for file in Path(app.__path__[0]).rglob("*.py")]
    parents = {name: base for source in sources for name, base in CLASS.findall(source)}
    known = {"AppError"}
    while more := {name for name, base in parents.items() if base in known} - known:
        known |= more
    assert errors.__doc__ is not None
    drawn = set(DRAWN.findall(errors.__doc__))
    assert len(known) > 5 and drawn == known
