"""Loose questions keep the name they ask about, and never become held-out ones."""

from __future__ import annotations

import random

from loosening import BETWEEN, CLOSINGS, OPENINGS, loosen, nonsense
from phrasing import TRAINING

NAME = "os.path.join"


def test_the_name_is_never_lost() -> None:
    rng = random.Random(1)
    for template in TRAINING * 5:
        assert NAME in loosen(template.format(x=NAME, kind="function"), NAME, rng)


def test_the_same_seed_loosens_the_same_way() -> None:
    question = "What is the purpose of os.path.join?"
    first = [loosen(question, NAME, random.Random(seed)) for seed in range(20)]
    assert first == [loosen(question, NAME, random.Random(seed)) for seed in range(20)]
    assert len(set(first)) > 5


def test_no_closing_of_a_held_out_question_is_added() -> None:
    added = {*OPENINGS, *CLOSINGS, *BETWEEN}
    assert not added & {"exactly", "for a beginner", "Remind me", "Teach me", "So"}


def test_nonsense_is_one_to_three_words() -> None:
    rng = random.Random(3)
    assert all(1 <= len(nonsense(rng).split()) <= 3 for _ in range(50))
