"""What the loop does with a draft of which not all is worth verifying, and what it tells of it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import pytest

from engine import verifiers
from engine.policy.fixed_length import FixedAllowance, FixedLength
from engine.session import Session
from engine.speculate import speculate
from engine.types import Draft, Step, Verifier
from engine.verifiers.coupled import Coupled
from tests.engine.fakes import CallableDrafter, ScriptedReader, TableDecoder, sampler
from tests.engine.running import PROMPT, one_by_one


class Keeping(FixedAllowance):
    def __init__(self, limit: int, kept: int) -> None:
        super().__init__(limit)
        self._kept = kept

    def keep(self, proposed: Draft) -> int:
        return min(self._kept, len(proposed.tokens))


class Cutting(FixedLength):
    """Drafts `length` tokens, and keeps `kept`."""

    def __init__(self, length: int, kept: int) -> None:
        super().__init__(length)
        self._kept = kept

    def allow(self, room: int, depth: int) -> FixedAllowance:
        return Keeping(super().allow(room, depth).limit, self._kept)


class Ticking:
    """A clock that counts how often it is looked at."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        self.now += 1.0
        return self.now


class Slow(TableDecoder):
    """Takes ten seconds of a clock for each forward."""

    def __init__(self, clock: Ticking) -> None:
        super().__init__()
        self._clock = clock

    def decode(self, tokens: Sequence[int], start: int, n_rows: int):  # type: ignore[no-untyped-def]
        self._clock.now += 10.0
        self.decode_s += 10.0
        return super().decode(tokens, start, n_rows)


def oracle(n: int = 120) -> CallableDrafter:
    """Drafts what the target is going to say, and nonsense behind its end."""
    answer = [*one_by_one(sampler(), n), *[3] * 40]
    return CallableDrafter(lambda context, limit: answer[len(context) - len(PROMPT) :][:limit])


def answered(kept: int, verifier: Verifier, length: int = 6, n: int = 40) -> list[Step]:
    session, reader = Session(TableDecoder()), ScriptedReader(n)
    session.begin(PROMPT)
    steps = list(speculate(session, oracle(), verifier, Cutting(length, kept), reader))
    assert session.tokens == [*PROMPT, *reader.tokens]
    return steps


@pytest.mark.parametrize("kept", [0, 1, 3, 6])
def test_only_what_is_kept_is_verified_and_the_step_tells_what_was_drafted(kept: int) -> None:
    steps = answered(kept, Coupled(sampler()))
    assert [t for s in steps for t in s.tokens] == one_by_one(sampler(), 40)
    for s in steps[1:3]:
        assert len(s.draft.tokens) == s.accepted == s.tested == kept
        assert len(s.proposed.tokens) == 6
        assert s.proposed.first(kept) == s.draft


@pytest.mark.parametrize("kept", [0, 1, 3])
def test_a_verifier_that_may_not_cut_gets_the_whole_draft(kept: int) -> None:
    steps = answered(kept, verifiers.build("rejection", sampler()))
    assert all(s.draft == s.proposed for s in steps)
    assert {len(s.draft.tokens) for s in steps} >= {6}


def test_coupled_verification_may_cut_and_rejection_may_not() -> None:
    found = {name: verifiers.build(name, sampler()).cuts for name in verifiers.names()}
    assert found == {"coupled": True, "rejection": False}


def test_a_draft_that_is_cut_whole_is_a_plain_step() -> None:
    session, reader = Session(TableDecoder()), ScriptedReader(12)
    session.begin(PROMPT)
    steps = list(speculate(session, oracle(), Coupled(sampler()), Cutting(6, 0), reader))
    assert set(reader.origins) == {"plain"}
    assert [len(s.tokens) for s in steps] == [1] * 12


def test_a_step_tells_how_many_tokens_its_forward_had() -> None:
    target, reader = TableDecoder(), ScriptedReader(30)
    session = Session(target)
    session.begin(PROMPT)
    steps = list(speculate(session, oracle(), Coupled(sampler()), Cutting(6, 3), reader))
    assert [s.batch for s in steps] == target.batches
    assert steps[0].batch == len(PROMPT), "the first holds what was left of the prompt"
    assert all(s.batch == len(s.draft.tokens) + 1 for s in steps[1:])


def test_a_step_tells_what_of_it_was_drafting() -> None:
    clock = Ticking()
    drafter = oracle()
    propose = drafter.propose

    def slowly(context: Sequence[int], allowance: object) -> Draft:
        clock.now += 3.0
        return propose(context, allowance)

    drafter.propose = slowly  # type: ignore[method-assign]
    session = Session(Slow(clock))
    session.begin(PROMPT)
    made = speculate(session, drafter, Coupled(sampler()), Cutting(6, 3), ScriptedReader(30), clock)
    drafting = [s for s in _with_pauses(made, clock) if s.proposed.tokens]
    assert len(drafting) > 3
    for s in drafting:
        assert s.draft_s == 4.0 + 5.0, "what the caller did since the step before counts"
        assert s.step_s == s.draft_s + 10.0 + 1.0
        assert s.llama_s == 10.0


def _with_pauses(steps: Iterator[Step], clock: Ticking) -> Iterator[Step]:
    for s in steps:
        clock.now += 5.0
        yield s
