"""A scripted engine whose context is so small that it is full after three turns."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence

import msgspec

from engine import Delta, Finished, Message, PromptTooLong, SamplingSettings, Started
from tests.app.tui.fakes import READY, Answer, FakeEngine

N_CTX = 20


def tokens(messages: Sequence[Message]) -> int:
    return sum(len(message.content.split()) for message in messages)


class SmallEngine(FakeEngine):
    """A token is a word, and the context holds n_ctx of them."""

    def __init__(self, *answers: Answer, n_ctx: int = N_CTX) -> None:
        super().__init__(*answers, ready=msgspec.structs.replace(READY, n_ctx=n_ctx))
        self._n_ctx = n_ctx
        self.refused = 0

    async def count(self, what: str | Sequence[Message], think: bool | None = None) -> int:
        return len(what.split()) if isinstance(what, str) else tokens(what)

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
        used = tokens(messages)
        if used >= self._n_ctx:
            self.refused += 1
            raise PromptTooLong(f"The prompt has {used} tokens and the context {self._n_ctx}.")
        async for event in super().ask(messages, sampling, predict, stop, drafter, trace, think):
            if isinstance(event, Delta):
                used += 1
                event = msgspec.structs.replace(event, context_used=used)
            elif isinstance(event, Finished):
                event = msgspec.structs.replace(event, context_used=used)
                if used >= self._n_ctx:
                    event = msgspec.structs.replace(event, reason="context")
            yield event
