"""Every drafter against plain decoding and against llama.cpp's own programs, in one run:

    python -m tests.lab.compare --json FILE

The lab pair (pairs.py) answers the demo task set, or with --source one made of a real model the
general set. Within a round all contenders answer the same prompt one after the other, shuffled, so
that drift of the machine hits all alike, and each has begun that very answer before it is timed, so
that nobody reads the prompt in it. A speed-up is the ratio to the own plain decoding of the same
round, and the table has medians with quartiles. Below it stand the rates themselves, our tokens/s
over a peer's, who has our environment unless --as-shipped, and what two plain runs differ by.
llama-server's best setting is found first (sweep.py), on fewer tasks, and printed with them. Greedy
texts must agree, ours with a seed too, and no text may be a loop: all that is printed.
"""

from __future__ import annotations

import argparse
import asyncio
import random
import tempfile
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AsyncExitStack
from pathlib import Path
from statistics import fmean

from app.bench.taskset import Item, Task, builtin
from engine.process.environment import environment
from tests.lab.compared import LOOKUPS, OURS, Answer, as_json, rates, table, verdict
from tests.lab.contenders import Bindings, Contender, Engine, Ours, Run, Server
from tests.lab.pairs import lab_pair, real_pair
from tests.lab.peers import peers
from tests.lab.scales import SCALES
from tests.lab.sweep import ALL_LENGTHS, DRAFT, DRAFTING, LENGTHS, Swept, say, settings, sweep

SEED = 7
PEERS = ("server default", "server best", *LOOKUPS)
SWEPT_TASKS = ("chat", "code-edit")
WARM_TOKENS = 4
"""Tokens of an answer before it is timed; with fewer no draft model would have read the prompt."""
Job = tuple[Task, int, Item, float]


def arguments() -> argparse.Namespace:
    """Parse the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    what = parser.add_mutually_exclusive_group()
    what.add_argument("--scale", choices=sorted(SCALES), default="1b", help="of the lab pair")
    what.add_argument("--source", type=Path, help="a small Llama model to make the pair of")
    parser.add_argument("--quants", default="q8_0,q4_k_m")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--items", type=int, default=1, help="prompts of each task (default: 1)")
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
    parser.add_argument("--all-lengths", action="store_true", help="sweep all of 1 to 16 and 31")
    parser.add_argument("--best", help=f"llama-server's arguments ({DRAFT}: its draft), no sweep")
    parser.add_argument("--as-shipped", action="store_true", help="peers without our environment")
    parser.add_argument("--json", type=Path)
    args = parser.parse_args()
    if args.source and not args.source.is_file():
        parser.error(f"there is no file {args.source}")
    if not planned(args):
        parser.error(f"nothing to ask with --tasks {args.tasks} and --items {args.items}")
    return args


async def main() -> None:
    """Measure, print, write."""
    args = arguments()
    found: list[Answer] = []
    swept: dict[str, Swept] = {}
    try:
        for quant in args.quants.split(","):
            async for answers in measure(args, quant, swept):
                found += answers
                if args.json:  # what is there so far
                    args.json.write_text(as_json(found, swept))
    except asyncio.CancelledError:  # Ctrl-C
        say("broken off: what follows is what was measured until then")
    if not found:
        return
    print(table(found))
    if any(answer.contender == "server best" for answer in found):
        for quant in args.quants.split(","):
            print(f"\n{quant}, server best: {swept.get(quant, f'{args.best}, as given')}")
    print(rates(found))
    print(verdict(found))


async def measure(
    args: argparse.Namespace, quant: str, swept: dict[str, Swept]
) -> AsyncIterator[list[Answer]]:
    """Run all contenders over one quantisation of the target; yield what each prompt gave."""
    pair = real_pair(args.source) if args.source else lab_pair(scale=args.scale)
    target = pair.target(quant)
    draft = pair.draft_random if args.random_draft else pair.draft
    draft = pair.draft_blurred if args.blurred_draft else draft
    best = args.best
    if not args.no_peers and "server best" in args.peers.split(",") and not best:
        say(f"{quant}: llama-server's best setting")
        swept[quant] = await best_of(args, target, draft)
        best = swept[quant].best
    async with AsyncExitStack() as stack:
        contenders = await start(args, stack, target, draft, best or "")
        async for answers in rounds(args, quant, planned(args), contenders):
            yield answers


def planned(args: argparse.Namespace) -> list[Job]:
    """Return what to ask at which temperature."""
    wanted = args.tasks.split(",") if args.tasks else None
    temps = [float(t) for t in args.temps.split(",")]
    return [
        (task, number, item, temperature)
        for task in builtin("general" if args.source else "demo").tasks
        if wanted is None or task.name in wanted
        for temperature in (temps if len(task.temperatures) > 1 else task.temperatures)
        for number, item in enumerate(task.items[: args.items])
    ]


async def start(
    args: argparse.Namespace, stack: AsyncExitStack, target: Path, draft: Path, best: str
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
    env = told_to_peers(args)
    others: list[Server | Bindings] = [
        Server("server plain", peers().server, (), env),
        Server("server default", peers().server, told(DRAFTING, draft), env),
        Server("server best", peers().server, told(best, draft), env),
        Bindings("bindings plain", 0, env),
        *(Bindings(name, guessed, env) for name, guessed in LOOKUPS.items()),
    ]
    chosen = [other for other in others if other.name in args.peers.split(",")]
    plain = {other.plain for other in chosen}
    chosen = [other for other in others if other in chosen or other.name in plain]
    for other in chosen:
        stack.push_async_callback(other.end)
        await other.start(target)
    return [*contenders, *chosen]


def told_to_peers(args: argparse.Namespace) -> Mapping[str, str]:
    """Return what the peers' processes are told of threads and pages."""
    return {} if args.as_shipped else environment()


def told(setting: str, draft: Path) -> list[str]:
    """Return a setting as llama-server's arguments."""
    return [str(draft) if word == DRAFT else word for word in setting.split()]


async def rounds(
    args: argparse.Namespace, quant: str, jobs: list[Job], contenders: list[Contender]
) -> AsyncIterator[list[Answer]]:
    """Ask everything of everybody, each time in another order; yield what each prompt gave."""
    rng = random.Random(SEED)
    for nth in range(args.rounds):
        for task, number, item, temperature in jobs:
            say(f"{quant}: round {nth + 1} of {args.rounds}, {task.name} at {temperature:g}")
            runs: dict[str, Run] = {}
            for contender in rng.sample(contenders, len(contenders)):
                runs[contender.name] = await asked(
                    contender, item, temperature, args.predict, SEED + nth
                )
            yield [
                Answer(quant, temperature, task.name, number, nth, each.name, run, run.tps / plain)
                for each in contenders
                for run, plain in [(runs[each.name], runs[each.plain].tps or 1.0)]
            ]


async def asked(
    contender: Contender, item: Item, temperature: float, predict: int, seed: int
) -> Run:
    """Return the answer of a contender whose models have read the prompt."""
    await contender.answer(item.messages, temperature, WARM_TOKENS, seed)
    return await contender.answer(item.messages, temperature, predict, seed)


async def best_of(args: argparse.Namespace, target: Path, draft: Path) -> Swept:
    """Sweep llama-server's settings; a rate is the average over tasks and temperatures."""
    jobs = swept_on(planned(args))

    async def timed(setting: str) -> float:
        server = Server("swept", peers().server, told(setting, draft), told_to_peers(args))
        try:
            await server.start(target)
            runs = [await asked(server, item, t, args.predict, SEED) for _, _, item, t in jobs]
        finally:
            await server.end()
        return fmean(run.tps for run in runs)

    tried = list(settings(ALL_LENGTHS if args.all_lengths else LENGTHS))
    return await sweep(tried, timed, list(dict.fromkeys(task.name for task, *_ in jobs)))


def swept_on(jobs: Sequence[Job]) -> Sequence[Job]:
    """Return those of the SWEPT_TASKS; all if there are none."""
    return [job for job in jobs if job[0].name in SWEPT_TASKS] or jobs


if __name__ == "__main__":
    asyncio.run(main())
