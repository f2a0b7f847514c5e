"""Runs work of which only the latest counts: what is still under way ends."""

from __future__ import annotations

from collections.abc import Callable, Coroutine

from textual.dom import DOMNode


def overtake(
    node: DOMNode, work: Callable[..., Coroutine[object, object, None]], *given: object, group: str
) -> None:
    """Call work with what is given, in the background; end what the node does in this group.

    The coroutine is made when it runs: one that is overtaken before would be awaited by nobody.
    """

    async def run() -> None:
        await work(*given)

    node.run_worker(run, exclusive=True, group=group)  # type: ignore[arg-type]  # it takes it
