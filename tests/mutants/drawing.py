"""Faults of drawing: the order and the rims of the cuts, penalties, noise, near-ties."""

from __future__ import annotations

from tests.mutants.mutant import DEFINED, NOISE, SAMPLING, Mutant

NEAR_TIES = "tests/engine/test_near_ties.py::"
SURE = SAMPLING + "test_a_draw_that_is_no_near_tie_survives_every_change_within_the_margin"
WIDTH_NOISE = "tests/engine/test_width_noise.py::"
OVERTAKEN = SAMPLING + "test_a_token_that_all_others_might_overtake_is_a_near_tie"
TOGETHER = "tests/engine/test_drawing_together.py::"
INDEPENDENT = NOISE + "test_it_is_independent_across"

DRAWING = (
    Mutant(
        "typical-p takes the likeliest first",
        "support.py",
        "keys = np.abs(np.add(scaled, expected, out=scaled), out=scaled)",
        "keys = -scaled",
        DEFINED + "[5001-typical_p of top_k-as it is]",
    ),
    Mutant(
        "typical-p comes before top-k",
        "support.py",
        "ids, logits = first.ids, first.logits",
        "pass",
        DEFINED + "[5001-typical_p of top_k-as it is]",
    ),
    Mutant(
        "top-p keeps one token too few",
        "support.py",
        "return 1 + int(np.searchsorted(held[1:n], p * held[n], side=side))",
        "return max(1, int(np.searchsorted(held[1:n], p * held[n], side=side)))",
        DEFINED + "[24-top_p-as it is]",
    ),
    Mutant(
        "top-p keeps one token too many",
        "support.py",
        "return 1 + int(np.searchsorted(held[1:n], p * held[n], side=side))",
        "return 2 + int(np.searchsorted(held[1:n], p * held[n], side=side))",
        DEFINED + "[24-top_p-as it is]",
    ),
    Mutant(
        "top-k keeps one token too many",
        "support.py",
        "return self._top_k\n",
        "return self._top_k + 1\n",
        DEFINED + "[5001-top_k-as it is]",
    ),
    Mutant(
        "min-p is measured against everything",
        "support.py",
        "most = keys[0] - np.log(settings.min_p) + loosened",
        "most = keys[0] - np.log(settings.min_p / best_first.weights.sum()) + loosened",
        DEFINED + "[5001-all-as it is]",
    ),
    Mutant(
        "temperature comes before min-p",
        "support.py",
        "most = keys[0] - np.log(settings.min_p) + loosened",
        "most = keys[0] - settings.temperature * np.log(settings.min_p) + loosened",
        DEFINED + "[5001-min_p of top_p-as it is]",
    ),
    Mutant(
        "temperature comes before top-p",
        "support.py",
        "weights = np.exp(found.logits - found.logits[:1])",
        "weights = np.exp((found.logits - found.logits[:1]) / (settings.temperature or 1.0))",
        DEFINED + "[24-top_p of top_k-as it is]",
    ),
    Mutant(
        "penalties look back one token too far",
        "adjusting.py",
        "context[-n:]",
        "context[-n - 1 :]",
        SAMPLING + "test_penalties_look_back_as_far_as_their_window",
    ),
    Mutant(
        "penalties look back one token too little",
        "adjusting.py",
        "context[-n:]",
        "context[1 - n :]",
        SAMPLING + "test_penalties_look_back_as_far_as_their_window",
    ),
    Mutant(
        "the frequency penalty is that of one occurrence",
        "adjusting.py",
        "logits -= counts.astype(np.float32) * np.float32(settings.frequency_penalty)",
        "logits -= np.float32(settings.frequency_penalty)",
        DEFINED + "[24-nothing-frequency]",
    ),
    Mutant(
        "the presence penalty counts occurrences",
        "adjusting.py",
        "return logits - np.float32(settings.presence_penalty)",
        "return logits - counts.astype(np.float32) * np.float32(settings.presence_penalty)",
        DEFINED + "[24-nothing-presence]",
    ),
    Mutant(
        "a repeated token of negative logit is encouraged",
        "adjusting.py",
        "logits = np.where(logits > 0, logits / repeat, logits * repeat)",
        "logits = logits / repeat",
        SAMPLING + "test_a_repeated_token_becomes_unlikelier_whatever_its_sign",
    ),
    Mutant(
        "the row stays penalised",
        "adjusting.py",
        "row[ids] = before",
        "pass",
        DEFINED + "[24-nothing-repeat]",
    ),
    Mutant(
        "temperature is forgotten",
        "sampling.py",
        "weights = np.exp((kept.logits - kept.logits[0]) / self.settings.temperature)",
        "weights = np.exp(kept.logits - kept.logits[0])",
        DEFINED + "[24-nothing-as it is]",
    ),
    Mutant(
        "a lone token is no near-tie, however near the next",
        "sampling.py",
        "if peak.is_alone(settings.min_p, margin):",
        "if peak.is_alone(settings.min_p):",
        NEAR_TIES + "test_a_token_that_rounding_could_let_in_makes_a_near_tie",
    ),
    Mutant(
        "a draw is no near-tie for being at the rim",
        "sampling.py",
        "is_close or token not in ids[:n_sure]",
        "is_close",
        SURE + "[top_p-as it is-0.7]",
    ),
    Mutant(
        "nobody who is behind a token is thought to overtake it",
        "support.py",
        "before = held[ahead] - weights",
        "before = held[:-1]",
        OVERTAKEN + "[typical_p]",
    ),
    Mutant(
        "only those that are surely among the top k are thought to overtake a token",
        "support.py",
        'ahead = np.searchsorted(keys, keys - width, side="right")',
        'ahead = np.minimum(np.searchsorted(keys, keys - width, side="right"), n)',
        OVERTAKEN + "[top_p of top_k]",
    ),
    Mutant(
        "what is never drawn makes noise",
        "width_noise.py",
        "differences[behind < reach]",
        "differences",
        WIDTH_NOISE + "test_differences_count_from_how_far_behind_on",
    ),
    Mutant(
        "a bias that brings the tail near is not thought of",
        "sampling.py",
        "margin = self._margin(furthest(row, changes, top, self._behind))",
        "pass",
        WIDTH_NOISE + "test_the_noise_of_the_tail_counts_where_the_tail_can_be_drawn",
    ),
    Mutant(
        "a token of the tail that is raised is not thought of",
        "adjusting.py",
        "before[row[ids] >= least].min(initial=least)",
        "least",
        WIDTH_NOISE + "test_the_noise_of_the_tail_counts_where_the_tail_can_be_drawn",
    ),
    Mutant(
        "with typical-p, a draw is no near-tie for being at the rim",
        "sampling.py",
        "return token not in support(row, settings, -margin).ids",
        "return False",
        SURE + "[typical_p-as it is-0.7]",
    ),
    Mutant(
        "a token just outside of the rim makes no near-tie",
        "sampling.py",
        "max(n, found.n(margin))",
        "n",
        SAMPLING + "test_a_rim_is_a_near_tie_too",
    ),
    Mutant(
        "a lead in logits is taken for one in scores",
        "sampling.py",
        "margin / settings.temperature",
        "margin * settings.temperature",
        SURE + "[top_k-as it is-0.7]",
    ),
    Mutant(
        "the noise does not know the position",
        "noise.py",
        "_mix(_mix(seed) ^ (position * _GOLDEN & _U64))",
        "_mix(_mix(seed))",
        INDEPENDENT + "[position]",
    ),
    Mutant(
        "the noise does not know the seed",
        "noise.py",
        "_mix(_mix(seed) ^ (position * _GOLDEN & _U64))",
        "_mix(position * _GOLDEN & _U64)",
        INDEPENDENT + "[seed]",
    ),
    Mutant(
        "the noise does not know the token",
        "noise.py",
        "counters[:n] = ids",
        "counters[:n] = ids & (BUCKETS - 1)",
        INDEPENDENT + "[same bucket]",
    ),
    Mutant(
        "seed and position are summed",
        "noise.py",
        "_mix(_mix(seed) ^ (position * _GOLDEN & _U64))",
        "_mix(_mix(seed + position))",
        NOISE + "test_noise_is_the_same_on_every_platform[(7, 42)]",
    ),
    Mutant(
        "rows that are drawn together share the noise of the first",
        "sampling.py",
        "self._draw(row, position + i, self.tie_margin)",
        "self._draw(row, position, self.tie_margin)",
        TOGETHER + "test_rows_drawn_together_are_drawn_as_one_by_one[0.4-0.8-nothing]",
    ),
    Mutant(
        "rows that are drawn together make no near-ties",
        "sampling.py",
        "near_ties.append(i)",
        "pass",
        TOGETHER + "test_rows_drawn_together_are_drawn_as_one_by_one[0.4-0.8-nothing]",
    ),
    Mutant(
        "rows that are drawn together at temperature 0 make no near-ties",
        "sampling.py",
        "if Peak.at(row, best).is_close(margin)",
        "if row is best",
        TOGETHER + "test_rows_drawn_together_are_drawn_as_one_by_one[0.4-0.0-nothing]",
    ),
    Mutant(
        "drawing together does not end with a difference",
        "sampling.py",
        "if i < len(wanted) and drawn.token != wanted[i]:\n                break",
        "pass",
        TOGETHER + "test_drawing_together_ends_with_the_first_token_that_is_not_wanted"
        "[2-0.8-nothing]",
    ),
    Mutant(
        "what min-p leaves is believed without room for rounding",
        "peak.py",
        "self.top + math.log(min_p) - ROUNDING",
        "self.top + math.log(min_p)",
        TOGETHER + "test_a_lead_within_rounding_of_the_bar_is_left_to_the_cut_itself[0.2]",
    ),
)
