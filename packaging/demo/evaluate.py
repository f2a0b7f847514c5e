"""Measure the exported pair: are the answers right, and does the draft guess them?

    python evaluate.py TARGET.gguf DRAFT.gguf [--few] [--json FILE]

Contract: runs both files through llama.cpp, greedily, on questions drawn from a fixed seed, and
prints one JSON object. `seen` are training phrasings, `held_out` those which training never used;
an answer counts when it begins with the docstring's first sentence. The acceptance rate is the
share of the target's tokens which the draft, after the same text, also finds the likeliest.
"""

from __future__ import annotations

import argparse
import json
import os
import random
from dataclasses import dataclass
from pathlib import Path

import collect
from phrasing import HELD_OUT, Phrasing, Turn, ask, brief
from recipe import CONTEXT, IM_END, OBJECTS, SEED, TOKENIZER
from runner import Runner
from smalltalk import UNKNOWN_NAME
from tokenizer import Coder, prompt

MOST_TOKENS = 400
TURNS_BEFORE = 10


@dataclass(frozen=True, slots=True)
class Question:
    """Text up to the answer, and what the answer must begin with."""

    text: str
    expected: str


@dataclass(slots=True)
class Score:
    """What one set of questions gave."""

    right: int = 0
    asked: int = 0
    guessed: int = 0
    tokens: int = 0

    def figures(self) -> dict[str, float]:
        """Return the counts and the two ratios."""
        return {
            "questions": self.asked,
            "right": round(self.right / self.asked, 4),
            "tokens": self.tokens,
            "acceptance": round(self.guessed / self.tokens, 4),
        }


class Questions:
    """Draws every set of questions from one seed."""

    def __init__(self, items: list[collect.Documented]) -> None:
        self.items = items
        self.phrasing = Phrasing.about(items)
        self.rng = random.Random(f"{SEED}/evaluate")

    def seen(self, count: int) -> list[Question]:
        """Ask in training phrasings."""
        chosen = self.rng.sample(self.items, count)
        asked = [self.phrasing.about_object(item, self.rng)[0] for item in chosen]
        return [Question(prompt(q), i.sentence) for q, i in zip(asked, chosen, strict=True)]

    def held_out(self, count: int) -> list[Question]:
        """Ask in phrasings that training never used."""
        chosen = self.rng.sample(self.items, count)
        return [Question(prompt(ask(self.rng.choice(HELD_OUT), i)), i.sentence) for i in chosen]

    def overviews(self, count: int) -> list[Question]:
        """Ask what is in a module; the whole list is expected."""
        chosen = self.rng.sample(self.phrasing.overviews, count)
        return [Question(prompt(f"List the functions of {m.name}."), text) for m, text in chosen]

    def made_up(self, count: int) -> list[Question]:
        """Ask about names which do not exist."""
        names = [self.phrasing.made_up(self.rng) for _ in range(count)]
        return [Question(prompt(f"What does {name} do?"), UNKNOWN_NAME) for name in names]

    def late(self, count: int) -> list[Question]:
        """Ask in a held-out phrasing after other questions and answers."""
        return [self._after_others(question) for question in self.held_out(count)]

    def _after_others(self, question: Question) -> Question:
        turns = [self.phrasing.turn(self.rng) for _ in range(TURNS_BEFORE)]
        return Question("".join(map(_finished, turns)) + question.text, question.expected)


def _finished(turn: Turn) -> str:
    return f"{prompt(turn[0])}{turn[1]}{IM_END}\n"


def measure(questions: list[Question], target: Runner, draft: Runner, coder: Coder) -> Score:
    """Ask the target every question, and the draft for every token of its answers."""
    score = Score()
    for question in questions:
        asked = target.tokenize(question.text)
        said = target.greedy(asked, MOST_TOKENS)
        draft.clear()
        likeliest = draft.decode(asked + said)[len(asked) - 1 : -1].argmax(axis=1)
        score.right += coder.tokenizer.decode(said).startswith(question.expected)
        score.asked += 1
        score.guessed += int((likeliest == said).sum())
        score.tokens += len(said)
    return score


def tokenizers_agree(items: list[collect.Documented], target: Runner, coder: Coder) -> bool:
    """Say whether llama.cpp splits every question and answer as training did."""
    texts = [prompt(f"What does `{item.name}` do?") + brief(item) for item in items]
    return all(target.tokenize(text) == coder.tokenizer.encode(text).ids for text in texts)


def evaluate(target_file: Path, draft_file: Path, *, share: float = 1.0) -> dict[str, object]:
    """Return every figure; share: the part of the questions to ask."""
    threads = os.cpu_count() or 1
    target, draft = Runner(target_file, CONTEXT, threads), Runner(draft_file, CONTEXT, threads)
    items, coder = collect.read(OBJECTS), Coder(TOKENIZER)
    draw = Questions(items)
    sets = {
        "seen": draw.seen(int(300 * share)),
        "held_out": draw.held_out(int(100 * share)),
        "overviews": draw.overviews(int(40 * share)),
        "made_up": draw.made_up(int(50 * share)),
        "late_in_a_chat": draw.late(int(50 * share)),
    }
    scores = {name: measure(asked, target, draft, coder) for name, asked in sets.items()}
    seen, held_out = scores["seen"], scores["held_out"]
    return {
        "objects": len(items),
        "bytes": target_file.stat().st_size + draft_file.stat().st_size,
        "tokenizers_agree": tokenizers_agree(items, target, coder),
        "acceptance": round((seen.guessed + held_out.guessed) / (seen.tokens + held_out.tokens), 4),
        **{name: score.figures() for name, score in scores.items()},
    }


def main() -> None:
    """Evaluate the two files which the command line names."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("target", type=Path)
    parser.add_argument("draft", type=Path)
    parser.add_argument("--few", action="store_true", help="a tenth of the questions")
    parser.add_argument("--json", type=Path, help="also write the figures here")
    chosen = parser.parse_args()
    figures = evaluate(chosen.target, chosen.draft, share=0.1 if chosen.few else 1.0)
    text = json.dumps(figures, indent=2)
    print(text)
    if chosen.json:
        chosen.json.write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
