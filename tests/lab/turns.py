"""What the second turn of a chat waits for: `python -m tests.lab.turns`.

Its time to the first token beside the cost of evaluating its new tokens alone: the same ones
behind the same cache, decoded directly, in turns with the real thing. The goal is a ratio of at
most 1.10; rendering and tokenizing the prompt are part of the wait. The draft model reads its new
tokens behind the first token, together with it; how many it has evaluated by then is printed too.
"""

from __future__ import annotations

import argparse
import time
from statistics import median

from engine.answer import Answer
from engine.assemble import Engine
from engine.messages import Ask, Finished, Message
from engine.settings import PairSettings, SamplingSettings
from tests.lab import environment
from tests.lab.contenders import THREADS
from tests.lab.inflate import lab_pair

QUESTIONS = ("What is in the module json?", "What is in the module os?")
GREEDY = SamplingSettings(temperature=0.0)


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
    draft = engine.parts().draft_cache
    assert draft is not None, "the lab pair has a draft model"
    waited, needed, n_new, n_draft = [], [], 0, 0
    for _ in range(args.rounds):
        chat = [Message(role="user", content=QUESTIONS[0])]
        chat += [Message(role="assistant", content=said(engine, chat, 120).text)]
        chat += [Message(role="user", content=QUESTIONS[1])]
        before = len(draft)
        stats = said(engine, chat, 2).stats
        n_new = stats.prompt_tokens - stats.cached_tokens
        n_draft = max(0, len(draft) - before)
        waited.append(stats.ttft_s or 0.0)
        needed.append(alone(engine, stats.cached_tokens, stats.prompt_tokens))
    ratio = median(w / n for w, n in zip(waited, needed, strict=True))
    print(f"new tokens of the second turn: {n_new}; the draft model evaluated {n_draft}")
    print(f"time to the first token: {1e3 * median(waited):.1f} ms (median of {args.rounds})")
    print(f"evaluating them alone:   {1e3 * median(needed):.1f} ms")
    print(f"ratio: {ratio:.3f}")
    engine.free()


def said(engine: Engine, chat: list[Message], predict: int) -> Finished:
    """Answer, and return the end of it."""
    answer = Answer(engine, Ask(1, chat, sampling=GREEDY, predict=predict), lambda: False)
    last = list(answer.events())[-1]
    assert isinstance(last, Finished)
    return last


def alone(engine: Engine, start: int, end: int) -> float:
    """Return the seconds that the target takes for tokens start … end of the session."""
    tokens = engine.session.tokens[start:end]
    engine.decoder.drop(start)
    began = time.perf_counter()
    engine.decoder.decode(tokens, start, 1)
    spent = time.perf_counter() - began
    engine.recover()
    return spent


if __name__ == "__main__":
    main()
