"""The embedded pair, and how tests ask it through the real engine process."""

from __future__ import annotations

import asyncio
import atexit
import tempfile
from collections.abc import Sequence
from functools import cache
from pathlib import Path

from engine import (
    EngineClient,
    Finished,
    Message,
    PairSettings,
    Ready,
    SamplingSettings,
)

ROOT = Path(__file__).parent.parent
TARGET = ROOT / "app" / "demo" / "target.gguf"
DRAFT = ROOT / "app" / "demo" / "draft.gguf"


@cache
def measured_costs() -> Path:
    """Return the folder that keeps what forwards cost here, until this process ends."""
    folder = tempfile.TemporaryDirectory(prefix="slipstream-costs-")
    atexit.register(folder.cleanup)
    return Path(folder.name)


def pair(
    drafter: str = "auto", draft_tokens: int | None = None, **settings: object
) -> PairSettings:
    """Settings for the embedded pair, whose costs are measured once in a run."""
    given = {
        "target": str(TARGET),
        "draft": str(DRAFT),
        "costs": str(measured_costs()),
        **settings,
    }
    return PairSettings(drafter=drafter, draft_tokens=draft_tokens, **given)  # type: ignore[arg-type]


def user(text: str) -> Message:
    return Message(role="user", content=text)


def chat(
    settings: PairSettings,
    questions: Sequence[str],
    sampling: SamplingSettings,
    predict: int | None = 80,
    fresh: bool = False,
) -> tuple[Ready, list[Finished]]:
    """Ask the questions as one conversation; fresh: load anew before each, so that nothing is
    cached.
    """

    async def run() -> tuple[Ready, list[Finished]]:
        with tempfile.TemporaryDirectory() as folder:
            client = EngineClient(Path(folder) / "engine.log")
            try:
                ready = await load(client, settings)
                messages: list[Message] = []
                answers: list[Finished] = []
                for question in questions:
                    if fresh and answers:
                        await load(client, settings)
                    messages.append(user(question))
                    answers.append(await ask(client, messages, sampling, predict))
                    messages.append(Message(role="assistant", content=answers[-1].text))
                return ready, answers
            finally:
                await client.close()

    return asyncio.run(run())


async def load(client: EngineClient, settings: PairSettings) -> Ready:
    events = [event async for event in client.load(settings)]
    assert isinstance(events[-1], Ready)
    return events[-1]


async def ask(
    client: EngineClient,
    messages: Sequence[Message],
    sampling: SamplingSettings,
    predict: int | None = 80,
) -> Finished:
    events = [event async for event in client.ask(messages, sampling, predict)]
    assert isinstance(events[-1], Finished)
    return events[-1]
