"""Faults of pictures among tokens: what a cache keeps of them, and who is told of them."""

from __future__ import annotations

from tests.mutants.mutant import Mutant

PICTURES = "tests/engine/prompt/test_pictures.py::"
DRAFTING = "tests/engine/test_picture_drafting.py::"
CUT = PICTURES + "test_a_cache_that_is_cut_anywhere_keeps_whole_tiles"
TOLD = DRAFTING + "test_a_draft_model_is_told_the_text_alone_and_each_token_once"
KEPT = PICTURES + "test_embeddings_are_kept_up_to_a_size_the_latest_longest"

SEEING = (
    Mutant(
        "a part of a tile is kept",
        "cache/tokens.py",
        "whole(self.tokens, common_prefix(self.tokens, tokens[:-1]))",
        "common_prefix(self.tokens, tokens[:-1])",
        CUT,
    ),
    Mutant(
        "snapshots of the text before a tile are taken for its own",
        "cache/tokens.py",
        "        self._n_last = 0\n        self.mark()",
        "        self.mark()",
        PICTURES + "test_snapshots_of_the_text_before_a_tile_are_not_taken_for_its_own",
    ),
    Mutant(
        "two tiles side by side are one",
        "prompt/pictures.py",
        "self._next -= part.n_positions + 1",
        "self._next -= part.n_positions",
        PICTURES + "test_no_part_of_a_tile_is_left_of_a_shorter_text",
    ),
    Mutant(
        "the context is full by positions",
        "session.py",
        "n_cells = len(prompt) if self._sight is None else self._sight.cells(prompt)",
        "n_cells = len(prompt)",
        PICTURES + "test_the_context_is_full_by_cells",
    ),
    Mutant(
        "a step is as deep as its positions",
        "speculate.py",
        "policy.allow(room, session.used)",
        "policy.allow(room, len(session.tokens))",
        DRAFTING + "test_the_depth_of_a_step_is_the_cells_before_it",
    ),
    Mutant(
        "pixels stay when a picture is encoded",
        "prompt/pictures.py",
        "if at.nth == len(tiles) - 1:",
        "if False:",
        PICTURES + "test_new_pictures_are_cut_once_up_to_a_size[4-0]",
    ),
    Mutant(
        "the draft model draws with the noise of its own positions",
        "drafters/draft_model.py",
        "row, at = rows[-1, : self._n_common], position + self._unseen",
        "row, at = rows[-1, : self._n_common], position",
        TOLD,
    ),
    Mutant(
        "a lookup matches over a picture",
        "drafters/lookup.py",
        "            self._text.start_document()\n",
        "",
        DRAFTING + "test_a_lookup_neither_proposes_a_picture_nor_matches_over_one",
    ),
    Mutant(
        "penalties take a picture for the vocabulary's last tokens",
        "sampling/penalties.py",
        "(ids >= 0) & (ids < len(row))",
        "ids < len(row)",
        DRAFTING + "test_penalties_look_back_over_a_picture_at_the_text_alone[-1]",
    ),
    Mutant(
        "the embeddings that were just wanted go first",
        "prompt/pictures.py",
        "self._embeddings.pop(place, None)",
        "self._embeddings.get(place)",
        KEPT,
    ),
    Mutant(
        "another file is taken for the picture",
        "prompt/pictures.py",
        "if hashlib.sha256(data).hexdigest() != picture:",
        "if not data:",
        PICTURES + "test_a_picture_must_be_the_file_that_was_attached",
    ),
)
