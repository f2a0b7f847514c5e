"""`slipstream verify`: shows on this machine, with these models, that drafting changes no text."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING

from app.settings.flags import add_model_arguments, add_pair_argument
from app.terminal.signals import ending_like_ctrl_c

if TYPE_CHECKING:
    from app.settings.config import ChatSettings
    from engine import Proof, Ready

HELP = "prove, with your models on this machine, that drafting never changes the text"
DEFAULT_SECONDS = 90.0
FIXED = ("drafter", "draft_tokens", "verify", "temp", "predict", "system", "memory")
"""Settings of the chat that a proof chooses itself."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the flags."""
    named = ", ".join("--" + flag.replace("_", "-") for flag in FIXED)
    parser.epilog = f"These cannot be set, since the proof chooses them itself: {named}."
    add_pair_argument(parser)
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument(
        "--seconds",
        type=float,
        default=DEFAULT_SECONDS,
        metavar="N",
        help="about how long it may take, but no less than one answer of each kind does: more "
        "time, more answers (default: 90)",
    )
    add_model_arguments(parser, without=FIXED)


@ending_like_ctrl_c()
def run(args: argparse.Namespace) -> int:
    """Prove it and print what was found; 1 if something differs that should not."""
    import asyncio

    from app.errors import SettingsError
    from app.settings.config import settings_from, without_sight
    from app.settings.given_files import check_models

    check_models(args)
    if not 1.0 <= args.seconds <= 86_400.0:
        raise SettingsError(f"--seconds must be from 1 to 86400, found {args.seconds:g}.")
    from app.fitting import fitted

    settings = fitted(without_sight(settings_from(args)))
    ready, proof = asyncio.run(_prove(settings, args.seconds))
    from app.proof_report import as_json, as_text, judge

    verdict = judge(ready, proof)
    print(as_json(ready, proof, verdict) if args.json else as_text(ready, proof, verdict))
    return 0 if verdict.holds else 1


async def _prove(settings: ChatSettings, seconds: float) -> tuple[Ready, Proof]:
    """Load and prove, under a progress bar where somebody is looking."""
    import msgspec
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    from app.paths import Paths
    from engine import EngineClient, Loading, Proof, Proving, Ready

    pair = msgspec.structs.replace(settings.pair, drafter="auto", draft_tokens=None, memory=None)
    engine = EngineClient(Paths().ensure().engine_log)
    console = Console(stderr=True)
    columns = (TextColumn("{task.description:>14}"), BarColumn(), TimeElapsedColumn())
    ready: Ready | None = None
    proof: Proof | None = None
    try:
        with Progress(*columns, console=console, transient=True, disable=not _watched()) as bar:
            task = bar.add_task("loading", total=1.0)
            async for loading in engine.load(pair):
                if isinstance(loading, Ready):
                    ready = loading
                elif isinstance(loading, Loading):
                    bar.update(task, description=f"loading {loading.stage}")
            async for event in engine.prove(seconds, settings.sampling):
                if isinstance(event, Proof):
                    proof = event
                elif isinstance(event, Proving):
                    bar.update(task, description=event.stage, completed=event.fraction)
    finally:
        await engine.close()
    assert ready is not None and proof is not None, "a load ends with Ready, a proof with Proof"
    return ready, proof


def _watched() -> bool:
    return sys.stderr is not None and sys.stderr.isatty()
