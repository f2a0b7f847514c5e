"""A draft model that lagged tells what it would have drafted, by the rows of catching up."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from engine.cache.tokens import TokenCache
from engine.drafters.draft_model import DraftModel
from engine.policy.fixed_length import FixedAllowance
from engine.settings import PairSettings
from engine.types import Pick, Picker
from engine.verifiers.rejection import Rejection
from tests import tiny
from tests.engine.fakes import VOCAB, TableDecoder, picker, sampler, step
from tests.engine.in_process import loaded
from tests.engine.running import PROMPT, one_by_one

SAID = tuple(one_by_one(sampler(), 24))


class Curious(FixedAllowance):
    """Wants to know of so many tokens."""

    def __init__(self, hindsight: int, limit: int = 1) -> None:
        super().__init__(limit)
        self.hindsight = hindsight  # type: ignore[misc]
        self.reviewed: list[tuple[float, bool]] = []

    def review(self, drafter: str, confidences: Sequence[float], hits: Sequence[bool]) -> None:
        assert drafter == DraftModel.name
        self.reviewed += zip(confidences, hits, strict=True)


def begun(draws: Picker, **settings: int) -> tuple[TableDecoder, DraftModel]:
    """A draft model at the beginning of an answer, and what it decodes with."""
    decoder = TableDecoder(key=1, closeness=0.8, **settings)
    drafter = DraftModel(TokenCache(decoder), VOCAB)
    drafter.begin(PROMPT, draws)
    return decoder, drafter


def missed(drafter: DraftModel, n: int) -> list[int]:
    """Have the answer's first n tokens said by others; return the text."""
    for token in SAID[:n]:
        drafter.observe(step((token,)))
    return [*PROMPT, *SAID[:n]]


def would_draft(n: int, temperature: float, **penalties: float) -> list[tuple[float, bool]]:
    """What a fresh model says that is asked before each of the answer's first n tokens."""
    return asked_each_time(begun(picker(temperature, **penalties))[1], n)


def asked_each_time(drafter: DraftModel, n: int) -> list[tuple[float, bool]]:
    """Ask before each of the answer's first n tokens: how sure it is, and if it is right."""
    found, context = [], list(PROMPT)
    for token in SAID[:n]:
        draft = drafter.propose(context, FixedAllowance(1))
        found.append((draft.confidences[0], draft.tokens[0] == token))
        drafter.observe(step((token,)))
        context.append(token)
    return found


@pytest.mark.parametrize("penalties", [{}, {"repeat_penalty": 1.5}], ids=["", "penalised"])
@pytest.mark.parametrize("temperature", [0.0, 0.8])
@pytest.mark.parametrize("hindsight", [4, 16])
def test_it_is_what_the_model_would_have_drafted_had_it_been_asked(
    hindsight: int, temperature: float, penalties: dict[str, float]
) -> None:
    _, drafter = begun(picker(temperature, **penalties))
    drafter.propose(PROMPT, Curious(hindsight))
    allowance = Curious(hindsight)
    drafter.propose(missed(drafter, len(SAID)), allowance)
    wanted = would_draft(len(SAID), temperature, **penalties)
    assert allowance.reviewed == wanted[-hindsight:]
    assert {hit for _, hit in wanted[-hindsight:]} == {True, False}, "needs both"


@pytest.mark.parametrize("n", [0, 1, 5])
def test_the_prompt_is_none_of_it(n: int) -> None:
    _, drafter = begun(picker())
    allowance = Curious(16)
    drafter.propose(missed(drafter, n), allowance)
    assert allowance.reviewed == would_draft(n, 0.8)


def test_what_was_evaluated_already_is_none_of_it() -> None:
    _, drafter = begun(picker())
    context = missed(drafter, 6)
    drafter.propose(context, Curious(16))
    again, later = Curious(16), Curious(16)
    drafter.propose(context, again)
    assert again.reviewed == []
    for token in SAID[6:9]:
        drafter.observe(step((token,)))
    drafter.propose([*context, *SAID[6:9]], later)
    assert later.reviewed == would_draft(9, 0.8)[7:]


def test_of_a_lag_of_several_batches_the_last_one_tells() -> None:
    decoder, drafter = begun(picker(), n_batch=8)
    drafter.propose(PROMPT, Curious(16))
    decoder.batches.clear()
    allowance, n = Curious(16), 10
    drafter.propose(missed(drafter, n), allowance)
    assert (decoder.batches, allowance.reviewed) == ([8], []), "there is more to read"
    drafter.observe(step((SAID[n],)))
    drafter.propose([*PROMPT, *SAID[: n + 1]], allowance)
    assert decoder.batches == [8, 3]
    assert allowance.reviewed == would_draft(n + 1, 0.8)[-2:]


def test_draws_that_cannot_be_repeated_are_not_made() -> None:
    drawn: list[int] = []

    class Counting(Rejection):
        def pick(self, row: object, history: Sequence[int], position: int) -> Pick:
            drawn.append(position)
            return super().pick(row, history, position)  # type: ignore[arg-type]

    _, drafter = begun(Counting(sampler()))
    allowance = Curious(16)
    context = missed(drafter, 9)
    drafter.propose(context, allowance)
    assert drawn == [len(context)]
    assert allowance.reviewed == []


@pytest.mark.parametrize("arch", tiny.ARCHITECTURES)
def test_it_is_the_same_with_every_memory(arch: str, tmp_path: Path) -> None:
    model = str(tiny.write(arch, tmp_path / "model.gguf"))
    with loaded(PairSettings(target=model, draft=model, threads=1, n_ctx=256)) as engine:
        parts = engine.parts()
        assert parts.draft_cache is not None, "the pair has a draft model"
        drafter = DraftModel(parts.draft_cache, parts.n_common)
        drafter.begin(PROMPT, picker())
        wanted = asked_each_time(drafter, len(SAID))
        drafter.begin(PROMPT, picker())
        drafter.propose(PROMPT, FixedAllowance(1))
        allowance = Curious(16)
        drafter.propose(missed(drafter, len(SAID)), allowance)
    assert len(allowance.reviewed) == 16
    for (confidence, hit), (wanted_confidence, wanted_hit) in zip(
        allowance.reviewed, wanted[-16:], strict=True
    ):
        assert confidence == pytest.approx(wanted_confidence, abs=0.01)
        assert hit == wanted_hit
