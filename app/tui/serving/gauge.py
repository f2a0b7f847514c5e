"""What the screen asks about the engine beside answers: its memory, and how long a text is."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import Any

from app.tui.background.threads import in_thread
from engine import Message


class Gauge:
    """Asks one engine; what it cannot tell is None, as with an engine that is none."""

    def __init__(self, engine: Any) -> None:
        self._engine = engine

    @property
    def pid(self) -> int | None:
        """The engine's process, None while there is none."""
        pid: int | None = getattr(self._engine, "pid", None)
        return pid

    async def memory(self) -> int | None:
        """Return how many bytes its process holds."""
        from app.hardware import held_by

        pid = self.pid
        return None if pid is None else await in_thread(lambda: held_by(pid))

    async def tokens(self, what: str | Sequence[Message], think: bool | None = None) -> int | None:
        """Return how many tokens a text has, or the prompt that messages make, if the engine has
        time to count. think: as in `Conversation`. Raises EngineDied.
        """
        count: Callable[[str | Sequence[Message], bool | None], Awaitable[int | None]] | None
        count = getattr(self._engine, "count", None)
        return None if count is None else await count(what, think)
