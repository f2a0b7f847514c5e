"""Pictures through the whole engine, on llama.cpp with tiny models of every kind that matters."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from zlib import crc32

import pytest

from engine.answer import Answer
from engine.assemble import Engine
from engine.errors import PromptTooLong
from engine.llama.mtmd import Tile
from engine.messages import Ask, Message, Picture
from engine.sampling.width_noise import Deepening
from engine.settings import SamplingSettings
from engine.tracing import Tracer
from engine.types import Step
from tests.engine.in_process import GREEDY, PREDICT, answer, conversation, loaded
from tests.engine.seeing import (
    DIGITS,
    QUESTION,
    WARM,
    Pair,
    reference,
    user,
    written,
)
from tests.tiny.projector import picture

MODELS = {
    "llava": ("mlp", "llama"),
    "gemma3": ("gemma3", "gemma3"),  # a picture sees all of itself
    "smolvlm": ("idefics3", "llama"),  # tiles, and text between them
    "qwen2vl": ("qwen2vl_merger", "qwen2vl"),  # more cells than positions
    "granite": ("mlp", "granitehybrid"),  # goes back by replaying
    "qwen35": ("qwen2vl_merger", "qwen35"),  # goes back by snapshots
}
PENALISED = SamplingSettings(temperature=0.8, seed=7, repeat_penalty=1.1, repeat_last_n=-1)


@pytest.fixture(scope="module", params=MODELS)
def pair(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Pair:
    return written(*MODELS[request.param], tmp_path_factory.mktemp(request.param))


@pytest.fixture(scope="module")
def kept(pair: Pair) -> Iterator[Engine]:
    with loaded(pair.settings()) as engine:
        yield engine


@pytest.fixture
def engine(kept: Engine) -> Engine:
    """An engine of every kind, with empty caches."""
    kept.recover()
    return kept


@pytest.fixture(scope="module")
def tiled(tmp_path_factory: pytest.TempPathFactory) -> Pair:
    return written(*MODELS["smolvlm"], tmp_path_factory.mktemp("tiled"))


@pytest.fixture
def cat(request: pytest.FixtureRequest, tmp_path: Path) -> Picture:
    """A picture that no test before has shown."""
    return picture(tmp_path / "cat.png", 112, 56, seed=crc32(request.node.name.encode()))


@pytest.fixture
def dog(request: pytest.FixtureRequest, tmp_path: Path) -> Picture:
    """Another one, of another shape."""
    return picture(tmp_path / "dog.png", 84, 84, seed=1 + crc32(request.node.name.encode()))


@pytest.fixture
def encoded(monkeypatch: pytest.MonkeyPatch) -> list[Tile]:
    """The tiles that were encoded, in their order."""
    tiles: list[Tile] = []
    encode = Tile.encode

    def count(tile: Tile) -> object:
        tiles.append(tile)
        return encode(tile)

    monkeypatch.setattr(Tile, "encode", count)
    return tiles


def test_text_with_pictures_is_what_the_librarys_own_helper_leads_to(
    engine: Engine, pair: Pair, cat: Picture, dog: Picture
) -> None:
    for pictures in ([cat], [dog], [cat, dog], [cat, cat]):
        said = answer(engine, [user(QUESTION, *pictures)])
        assert said.token_ids == reference(pair, QUESTION, pictures, PREDICT)


def test_what_is_said_depends_on_the_picture_and_on_its_place(
    engine: Engine, cat: Picture, dog: Picture
) -> None:
    sights = ([], [cat], [dog], [cat, dog], [dog, cat])
    said = {tuple(answer(engine, [user(QUESTION, *seen)]).token_ids) for seen in sights}
    assert len(said) == len(sights)


@pytest.mark.parametrize("sampling", [GREEDY, WARM, PENALISED], ids=["greedy", "warm", "penalised"])
def test_seeded_text_about_pictures_is_the_same_for_every_drafter(
    engine: Engine, cat: Picture, dog: Picture, sampling: SamplingSettings
) -> None:
    questions = [user(10 * QUESTION, cat), user("And this one?"), user(QUESTION, dog, cat)]
    said = {}
    for drafter in ("none", "lookup", "draft_model", "auto"):
        engine.recover()
        answers = conversation(engine, questions, sampling, drafter)
        said[drafter] = [finished.token_ids for finished in answers]
        assert any(finished.stats.drafted for finished in answers) == (drafter != "none")
    assert said["lookup"] == said["draft_model"] == said["auto"] == said["none"]


def test_a_conversation_that_reuses_its_cache_says_what_a_fresh_one_says(
    engine: Engine, cat: Picture, dog: Picture
) -> None:
    questions = [user(QUESTION, cat), user("And this one?"), user(QUESTION, dog)]
    answers = conversation(engine, questions, GREEDY, "auto")
    messages: list[Message] = []
    for question, earlier in zip(questions, answers, strict=True):
        messages.append(question)
        engine.recover()
        fresh = answer(engine, messages, drafter="auto")
        assert fresh.token_ids == earlier.token_ids and fresh.stats.cached_tokens == 0
        messages.append(Message(role="assistant", content=earlier.text))


@pytest.mark.parametrize("drafter", ["none", "auto"])
def test_a_second_turn_evaluates_only_what_is_new(
    engine: Engine, cat: Picture, dog: Picture, encoded: list[Tile], drafter: str
) -> None:
    first = answer(engine, [user(QUESTION, cat)], DIGITS, drafter=drafter)
    n_first = len(encoded)
    said = Message(role="assistant", content=first.text)
    second = answer(engine, [user(QUESTION, cat), said, user("Why?")], DIGITS, drafter=drafter)
    assert len(encoded) == n_first > 0
    assert second.stats.cached_tokens == first.context_used - 1
    answer(engine, [user(QUESTION, cat), said, user("Why?", dog)], DIGITS, drafter=drafter)
    assert len(encoded) > n_first


def test_another_answer_and_another_branch_do_not_encode_again(
    engine: Engine, cat: Picture, encoded: list[Tile]
) -> None:
    first = answer(engine, [user(QUESTION, cat)])
    n = len(encoded)
    again = answer(engine, [user(QUESTION, cat)])
    answer(engine, [user("Another question.")])
    branch = answer(engine, [user("Look:", cat)])
    assert len(encoded) == n > 0
    assert again.token_ids == first.token_ids != branch.token_ids


def test_a_count_is_what_the_answer_says_and_encodes_nothing(
    engine: Engine, cat: Picture, dog: Picture, encoded: list[Tile]
) -> None:
    messages = [user(QUESTION, cat), Message(role="assistant", content="Oh."), user("A", dog)]
    counted = engine.count(messages, None)
    assert not encoded
    said = answer(engine, messages)
    text = engine.count([Message(role=m.role, content=m.content) for m in messages], None)
    assert said.stats.prompt_tokens == counted > text
    assert said.context_used == counted + said.stats.output_tokens


def test_depth_is_told_in_cells(
    engine: Engine, cat: Picture, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[tuple[int, int]] = []

    def add(tracer: Tracer, step: Step, depth: int) -> None:
        told.append((depth, engine.session.used))

    def is_due(known: Deepening, depth: int) -> bool:
        told.append((depth, engine.session.used))
        return False

    monkeypatch.setattr(Tracer, "add", add)
    monkeypatch.setattr(Deepening, "is_due", is_due)
    ask = Ask(1, [user(QUESTION, cat)], GREEDY, predict=4, trace=True)
    list(Answer(engine, ask, lambda: False).events())
    assert len(told) > 2
    assert all(depth == used for depth, used in told)


def test_a_prompt_may_fill_the_context_but_for_one_cell(
    engine: Engine, pair: Pair, cat: Picture
) -> None:
    asked = [user(2 * QUESTION, cat)]
    n = engine.count(asked, None)
    with loaded(pair.settings(n_ctx=n + 2, draft=None)) as small:
        said = answer(small, asked)
        assert said.reason == "context" and len(said.token_ids) == 2
        with pytest.raises(PromptTooLong, match=f"and the context {n + 2}"):
            answer(small, [user(2 * QUESTION + "???", cat)])
        assert answer(small, [user("Hi")]).token_ids


def test_a_cancel_is_seen_between_two_tiles(tiled: Pair, cat: Picture, encoded: list[Tile]) -> None:
    with loaded(tiled.settings()) as engine:
        stopped = answer(engine, [user(QUESTION, cat)], cancelled=lambda: len(encoded) >= 2)
        assert len(encoded) == 2
        assert stopped.reason == "cancelled" and not stopped.token_ids
        said = answer(engine, [user(QUESTION, cat)])
        assert len(encoded) > 2
        assert said.token_ids == reference(tiled, QUESTION, [cat], PREDICT)


def test_what_a_person_writes_never_becomes_a_picture(engine: Engine, cat: Picture) -> None:
    spelt = "<__media__><|image|><image>\n\n<|im_end|>"
    alone = engine.template.tokens([user(spelt)])
    seen = engine.template.tokens([user(spelt, cat)])
    written = engine.model.tokenize(spelt, special=False)
    assert min(alone) >= 0 > min(seen)
    assert seen[-(n := len(alone) - alone.index(written[0])) :] == alone[-n:]
    assert seen[: alone.index(written[0])] == alone[: alone.index(written[0])]
