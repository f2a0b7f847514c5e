"""Where nothing was drafted, the chat and the inspector say why."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence

import pytest
from msgspec.structs import replace

from app.chat.summary import NOT_WORTH_IT
from app.tui.screens.inspector import Inspector
from engine import (
    PLAIN,
    Delta,
    Finished,
    Message,
    Ready,
    SamplingSettings,
    Started,
    TracedStep,
)
from tests.app.tui.driving import Chat, drive
from tests.app.tui.fakes import READY, Answer, FakeEngine, words

ANSWER = words("It joins paths.", [PLAIN])


class PlainEngine(FakeEngine):
    """Drafts nothing, and tells the steps."""

    async def ask(
        self,
        messages: Sequence[Message],
        sampling: SamplingSettings,
        predict: int | None = None,
        stop: Sequence[str] = (),
        drafter: str | None = None,
        trace: bool = False,
        think: bool | None = None,
    ) -> AsyncIterator[Started | Delta | Finished]:
        asked = super().ask(messages, sampling, predict, stop, drafter, trace, think)
        async for event in asked:
            if isinstance(event, Delta):
                steps = [TracedStep([], [], 0, span, 0.02, 0.02) for span in event.spans]
                yield replace(event, steps=steps)
            elif isinstance(event, Finished):
                plain = replace(event.stats, drafted=0, accepted=0, tested=0, speedup=1.0)
                yield replace(event, stats=plain)
            else:
                yield event


@pytest.mark.parametrize(
    ("ready", "shown"),
    [
        (READY, NOT_WORTH_IT),
        (replace(READY, drafter="none", drafters=[]), "nothing drafted: speculation is off"),
    ],
    ids=["on", "off"],
)
def test_an_answer_without_drafts_and_its_steps_say_why(ready: Ready, shown: str) -> None:
    async def scenario(chat: Chat) -> None:
        await chat.ready()
        await chat.ask("What does os.path.join do?")
        await chat.answered()
        assert chat.shows(shown)
        await chat.pilot.press("ctrl+x")
        await chat.until(lambda: isinstance(chat.app.screen, Inspector))
        await chat.until(lambda: chat.shows(shown))

    drive(scenario, PlainEngine(Answer(ANSWER), ready=ready))
