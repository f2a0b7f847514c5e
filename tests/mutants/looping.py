"""Faults of the loop, its caches and its drafters: what is committed, counted and kept."""

from __future__ import annotations

from tests.mutants.mutant import DRAFTING, LOOP, ROLLBACK, SESSION, Mutant

HELD = LOOP + "test_between_steps_the_cache_holds_all_committed_tokens_but_the_last"
KEPT = "tests/engine/drafters/test_draft_kept.py::"
PROMPT_STATE = "tests/engine/cache/test_prompt_state.py::"
CUTTING = "tests/engine/test_cutting.py::"
FAILING = (
    "tests/engine/drafters/test_failing_draft.py::"
    "test_an_answer_goes_on_without_a_draft_model_that_fails"
)
CUT = LOOP + "test_a_cut_step_counts_what_was_committed_of_it"

LOOPING = (
    Mutant(
        "rollback keeps one token too many",
        "session.py",
        "self._cache.keep(len(self.tokens) - 1)",
        "self._cache.keep(len(self.tokens))",
        HELD,
    ),
    Mutant(
        "rollback keeps one token too few",
        "session.py",
        "self._cache.keep(len(self.tokens) - 1)",
        "self._cache.keep(len(self.tokens) - 2)",
        LOOP + "test_the_target_evaluates_every_token_once_but_for_rejected_drafts",
    ),
    Mutant(
        "the tokens stay though the cache rolled back",
        "cache/tokens.py",
        "del self.tokens[at:]",
        "pass",
        HELD,
    ),
    Mutant(
        "an end does not cut the draft behind it",
        "speculate.py",
        "if finish is not None:\n                break",
        "if finish is not None:\n                pass",
        LOOP + "test_an_end_inside_a_draft_cuts_what_is_behind_it",
    ),
    Mutant(
        "accepted tokens behind an end are counted",
        "speculate.py",
        "accepted=min(verdict.accepted, len(tokens))",
        "accepted=verdict.accepted",
        CUT,
    ),
    Mutant(
        "tested tokens behind an end are counted",
        "speculate.py",
        "tested=min(len(draft.tokens), len(verdict.tokens), len(tokens))",
        "tested=min(len(draft.tokens), len(verdict.tokens))",
        CUT,
    ),
    Mutant(
        "near-ties behind an end are counted",
        "speculate.py",
        "verdict.near_ties and _below(len(tokens), verdict.near_ties)",
        "verdict.near_ties",
        CUT,
    ),
    Mutant(
        "a draft may fill the last place of an answer",
        "speculate.py",
        "min(reader.room - 1, session.draft_room)",
        "min(reader.room, session.draft_room)",
        LOOP + "test_origins_name_drafter_corrected_bonus_and_plain",
    ),
    Mutant(
        "a draft goes with the rest of a prompt",
        "session.py",
        "if self.n_pending > 1:",
        "if self.n_pending > 1000:",
        SESSION + "test_the_rest_of_a_prompt_is_evaluated_as_plain_decoding_does_without_a_draft",
    ),
    Mutant(
        "a draft may be longer than what can be taken back",
        "session.py",
        "return min(self._cache.decoder.n_batch - 1, self._cache.rollback.limit)",
        "return self._cache.decoder.n_batch - 1",
        ROLLBACK + "test_drop_and_snapshots_need_no_marks_and_replay_does",
    ),
    Mutant(
        "no token of a known prompt is evaluated",
        "cache/tokens.py",
        "common_prefix(self.tokens, tokens[:-1])",
        "common_prefix(self.tokens, tokens)",
        SESSION + "test_a_cache_aligned_with_any_prompt_holds_a_true_part_of_it",
    ),
    Mutant(
        "an emptied cache remembers its mark",
        "cache/tokens.py",
        "        self.rollback.forget()\n",
        "",
        ROLLBACK + "test_an_emptied_cache_has_no_mark",
    ),
    Mutant(
        "a replay remembers its mark",
        "cache/rollback.py",
        "self._marked, self._saved = None, bytearray()",
        "self._saved = bytearray()",
        ROLLBACK + "test_an_emptied_cache_has_no_mark",
    ),
    Mutant(
        "a replay goes back to before its mark",
        "cache/rollback.py",
        "self._marked is None or self._marked > n or",
        "self._marked is None or",
        ROLLBACK + "test_an_emptied_cache_has_no_mark",
    ),
    Mutant(
        "a replay leaves out the first token behind its mark",
        "cache/tokens.py",
        "replayed = self.tokens[at:n]",
        "replayed = self.tokens[at + 1 : n]",
        ROLLBACK + "test_a_replay_evaluates_only_what_stays_behind_the_mark",
    ),
    Mutant(
        "a prompt's state is believed behind what took its place",
        "cache/prompt_state.py",
        "if self._n is not None and n < self._n:",
        "if False:",
        PROMPT_STATE + "test_a_prompts_state_goes_when_the_cache_goes_back_before_it",
    ),
    Mutant(
        "a prompt's state stands behind fewer tokens than it does",
        "cache/prompt_state.py",
        "return self._n\n",
        "return self._n + 1\n",
        PROMPT_STATE + "test_behind_a_later_mark_the_prompts_state_is_put_back",
    ),
    Mutant(
        "a mark is put back though the prompt's state is nearer",
        "cache/prompt_state.py",
        "return self._n is not None and other < self._n <= n",
        "return False",
        PROMPT_STATE + "test_the_nearer_of_mark_and_prompt_is_put_back",
    ),
    Mutant(
        "snapshots of earlier batches are believed",
        "cache/rollback.py",
        "min(self.limit, n_last - 1)",
        "self.limit",
        ROLLBACK + "test_snapshots_are_those_of_the_last_batch_and_no_more_than_there_are",
    ),
    Mutant(
        "more snapshots are asked for than there are",
        "cache/rollback.py",
        "min(self.limit, n_last - 1)",
        "(n_last - 1)",
        ROLLBACK + "test_snapshots_are_those_of_the_last_batch_and_no_more_than_there_are",
    ),
    Mutant(
        "snapshots are believed after going back",
        "cache/tokens.py",
        "self.decoder.n_batch], 0)\n        self._n_last = 0",
        "self.decoder.n_batch], 0)",
        ROLLBACK + "test_snapshots_are_those_of_the_last_batch_and_no_more_than_there_are",
    ),
    Mutant(
        "the draft model keeps a rejected token",
        "drafters/draft_model.py",
        "self._cache.keep(n)\n        self._picked =",
        "self._cache.keep(n + 1)\n        self._picked =",
        DRAFTING + "test_after_a_rejection_one_token_goes_in",
    ),
    Mutant(
        "the draft model keeps its draft when another's was taken",
        "drafters/draft_model.py",
        "self._keep_only(self._committed, step.tokens)",
        "pass",
        DRAFTING + "test_a_lag_is_caught_up_in_one_batch[4]",
    ),
    Mutant(
        "the draft model does not catch up",
        "drafters/draft_model.py",
        "pending = [*text[len(cache) :],",
        "pending = [*text[-1:],",
        DRAFTING + "test_a_lag_is_caught_up_in_one_batch[4]",
    ),
    Mutant(
        "the draft model forgets what was not verified",
        "drafters/draft_model.py",
        "if self._cache.rollback.saves:  # the next",
        "if True:  # the next",
        KEPT + "test_cut_tokens_that_the_target_said_itself_are_not_evaluated_again[1]",
    ),
    Mutant(
        "the draft model keeps what it drafted behind a contradiction",
        "drafters/draft_model.py",
        "if self._committed <= at <= n}",
        "}",
        KEPT + "test_a_contradiction_drops_all_that_was_drafted_behind_it",
    ),
    Mutant(
        "the draft model drafts behind tokens that it read without drafting there",
        "drafters/draft_model.py",
        "if len(held) >= position:",
        "if False:",
        KEPT + "test_it_drafts_within_what_another_drafted_and_it_only_read[1]",
    ),
    Mutant(
        "the draft model does not look whether a lookup contradicts it",
        "drafters/draft_model.py",
        "if len(held) > len(text):",
        "if False:",
        KEPT + "test_it_extends_what_another_drafted_and_drops_its_own_tail_if_that_contradicts",
    ),
    Mutant(
        "a draft is cut although the verifier forbids it",
        "speculate.py",
        "proposed.tokens and verifier.cuts",
        "proposed.tokens",
        CUTTING + "test_a_verifier_that_may_not_cut_gets_the_whole_draft[1]",
    ),
    Mutant(
        "what does not pay is verified",
        "speculate.py",
        "proposed.first(allowance.keep(proposed)) if may_cut else proposed",
        "proposed",
        CUTTING + "test_only_what_is_kept_is_verified_and_the_step_tells_what_was_drafted[1]",
    ),
    Mutant(
        "a lookup does not index what another drafted",
        "drafters/lookup.py",
        "self._index(step.tokens)",
        "self._index(step.tokens if step.draft.drafter in (self.name, '') else ())",
        "tests/engine/drafters/test_lookup.py::test_what_another_drafted_is_indexed_as_it_was_committed",
    ),
    Mutant(
        "the guess of a lookup that lost is not noted",
        "drafters/lookup.py",
        "allowance.note(self.name, tokens, confidences)",
        "pass",
        "tests/engine/drafting/test_growing.py::test_the_guess_of_a_lookup_that_lost_is_noted",
    ),
    Mutant(
        "a draft model that failed once is never asked again",
        "drafters/draft_model.py",
        'self._picker = picker\n        self.failure = ""',
        "self._picker = picker",
        "tests/engine/drafters/test_failing_draft.py::"
        "test_a_draft_model_that_failed_is_tried_again_in_the_next_answer",
    ),
    Mutant(
        "what a failed decode left stays in the draft model's cache",
        "drafters/draft_model.py",
        "self._picked.clear()\n        self._cache.clear()",
        "self._picked.clear()",
        FAILING,
    ),
    Mutant(
        "the draft model never drafts",
        "drafters/draft_model.py",
        "return grow([self], context, allowance, self._is_end)",
        "return Draft()",
        DRAFTING + "test_ids_outside_the_common_vocabulary_are_never_proposed",
    ),
)
