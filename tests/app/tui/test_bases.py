"""Textual takes styles and keys from a class's first base alone: none that matters is beside it."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Iterator

import pytest
from textual.dom import DOMNode

import app.tui

STYLED_BY = ("DEFAULT_CSS", "COMPONENT_CLASSES", "BINDINGS")


def nodes() -> Iterator[type[DOMNode]]:
    """Yield every class of the terminal app that Textual styles."""
    for info in pkgutil.walk_packages(app.tui.__path__, "app.tui."):
        for found in vars(importlib.import_module(info.name)).values():
            is_class = isinstance(found, type) and found.__module__ == info.name
            if is_class and issubclass(found, DOMNode):
                yield found


@pytest.mark.parametrize("node", list(nodes()), ids=lambda node: node.__qualname__)
def test_no_base_is_left_out_whose_styles_or_keys_are_needed(node: type[DOMNode]) -> None:
    heeded = node._css_bases(node)
    said = {base: [name for name in STYLED_BY if vars(base).get(name)] for base in node.__mro__}
    needed = {base for base, names in said.items() if names}
    assert needed - {*heeded, *heeded[-1].__mro__} == set()  # these Textual's own class leaves out
