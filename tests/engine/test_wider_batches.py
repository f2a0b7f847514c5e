"""A batch that is made wider than the draft: the text is plain decoding's, and nothing stays."""

from __future__ import annotations

import numpy as np
import pytest

from engine import verifiers
from engine.arrays import Logits
from engine.cache.rollback import Drop, Kind, Replay, Snapshots
from engine.policy.fixed_length import FixedAllowance, FixedLength
from engine.session import Session
from engine.speculate import speculate
from engine.types import Step
from tests.engine.fakes import CallableDrafter, ScriptedReader, TableDecoder, sampler
from tests.engine.running import PROMPT, one_by_one

N, TILE = 60, 8
TEXT = one_by_one(sampler(), N)


class Whole(FixedAllowance):
    def width(self, rows: int) -> int:
        return -(-rows // TILE) * TILE


class WholeTiles(FixedLength):
    """Any length, in batches of whole tiles."""

    def allow(self, room: int, depth: int) -> FixedAllowance:
        return Whole(super().allow(room, depth).limit)


def half_right(context: list[int], limit: int) -> list[int]:
    """Draft what is going to be said, and now and then a token that is not."""
    n = len(context) - len(PROMPT)
    draft = TEXT[n : n + limit]
    if n % 3 == 0:
        draft[n % 5 :] = [1] * len(draft[n % 5 :])
    return draft


def answered(
    target: TableDecoder, rollback: Kind = Drop, length: int = 4, verifier: str = "coupled"
) -> tuple[list[int], list[Step]]:
    session, reader = Session(target, rollback), ScriptedReader(N)
    session.begin(PROMPT)
    assert session.prefill(lambda: False)
    drafter, way = CallableDrafter(half_right), verifiers.build(verifier, sampler())
    drafter.begin(session.tokens, way)
    steps = list(speculate(session, drafter, way, WholeTiles(length), reader))
    assert session.tokens == [*PROMPT, *reader.tokens]
    assert target.held == session.tokens[: len(target.held)]
    return reader.tokens, steps


@pytest.mark.parametrize("length", [1, 4, 7, 8, 20])
def test_the_text_is_plain_decodings_and_a_step_tells_of_all_its_rows(length: int) -> None:
    target = TableDecoder()
    said, steps = answered(target, length=length)
    assert said == TEXT
    assert len(target.held) == len(PROMPT) + len(TEXT) - 1, "those of no account are gone"
    assert [s.batch for s in steps] == target.batches[-len(steps) :]
    drafted = [s for s in steps[1:] if s.draft.tokens]
    assert drafted and all(s.batch % TILE == 0 for s in drafted)
    assert {s.batch for s in steps if not s.draft.tokens} <= {1, len(PROMPT)}
    assert any(s.accepted == len(s.draft.tokens) for s in drafted), "wholly right ones too"


def test_rejection_sees_the_rows_of_the_draft_alone() -> None:
    said, steps = answered(TableDecoder(), verifier="rejection")
    assert len(said) <= N and any(s.batch == TILE for s in steps)
    assert all(len(s.tokens) <= len(s.draft.tokens) + 1 for s in steps)


@pytest.mark.parametrize("n_batch", [5, 9, 12])
def test_a_batch_is_no_wider_than_one_may_be(n_batch: int) -> None:
    target = TableDecoder(n_batch=n_batch)
    assert answered(target, length=3)[0] == TEXT
    assert max(target.batches) == min(n_batch, TILE)


@pytest.mark.parametrize("room", range(3))
def test_at_the_end_of_the_context_a_batch_ends_with_it(room: int) -> None:
    target = TableDecoder(n_ctx=len(PROMPT) + len(TEXT) + room)
    assert answered(target)[0] == TEXT, "the decoder would refuse to go beyond"


def test_where_rejected_tokens_cost_a_replay_there_are_none_of_no_account() -> None:
    target = TableDecoder(can_drop=False)
    said, steps = answered(target, Replay)
    assert said == TEXT
    assert all(s.batch == len(s.draft.tokens) + 1 for s in steps[1:])


def test_no_more_is_evaluated_than_snapshots_can_take_back() -> None:
    target = TableDecoder(n_snapshots=5)
    assert answered(target, Snapshots)[0] == TEXT
    assert max(target.batches[1:]) == 6


def test_a_target_without_numbers_behind_the_draft_is_put_in_order_and_the_text_is_the_same() -> (
    None
):
    class Overflowing(TableDecoder):
        """Computes none behind a whole tile, and then none at all until it is cleared."""

        is_spoilt = False

        def decode(self, tokens: list[int], start: int, n_rows: int) -> Logits:  # type: ignore[override]
            rows = super().decode(tokens, start, n_rows)
            if self.is_spoilt or n_rows == TILE:
                rows[0 if self.is_spoilt else -1 :] = np.nan
                self.is_spoilt = True
            return rows

        def clear(self) -> None:
            super().clear()
            self.is_spoilt = False

    said, steps = answered(Overflowing())
    assert said == TEXT
    assert any(s.accepted > 1 for s in steps)
