"""`slipstream list`: the pairs there are, what is installed, and how each fits this machine."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING

from app.settings.flags import add_network_arguments

if TYPE_CHECKING:
    from app.models.offers import Offer
    from app.models.shelf import Held

HELP = "list the pairs: installed or available, their size, and how they fit this machine"

PIPED_WIDTH = 400
"""Where no terminal tells how wide it is; nothing is cut."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the flags."""
    parser.add_argument("--installed", action="store_true", help="only what is installed")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    add_network_arguments(parser)


def run(args: argparse.Namespace) -> int:
    """List. Raises CatalogError."""
    import json

    from app.errors import CatalogError
    from app.models.machine import look
    from app.models.offers import offers
    from app.models.shelf import NOT_HERE, Shelf
    from app.terminal.sanitise import one_line

    shelf = Shelf.open()
    try:
        shelf.store.check()
    except CatalogError as error:  # what there is to download can be told all the same
        print(f"slipstream: {one_line(str(error))}", file=sys.stderr)
    found = [
        offer
        for offer in offers(shelf, look(shelf.store.folder))
        if not args.installed or offer.state not in NOT_HERE
    ]
    lone = shelf.lone()
    if args.json:
        files = [{"file": h.spec.source, "size": h.n_bytes_here, "state": h.state} for h in lone]
        print(json.dumps({"pairs": [_facts(offer) for offer in found], "other_files": files}))
    else:
        _print(found, lone, shelf.loose())
    return 0


def _facts(offer: Offer) -> dict[str, object]:
    return {
        "name": offer.name,
        "title": offer.title,
        "for_whom": offer.for_whom,
        "tier": offer.tier,
        "pictures": offer.sees,
        "state": offer.state,
        "size": offer.size,
        "verdict": offer.verdict,
        "fit": offer.fit,
    }


def _print(found: list[Offer], lone: list[Held], loose: list[Held]) -> None:
    """Print the table, and below it files that belong to no pair that is here; loose: to none."""
    from rich.console import Console
    from rich.table import Table

    from app.sizes import size
    from app.terminal.sanitise import one_line

    table = Table(box=None, pad_edge=False, header_style="bold")
    for title in ("pair", "state", "for", "size", "on this machine"):
        table.add_column(title, justify="right" if title == "size" else "left", no_wrap=True)
    for offer in found:
        known = size(offer.size) if offer.size is not None else "—"
        unsure = {held.state for held in offer.files} & {"size only", "unchecked"}
        state = f"{offer.state} ({min(unsure)})" if unsure else offer.state
        meant_for = f"{offer.tier}, pictures" if offer.sees else offer.tier
        table.add_row(offer.name, state, meant_for, known, offer.verdict)
    width = None if sys.stdout.isatty() else PIPED_WIDTH
    console = Console(highlight=False, markup=False, emoji=False, width=width)
    whole = console.options.update(max_width=PIPED_WIDTH)
    while len(table.columns) > 1 and console.measure(table, options=whole).maximum > console.width:
        table.columns.pop()  # a name that is cut is of no use
    console.print(table)
    for held in lone:
        whose = "in no pair" if held in loose else "in no pair that is here"
        line = f"{held.spec.source}, {size(held.n_bytes_here)}: {held.state}, {whose}"
        console.print(one_line(line), soft_wrap=True)
    console.print("`slipstream info NAME` tells more, `slipstream pull NAME` downloads.")
