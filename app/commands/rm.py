"""`slipstream rm`: removes a pair's files, except those that another installed pair needs."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING

from app.flags import add_model_names

if TYPE_CHECKING:
    from app.models.shelf import Held, Shelf

HELP = "remove a pair's files, but none that another installed pair uses"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the flags."""
    parser.epilog = "Files of the Hugging Face cache, and those that you named by path, stay."
    add_model_names(parser, "+")
    parser.add_argument("--yes", action="store_true", help="do not ask")
    parser.add_argument("--json", action="store_true", help="print one JSON object")


def run(args: argparse.Namespace) -> int:
    """Remove; 1 if the person says no. Raises CatalogError."""
    import json

    from app.models.shelf import Shelf

    shelf = Shelf.open()
    freed = 0
    for name in args.names:
        going = _going(shelf, name, quiet=args.json)
        if going and not (args.yes or args.json) and not _agreed(going):
            print("Nothing was removed.")
            return 1
        freed += sum(shelf.store.remove(held.spec) for held in going)
        if not args.json:
            _say(name, going, freed)
    if args.json:
        print(json.dumps({"names": args.names, "freed_bytes": freed}))
    return 0


def _going(shelf: Shelf, name: str, quiet: bool) -> list[Held]:
    """Return what is to be removed, and say what stays and why. Parts of downloads go too."""
    from app.sanitise import one_line

    going: list[Held] = []
    for held in shelf.files(name):
        place = held.installed.place if held.installed else None
        users = shelf.kept_for(held.spec, name)
        why = ""
        if place in ("shipped", "path", "cache"):
            why = {"shipped": "ships with Slipstream", "path": "is your own"}.get(
                place, "belongs to the Hugging Face cache"
            )
        elif held.installed is not None and users:
            why = f"is used by {', '.join(users)}"
        elif held.installed is not None or shelf.store.downloaded(held.spec):
            going.append(held)
        if why and not quiet:
            print(one_line(f"{held.spec.file or held.spec.own_path} {why}: it stays."))
        if place == "cache":
            going.append(held)  # only the record of it
    return going


def _agreed(going: list[Held]) -> bool:
    from app.errors import SettingsError
    from app.sanitise import one_line
    from app.sizes import size

    if not sys.stdin.isatty():
        raise SettingsError("Nobody can be asked here: give --yes to remove without asking.")
    for held in going:
        known = f", {size(held.size)}" if held.size else ""
        print(one_line(f"  {held.spec.file}{known}"))
    return input("Remove these files? [y/N] ").strip().lower() in ("y", "yes")


def _say(name: str, going: list[Held], freed: int) -> None:
    from app.sizes import size

    print(f"{name} is removed: {size(freed)} freed." if going else f"{name}: nothing to remove.")
