"""Chats of several turns over windows that slide: what is asked again, edited, seen."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.assemble import Engine
from engine.messages import Finished, Message
from engine.settings import PairSettings
from tests import tiny
from tests.engine.in_process import answer, loaded
from tests.engine.seeing import written
from tests.tiny.projector import picture

N_CTX = 2048


@pytest.fixture(scope="module")
def gemma(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("tiny")
    return tiny.write("gemma3", folder / "gemma3.gguf", seed=3, n_ctx=N_CTX)


LONG = [Message(role="user", content="the cat and the dog " * 60)]
PREDICT = 700


def settings(gemma: Path) -> PairSettings:
    return PairSettings(target=str(gemma), draft=str(gemma), threads=1, n_ctx=N_CTX, gpu_layers=0)


def asked(engine: Engine, messages: list[Message], drafter: str = "none") -> Finished:
    return answer(engine, messages, drafter=drafter, predict=PREDICT)


@pytest.mark.parametrize("drafter", ["none", "auto"])
def test_an_answer_asked_for_again_comes_from_the_state_behind_its_prompt(
    gemma: Path, drafter: str
) -> None:
    with loaded(settings(gemma)) as engine:
        first = asked(engine, LONG, drafter)
        again = asked(engine, LONG, drafter)
        assert len(first.token_ids) == PREDICT, "longer than a lap"
        assert again.token_ids == first.token_ids
        assert first.stats.cached_tokens == 0
        assert again.stats.cached_tokens == again.stats.prompt_tokens - 1


def test_a_question_edited_further_back_than_the_window_is_answered_as_in_a_fresh_chat(
    gemma: Path,
) -> None:
    edited = [Message(role="user", content="the cat and a mouse " * 60)]
    with loaded(settings(gemma)) as engine:
        wanted = asked(engine, edited).token_ids
        engine.recover()
        asked(engine, LONG)
        found = asked(engine, edited)
        assert found.token_ids == wanted
        assert found.stats.cached_tokens == 0


def test_pictures_slide_by_like_text_and_are_looked_at_again(tmp_path: Path) -> None:
    pair = written("gemma3", "gemma3", tmp_path)
    shown = picture(tmp_path / "shown.png", 112, 56, seed=3)
    ask = [Message(role="user", content="the cat and the dog " * 60, pictures=[shown])]
    edited = [Message(role="user", content="a mouse " * 60, pictures=[shown])]
    with loaded(pair.settings(n_ctx=N_CTX, draft=None)) as engine:
        assert engine._target.context.slides and engine.ready(1).sees
        wanted = asked(engine, edited).token_ids
        engine.recover()
        first = asked(engine, ask, "lookup")
        again = asked(engine, ask)
        assert again.token_ids == first.token_ids
        assert again.stats.cached_tokens == again.stats.prompt_tokens - 1
        assert asked(engine, edited).token_ids == wanted
