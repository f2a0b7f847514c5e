"""Check that llama.cpp computes what was trained.

    python compare.py draft|target

Contract: exports the checkpoint in float32, runs a chat through llama.cpp and through PyTorch, and
exits with an error where any logit differs by more than `TOLERANCE`.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from tempfile import TemporaryDirectory

import collect
import numpy as np
import torch
from export import export
from model import Llama, Shape
from numpy.typing import NDArray
from phrasing import brief
from recipe import BUILD, OBJECTS, PLANS, TOKENIZER
from runner import Runner
from tokenizer import Coder
from train import load

TOLERANCE = 0.02
OBJECTS_IN_CHAT = 12


def trained_logits(model: str, tokens: list[int]) -> NDArray[np.float32]:
    """Return PyTorch's logits [length, vocab] in float32."""
    state = load(BUILD / f"{model}.pt")
    llama = Llama(Shape(**state["shape"]))
    llama.load_state_dict(state["optimiser"]["weights"])
    length = len(tokens)
    causal = torch.full((length, length), float("-inf")).triu(1)[None, None]
    with torch.no_grad():
        hidden = llama(torch.tensor([tokens]), torch.arange(length)[None], causal)
        return llama.logits(hidden)[0].numpy()


def compare(model: str) -> float:
    """Return the largest difference between two logits."""
    coder, items = Coder(TOKENIZER), collect.read(OBJECTS)[:OBJECTS_IN_CHAT]
    turns = [coder.turn(f"What does {item.name} do?", brief(item))[0] for item in items]
    tokens = [token for turn in turns for token in turn]
    with TemporaryDirectory() as folder:
        file = Path(folder) / "exact.gguf"
        export(model, file, exact=True)
        exported = Runner(file, len(tokens), 1).decode(tokens)
    return float(np.abs(exported - trained_logits(model, tokens)).max())


def main() -> None:
    """Compare the model which the command line names."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("model", choices=sorted(PLANS))
    model = parser.parse_args().model
    difference = compare(model)
    print(f"{model}: logits differ by at most {difference:.2g}")
    if difference > TOLERANCE:
        raise SystemExit(f"{model}: more than {TOLERANCE} apart: the export does not fit the model")


if __name__ == "__main__":
    main()
