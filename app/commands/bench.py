"""`slipstream bench`: your own models, plain against every drafter, task by task."""

from __future__ import annotations

import argparse
import sys
from os.path import expanduser
from pathlib import Path
from typing import TYPE_CHECKING

from app.completers import listed, task_names
from app.settings.flags import add_model_arguments, add_pair_argument, add_think_argument
from app.settings.values import drafter_names
from app.terminal.signals import ending_like_ctrl_c

if TYPE_CHECKING:
    from app.bench.benchmark import Benchmark, Wish
    from app.bench.kept import Progress
    from app.bench.result import Result
    from app.bench.taskset import Task
    from app.settings.config import ChatSettings

HELP = "measure your models: plain against every drafter, task by task"
DEFAULT_ROUNDS, MOST_ROUNDS = 3, 1000
PLAIN = "none"
INTERRUPTED = 130
STDOUT = "-"
FILES = {
    "--json": "write every figure; - for standard output",
    "--html": "write a report for the browser",
    "--against": "compare with what --json wrote before, and ask what that has",
}
FIXED = ("drafter", "memory")
"""Settings of the chat that a benchmark chooses itself."""

DEFAULTS = (
    "temperatures and lengths of answers are the tasks' own, and the seed is 1, where no flag says "
    "otherwise; all else is as in the chat"
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the flags."""
    parser.epilog = (
        "Results are kept and the next run shows what changed. A run that was interrupted goes on "
        "where it was. Each drafter is measured and no answer remembered. A model that may think "
        "first does not, unless --think or a setting has it do so."
    )
    add_pair_argument(parser)
    parser.add_argument(
        "--quick", action="store_true", help="in under a minute: fewer and shorter answers"
    )
    parser.add_argument(
        "--rounds", type=int, metavar="N", help=f"measure N times (default: {DEFAULT_ROUNDS})"
    )
    tasks = parser.add_argument(
        "--tasks",
        metavar="NAME,…|F.toml",
        help="only these tasks, or those of a file (default: demo for that pair, else general)",
    )
    tasks.completer = task_names  # type: ignore[attr-defined]
    drafters = parser.add_argument(
        "--drafters", metavar="NAME,…", help="only these drafters (default: all)"
    )
    drafters.completer = lambda prefix, **_: listed(  # type: ignore[attr-defined]
        drafter_names(), prefix
    )
    for flag, about in FILES.items():
        parser.add_argument(flag, metavar="FILE", type=expanduser, help=about)
    parser.add_argument(
        "--fresh", action="store_true", help="start over instead of going on with a run"
    )
    add_model_arguments(parser, without=FIXED, defaults=DEFAULTS)
    add_think_argument(parser)


@ending_like_ctrl_c()
def run(args: argparse.Namespace) -> int:
    """Measure and show; 130 if interrupted."""
    import asyncio
    from dataclasses import replace

    from app.bench.benchmark import Benchmark
    from app.bench.kept import read_result
    from app.bench.watching import watched
    from app.paths import Paths

    against = read_result(Path(args.against)) if args.against is not None else None
    wish, settings = _wish(args, against)
    if against is not None:
        wish = replace(wish, again=tuple(heat.key for heat in against.heats))
    benchmark = None
    try:
        with watched() as show:
            benchmark = Benchmark(settings, wish, Paths().bench_dir, show)
            result, former = asyncio.run(_measure(benchmark))
    except KeyboardInterrupt:
        progress = benchmark.progress if benchmark else None
        print(f"slipstream: {_interrupted(progress, args.fresh)}", file=sys.stderr)
        return INTERRUPTED
    _report(args, result, against or former)
    return 0


def _interrupted(progress: Progress | None, fresh: bool) -> str:
    if progress is None:
        return "interrupted while loading; what an earlier run may have measured is kept."
    if not progress.told:
        return "interrupted before anything was measured."
    if not progress.count:
        goes_on = "starts over"
    elif fresh:
        goes_on = "without --fresh goes on from there"
    else:
        goes_on = "goes on from there, with --fresh it starts over"
    return f"interrupted; {progress.told}. The same command {goes_on}."


def _wish(args: argparse.Namespace, against: Result | None) -> tuple[Wish, ChatSettings]:
    """Check everything that can be checked before a model is loaded. Seed and rounds are those of
    what is compared with, where no flag says otherwise.
    """
    from app.bench.benchmark import Wish
    from app.bench.plan import Scope
    from app.bench.quick import QUICK_S, SEED
    from app.settings.config import settings_from
    from app.settings.given_files import check_models

    check_models(args)
    rounds = _rounds(args, against)
    if args.seed is None:
        args.seed = against.setup.sampling.seed if against else SEED  # the same text in each run
    settings = settings_from(args)
    _check_files(args.json, args.html)
    scope = Scope(
        rounds=rounds,
        temperatures=() if args.temp is None else (args.temp,),
        predict=args.predict,
    )
    wish = Wish(
        tasks=_tasks(args.tasks, settings),
        scope=scope,
        drafters=_drafters(args.drafters),
        limit_s=QUICK_S if args.quick else None,
        fresh=args.fresh,
    )
    return wish, settings


def _rounds(args: argparse.Namespace, against: Result | None) -> int:
    """Return how often is measured."""
    from app.errors import SettingsError

    where, rounds = "--rounds", DEFAULT_ROUNDS if args.rounds is None else args.rounds
    if args.rounds is None and against is not None:
        where, rounds = f"{args.against}: rounds", against.setup.rounds
    if not 1 <= rounds <= MOST_ROUNDS:
        raise SettingsError(f"{where} must be from 1 to {MOST_ROUNDS}, found {rounds}.")
    return rounds


def _tasks(given: str | None, settings: ChatSettings) -> tuple[Task, ...]:
    """Return the tasks by name or by file; all of the pair's set if none are given."""
    from app.bench.quick import own_tasks
    from app.bench.taskset import load
    from app.errors import SettingsError

    if given is not None and given.endswith(".toml"):
        return load(Path(expanduser(given))).tasks
    tasks = own_tasks(settings)
    if given is None:
        return tasks
    wanted = _words("--tasks", given)
    known = [task.name for task in tasks]
    for name in wanted:
        if name not in known:
            raise SettingsError(
                f"--tasks: there is no task {name!r}. Choose from {', '.join(known)}, or give a "
                "TOML file."
            )
    return tuple(task for task in tasks if task.name in wanted)


def _drafters(given: str | None) -> tuple[str, ...]:
    """Return the names that were given, () for all."""
    from app.errors import SettingsError

    if given is None:
        return ()
    wanted = tuple(word.replace("-", "_") for word in _words("--drafters", given))
    for name in wanted:
        if name not in drafter_names():
            raise SettingsError(
                f"--drafters: there is no drafter {name!r}. Known: {', '.join(drafter_names())}."
            )
    if not set(wanted) - {PLAIN}:
        raise SettingsError("--drafters needs one besides none, which is always measured.")
    return wanted


def _words(flag: str, given: str) -> list[str]:
    from app.errors import SettingsError

    words = [word.strip() for word in given.split(",") if word.strip()]
    if not words:
        raise SettingsError(f"{flag} needs at least one name, found {given!r}.")
    return words


def _check_files(json: str | None, html: str | None) -> None:
    """Refuse what could not be written when the benchmark is done."""
    from app.errors import SettingsError

    _check_file("--json", json)
    _check_file("--html", html)
    if html == STDOUT:
        raise SettingsError("--html needs a file: only --json can go to standard output.")
    if json and html and Path(json).resolve() == Path(html).resolve():
        raise SettingsError(f"--json and --html name the same file, {html}: give each its own.")


def _check_file(flag: str, name: str | None) -> None:
    import os

    from app.errors import SettingsError

    if name is None or name == STDOUT:
        return
    path = Path(name)
    places = [path] if path.exists() else []
    if path.is_file() or not places:
        places.append(path.resolve().parent)  # a file is put in the place of the old one
    if path.is_dir() or not all(os.access(place, os.W_OK) for place in places):
        raise SettingsError(f"{flag}: cannot write {path}; give a file in a folder of yours.")


async def _measure(benchmark: Benchmark) -> tuple[Result, Result | None]:
    from app.paths import Paths
    from engine import EngineClient

    engine = EngineClient(Paths().ensure().engine_log)
    try:
        return await benchmark.run(engine)
    finally:
        await engine.close()


def _report(args: argparse.Namespace, result: Result, former: Result | None) -> None:
    """Show the table, or the JSON that goes where that would; write the files whatever befalls."""
    from app.bench.export import as_json
    from app.bench.kept import write_out
    from app.bench.report import as_html
    from app.bench.table import show_result

    try:
        if args.json == STDOUT:
            print(as_json(result, former))
        else:
            show_result(result, former)
    finally:
        try:
            if args.html:
                write_out(Path(args.html), as_html(result, former))
        finally:
            if args.json and args.json != STDOUT:
                write_out(Path(args.json), as_json(result, former) + "\n")
