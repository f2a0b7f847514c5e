"""The mutants: faults that a way to verify, draw, roll back or decide could have, and who finds it.

Each is one edit of one file; `old` must occur there exactly once. `killer` is a test that fails
with it. A mutant that only costs speed or miscounts needs a law too, so these are here as well.
"""

from __future__ import annotations

from dataclasses import dataclass

LAW = "tests/engine/test_law.py::"
TOKENS = LAW + "test_every_token_is_drawn_from_the_law"
CERTAIN = LAW + "test_a_draft_without_probabilities_is_rejected_as_often_as_it_must_be"
STREAMS = LAW + "test_drafting_accepting_and_own_draws_of_a_rejection_step_are_independent[0]"
RATES = LAW + "test_drafts_are_accepted_as_often_as_their_closed_form_says"
LOOP = "tests/engine/test_speculate.py::"
SEEDED = LOOP + "test_seeded_text_is_the_same_for_every_drafter_and_draft_length"
SAMPLING = "tests/engine/sampling/test_sampler.py::"
DEFINED = SAMPLING + "test_the_processed_distribution_is_what_its_definition_says"
NOISE = "tests/engine/sampling/test_noise.py::"
DRAFTING = "tests/engine/drafters/test_draft_model.py::"
ROLLBACK = "tests/engine/cache/test_rollback.py::"
SESSION = "tests/engine/test_session.py::"


@dataclass(frozen=True, slots=True)
class Mutant:
    """An edit in engine/ and the test that it cannot survive."""

    name: str
    file: str
    old: str
    new: str
    killer: str
