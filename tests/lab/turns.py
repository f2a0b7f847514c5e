"""What the second turn of a chat waits for: `python -m tests.lab.turns`.

Its time to the first token beside the cost of evaluating its new tokens alone: the same ones
behind the same cache, decoded directly, in turns with the real thing. The goal is a ratio of at
most 1.10; rendering and tokenizing the prompt are part of the wait. Which tokens are new follows
from what was said and what is asked, not from what the engine says of its cache; that both models
evaluate just these, each once, is counted where tokens go into llama.cpp, and the command fails if
they do not. The draft model reads its new tokens behind the first token, together with it.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from statistics import median
from unittest.mock import patch

from engine.answer import Answer
from engine.arrays import Logits
from engine.assemble import Engine
from engine.cache.tokens import common_prefix
from engine.llama.context import Context
from engine.messages import Ask, Finished, Message
from engine.settings import PairSettings, SamplingSettings
from engine.types import Decoder
from tests.lab import environment
from tests.lab.contenders import THREADS
from tests.lab.pairs import lab_pair

QUESTIONS = ("What is in the module json?", "What is in the module os?")
GREEDY = SamplingSettings(temperature=0.0)
FIRST, SECOND = 120, 12
"""Tokens of the answers; of the second as many as it takes until the draft model drafts."""


@dataclass(frozen=True, slots=True)
class Reading:
    """What a model has of a prompt: new, the places that it had not evaluated before; evaluated,
    those that it did evaluate, in order.
    """

    new: range
    evaluated: tuple[int, ...]

    @property
    def is_exact(self) -> bool:
        """Whether it evaluated what is new, once each. Behind the last token draws are tried too,
        to learn how they depend on the batch: that one may come again.
        """
        last = self.new[-1]
        before = [place for place in self.evaluated if place != last]
        return before == [*self.new[:-1]] and last in self.evaluated

    def __str__(self) -> str:
        return f"{len(self.new)} new tokens, {len(self.evaluated)} evaluated"


@dataclass(frozen=True, slots=True)
class SecondTurn:
    """How both models read it, and the seconds that it waited and that its new tokens need."""

    target: Reading
    draft: Reading
    waited_s: float
    needed_s: float


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=7)
    args = parser.parse_args()
    environment.enter()
    pair = lab_pair()
    engine = Engine(
        PairSettings(target=str(pair.target_q8_0), draft=str(pair.draft), threads=THREADS)
    )
    turns = [second_turn(engine) for _ in range(args.rounds)]
    engine.free()
    ratio = median(turn.waited_s / turn.needed_s for turn in turns)
    waited = median(turn.waited_s for turn in turns)
    needed = median(turn.needed_s for turn in turns)
    print(f"second turn, target: {turns[-1].target}; draft model: {turns[-1].draft}")
    print(f"time to the first token: {1e3 * waited:.1f} ms (median of {args.rounds})")
    print(f"evaluating them alone:   {1e3 * needed:.1f} ms")
    print(f"ratio: {ratio:.3f}")
    wrong = [turn for turn in turns if not (turn.target.is_exact and turn.draft.is_exact)]
    if wrong:
        sys.exit(f"In {len(wrong)} of {args.rounds} rounds they are not the new ones, each once.")
    print("in every round both models evaluated the new tokens and no others, each once")


def second_turn(engine: Engine) -> SecondTurn:
    """Say something, ask something else, and see what is evaluated for it."""
    draft = engine.parts().draft_cache
    assert draft is not None, "this is about pairs with a draft model"
    chat = [Message(role="user", content=QUESTIONS[0])]
    first = engine.template.tokens(chat)
    answer = said(engine, chat, FIRST)
    held = [*first, *answer.token_ids[:-1]]  # the last one is evaluated when something follows
    held_by_draft = max(list(draft.tokens), first, key=len)  # it drafted, so it read the first
    chat += [Message(role="assistant", content=answer.text)]
    chat += [Message(role="user", content=QUESTIONS[1])]
    prompt = engine.template.tokens(chat)
    with watched() as calls:
        stats = said(engine, chat, SECOND).stats
    target = reading(calls, engine.decoder, held, prompt)
    by_draft = reading(calls, draft.decoder, held_by_draft, prompt)
    needed_s = alone(engine, target.new)
    return SecondTurn(target, by_draft, stats.ttft_s or 0.0, needed_s)


Call = tuple[object, int, int]
"""Who evaluated, from which place on, how many tokens."""


@contextmanager
def watched() -> Iterator[list[Call]]:
    """Note all that any model evaluates meanwhile."""
    calls: list[Call] = []
    decode = Context.decode

    def noting(self: Context, tokens: Sequence[int], start: int, n_rows: int) -> Logits:
        calls.append((self, start, len(tokens)))
        return decode(self, tokens, start, n_rows)

    with patch.object(Context, "decode", noting):
        yield calls


def reading(
    calls: Sequence[Call], decoder: Decoder, held: Sequence[int], prompt: Sequence[int]
) -> Reading:
    """Return what one of them evaluated of the prompt, and what it had to, as it held that."""
    new = range(common_prefix(held, prompt[:-1]), len(prompt))
    places = (at for who, start, n in calls if who is decoder for at in range(start, start + n))
    return Reading(new, tuple(at for at in places if at < len(prompt)))


def said(engine: Engine, chat: list[Message], predict: int) -> Finished:
    """Answer, and return the end of it."""
    answer = Answer(engine, Ask(1, chat, sampling=GREEDY, predict=predict), lambda: False)
    last = list(answer.events())[-1]
    assert isinstance(last, Finished)
    return last


def alone(engine: Engine, places: range) -> float:
    """Return the seconds that the target takes for the session's tokens at these places."""
    tokens = engine.session.tokens[places.start : places.stop]
    engine.decoder.drop(places.start)
    began = time.perf_counter()
    engine.decoder.decode(tokens, places.start, 1)
    spent = time.perf_counter() - began
    engine.recover()
    return spent


if __name__ == "__main__":
    main()
