"""Faults of deciding: what drafts are worth, what they cost, and what is learnt of both."""

from __future__ import annotations

from tests.mutants.mutant import Mutant

POLICY = "tests/engine/policy/test_measured.py::"
LEARNING = "tests/engine/policy/test_policy_learning.py::"
READING = "tests/engine/policy/test_reading.py::"
PURSE = "tests/engine/policy/test_purse.py::"
CREDIT = "tests/engine/policy/test_credit.py::"
COSTS = "tests/engine/costs/test_curves.py::"
ORACLE = "tests/lab/test_oracle.py::"
LEARNT = LEARNING + "test_nothing_is_learnt_behind_a_difference_nor_behind_what_was_said"

DECIDING = (
    Mutant(
        "drafting need not beat its cost by a margin",
        "policy/measured.py",
        "self._curves, limit, depth, self._margin,",
        "self._curves, limit, depth, 1.0,",
        POLICY + "test_what_gains_no_more_than_the_noise_is_not_drafted[0.1]",
    ),
    Mutant(
        "all that was drafted is kept",
        "policy/budget.py",
        "best = gains.index(max(gains))",
        "best = len(gains) - 1",
        POLICY + "test_what_is_kept_of_a_draft_is_what_brings_most",
    ),
    Mutant(
        "what is beyond the end of what was said counts as wrong",
        "policy/measured.py",
        "origins, tokens, confidences, said, strict=False",
        "origins, tokens, confidences, [*said, -9], strict=False",
        LEARNT + "[3-8-4-drafted]",
    ),
    Mutant(
        "what is behind a difference is learnt",
        "policy/measured.py",
        "            if token != wanted:\n                return",
        "",
        LEARNT + "[8-3-4-noted]",
    ),
    Mutant(
        "the guess of who lost teaches nothing",
        "policy/measured.py",
        "if drafter not in proposed.origins[:1]:",
        "if False:",
        LEARNT + "[8-3-4-noted]",
    ),
    Mutant(
        "probes are free",
        "policy/experience.py",
        "spent = cost * RIGHT_SHARE if was_right else cost",
        "pass",
        LEARNING + "test_a_useless_drafter_is_left_alone_and_asked_for_what_was_saved[0.5-flat]",
    ),
    Mutant(
        "catching up is no part of what a probe must have saved",
        "policy/experience.py",
        "each + LENT * missed",
        "each + 0.0 * missed",
        ORACLE + "test_a_dear_model_that_no_text_suits_is_not_made_to_catch_up_in_mid_answer",
    ),
    Mutant(
        "what a drafter earned is spent however often that was in vain",
        "policy/earnings.py",
        "self._gap *= 2",
        "pass",
        "tests/engine/policy/test_earnings.py::test_the_gap_doubles_with_each_time_in_vain_until_it_pays_again"
        "_or_the_answer_ends",
    ),
    Mutant(
        "nothing is lent to a model that an answer began badly for",
        "policy/experience.py",
        "if self.promise <= 0.0 and not self.credit.is_left:",
        "if self.promise <= 0.0:",
        CREDIT + "test_hard_tokens_at_the_beginning_do_not_end_a_good_draft_model[6]",
    ),
    Mutant(
        "a model that loses what it is lent gets as much again",
        "policy/credit.py",
        "times = 0.5 if self._was_lost else 2.0",
        "times = 2.0",
        CREDIT + "test_a_useless_one_loses_little_more_than_that_in_an_answer[0.1]",
    ),
    Mutant(
        "asking a model has the price of what a lookup reached elsewhere",
        "policy/budget.py",
        "price = min(self._rate, max(1.0, tokens / cost))",
        "",
        POLICY + "test_a_model_is_not_judged_by_the_rate_of_what_a_lookup_found",
    ),
    Mutant(
        "a forward costs no more than the widest that was measured",
        "costs/curves.py",
        "return last + max(0.0, last - first) *",
        "return last + 0.0 *",
        COSTS + "test_a_forward_wider_than_any_that_was_measured_costs_as_much_more_as_it_is_wider",
    ),
    Mutant(
        "no step is ever plain to see what that costs",
        "policy/measured.py",
        "self._experience.is_plain_due(self._curves.drift)",
        "False",
        POLICY + "test_now_and_then_two_steps_are_plain_so_that_plain_decoding_is_known_anew",
    ),
    Mutant(
        "a pace that has changed is never doubted",
        "policy/experience.py",
        "self._doubts = drift > DRIFTED or self._was_off",
        "self._doubts = False",
        LEARNING + "test_drafts_that_get_dearer_beside_a_plain_step_are_found_out[3.0-Found]",
    ),
    Mutant(
        "every doubt is looked into at once, whether it decides anything or not",
        "policy/experience.py",
        "every = MOST_DOUBT",
        "every = self._doubt",
        LEARNING + "test_on_a_restless_machine_a_doubt_that_decides_nothing_is_looked_into_seldom"
        "[0.04-1-12]",
    ),
    Mutant(
        "a probe costs what drafting does, though its draft has to be verified",
        "policy/measured.py",
        "budget.drafting + max(0.0, -gain)",
        "budget.drafting",
        POLICY
        + "test_asking_in_vain_is_rare_where_what_was_asked_for_has_to_be_verified[False-0.02]",
    ),
    Mutant(
        "what catching up costs may grow faster than what is saved for it",
        "policy/experience.py",
        "return self._saved + PROBE_SHARE * (now - self._asked_at)",
        "return min(MOST_SAVED, self._saved + PROBE_SHARE * (now - self._asked_at))",
        LEARNING + "test_a_model_that_has_missed_much_is_still_asked_now_and_then",
    ),
    Mutant(
        "what was judged by costs that were not so is still thought",
        "policy/experience.py",
        "record.promise = max(record.promise, FIRST_PROMISE)",
        "pass",
        LEARNING + "test_a_drafter_that_only_wrong_costs_made_too_dear_drafts_soon_after_they_are"
        "_found_out[12]",
    ),
    Mutant(
        "a draft that was cheap once was no luck",
        "policy/experience.py",
        "if was_cheap and self.cost_interval == SOON:",
        "if was_cheap:",
        LEARNING + "test_one_draft_that_cost_far_less_than_was_known_may_be_luck",
    ),
    Mutant(
        "the pace of the machine is not shared",
        "costs/curves.py",
        "self._pace += PACE_RATE * max(-CLIP, min(CLIP, surprise))",
        "pass",
        COSTS + "test_a_machine_that_is_slower_as_a_whole_keeps_its_ratios[2.0]",
    ),
    Mutant(
        "a stall is believed",
        "costs/curves.py",
        "PACE_RATE * max(-CLIP, min(CLIP, surprise))",
        "PACE_RATE * surprise",
        COSTS + "test_a_stall_moves_little_and_least_where_most_is_known[8-0.2]",
    ),
    Mutant(
        "what was measured too dear is never tried",
        "costs/shape.py",
        "logs[n - 1] -= HOPE /",
        "logs[n - 1] -= 0.0 /",
        COSTS + "test_a_wide_batch_is_hoped_to_be_cheaper_until_a_step_has_had_about_as_wide_a_one",
    ),
    Mutant(
        "whole tiles that were stalled at load are never tried",
        "costs/shape.py",
        "max(self.log(n) - MOST_HOPED, math.log(line))",
        "self.log(n)",
        POLICY
        + "test_whole_tiles_of_which_every_measurement_was_stalled_are_tried_all_the_same[1.7]",
    ),
    Mutant(
        "the first step of whole tiles is believed as slowly as others",
        "costs/shape.py",
        "            self.shift(n, surprise)\n            self._seen[n] = 0",
        "            return",
        COSTS + "test_of_whole_tiles_more_is_hoped_until_steps_have_had_them",
    ),
    Mutant(
        "hope has no end",
        "costs/shape.py",
        "self._steps[(n - 1) // TILE] += 1",
        "pass",
        COSTS + "test_a_wide_batch_is_hoped_to_be_cheaper_until_a_step_has_had_about_as_wide_a_one",
    ),
    Mutant(
        "costs are taken for a smooth curve",
        "costs/shape.py",
        "if n in seconds:",
        "if n in (known[0], known[-1]):",
        COSTS + "test_every_measured_width_has_its_own_cost",
    ),
    Mutant(
        "a drafter's claims are believed wherever they were not tested",
        "policy/trust.py",
        "self._belief_odds))",
        "1.0))",
        "tests/engine/policy/test_trust.py::"
        "test_a_claim_never_made_is_believed_as_the_drafter_deserves_elsewhere",
    ),
    Mutant(
        "a record of misses is worn down, hit by hit",
        "policy/trust.py",
        "if self._for_its_word > OVERWHELMING:",
        "if self._for_its_word > math.inf:",
        "tests/engine/policy/test_trust.py::"
        "test_a_long_record_of_misses_is_forgotten_once_the_drafter_is_right_again",
    ),
    Mutant(
        "misses wear a record down, however good it is",
        "policy/trust.py",
        "if self._against_it > RULED_OUT:",
        "if self._against_it > math.inf:",
        "tests/engine/policy/test_trust.py::"
        "test_misses_that_a_record_all_but_rules_out_are_believed_at_once",
    ),
    Mutant(
        "what a model would have drafted is not looked at",
        "policy/budget.py",
        "    hindsight = HINDSIGHT",
        "    hindsight = 0",
        LEARNING + "test_a_model_that_lagged_is_believed_by_what_it_would_have_drafted",
    ),
    Mutant(
        "a model is tested on its prompt",
        "drafters/draft_model.py",
        "min(lag - 1, position - self._answer, allowance.hindsight)",
        "min(lag - 1, allowance.hindsight)",
        "tests/engine/policy/test_hindsight.py::test_the_prompt_is_none_of_it",
    ),
    Mutant(
        "a draft may lose more than drafts have brought",
        "policy/purse.py",
        "return cost - 1.0 <= self._held",
        "return True",
        PURSE + "test_a_lookup_that_promises_too_much_is_verified_only_once_that_would_have_paid",
    ),
    Mutant(
        "only the beginning of a draft must be afforded",
        "policy/budget.py",
        "record.purse.affords(self._costs[self._taken + best[0]])",
        "(self._taken or record.purse.affords(self._costs[best[0]]))",
        PURSE + "test_a_draft_does_not_grow_beyond_what_the_purse_affords",
    ),
    Mutant(
        "what is watched never fills a purse",
        "policy/measured.py",
        "purse.watch(tokens[:n], costs[n] + leaving)",
        "pass",
        PURSE + "test_a_lookup_that_promises_too_much_is_verified_only_once_that_would_have_paid",
    ),
    Mutant(
        "leaving plain decoding costs nothing",
        "policy/measured.py",
        "return SHARED * curves.returning",
        "return 0.0 * curves.returning",
        POLICY + "test_what_returning_to_plain_decoding_costs_is_the_drafts",
    ),
    Mutant(
        "plain decoding is learnt before it is settled",
        "policy/measured.py",
        "self._plain_run >= curves.settles:",
        "self._plain_run >= 1:",
        POLICY + "test_plain_decoding_is_known_from_steps_that_are_settled[3]",
    ),
    Mutant(
        "a prompt may always be worth reading",
        "policy/reading.py",
        "return curves.draft_relative(n_unread, depth) <= saved",
        "return True",
        READING + "test_a_model_as_dear_as_the_target_repays_nothing_that_it_reads",
    ),
    Mutant(
        "a model may be better than always right",
        "policy/budget.py",
        "return repays(best_rate(self._curves, self._depth) - 1.0, missed)",
        "return True",
        READING + "test_a_new_model_that_cannot_pay_is_not_asked_to_catch_up",
    ),
    Mutant(
        "a mixed draft is all of who began it",
        "stats.py",
        "if not draft.drafters:",
        "if True:",
        "tests/engine/test_stats.py::"
        "test_in_a_mixed_draft_each_token_is_its_drafters_and_the_step_the_firsts",
    ),
)
