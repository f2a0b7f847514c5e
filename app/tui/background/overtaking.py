"""Runs work of which only the latest counts: what is still under way ends."""

from __future__ import annotations

from textual.dom import DOMNode

from app.tui.background.starting import Work, start


def overtake(node: DOMNode, work: Work, *given: object, group: str) -> None:
    """Call work with what is given, in the background; end what the node does in this group."""
    start(node, work, *given, group=group, exclusive=True)
