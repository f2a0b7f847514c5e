"""A process that answers with llama-cpp-python's own `generate`: JSON lines in and out.

    python bindings_worker.py TARGET GUESSED N_CTX THREADS

GUESSED: tokens that its prompt lookup guesses at a time; 0: it decodes plainly. The rate is that
of the tokens behind the first.
"""

from __future__ import annotations

import json
import sys
import time

from llama_cpp import Llama
from llama_cpp.llama_speculative import LlamaPromptLookupDecoding


def main() -> None:
    """Load, say so, and answer line by line."""
    target, guessed, n_ctx, threads = sys.argv[1:]
    n = int(guessed)
    draft = LlamaPromptLookupDecoding(num_pred_tokens=n) if n else None
    model = Llama(
        target,
        n_ctx=int(n_ctx),
        n_threads=int(threads),
        n_threads_batch=int(threads),
        n_gpu_layers=-1,
        draft_model=draft,
        logits_all=draft is not None,  # else it has room for the rows of n_batch tokens in all
        verbose=False,
    )
    print(json.dumps({"ready": True}), flush=True)
    for line in sys.stdin:
        print(json.dumps(answer(model, json.loads(line))), flush=True)


def answer(model: Llama, asked: dict[str, float | str]) -> dict[str, object]:
    """Generate until the end of the answer or `predict` tokens."""
    prompt = model.tokenize(str(asked["prompt"]).encode(), add_bos=False, special=True)
    model.set_seed(int(asked["seed"]))
    ends = {model.token_eos(), model._model.token_eot()}
    tokens: list[int] = []
    times: list[float] = []
    for token in model.generate(
        prompt,
        temp=float(asked["temp"]),
        top_k=int(asked["top_k"]),
        top_p=float(asked["top_p"]),
        min_p=float(asked["min_p"]),
        repeat_penalty=1.0,
    ):
        times.append(time.perf_counter())
        if token in ends:
            break
        tokens.append(token)
        if len(tokens) >= int(asked["predict"]):
            break
    spent = times[-1] - times[0]
    return {
        "text": model.detokenize(tokens).decode("utf-8", "replace"),
        "n_tokens": len(tokens),
        "tps": (len(times) - 1) / spent if spent else 0.0,
    }


if __name__ == "__main__":
    main()
