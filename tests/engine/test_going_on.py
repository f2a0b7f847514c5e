"""An answer that is gone on with is the answer that was cut."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from engine import EngineClient, Message, SamplingSettings
from tests.pair import ask, load, pair, user

GREEDY = SamplingSettings(temperature=0.0, seed=7)
QUESTION = "What does os.path.join do?"


@pytest.mark.parametrize("drafter", ["none", "auto"])
def test_a_greedy_answer_cut_after_n_tokens_and_gone_on_with_is_the_whole_one(
    drafter: str, tmp_path: Path
) -> None:
    async def run() -> None:
        client = EngineClient(tmp_path / "engine.log")
        try:
            await load(client, pair(drafter))
            asked = [user(QUESTION)]
            whole = await ask(client, asked, GREEDY)
            assert len(whole.token_ids) > 8
            for n in range(1, len(whole.token_ids) - 1, 3):
                cut = await ask(client, asked, GREEDY, predict=n)
                assert (cut.reason, cut.token_ids) == ("length", whole.token_ids[:n])
                begun = Message(role="assistant", content=cut.text)
                rest = await ask(client, [*asked, begun], GREEDY, predict=80 - n)
                assert cut.text + rest.text == whole.text, f"cut after {n} tokens"
        finally:
            await client.close()

    asyncio.run(run())
