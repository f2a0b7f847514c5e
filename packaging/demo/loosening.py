"""Questions as nobody planned them: words lost, words added, before, between and behind.

Contract: `loosen` is a pure function of a question and the random generator; the name asked about
is never touched. No word added here occurs in a held-out template alone, so that those stay unseen.
"""

from __future__ import annotations

import random

OPENINGS = (
    "Hi,", "Hey,", "Please,", "Sorry,", "OK,", "Next:", "Now,", "Another question:", "Well,",
    "Python question:", "Just curious:", "I am new here.", "I am learning Python.", "Hmm,", "And",
    "Also,", "Then", "One more:", "Thanks!", "For my homework:", "My colleague asked:", "Look,",
)  # fmt: skip
CLOSINGS = (
    "please", "for me", "in simple words", "in detail", "again", "in Python 3", "thanks",
    "to someone new to Python", "to a child", "right now", "if you can", "quickly", "in my program",
    "I forgot", "in short", "with an example", "the easy way", "today", "or not", "as a reminder",
    "when I write code", "in the standard library", "and why", "and how", "in plain English",
)  # fmt: skip
BETWEEN = (
    "really", "just", "actually", "maybe", "again", "the", "this", "here", "simply", "basically",
    "then", "please", "quickly", "ever", "now", "even", "still", "thing", "called", "named",
    "python", "one", "some", "possibly", "kindly", "often",
)  # fmt: skip
KEYS = "abcdefghijklmnopqrstuvwxyz"
LOST = 0.12
ADDED = 0.08
OPENED = 0.2
CLOSED = 0.25


def loosen(question: str, name: str, rng: random.Random) -> str:
    """Lose and add words of a question; those that hold the name stay, all if it is empty."""
    words: list[str] = []
    for word in question.split():
        if rng.random() < ADDED:
            words.append(rng.choice(BETWEEN))
        if name in word or rng.random() >= LOST:
            words.append(word)
    if rng.random() < OPENED:
        words.insert(0, rng.choice(OPENINGS))
    if rng.random() < CLOSED:
        end = words[-1][-1] if words[-1][-1] in "?." else ""
        words[-1] = words[-1].removesuffix(end)
        words.append(rng.choice(CLOSINGS) + end)
    return " ".join(words)


def nonsense(rng: random.Random) -> str:
    """Return one to three words of random keys."""
    words = ["".join(rng.choices(KEYS, k=rng.randint(2, 9))) for _ in range(rng.randint(1, 3))]
    return " ".join(words) + rng.choice(("", "", "?", "!", "..."))
