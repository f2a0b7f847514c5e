"""A pair that takes pictures, or does not, on a scripted engine."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import msgspec

from engine import Loading, Message, PairSettings, Picture, Ready
from tests.app.files.picture_files import png
from tests.app.tui.fakes import FakeEngine, FakeSettings

EYES = PairSettings(target="target.gguf", mmproj="mmproj.gguf")
TOKENS = 256
"""Of a picture."""


@dataclass(frozen=True)
class Sighted(FakeSettings):
    """Settings of a pair with a projector."""

    pair: PairSettings = EYES
    title: str = "Argus"


class SeeingEngine(FakeEngine):
    """Sees with a projector, and counts words and pictures."""

    async def load(self, pair: PairSettings) -> AsyncIterator[Loading | Ready]:
        async for event in super().load(pair):
            if isinstance(event, Ready):
                event = msgspec.structs.replace(event, sees=pair.mmproj is not None)
            yield event

    async def count(self, what: str | Sequence[Message], think: bool | None = None) -> int | None:
        if isinstance(what, str):
            return len(what.split())
        return sum(5 + len(m.content.split()) + TOKENS * len(m.pictures) for m in what)

    def shown(self, request: int = -1) -> list[list[Picture]]:
        """Return the pictures that went with each question of a prompt."""
        return [m.pictures for m in self.asked[request] if m.role == "user"]


def cat(folder: Path, shade: int = 9) -> Path:
    """Put a picture into the folder, in place of an earlier one."""
    path = folder / "cat.png"
    path.write_bytes(png(shade=shade))
    return path
