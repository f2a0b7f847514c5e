"""Begins work in the background.

The coroutine is made when the work runs: one made before would be awaited by nobody where the app
ends, or other work takes its place, in between, and Python would say so below the prompt.
"""

from __future__ import annotations

from collections.abc import Callable, Coroutine

from textual.dom import DOMNode

Work = Callable[..., Coroutine[object, object, object]]


def start(
    node: DOMNode, work: Work, *given: object, group: str = "default", exclusive: bool = False
) -> None:
    """Call work with what is given, as long as the node is there. exclusive: what the node does in
    this group ends.
    """

    async def run() -> None:
        await work(*given)

    node.run_worker(run, group=group, exclusive=exclusive)  # type: ignore[arg-type]  # it takes it
