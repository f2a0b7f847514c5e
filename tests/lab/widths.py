"""How far a batch's rows differ from those of its tokens alone: `python -m tests.lab.widths`.

    python -m tests.lab.widths [--model M] [--gpu-layers N] [--depth N]
                                [--cache-type T] [--batch-invariant]

The largest difference of a logit by the width of the batch, and what the batch took, the median of
several; before them, what the tokens took that they stand behind. Where a GPU
has some of the layers, llama.cpp has it compute wide batches of the others too: with
GGML_OP_OFFLOAD_MIN_BATCH=32 in the environment, which is its default, drafts of 31 tokens are.
"""

from __future__ import annotations

import argparse
import time
from statistics import median

import numpy as np

from engine.llama import log
from engine.llama.attention import CACHE_TYPES
from engine.llama.context import BATCH_TOKENS, USUAL_ROWS, Context
from engine.llama.model import Model
from engine.loading.models import probe_tokens, target_machine
from engine.settings import PairSettings
from tests.lab.contenders import THREADS
from tests.lab.environment import enter
from tests.pair import TARGET

WIDEST, TIMES = 40, 5
WIDTHS = (1, 2, 4, 8, 17, 31, 32, USUAL_ROWS, USUAL_ROWS + 1, WIDEST)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--model", default=TARGET, help="(the embedded target)")
    parser.add_argument("--gpu-layers", type=int, help="(all that can be)")
    parser.add_argument("--depth", type=int, default=200, help="tokens before them (200)")
    parser.add_argument("--cache-type", default="f16", choices=CACHE_TYPES)
    parser.add_argument("--batch-invariant", action="store_true", help="as the app's flag")
    args = parser.parse_args()
    enter(args.batch_invariant)
    log.capture()
    machine = target_machine(
        PairSettings(
            target=str(args.model),
            gpu_layers=args.gpu_layers,
            cache_type=args.cache_type,
            batch_invariant=args.batch_invariant,
            threads=THREADS,
        )
    )
    model = Model(str(args.model), args.gpu_layers, machine.rearranges)
    context = Context(
        model,
        args.depth + 2 * WIDEST,
        THREADS,
        machine.cache_type,
        machine.device,
        batch_invariant=machine.batch_invariant,
    )
    tokens = probe_tokens(model, args.depth + WIDEST)
    prompt, text = tokens[: args.depth], tokens[args.depth :]
    layers = "all" if args.gpu_layers is None else args.gpu_layers
    print(f"{args.model}, {layers} layers on a GPU, if there is one: {machine.device}")
    began = time.perf_counter()
    for start in range(0, args.depth, BATCH_TOKENS):
        context.decode(prompt[start : start + BATCH_TOKENS], start, 0)
    print(f"the {args.depth} before them: {time.perf_counter() - began:.1f} s")
    alone = [context.decode([token], args.depth + i, 1)[0].copy() for i, token in enumerate(text)]
    for width in WIDTHS:
        took = []
        for _ in range(TIMES):
            context.drop(args.depth)
            began = time.perf_counter()
            rows = context.decode(text[:width], args.depth, min(width, USUAL_ROWS))
            took.append(time.perf_counter() - began)
        apart = np.abs(rows - np.array(alone[width - len(rows) : width])).max()
        print(f"{width:3} tokens: {apart:8.5f} apart, {1e3 * median(took):7.1f} ms")
    context.free()
    model.free()


if __name__ == "__main__":
    main()
