"""What is counted is what is asked: a prompt has as many tokens as its count says."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from engine import EngineClient, Message, PromptTooLong, SamplingSettings
from tests.pair import ask, load, pair, user

N_CTX = 64
GREEDY = SamplingSettings(temperature=0.0)
CHATS = (
    [user("What does os.path.join do?")],
    [Message(role="system", content="Be brief."), user("Hello")],
    [user("one"), Message(role="assistant", content="Two."), user("three")],
    [user("one"), Message(role="assistant", content="Begun, and")],
)


def with_client(tmp_path: Path, scenario: Callable[[EngineClient], Awaitable[None]]) -> None:
    async def run() -> None:
        client = EngineClient(tmp_path / "engine.log")
        try:
            await load(client, pair("none", n_ctx=N_CTX))
            await scenario(client)
        finally:
            await client.close()

    asyncio.run(run())


def test_the_count_of_a_prompt_is_its_tokens(tmp_path: Path) -> None:
    async def scenario(client: EngineClient) -> None:
        for messages in CHATS:
            answer = await ask(client, messages, GREEDY, predict=1)
            assert await client.count(messages) == answer.stats.prompt_tokens

    with_client(tmp_path, scenario)


def test_a_prompt_is_refused_exactly_where_its_count_reaches_the_context(tmp_path: Path) -> None:
    async def scenario(client: EngineClient) -> None:
        outcomes = set()
        for n_words in range(5, 40):
            messages = [user("word " * n_words)]
            counted = await client.count(messages)
            assert counted is not None
            fits = counted < N_CTX
            outcomes.add(fits)
            if fits:
                await ask(client, messages, GREEDY, predict=1)
            else:
                with pytest.raises(PromptTooLong, match=f"{counted} tokens"):
                    await ask(client, messages, GREEDY, predict=1)
        assert outcomes == {True, False}

    with_client(tmp_path, scenario)


def test_a_text_is_counted_without_a_prompt_around_it(tmp_path: Path) -> None:
    async def scenario(client: EngineClient) -> None:
        text, prompt = await client.count("Hello"), await client.count([user("Hello")])
        assert text is not None and prompt is not None
        assert 0 < text < prompt

    with_client(tmp_path, scenario)
