"""`slipstream recommend`: the best pairs for this hardware, and why."""

from __future__ import annotations

import argparse

from app.settings.flags import add_network_arguments

HELP = "name the best pairs for this machine, and say why"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the flags."""
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    add_network_arguments(parser)


def run(args: argparse.Namespace) -> int:
    """Recommend. Raises CatalogError."""
    import json

    from app.models.machine import look
    from app.models.recommend import recommend
    from app.models.shelf import Shelf
    from app.sizes import size
    from app.terminal.sanitise import one_line

    shelf = Shelf.open()
    pairs = {pair.name: pair for pair in shelf.pairs()}
    installed = {name for name, pair in pairs.items() if pair.state == "installed"}
    found = recommend(shelf.catalog, look(shelf.store.folder), installed)
    if args.json:
        rows = [{"name": r.name, "verdict": r.fit.verdict, "why": r.why} for r in found]
        print(json.dumps({"recommended": rows}))
        return 0
    for one in found:
        pair = pairs[one.name]
        known = f", {size(pair.size)}" if pair.size else ""
        what = "chat" if pair.state == "installed" else "pull"
        print(one_line(f"{one.name}: {pair.spec.title}{known}, {one.fit.verdict}"))
        print(f"  {one_line(one.why)}\n  slipstream {what} {one.name}")
    return 0
