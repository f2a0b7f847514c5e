"""Drafters draft together: whoever promises most goes on, and who lost still learns."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest

from engine import drafters
from engine.cache.tokens import TokenCache
from engine.costs.curves import CostCurves, Measurement
from engine.drafters.auto import Cascade
from engine.drafters.draft_model import DraftModel
from engine.drafters.lookup import Lookup
from engine.drafting.growing import Growing, grow
from engine.policy.experience import Experience
from engine.policy.fixed_length import FixedAllowance, FixedLength
from engine.policy.measured import Measured
from engine.settings import SamplingSettings
from engine.types import NO_DRAFT, Allowance, Draft, Policy
from tests.engine.fakes import END, VOCAB, TableDecoder, picker, sampler, step
from tests.engine.laws import ALPHA, Cell, Counts, pair, prompts
from tests.engine.running import PROMPT, one_by_one, run
from tests.engine.simulated import (
    FLAT,
    LOOKUP,
    MODEL,
    Found,
    Model,
    World,
    always,
    budget,
    warmed,
)

TEXT = [9, 4, 11, 3, 8, 2, 6, 1]
"""No two tokens in it occur twice."""


class Willing(FixedAllowance):
    """Values a draft model's next token at `promise`, and notes what it is told.

    most_found: how many tokens of a lookup it is willing to take.
    """

    def __init__(self, limit: int, promise: float, most_found: int = 99) -> None:
        super().__init__(limit)
        self.noted: list[tuple[str, tuple[int, ...]]] = []
        self._promise, self._most_found = promise, most_found

    def value(self, drafter: str, confidences: Sequence[float]) -> tuple[int, float]:
        return super().value(drafter, confidences[: max(0, self._most_found - self._taken)])

    def outlook(self, drafter: str, lag: int) -> float:
        return self._promise if super().outlook(drafter, lag) else 0.0

    def note(self, drafter: str, tokens: Sequence[int], confidences: Sequence[float]) -> None:
        self.noted.append((drafter, tuple(tokens)))


class Alternating(FixedLength):
    """Lets a lookup and a draft model draft in turns, one token each, as far as both can."""

    def allow(self, room: int, depth: int) -> FixedAllowance:
        return InTurns(super().allow(room, depth).limit)


class InTurns(FixedAllowance):
    def value(self, drafter: str, confidences: Sequence[float]) -> tuple[int, float]:
        return super().value(drafter, confidences[:1])

    def outlook(self, drafter: str, lag: int) -> float:
        return (9.0 if self._taken % 2 else 1e-9) if super().outlook(drafter, lag) else 0.0


def cascade(context: Sequence[int]) -> tuple[TableDecoder, Cascade]:
    decoder = TableDecoder(key=1, closeness=0.7)
    found = drafters.build("auto", drafters.Parts(TokenCache(decoder), VOCAB))
    assert isinstance(found, Cascade)
    found.begin(context, picker())
    return decoder, found


def drafted(context: Sequence[int], allowance: Allowance) -> Draft:
    return cascade(context)[1].propose(context, allowance)


def by_model(context: Sequence[int], n: int) -> tuple[int, ...]:
    """What the draft model alone drafts."""
    drafter = DraftModel(TokenCache(TableDecoder(key=1, closeness=0.7)), VOCAB)
    drafter.begin(context, picker())
    return drafter.propose(context, FixedAllowance(n)).tokens


def test_a_lookup_is_extended_by_the_draft_model_where_it_ends() -> None:
    world = World(draft_s=0.01)
    sources = [Found(always(0.9, True), 3), Model(always(0.9, True))]

    class Ending(Found):
        """Finds three tokens, and nothing behind them."""

        def outlook(self, context: Sequence[int], draft: Growing, allowance: Allowance) -> float:
            return 0.0 if draft else super().outlook(context, draft, allowance)

    sources[0] = Ending(always(0.9, True), 3)
    draft = grow(sources, range(100), budget(warmed(world), room=6))
    assert draft.origins == (LOOKUP,) * 3 + (MODEL,) * 3
    assert draft.tokens == tuple(range(100, 106))


def test_the_draft_models_draft_is_extended_by_a_lookup_as_soon_as_it_leads_to_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("engine.drafters.lookup.SHORTEST_BETWEEN", 4)
    context = [*TEXT, *by_model([*TEXT, 5], 4), *TEXT, 5]
    start = by_model(context, 4)
    context = [*TEXT, *start, 7, 10, 12, 13, *TEXT, 5]
    for _ in range(20):  # until what the model says is what stands in the text
        again = by_model(context, 4)
        if again == start:
            break
        start = again
        context = [*TEXT, *start, 7, 10, 12, 13, *TEXT, 5]
    draft = drafted(context, Willing(8, promise=0.1))
    assert draft.origins == (MODEL,) * 4 + (LOOKUP,) * 4
    assert draft.tokens == (*start, 7, 10, 12, 13)


def test_who_promises_most_begins() -> None:
    context = [*TEXT, 5, *TEXT]
    assert drafted(context, Willing(1, promise=0.1)).origins == (LOOKUP,)
    assert drafted(context, Willing(1, promise=1.0)).origins == (MODEL,)


def test_a_model_that_extends_a_lookup_evaluates_the_found_tokens_in_one_batch() -> None:
    context = [*TEXT, 5, *TEXT]
    decoder, found = cascade(context)
    draft = found.propose(context, Willing(7, promise=0.01, most_found=4))
    assert draft.origins == (LOOKUP,) * 4 + (MODEL,) * 3
    assert decoder.batches == [len(context) + 4, 1, 1]
    assert decoder.held == [*context, *draft.tokens[:-1]]


def test_the_guess_of_a_lookup_that_lost_is_noted() -> None:
    context = [*TEXT, 5, *TEXT]
    allowance = Willing(4, promise=9.0)
    draft = drafted(context, allowance)
    assert set(draft.origins) == {MODEL}
    assert allowance.noted == [(LOOKUP, (5, 9, 4, 11))]


def test_the_guess_of_a_lookup_that_lost_teaches_how_far_to_trust_it() -> None:
    world = World(draft_s=0.01)
    experience = Experience()
    policy = warmed(world, experience)
    losing, good = Found(always(0.45, True), 1), Model(always(0.98, True))
    world.run(policy, [losing, good], 40)
    trust = experience.of(LOOKUP).trust
    assert trust.chance(0.45) > 0.7
    world.run(policy, [Found(always(0.45, False), 1), good], 100, start=50_000)
    assert trust.chance(0.45) < 0.2


def test_losers_observe_what_was_committed() -> None:
    context = [*TEXT, 5, *TEXT]
    decoder, found = cascade(context)
    draft = found.propose(context, Willing(2, promise=0.01))
    assert draft.origins == (LOOKUP,) * 2
    said = (5, 9, 14)
    found.observe(step(said, draft))
    now = [*context, *said]
    fresh_decoder, fresh = cascade(now)
    assert found.propose(now, FixedAllowance(6)) == fresh.propose(now, FixedAllowance(6))
    assert decoder.held == fresh_decoder.held


@pytest.mark.parametrize("promise", [0.05, 0.6, 3.0])
def test_every_token_of_a_mixed_draft_has_its_drafter_its_confidence_and_its_law(
    promise: float,
) -> None:
    context = [*TEXT, 5, *TEXT]
    draft = drafted(context, Willing(9, promise))
    n = len(draft.tokens)
    assert n == len(draft.confidences) == len(draft.probs) == len(draft.origins) == 9
    for token, probs, origin in zip(draft.tokens, draft.probs, draft.origins, strict=True):
        assert probs is None or (origin == MODEL and probs.prob(token) > 0.0)
    assert draft.first(4).origins == draft.origins[:4]
    assert draft.first(0) is NO_DRAFT and draft.first(9) is draft


def test_a_draft_of_one_drafter_names_it_once() -> None:
    growing = Growing()
    assert growing.done() is NO_DRAFT
    for token in (1, 2):
        growing.add(LOOKUP, token, 0.5)
    assert growing.done() == Draft((1, 2), LOOKUP, (0.5, 0.5), (None, None))


def test_mixed_drafts_change_no_token(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tests.engine.running.FixedLength", Alternating)
    mixed = []
    for drawn in (sampler(0.0), *(sampler(0.8, seed=seed) for seed in (3, 4, 5))):
        _, found = cascade(PROMPT)
        reader, steps = run(found, drawn, 6, n=200)
        assert reader.tokens == one_by_one(drawn, n=200)
        mixed += [s for s in steps if s.draft.drafters]
    assert len(mixed) > 20 and any(s.accepted > 1 for s in mixed)
    assert all(len(s.draft.drafters) == len(s.draft.tokens) for s in mixed)


class Still(CostCurves):
    """Costs that no clock changes."""

    def observe_target(self, rows: int, depth: int, seconds: float) -> None:
        pass

    def observe_draft(self, expected_s: float, seconds: float) -> None:
        pass


def rate_maximising(length: int) -> Measured:
    """The policy that answers have, where drafting pays, and cutting would too."""
    return Measured(Experience(), Still(Measurement(FLAT, {1: 0.05})))


@pytest.mark.parametrize("policy", [Alternating, rate_maximising])
def test_rejection_keeps_the_law_where_drafts_are_mixed(
    policy: Callable[[int], Policy], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tests.engine.laws.FixedLength", policy)
    settings = SamplingSettings(temperature=0.9, top_k=0, top_p=1.0, min_p=0.0, repeat_last_n=0)
    target, draft = pair(0.8, vocab=4, key=3)
    drafter = Cascade([Lookup(), DraftModel(TokenCache(draft), 4)])
    cell, counts = Cell(settings, 4, target, drafter), Counts()
    law, mixed = cell.law(), 0
    for made in cell.runs("rejection", prompts(4, 12, key=4), 300):
        mixed += sum(bool(s.draft.drafters) for s in made.steps)
        assert all(s.draft == s.proposed for s in made.steps), "nothing is cut"
        for at, row, of in made.rows():
            place, probs = law.after(made.tokens[max(0, at - 4) : at])
            counts.add(row == len(of.tokens), place, probs, made.tokens[at])
    assert mixed > 20
    assert counts.p_value() >= ALPHA / 2


def test_a_lookup_without_a_model_is_the_whole_cascade() -> None:
    found = drafters.build("auto", drafters.Parts())
    assert found.members == (LOOKUP,)
    found.begin([1, 2, 3, 1, 2], picker())
    assert found.propose([1, 2, 3, 1, 2], FixedAllowance(2)).origins == (LOOKUP, LOOKUP)


def test_nothing_is_drafted_behind_a_token_that_ends_the_answer() -> None:
    said = [*TEXT, END, 5, 7, *TEXT[:6]]
    for name in ("lookup", "auto"):
        usual = drafters.build(name, drafters.Parts())
        ending = drafters.build(name, drafters.Parts(is_end=lambda token: token == END))
        for drafter in (usual, ending):
            drafter.begin(said, picker())
        assert usual.propose(said, FixedAllowance(5)).tokens == (6, 1, END, 5, 7)
        assert ending.propose(said, FixedAllowance(5)).tokens == (6, 1, END)


def test_a_draft_model_evaluates_nothing_behind_it_either() -> None:
    last = by_model(TEXT, 3)[-1]
    assert last not in by_model(TEXT, 2)
    cache = TokenCache(TableDecoder(key=1, closeness=0.7))
    drafter = drafters.build(
        "draft_model", drafters.Parts(cache, VOCAB, is_end=lambda token: token == last)
    )
    drafter.begin(TEXT, picker())
    assert drafter.propose(TEXT, FixedAllowance(6)).tokens == by_model(TEXT, 3)
    assert len(cache) == len(TEXT) + 2
