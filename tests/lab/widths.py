"""How far a batch's rows differ from those of its tokens alone: `python -m tests.lab.widths`.

    python -m tests.lab.widths [--model M] [--gpu-layers N]

The largest difference of a logit by the width of the batch, and what the batch took. Where a GPU
has some of the layers, llama.cpp has it compute wide batches of the others too: with
GGML_OP_OFFLOAD_MIN_BATCH=32 in the environment, which is its default, drafts of 31 tokens are.
"""

from __future__ import annotations

import argparse
import time

import numpy as np

from engine.llama import log
from engine.llama.context import USUAL_ROWS, Context
from engine.llama.devices import device_name
from engine.llama.model import Model
from engine.loading.models import probe_tokens
from tests.lab.contenders import THREADS
from tests.lab.environment import enter
from tests.pair import TARGET

N_CTX, PROMPT, WIDEST = 1024, 200, 40
WIDTHS = (2, 4, 8, 17, 31, 32, USUAL_ROWS, USUAL_ROWS + 1, WIDEST)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--model", default=TARGET, help="(the embedded target)")
    parser.add_argument("--gpu-layers", type=int, help="(all that can be)")
    args = parser.parse_args()
    enter()
    log.capture()
    model = Model(str(args.model), args.gpu_layers)
    device = device_name(args.gpu_layers)
    context = Context(model, N_CTX, THREADS, device=device)
    tokens = probe_tokens(model, PROMPT + WIDEST)
    prompt, text = tokens[:PROMPT], tokens[PROMPT:]
    context.decode(prompt, 0, 0)
    alone = [context.decode([token], PROMPT + i, 1)[0].copy() for i, token in enumerate(text)]
    layers = "all" if args.gpu_layers is None else args.gpu_layers
    print(f"{args.model}, {layers} layers on a GPU, if there is one: {device}")
    for width in WIDTHS:
        context.drop(PROMPT)
        began = time.perf_counter()
        rows = context.decode(text[:width], PROMPT, min(width, USUAL_ROWS))
        took = time.perf_counter() - began
        apart = np.abs(rows - np.array(alone[width - len(rows) : width])).max()
        print(f"{width:3} tokens: {apart:8.5f} apart, {1e3 * took:7.1f} ms")
    context.free()
    model.free()


if __name__ == "__main__":
    main()
