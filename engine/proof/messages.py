"""What passes between the app and the engine process when something is to be proven (proof/)."""

from __future__ import annotations

import msgspec

from engine.settings import SamplingSettings


class Prove(msgspec.Struct, frozen=True, tag=True):
    """Prove that drafting changes nothing, on the loaded pair, within about so many seconds."""

    id: int
    seconds: float
    sampling: SamplingSettings = SamplingSettings()


class Proving(msgspec.Struct, frozen=True, tag=True):
    """Progress of proof `id`. stage: what is being done; fraction: 0 to 1 of the whole."""

    id: int
    stage: str
    fraction: float


class Comparison(msgspec.Struct, frozen=True, kw_only=True):
    """A drafter's answers beside plain decoding's.

    equal: the very same tokens; at_near_ties: the first difference is where one of the two reported
    a near-tie; different: neither. tokens: compared, up to the first difference.
    """

    drafter: str
    answers: int
    equal: int
    at_near_ties: int
    different: int
    tokens: int
    accepted: int
    tested: int


class Acceptance(msgspec.Struct, frozen=True, kw_only=True):
    """How often draft tokens are accepted by one way of drafting and verifying.

    expected: the mean of the exact chance over all positions of the answers, from both models'
    distributions; observed: accepted / tested in answers, None if nothing was tested.
    """

    way: str
    expected: float
    observed: float | None
    tested: int


class Proof(msgspec.Struct, frozen=True, tag=True, kw_only=True):
    """What proof `id` found.

    cells: answers compared for drafter x draft length x temperature x question; planned: how many
    there would be with more time. draft_lengths: fixed ones; 0 stands for the policy's own.
    replayed tokens were drawn again from one-row batches by other code: the same, near-ties, wrong.
    width_noise: the largest difference of a likely logit between batch widths; tie_margin: draws
    closer than this are near-ties; near_ties: how many of plain decoding's n_tokens were.
    differences: the first few answers or tokens that should not differ, in words.
    """

    id: int
    temperatures: list[float]
    draft_lengths: list[int]
    questions: int
    cells: int
    planned: int
    comparisons: list[Comparison]
    replayed: int
    replayed_same: int
    replayed_near_ties: int
    replayed_wrong: int
    width_noise: float
    tie_margin: float
    near_ties: int
    n_tokens: int
    acceptance: list[Acceptance]
    acceptance_positions: int
    differences: list[str]
    seconds: float
