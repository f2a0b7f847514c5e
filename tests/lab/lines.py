"""What vectors that lie across cache lines cost: `python -m tests.lab.lines`.

Two contexts of one model take turns with batches behind a prompt. One reserves rows of logits as
the engine does, in whole lines, the other as many as are asked for (engine/llama/lines.py).
"""

from __future__ import annotations

import argparse
import time
from statistics import median

from engine.llama import lines, log
from engine.llama.context import USUAL_ROWS, Context
from engine.llama.model import Model
from tests.lab.contenders import N_CTX, THREADS
from tests.lab.environment import enter
from tests.lab.pairs import QUANTS, lab_pair

WIDTHS = (1, 8, 16, 32, 256)
PROMPT = 100
"""Tokens before the batch."""


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--quant", choices=QUANTS, default=QUANTS[0])
    args = parser.parse_args()
    enter()
    log.capture()
    model = Model(str(lab_pair().target(args.quant)))
    whole, across = prepared(model), prepared(model, rows_in_a_line=1)
    for width in WIDTHS:
        times = [(seconds(across, width), seconds(whole, width)) for _ in range(args.rounds)]
        ratio = median(slow / quick for slow, quick in times)
        each = median(quick for _, quick in times)
        print(f"{width:3} tokens: {1e3 * each:6.1f} ms in whole lines, {ratio:.2f} times across")
    whole.free()
    across.free()
    model.free()


def prepared(model: Model, rows_in_a_line: int = lines.ROWS_IN_A_LINE) -> Context:
    """Return a context that holds a prompt."""
    usual, lines.ROWS_IN_A_LINE = lines.ROWS_IN_A_LINE, rows_in_a_line
    made = Context(model, N_CTX, THREADS)
    lines.ROWS_IN_A_LINE = usual
    made.decode(tokens(PROMPT), 0, 0)
    return made


def seconds(context: Context, width: int) -> float:
    """Return what one batch takes, all of whose rows are asked for where they are few."""
    began = time.perf_counter()
    context.decode(tokens(width), PROMPT, min(width, USUAL_ROWS))
    took = time.perf_counter() - began
    context.drop(PROMPT)
    return took


def tokens(n: int) -> list[int]:
    """Return n tokens that every vocabulary has."""
    return [i * 37 % 250 for i in range(n)]


if __name__ == "__main__":
    main()
