"""Train one model of the pair; stop and start again as you like.

    python train.py draft|target

Contract: reads the objects and the tokenizer, writes `build/<model>.pt`, a checkpoint from which a
later call continues on the same data and with the same optimiser as if it had never stopped.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path
from typing import Any

import collect
import torch
from data import Batches, Row
from model import Llama, Shape
from optimise import Optimiser
from pace import Pace
from phrasing import Phrasing
from recipe import BUILD, OBJECTS, PLANS, SEED, TOKENIZER, VOCABULARY, Plan
from tokenizer import Coder
from torch import Tensor
from torch.nn import functional

SAVE_EVERY_S = 120.0
LOG_EVERY = 50


def shape_of(plan: Plan) -> Shape:
    """Return the sizes a plan asks for."""
    return Shape(VOCABULARY, plan.width, plan.layers, plan.heads, plan.kv_heads, plan.feed_forward)


def loss_of(model: Llama, rows: list[Row]) -> Tensor:
    """Return the mean cross-entropy of the learned tokens."""
    tokens = torch.tensor([row.tokens for row in rows])
    positions = torch.tensor([row.positions for row in rows])
    chats = torch.tensor([row.chats for row in rows])
    learned = torch.tensor([row.learned for row in rows])[:, 1:]
    same = chats[:, None, :, None] == chats[:, None, None, :]
    seen = same & torch.ones(same.shape[-2:], dtype=torch.bool).tril()
    mask = torch.zeros(same.shape, dtype=torch.bfloat16).masked_fill_(~seen, float("-inf"))
    hidden = model(tokens, positions, mask)[:, :-1][learned]
    return functional.cross_entropy(model.logits(hidden).float(), tokens[:, 1:][learned])


def save(path: Path, step: int, shape: Shape, optimiser: Optimiser) -> None:
    """Write a checkpoint in one move."""
    fresh = path.with_suffix(".new")
    torch.save({"step": step, "shape": shape.as_dict(), "optimiser": optimiser.state()}, fresh)
    fresh.replace(path)


def load(path: Path) -> dict[str, Any]:
    """Read a checkpoint: its step, its shape, and the optimiser's state."""
    state: dict[str, Any] = torch.load(path, weights_only=True)
    return state


def run(name: str) -> None:
    """Train a model to the end of its plan."""
    plan, path = PLANS[name], BUILD / f"{name}.pt"
    torch.manual_seed(SEED)
    model = Llama(shape_of(plan))
    optimiser = Optimiser(model, plan)
    first = 0
    if path.exists():
        state = load(path)
        optimiser.restore(state["optimiser"])
        first = state["step"]
    batches = Batches(Phrasing.about(collect.read(OBJECTS)), Coder(TOKENIZER), plan.steps)
    print(f"{name}: {model.size():,} parameters, steps {first} to {plan.all_steps}", flush=True)
    _loop(name, first, model, optimiser, batches)


def _loop(name: str, first: int, model: Llama, optimiser: Optimiser, batches: Batches) -> None:
    plan, path, pace = PLANS[name], BUILD / f"{name}.pt", Pace(torch.get_num_threads())
    saved = mark = time.monotonic()
    losses: list[float] = []
    for step in range(first, plan.all_steps):
        torch.set_num_threads(pace.threads)
        began = time.monotonic()
        loss = loss_of(model, batches.at(step))
        loss.backward()
        optimiser.step(step)
        losses.append(loss.item())
        pace.note(time.monotonic() - began)
        if len(losses) == LOG_EVERY:
            step_s = (time.monotonic() - mark) / LOG_EVERY
            print(f"{name} step {step + 1} loss {sum(losses) / LOG_EVERY:.4f} {step_s:.2f} s/step")
            sys.stdout.flush()
            mark, losses = time.monotonic(), []
        if time.monotonic() - saved > SAVE_EVERY_S or step + 1 == plan.all_steps:
            save(path, step + 1, model.shape, optimiser)
            saved = time.monotonic()


def main() -> None:
    """Train the model which the command line names."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("model", choices=sorted(PLANS))
    run(parser.parse_args().model)


if __name__ == "__main__":
    main()
