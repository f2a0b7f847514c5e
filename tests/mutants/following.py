"""Faults in following a copy through its edits: what is foreseen, and what is learnt of it."""

from __future__ import annotations

from tests.mutants.mutant import Mutant

COPYING = "tests/engine/drafting/test_copying.py::"
IN_PARTS = COPYING + "test_a_draft_in_parts_is_the_draft_at_once"

FOLLOWING = (
    Mutant(
        "what is put in before a token is put in before it again",
        "drafting/copying.py",
        "None if place == self._behind_edit else self._edits.likeliest(place)",
        "self._edits.likeliest(place)",
        IN_PARTS,
    ),
    Mutant(
        "the token behind what was put in tells that nothing was",
        "drafting/copying.py",
        "None if place == self._behind_edit else ([], [])",
        "([], [])",
        COPYING + "test_an_edit_that_is_made_every_time_gets_surer",
    ),
    Mutant(
        "a place that was not edited teaches nothing",
        "drafting/copying.py",
        "None if place == self._behind_edit else ([], [])",
        "None",
        COPYING + "test_an_edit_that_is_not_made_any_more_is_not_foreseen_any_more",
    ),
    Mutant(
        "the source is taken up again one token late",
        "drafting/copying.py",
        "return at + 1",
        "return at + 2",
        COPYING + "test_a_name_that_was_replaced_is_replaced_again",
    ),
    Mutant(
        "what is gone ends one token early",
        "drafting/copying.py",
        "back - min(len(said), 2)",
        "back - 2",
        COPYING + "test_what_was_left_out_once_is_left_out_again",
    ),
    Mutant(
        "a new prompt goes on with the copy of the last answer",
        "drafting/copying.py",
        "self._follower.lose()",
        "pass",
        "tests/engine/drafters/test_lookup.py::test_a_new_prompt_ends_the_copying_of_the_last_answer",
    ),
)
