"""Every drafter against plain decoding, interleaved in one run: `python -m tests.lab.drafters`.

Each round loads and asks once per drafter, so drift of the machine hits all alike; the speed-up is
the median over rounds of the ratio to that round's plain answer. Prints whether all texts agree and
whether they repeat themselves, since a loop would flatter acceptance.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import statistics
import sys
import tempfile
from dataclasses import asdict, dataclass
from pathlib import Path

from engine import EngineClient, Finished, PairSettings, SamplingSettings
from engine import drafters as registry
from tests.pair import DRAFT, TARGET, ask, load, user

QUESTIONS = (
    "What is in the module os?",
    "List the functions of json",
    "What is in the module itertools?",
)


@dataclass(frozen=True, slots=True)
class Row:
    """One drafter's medians over all rounds and questions."""

    drafter: str
    decode_tps: float
    speedup: float
    acceptance_rate: float | None
    mean_acceptance_length: float
    overhead_us_per_step: float
    ttft_ms: float


def main() -> None:
    """Measure, print the table, and write the JSON that was asked for."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--model", default=str(TARGET))
    parser.add_argument("--model-draft", default=str(DRAFT))
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--predict", type=int, default=200)
    parser.add_argument("--temp", type=float, default=0.0)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--draft-tokens", type=int)
    parser.add_argument("--json", type=Path)
    args = parser.parse_args()
    answers = asyncio.run(measure(args))
    rows = [summarise(name, answers) for name in answers]
    print_table(rows, answers)
    if args.json:
        args.json.write_text(json.dumps([asdict(row) for row in rows], indent=2))


async def measure(args: argparse.Namespace) -> dict[str, list[Finished]]:
    """Return all answers by drafter: [rounds x questions], plain first."""
    names = sorted(registry.names(), key=lambda name: (name != "none", name))
    answers: dict[str, list[Finished]] = {name: [] for name in names}
    sampling = SamplingSettings(temperature=args.temp, seed=args.seed)
    with tempfile.TemporaryDirectory() as folder:
        client = EngineClient(Path(folder) / "engine.log")
        try:
            for n in range(args.rounds):
                print(f"round {n + 1} of {args.rounds}", file=sys.stderr)
                for name in names:
                    pair = PairSettings(
                        target=args.model,
                        draft=args.model_draft,
                        drafter=name,
                        draft_tokens=args.draft_tokens,
                    )
                    await load(client, pair)
                    await ask(client, [user("Hello!")], sampling, 20)  # warms threads and caches
                    for question in QUESTIONS:
                        answers[name].append(
                            await ask(client, [user(question)], sampling, args.predict)
                        )
        finally:
            await client.close()
    return answers


def summarise(name: str, answers: dict[str, list[Finished]]) -> Row:
    """Return one drafter's row; ratios are taken answer by answer."""
    stats = [answer.stats for answer in answers[name]]
    ratios = [
        (answer.stats.decode_tps or 0.0) / (plain.stats.decode_tps or 1.0)
        for answer, plain in zip(answers[name], answers["none"], strict=True)
    ]
    tested = sum(s.tested for s in stats)
    return Row(
        drafter=name,
        decode_tps=statistics.median(s.decode_tps or 0.0 for s in stats),
        speedup=statistics.median(ratios),
        acceptance_rate=sum(s.accepted for s in stats) / tested if tested else None,
        mean_acceptance_length=sum(s.output_tokens for s in stats) / sum(s.steps for s in stats),
        overhead_us_per_step=statistics.median(1e6 * s.engine_overhead_s / s.steps for s in stats),
        ttft_ms=statistics.median(1e3 * (s.ttft_s or 0.0) for s in stats),
    )


def print_table(rows: list[Row], answers: dict[str, list[Finished]]) -> None:
    """Print the rows, and what makes them believable."""
    print("| drafter | tokens/s | over plain | acceptance | tokens/step | overhead/step | TTFT |")
    print("|---|---|---|---|---|---|---|")
    for row in rows:
        accepted = "" if row.acceptance_rate is None else f"{row.acceptance_rate:.0%}"
        print(
            f"| {row.drafter} | {row.decode_tps:.0f} | {row.speedup:.2f} | {accepted} "
            f"| {row.mean_acceptance_length:.2f} | {row.overhead_us_per_step:.0f} µs "
            f"| {row.ttft_ms:.1f} ms |"
        )
    same = all(
        [a.token_ids for a in answers[name]] == [a.token_ids for a in answers["none"]]
        for name in answers
    )
    tokens = [len(a.token_ids) for a in answers["none"][: len(QUESTIONS)]]
    fresh = [round(variety(a.token_ids), 2) for a in answers["none"][: len(QUESTIONS)]]
    print(f"all drafters say the same: {same}; answer lengths {tokens}; distinct 4-grams {fresh}")


def variety(tokens: list[int], n: int = 4) -> float:
    """Return the share of distinct n-grams: near 1 for text, near 0 for a loop."""
    grams = [tuple(tokens[i : i + n]) for i in range(len(tokens) - n + 1)]
    return len(set(grams)) / len(grams) if grams else 1.0


if __name__ == "__main__":
    main()
