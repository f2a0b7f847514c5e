"""Drafting behind pictures: drafters and penalties are told the text alone."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from engine.cache.tokens import TokenCache
from engine.drafters.draft_model import DraftModel
from engine.drafters.lookup import Lookup
from engine.drafters.none import Plain
from engine.drafting.automaton import Automaton
from engine.messages import Picture
from engine.policy.fixed_length import FixedAllowance, FixedLength
from engine.prompt.pictures import Sight, text_only
from engine.sampling.penalties import Adjusting
from engine.sampling.sampler import Sampler
from engine.session import Session
from engine.settings import SamplingSettings
from engine.speculate import speculate
from engine.types import Drafter
from engine.verifiers.coupled import Coupled
from tests.engine.eyes import CAT, DOG, Eyes, shown
from tests.engine.fakes import VOCAB, ScriptedReader, TableDecoder, sampler


@pytest.fixture
def cat(tmp_path: Path) -> Picture:
    return shown(tmp_path, "cat", CAT)


@pytest.fixture
def dog(tmp_path: Path) -> Picture:
    return shown(tmp_path, "dog", DOG)


def drafter_of(name: str) -> Drafter:
    if name == "lookup":
        return Lookup(Automaton())
    return DraftModel(TokenCache(TableDecoder(1, closeness=0.9)), VOCAB)


@pytest.mark.parametrize("settings", [{"temperature": 0.0}, {"repeat_penalty": 1.4}])
def test_text_behind_a_picture_is_the_same_for_every_drafter(
    cat: Picture, dog: Picture, settings: dict[str, float]
) -> None:
    said = {}
    for name in ("none", "lookup", "draft_model"):
        decoder = TableDecoder()
        sight = Sight(Eyes(decoder))
        session = Session(decoder, sight=sight)
        drafter = drafter_of(name)
        prompt = [5, 6, 7, *sight.tokens(cat), 5, 6, 7, *sight.tokens(dog), 5, 6]
        for _ in range(2):
            session.begin(prompt)
            assert session.prefill(lambda: False)
            verifier = Coupled(sampler(**settings))
            drafter.begin(session.tokens, verifier)
            reader = ScriptedReader(60)
            policy = FixedLength(0 if name == "none" else 4)
            steps = list(speculate(session, drafter, verifier, policy, reader))
            prompt = [*session.tokens, *sight.tokens(cat), 7]
            said.setdefault(name, []).append(reader.tokens)
        assert all(token >= 0 for step in steps for token in step.proposed.tokens)
        assert any(step.draft.tokens for step in steps) == (name != "none")
    assert said["lookup"] == said["draft_model"] == said["none"]


def test_a_draft_model_is_told_the_text_alone_and_each_token_once(cat: Picture) -> None:
    target, draft = TableDecoder(), TableDecoder()  # the very target, but for the picture
    sight = Sight(Eyes(target))
    session = Session(target, sight=sight)
    cache = TokenCache(draft)
    drafter = DraftModel(cache, VOCAB)
    prompt = [5, *sight.tokens(cat), 5, 6, 7]
    session.begin(prompt)
    session.prefill(lambda: False)
    verifier = Coupled(sampler())
    drafter.begin(session.tokens, verifier)
    steps = list(speculate(session, drafter, verifier, FixedLength(4), ScriptedReader(40)))
    text = text_only(session.tokens)
    assert cache.tokens[: len(text)] == text[: len(cache)] != []
    assert any(step.draft.tokens for step in steps[:-1])
    assert all(step.accepted == len(step.draft.tokens) for step in steps[:-1])
    assert draft.evaluated == sorted(set(draft.evaluated))


class Watching(FixedLength):
    """Notes how deep it is told that a step is."""

    def __init__(self, session: Session) -> None:
        super().__init__(4)
        self.session = session
        self.told: list[tuple[int, int]] = []

    def allow(self, room: int, depth: int) -> FixedAllowance:
        self.told.append((depth, self.session.used))
        return super().allow(room, depth)


def test_the_depth_of_a_step_is_the_cells_before_it(cat: Picture) -> None:
    target = TableDecoder()
    sight = Sight(Eyes(target, wider=100))
    session = Session(target, sight=sight)
    session.begin([5, *sight.tokens(cat), 5, 6, 7])
    session.prefill(lambda: False)
    policy = Watching(session)
    list(speculate(session, Plain(), Coupled(sampler()), policy, ScriptedReader(9)))
    assert [depth for depth, _ in policy.told] == [used for _, used in policy.told]
    assert policy.told[0][0] == len(session.tokens) - len(policy.told) + 2 * 100


def test_a_lookup_neither_proposes_a_picture_nor_matches_over_one(cat: Picture) -> None:
    sight = Sight(Eyes(TableDecoder()))
    seen = sight.tokens(cat)
    lookup = Lookup()
    lookup.begin([8, 9, *seen, 10, 11, 8, 9], Coupled(sampler()))
    found = [guess.token for guess in lookup._text.cursor().guess(4)]
    assert found == [3]  # the text token before the first tile
    lookup.begin([8, 9, *seen, 10, 11, 8, 9, 3], Coupled(sampler()))
    assert lookup._text.cursor().guess(4) == []


@pytest.mark.parametrize("window", [-1, 4, 64])
def test_penalties_look_back_over_a_picture_at_the_text_alone(window: int) -> None:
    settings = SamplingSettings(
        temperature=0.0, repeat_penalty=2.0, presence_penalty=1.0, repeat_last_n=window
    )
    drawing = Sampler(settings)
    row = np.random.default_rng(0).normal(size=VOCAB).astype(np.float32)
    before = row.copy()
    seen, unseen = [1, 2, *range(-1, -VOCAB, -1), 5, 6], [1, 2, *[VOCAB + 1] * (VOCAB - 1), 5, 6]
    picked = drawing.distribution(row, drawing.window(seen)).ids
    assert np.array_equal(row, before)
    assert np.array_equal(picked, drawing.distribution(row, drawing.window(unseen)).ids)
    changes = Adjusting(settings).apply(row, drawing.window(seen))
    changed = [int(i) for ids, _ in changes for i in ids]
    assert sorted(changed) == ([5, 6] if window == 4 else [1, 2, 5, 6])
