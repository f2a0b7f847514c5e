"""A key does what it is bound to: no name of ours is called for it by chance."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from tests.app.tui.driving import Chat, drive
from tests.app.tui.fakes import FakeEngine
from tests.pair import ROOT

CALLED = ("key_", "_key_")
"""Textual calls what has such a name, and a key's behind it, for a key that nobody has taken."""


def names(code: ast.AST) -> Iterator[str]:
    """Yield what the classes of a file, and what is made of them, have by a name."""
    for each in ast.walk(code):
        if isinstance(each, ast.ClassDef):
            yield from (node.name for node in each.body if isinstance(node, ast.FunctionDef))
            targets = (node for line in each.body for node in ast.iter_child_nodes(line))
            yield from (node.id for node in targets if isinstance(node, ast.Name))
        elif isinstance(each, ast.Attribute) and isinstance(each.ctx, ast.Store):
            yield each.attr


def test_nothing_of_ours_is_called_for_a_key_by_its_name() -> None:
    files = [*(ROOT / "app").rglob("*.py")]
    found = {(str(file), name) for file in files for name in names(ast.parse(file.read_text()))}
    assert len(found) > 1000
    assert not [each for each in found if each[1].startswith(CALLED)]


def test_an_at_sign_does_nothing_where_nothing_can_be_typed() -> None:
    async def scenario(chat: Chat) -> None:
        await chat.ready()
        await chat.pilot.press("f1")
        await chat.until(lambda: not chat.is_on_top)
        screen = chat.app.screen
        screen.set_focus(None)
        await chat.pilot.press("at", "a")
        assert chat.app.screen is screen
        await chat.pilot.press("escape")
        await chat.until(lambda: chat.is_on_top)

    drive(scenario, FakeEngine())
