"""Faults of verifying: what a verdict says, and what it was drawn from."""

from __future__ import annotations

from tests.mutants.mutant import CERTAIN, DRAFTING, LOOP, RATES, SEEDED, STREAMS, TOKENS, Mutant

NEAR_TIES = (
    "tests/engine/verifiers/test_rejection.py::"
    "test_a_decision_that_is_no_near_tie_survives_every_change_within_the_margin"
)

VERIFYING = (
    Mutant(
        "coupled accepts always",
        "verifiers/coupled.py",
        "or drawn.token != draft.tokens[i]:",
        "or emitted.__setitem__(i, draft.tokens[i]):",
        SEEDED + "[3-draft_model-{'temperature': 0.8, 'repeat_penalty': 1.3}]",
    ),
    Mutant(
        "rejection accepts always",
        "verifiers/rejection.py",
        "if draft_prob * chance >= target_prob:",
        "if False:",
        TOKENS + "[rejection-0-1400]",
    ),
    Mutant(
        "rejection: all streams are one",
        "verifiers/rejection.py",
        "map(np.random.default_rng, streams)",
        "map(np.random.default_rng, [streams[0]] * 3)",
        STREAMS,
    ),
    Mutant(
        "rejection: drafting and accepting share a stream",
        "verifiers/rejection.py",
        "map(np.random.default_rng, streams)",
        "map(np.random.default_rng, [streams[0], streams[0], streams[2]])",
        STREAMS,
    ),
    Mutant(
        "rejection: drafting and own draws share a stream",
        "verifiers/rejection.py",
        "map(np.random.default_rng, streams)",
        "map(np.random.default_rng, [streams[0], streams[1], streams[0]])",
        STREAMS,
    ),
    Mutant(
        "rejection: accepting and own draws share a stream",
        "verifiers/rejection.py",
        "map(np.random.default_rng, streams)",
        "map(np.random.default_rng, [streams[0], streams[1], streams[1]])",
        STREAMS,
    ),
    Mutant(
        "coupled: all rows of a step share the noise of its first",
        "verifiers/coupled.py",
        "history, len(context) + i)",
        "history, len(context))",
        SEEDED + "[3-draft_model-{'temperature': 0.8, 'repeat_penalty': 1.3}]",
    ),
    Mutant(
        "rejection: draft probabilities without temperature",
        "verifiers/rejection.py",
        "confidence_of(float(row[token])), probs)",
        "confidence_of(float(row[token])), "
        "Distribution(probs.ids, probs.probs**self._sampler.settings.temperature"
        " / (probs.probs**self._sampler.settings.temperature).sum()))",
        TOKENS + "[rejection-0-1400]",
    ),
    Mutant(
        "rejection: draft probabilities before all cuts",
        "verifiers/rejection.py",
        "confidence_of(float(row[token])), probs)",
        "confidence_of(float(row[token])), "
        "Distribution(np.arange(len(row)), np.exp(row) / np.exp(row).sum()))",
        TOKENS + "[rejection-36-1400]",
    ),
    Mutant(
        "coupled skips the bonus token",
        "verifiers/coupled.py",
        "for i in range(len(logits)):",
        "for i in range(len(draft.tokens) or 1):",
        LOOP + "test_an_oracle_is_accepted_whole_and_changes_nothing"
        "[{'temperature': 0.8, 'repeat_penalty': 1.3}]",
    ),
    Mutant(
        "coupled: the bonus token repeats the draft's last",
        "verifiers/coupled.py",
        "emitted.append(drawn.token)",
        "emitted.append(draft.tokens[-1] if i == len(draft.tokens) > 0 else drawn.token)",
        SEEDED + "[3-draft_model-{'temperature': 0.8, 'repeat_penalty': 1.3}]",
    ),
    Mutant(
        "rejection skips the bonus token",
        "verifiers/rejection.py",
        "return Verdict((*draft.tokens, bonus), len(draft.tokens), tuple(near_ties))",
        "return Verdict(draft.tokens or (bonus,), max(0, len(draft.tokens) - 1), tuple(near_ties))",
        STREAMS,
    ),
    Mutant(
        "rejection: the bonus token repeats the draft's last",
        "verifiers/rejection.py",
        "return Verdict((*draft.tokens, bonus),",
        "return Verdict((*draft.tokens, *(draft.tokens[-1:] or (bonus,))),",
        TOKENS + "[rejection-0-1400]",
    ),
    Mutant(
        "rejection: the bonus token is drawn by the drafter",
        "verifiers/rejection.py",
        "bonus, close = self._draw(target.ids, target.probs, self._shift)",
        "by = draft.probs[-1] if draft.probs else target\n"
        "        bonus, close = self._draw(by.ids, by.probs, self._shift)",
        TOKENS + "[rejection-0-1400]",
    ),
    Mutant(
        "coupled: penalties stay behind along a draft",
        "verifiers/coupled.py",
        "history.append(drawn.token)",
        "pass",
        SEEDED + "[3-draft_model-{'temperature': 0.0, 'repeat_penalty': 1.5, 'repeat_last_n': 3}]",
    ),
    Mutant(
        "rejection: penalties stay behind along a draft",
        "verifiers/rejection.py",
        "history.append(token)",
        "pass",
        TOKENS + "[rejection-28-1400]",
    ),
    Mutant(
        "the draft model's penalties stay behind along a draft",
        "drafters/draft_model.py",
        "history = [*self._picker.window(context), *drafted]",
        "history = self._picker.window(context)",
        DRAFTING + "test_a_draft_model_that_is_its_target_is_always_right",
    ),
    Mutant(
        "rejection: nothing is subtracted from the target",
        "verifiers/rejection.py",
        "residual = _residual(target, proposed, token)",
        "residual = target.probs",
        TOKENS + "[rejection-0-1400]",
    ),
    Mutant(
        "rejection: a residual below zero counts",
        "verifiers/rejection.py",
        "return np.maximum(target.probs - np.where(ids[at] == target.ids, probs[at], 0.0), 0.0)",
        "return np.abs(target.probs - np.where(ids[at] == target.ids, probs[at], 0.0))",
        TOKENS + "[rejection-0-1400]",
    ),
    Mutant(
        "rejection: target and draft are swapped",
        "verifiers/rejection.py",
        "if draft_prob * chance >= target_prob:",
        "if target_prob * chance >= draft_prob:",
        TOKENS + "[rejection-0-1400]",
    ),
    Mutant(
        "rejection accepts what was drafted without probabilities",
        "verifiers/rejection.py",
        "if proposed else 1.0",
        "if proposed else 0.0",
        CERTAIN + "[0-1400]",
    ),
    Mutant(
        "rejection: what was rejected with certainty comes back",
        "verifiers/rejection.py",
        "return np.where(target.ids == token, 0.0, target.probs)",
        "return target.probs",
        CERTAIN + "[0-1400]",
    ),
    Mutant(
        "coupled: drafts are drawn with the noise of the next position",
        "verifiers/coupled.py",
        "token = sampler.pick(row, history, position)",
        "token = sampler.pick(row, history, position + 1)",
        RATES + "[coupled-coupled_chance-0.8-{}]",
    ),
    Mutant(
        "coupled: bent drafts are drawn with the noise of the next position",
        "verifiers/coupled.py",
        "sampler.pick_bent(draft, self._sharpness.factor, position)",
        "sampler.pick_bent(draft, self._sharpness.factor, position + 1)",
        "tests/engine/sampling/test_sharpness.py::"
        "test_a_draft_model_that_is_as_sharp_as_its_target_or_sharper_is_left_alone",
    ),
    Mutant(
        "rejection knows no near-ties",
        "verifiers/rejection.py",
        "return abs(math.log(target_prob / bar)) < self._margin",
        "return False",
        NEAR_TIES,
    ),
    Mutant(
        "rejection: a small change of the logits is one of the probabilities at any temperature",
        "verifiers/rejection.py",
        "self._sampler.tie_margin / self._sampler.settings.temperature",
        "self._sampler.tie_margin * self._sampler.settings.temperature",
        NEAR_TIES,
    ),
    Mutant(
        "rows are of flash attention that splits one row where they shall not depend on the width",
        "llama/attention.py",
        "params.type_v = BF16",
        "params.type_v = params.type_k",
        "tests/engine/llama/test_attention.py::"
        "test_kernels_that_sum_by_the_width_are_left_where_none_shall[f16-CPU-True-True-expected1]",
    ),
)
