"""An answer does not show what blocks it came in.

Through the real loop, session and reader, against a target that says a script: text, reason and
counts are those of the rules (blocks.py), a function of the tokens alone.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate

import numpy as np
import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from engine.arrays import Logits
from engine.cache.tokens import common_prefix
from engine.messages import FinishReason, Span
from engine.policy.fixed_length import FixedAllowance, FixedLength
from engine.session import Session
from engine.speculate import speculate
from engine.stream import AnswerReader
from engine.types import Draft, Policy, Step, Verdict
from tests.engine.blocks import (
    ENDS,
    LONGEST_DRAFT,
    PROMPT,
    Case,
    by_the_rules,
    cases,
    decided,
    may_be_shown,
)
from tests.engine.fakes import VOCAB, CallableDrafter, TableDecoder


class Script(TableDecoder):
    """Says the script as long as the cache holds what was said, and nonsense where it does not."""

    def __init__(self, case: Case) -> None:
        super().__init__(n_ctx=len(PROMPT) + case.room, n_batch=10)
        self._said = [*PROMPT, *case.said(self.n_ctx)]
        self._rows = np.eye(VOCAB)

    def row(self, context: Sequence[int]) -> np.ndarray:
        n = len(context)
        return self._rows[self._said[n] if context == self._said[:n] else sum(context) % VOCAB]


class Argmax:
    """A `Verifier` that accepts what the target scores highest."""

    cuts = keyed = True

    def verify(self, context: Sequence[int], draft: Draft, logits: Logits) -> Verdict:
        best = logits.argmax(axis=1).tolist()
        accepted = common_prefix(draft.tokens, best)
        return Verdict(tuple(best[: accepted + 1]), accepted)


class Heedless:
    """A `Policy` deaf to how much may be emitted: what the cache can hold is drafted."""

    def __init__(self, session: Session) -> None:
        self._session = session

    def allow(self, room: int, depth: int) -> FixedAllowance:
        free = self._session.n_ctx - len(self._session.tokens)
        return FixedAllowance(min(LONGEST_DRAFT, free, self._session.draft_room))

    def observe(self, step: Step) -> None:
        pass


def drafter(case: Case, plan: Sequence[tuple[int, int]]) -> CallableDrafter:
    """Draft by plan, one entry after another; nothing if it has none."""
    said, turn = case.said(case.room + 2 * LONGEST_DRAFT), iter(range(case.room))

    def propose(context: Sequence[int], limit: int) -> list[int]:
        right, wrong = plan[next(turn) % len(plan)] if plan else (0, 0)
        coming = said[len(context) - len(PROMPT) :][: right + wrong]
        return coming[:right] + [(token + 1) % VOCAB for token in coming[right:]]

    return CallableDrafter(propose)


@dataclass(frozen=True, slots=True)
class Told:
    """An answer as it went: what the steps were, and what was shown after each and at the end."""

    session: Session
    target: Script
    reader: AnswerReader
    steps: list[Step]
    shown: list[str]


def tell(case: Case, plan: Sequence[tuple[int, int]], read_by: type[AnswerReader], n: int) -> Told:
    """Answer with the real loop; the person cancels after n steps."""
    target = Script(case)
    session = Session(target)
    session.begin(PROMPT)
    reader = read_by(case.pieces.__getitem__, ENDS.__contains__, case.room, case.predict, case.stop)
    policy: Policy = Heedless(session) if case.heedless else FixedLength(LONGEST_DRAFT)
    told, spans = Told(session, target, reader, [], []), []
    for step in speculate(session, drafter(case, plan), Argmax(), policy, reader):
        told.steps.append(step)
        spans.append(_text(reader.take()))
        if len(told.steps) == n:
            break
    reader.close()
    spans.append(_text(reader.take()))
    told.shown.extend(accumulate(spans))
    return told


def _text(spans: Sequence[Span]) -> str:
    return "".join(span.text for span in spans)


def check(case: Case, plan: Sequence[tuple[int, int]], read_by: type[AnswerReader]) -> Told:
    """Assert that an answer drafted by plan is, and went, by the rules."""
    text, reason, tokens = by_the_rules(case)
    told = tell(case, plan, read_by, case.room)
    assert (told.reader.text, told.steps[-1].finish) == (text, reason)
    assert told.reader.tokens == [token for step in told.steps for token in step.tokens] == tokens
    assert told.session.tokens == [*PROMPT, *tokens]
    assert told.target.held == told.session.tokens[:-1]
    assert told.shown[-1] == text
    ends = [0, *accumulate(len(step.tokens) for step in told.steps)]
    assert told.shown[:-2] == [may_be_shown(case, tokens[:n]) for n in ends[1:-1]]
    for step, begin in zip(told.steps, ends, strict=False):
        assert step.accepted == common_prefix(step.draft.tokens, step.tokens)
        assert step.tested == min(len(step.draft.tokens), len(step.tokens))
        room = min(case.predict or case.room, case.room) - begin
        assert len(step.draft.tokens) < room or case.heedless
    return told


def check_both(case: Case, read_by: type[AnswerReader]) -> None:
    """Assert that drafted and plain answers are one, and what the rules say."""
    drafted, plain = check(case, case.plan, read_by), check(case, (), read_by)
    assert (drafted.reader.text, drafted.reader.tokens) == (plain.reader.text, plain.reader.tokens)
    assert drafted.steps[-1].finish == plain.steps[-1].finish
    assert all(len(step.tokens) == 1 for step in plain.steps)


SAMPLE = settings(derandomize=True, database=None)


@pytest.mark.parametrize("examples", [5000, pytest.param(50_000, marks=pytest.mark.nightly)])
def test_an_answer_is_the_same_whatever_blocks_it_came_in(examples: int) -> None:
    seen = 0

    @settings(SAMPLE, max_examples=examples)
    @given(case=cases())
    def law(case: Case) -> None:
        nonlocal seen
        seen += 1
        check_both(case, AnswerReader)

    law()
    assert seen >= examples


@settings(SAMPLE, max_examples=500)
@given(case=cases(), n=st.integers(1, 4))
def test_a_cancelled_answer_has_the_text_of_a_budget_of_its_tokens(case: Case, n: int) -> None:
    told = tell(case, case.plan, AnswerReader, n)
    if told.steps[-1].finish is None:
        budget = replace(case, predict=len(told.reader.tokens))
        assert (told.reader.text, "length", told.reader.tokens) == by_the_rules(budget)
        assert told.shown[-1] == told.reader.text


def happenings(case: Case) -> Iterator[str]:
    """Name what makes this case one that could go wrong."""
    told = tell(case, case.plan, AnswerReader, case.room)
    tokens, last = told.reader.tokens, told.steps[-1]
    by_string = last.finish == "stop" and tokens[-1] not in ENDS
    ending = "stop string" if by_string else "end token" if last.finish == "stop" else last.finish
    if last.accepted == len(last.tokens):
        yield f"{ending} inside a draft"
    if last.finish == "stop" and len(tokens) in (case.predict, case.room):
        yield f"{ending} on the last token of all"
    if by_string and sum(s in decided(case.data(tokens)) for s in {*case.stop} - {""}) > 1:
        yield "two stop strings at once"
    if last.finish == "length" and case.predict == case.room:
        yield "budget and context end at once"
    if told.shown[-1] != told.shown[-2]:
        yield "text held back to the end"
    before = case.data(tokens[: len(tokens) - len(last.tokens)])
    if by_string and len(told.reader.text) < len(decided(before)):
        yield "stop string across blocks"
    if any(step.accepted < step.tested for step in told.steps):
        yield "wrong draft"
    for n in accumulate(len(step.tokens) for step in told.steps[:-1]):
        split = case.data(tokens[:n])[-1:] + case.data(tokens[n:])[:1]
        if len(split) == 2 and split[0] >= 0xC2 and 0x80 <= split[1] < 0xC0:
            yield "character across blocks"


def test_what_could_go_wrong_happens_in_one_case_of_a_hundred() -> None:
    seen: Counter[str] = Counter()
    look = given(cases())(lambda case: seen.update(set(happenings(case))))
    settings(SAMPLE, max_examples=2000)(look)()
    assert len(seen) == 12 and min(seen.values()) >= 20, seen


class ShowsWhatMayBecomeAStop(AnswerReader):
    """Mutant: holds nothing back, and so searches the newest piece only."""

    def _release(self) -> None:
        self._emit(len(self._held_text()))


class KeepsBytesBehindAStop(AnswerReader):
    """Mutant: an unfinished character behind a stop string is shown at the end."""

    def _cut_at_stop(self) -> bool:
        state = self._decoder.getstate()
        found = super()._cut_at_stop()
        self._decoder.setstate(state)
        return found


class DropsWhatIsUnfinished(AnswerReader):
    """Mutant: what was held back is released at the end, but not an unfinished character."""

    def close(self) -> None:
        self._decoder.reset()
        super().close()


class AsksTheBudgetFirst(AnswerReader):
    """Mutant: a stop on the last token of the budget is called the budget's end."""

    def read(self, token: int, origin: str) -> FinishReason | None:
        reason = super().read(token, origin)
        return "length" if self.room == 0 and self._at_most == "length" else reason


class StopsABlockLate(AnswerReader):
    """Mutant: an end on an accepted token is told with the token that the target adds."""

    _late: FinishReason | None = None

    def read(self, token: int, origin: str) -> FinishReason | None:
        self._late = self._late or super().read(token, origin)
        return None if origin == CallableDrafter.name else self._late


@pytest.mark.parametrize(
    "mutant",
    [
        ShowsWhatMayBecomeAStop,
        KeepsBytesBehindAStop,
        DropsWhatIsUnfinished,
        AsksTheBudgetFirst,
        StopsABlockLate,
    ],
)
def test_the_law_kills_a_wrong_reader(mutant: type[AnswerReader]) -> None:
    once = settings(SAMPLE, phases=[Phase.generate], report_multiple_bugs=False)
    law = given(cases())(lambda case: check_both(case, mutant))
    with pytest.raises(AssertionError):
        settings(once, max_examples=1000)(law)()
