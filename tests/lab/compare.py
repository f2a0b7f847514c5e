"""Every drafter against plain decoding and against llama.cpp's own programs, in one run:

    python -m tests.lab.compare --json FILE

The lab pair (inflate.py) answers the demo task set. Within a round all contenders answer the same
prompt one after the other, in rotating order, so that drift of the machine hits all alike; a
speed-up is the ratio to the own plain decoding of the same round, and the table has medians with
quartiles. Below it stand the rates themselves, our tokens/s over a peer's, who has our environment
unless --as-shipped. llama-server's best setting is found first, by a sweep over draft length, p-min
and its n-gram types. Greedy texts must agree, and no text may be a loop: both are printed.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
import tempfile
from collections.abc import Mapping
from contextlib import AsyncExitStack
from pathlib import Path
from statistics import fmean

from app.bench.taskset import Item, Task, builtin
from engine.environment import ENVIRONMENT
from tests.lab.compared import Answer, as_json, rates, table, verdict
from tests.lab.contenders import Bindings, Contender, Engine, Ours, Run, Server
from tests.lab.inflate import lab_pair
from tests.lab.peers import peers

SEED = 7
OURS = ("none", "lookup", "draft_model", "auto")
PEERS = ("server default", "server best", "bindings lookup")
SWEPT_TASKS = ("chat", "code-edit")
LENGTHS, ALL_LENGTHS = (1, 2, 3, 4, 6, 8, 12, 16), tuple(range(1, 17))
P_MINS = (0.0, 0.5, 0.75)
NGRAMS = ("ngram-simple", "ngram-map-k", "ngram-map-k4v", "ngram-mod", "ngram-cache")
DRAFTING = ("--spec-type", "draft-simple")
DRAFT = "DRAFT"


def arguments() -> argparse.Namespace:
    """Parse the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quants", default="q8_0,q4_k_m")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--items", type=int, default=1, help="prompts of each task")
    parser.add_argument("--tasks", help="names, separated by commas (default: all)")
    parser.add_argument("--temps", default="0,0.8", help="creative is always at its own")
    parser.add_argument("--predict", type=int, default=160)
    parser.add_argument("--peers", default=",".join(PEERS), help="those there, by name (all)")
    drafts = parser.add_mutually_exclusive_group()
    drafts.add_argument("--random-draft", action="store_true", help="a draft that guesses nothing")
    drafts.add_argument(
        "--blurred-draft", action="store_true", help="one as dear and as often wrong as real ones"
    )
    parser.add_argument("--memory", action="store_true", help="ours remember their own answers")
    parser.add_argument("--no-peers", action="store_true", help="only our own drafters")
    parser.add_argument("--all-lengths", action="store_true", help="sweep 1 to 16, not eight of it")
    parser.add_argument("--best", help=f"llama-server's arguments ({DRAFT}: its draft), no sweep")
    parser.add_argument("--as-shipped", action="store_true", help="peers without our environment")
    parser.add_argument("--json", type=Path)
    return parser.parse_args()


async def main() -> None:
    """Measure, print, write."""
    args = arguments()
    found: list[Answer] = []
    swept: dict[str, dict[str, float]] = {}
    for quant in args.quants.split(","):
        found += await measure(args, quant, swept)
        if args.json:  # what is there so far
            args.json.write_text(as_json(found, swept))
    print(table(found))
    print(rates(found))
    print(verdict(found))


async def measure(
    args: argparse.Namespace, quant: str, swept: dict[str, dict[str, float]]
) -> list[Answer]:
    """Run all contenders over one quantisation of the target."""
    pair = lab_pair()
    target = pair.target(quant)
    draft = pair.draft_random if args.random_draft else pair.draft
    draft = pair.draft_blurred if args.blurred_draft else draft
    jobs = list(planned(args))
    async with AsyncExitStack() as stack:
        best: list[str] = []
        if not args.no_peers and "server best" in args.peers.split(","):
            say(f"{quant}: llama-server's best setting")
            best = args.best.replace(DRAFT, str(draft)).split() if args.best else []
            best = best or await sweep(args, quant, target, draft, swept)
        contenders = await start(args, stack, target, draft, best)
        return await rounds(args, quant, jobs, contenders)


def planned(args: argparse.Namespace) -> list[tuple[Task, int, Item, float]]:
    """Return what to ask at which temperature."""
    wanted = args.tasks.split(",") if args.tasks else None
    temps = [float(t) for t in args.temps.split(",")]
    return [
        (task, number, item, temperature)
        for task in builtin("demo").tasks
        if wanted is None or task.name in wanted
        for temperature in (temps if len(task.temperatures) > 1 else task.temperatures)
        for number, item in enumerate(task.items[: args.items])
    ]


async def start(
    args: argparse.Namespace, stack: AsyncExitStack, target: Path, draft: Path, best: list[str]
) -> list[Contender]:
    """Start all contenders; the stack ends them."""
    folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
    contenders: list[Contender] = []
    for name in OURS:
        if args.memory or not contenders:
            engine = Engine(folder / f"{name}.log", folder / name if args.memory else None)
            stack.push_async_callback(engine.client.close)
            await engine.start(target, draft)
        contenders.append(Ours(engine, name))
    if args.no_peers:
        return contenders
    default, env = (*DRAFTING, "-md", str(draft)), environment(args)
    others: list[Server | Bindings] = [
        Server("server plain", peers().server, (), env),
        Server("server default", peers().server, default, env),
        Server("server best", peers().server, best, env),
        Bindings("bindings plain", False, env),
        Bindings("bindings lookup", True, env),
    ]
    chosen = [other for other in others if other.name in args.peers.split(",")]
    plain = {other.plain for other in chosen}
    chosen = [other for other in others if other in chosen or other.name in plain]
    for other in chosen:
        stack.push_async_callback(other.end)
        await other.start(target)
    return [*contenders, *chosen]


def environment(args: argparse.Namespace) -> Mapping[str, str]:
    """Return what the peers' processes are told of threads and pages."""
    return {} if args.as_shipped else ENVIRONMENT


async def rounds(
    args: argparse.Namespace,
    quant: str,
    jobs: list[tuple[Task, int, Item, float]],
    contenders: list[Contender],
) -> list[Answer]:
    """Ask everything of everybody, in rotating order."""
    found = []
    for nth in range(args.rounds):
        for at, (task, number, item, temperature) in enumerate(jobs):
            say(f"{quant}: round {nth + 1} of {args.rounds}, {task.name} at {temperature:g}")
            runs: dict[str, Run] = {}
            shift = (nth + at) % len(contenders)
            for contender in contenders[shift:] + contenders[:shift]:
                await contender.answer(item.messages, temperature, 1, SEED)  # caches the prompt
                runs[contender.name] = await contender.answer(
                    item.messages, temperature, args.predict, SEED + nth
                )
            for contender in contenders:
                run = runs[contender.name]
                ratio = run.tps / (runs[contender.plain].tps or 1.0)
                found.append(
                    Answer(quant, temperature, task.name, number, nth, contender.name, run, ratio)
                )
    return found


async def sweep(
    args: argparse.Namespace,
    quant: str,
    target: Path,
    draft: Path,
    swept: dict[str, dict[str, float]],
) -> list[str]:
    """Return the arguments of llama-server that decode fastest, on average over temperatures."""
    lengths = ALL_LENGTHS if args.all_lengths else LENGTHS
    settings = [
        [*DRAFTING, "-md", str(draft), "--spec-draft-n-max", str(n), "--spec-draft-p-min", str(p)]
        for n in lengths
        for p in P_MINS
    ] + [["--spec-type", name] for name in NGRAMS]
    jobs = [(item, t) for task, _, item, t in planned(args) if task.name in SWEPT_TASKS]
    rates: dict[str, float] = {}
    for arguments in settings:
        server = Server("swept", peers().server, arguments, environment(args))
        try:
            await server.start(target)
            runs = [await server.answer(item.messages, t, args.predict, SEED) for item, t in jobs]
        except (RuntimeError, OSError) as error:
            say(f"  {' '.join(arguments)}: {error}")
            continue
        finally:
            await server.end()
        rates[" ".join(arguments)] = fmean(run.tps for run in runs)
        shown = [a for a in arguments if a != str(draft)]
        say(f"  {' '.join(shown)}: {rates[' '.join(arguments)]:.1f} tokens/s")
    swept[quant] = {name.replace(str(draft), "DRAFT"): rate for name, rate in rates.items()}
    return max(rates, key=rates.__getitem__).split()


def say(text: str) -> None:
    """Tell how far it is."""
    print(text, file=sys.stderr, flush=True)


if __name__ == "__main__":
    asyncio.run(main())
