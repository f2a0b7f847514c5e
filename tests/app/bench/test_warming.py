"""Before anybody is measured both models have the prompt in their caches."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Sequence

import pytest

from app.bench.plan import Cell
from app.bench.running import DRAFT_MODEL, WARM_TOKENS, ask_all
from engine import Delta, EngineDied, Finished, Message, SamplingSettings, Started
from tests.engine.in_process import GREEDY, answer, loaded
from tests.pair import pair, user


class First:
    """An engine that tells what it is asked first, and dies."""

    def __init__(self) -> None:
        self.asked: list[tuple[int | None, str | None]] = []

    async def ask(
        self,
        messages: Sequence[Message],
        sampling: SamplingSettings,
        predict: int | None = None,
        stop: Sequence[str] = (),
        drafter: str | None = None,
        *,
        think: bool | None = None,
    ) -> AsyncGenerator[Started | Delta | Finished, None]:
        self.asked.append((predict, drafter))
        raise EngineDied("That is all.")
        yield Started(1, 1, 0)


@pytest.mark.parametrize(
    ("drafters", "first"),
    [(("none", "draft_model", "auto"), DRAFT_MODEL), (("none", "lookup"), None)],
)
def test_the_draft_model_warms_up_where_there_is_one(
    drafters: tuple[str, ...], first: str | None
) -> None:
    engine = First()
    cell = Cell("chat", 0, 0.0, 0, 1, 64, (("user", "Why?"),), drafters)
    with pytest.raises(EngineDied):
        asyncio.run(ask_all(engine, [cell], GREEDY, None, None, lambda _: None))
    assert engine.asked == [(WARM_TOKENS, first)]


def test_behind_a_warm_up_the_draft_model_has_all_of_the_prompt() -> None:
    asked = [user("What does os.path.join do, and what does os.path.split do with that?")]
    with loaded(pair("auto")) as engine:
        answer(engine, asked, predict=WARM_TOKENS, drafter=DRAFT_MODEL)
        prompt, cache = engine.template.tokens(asked), engine.parts().draft_cache
        assert cache is not None and cache.tokens[: len(prompt)] == prompt
