"""`slipstream rm`: removes a pair's files, except those that another installed pair needs."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING

from app.settings.flags import add_model_names, add_network_arguments

if TYPE_CHECKING:
    from app.models.removal import Parting

HELP = "remove a pair's files, but none that another installed pair uses"
LONGEST = 2000
"""Characters of a line that names files."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the flags."""
    parser.epilog = "Files of the Hugging Face cache, and those that you named by path, stay."
    add_model_names(parser, "+")
    parser.add_argument("--yes", action="store_true", help="do not ask")
    parser.add_argument("--json", action="store_true", help="print one JSON object; needs --yes")
    add_network_arguments(parser)


def run(args: argparse.Namespace) -> int:
    """Remove; 1 if the person says no. Raises CatalogError, SettingsError, PullError."""
    from app.models.removal import parting
    from app.models.shelf import Shelf

    shelf = Shelf.open()
    names = list(dict.fromkeys(args.names))
    found = parting(shelf, names)
    if not args.json:
        _say_what_stays(found)
    if found.goes and not args.yes and not _agreed(found, args.json):
        print("Nothing was removed.")
        return 1
    freed = sum(shelf.store.remove(going.held.spec) for going in found.goes)
    _report(names, found, freed, args.json)
    return 0


def _say_what_stays(found: Parting) -> None:
    """Say it in one line for each reason."""
    from app.terminal.sanitise import one_line

    for reason in dict.fromkeys(why for _, why in found.stays):
        files = [str(h.spec.file or h.spec.own_path) for h, why in found.stays if why == reason]
        if len(files) == 1:
            print(one_line(f"{files[0]} {reason}: it stays."))
        else:
            line = f"{', '.join(files[:-1])} and {files[-1]} stay: each {reason}."
            print(one_line(line, limit=LONGEST))


def _agreed(found: Parting, is_json: bool) -> bool:
    """Ask. Raises SettingsError where nobody can be asked."""
    from app.errors import SettingsError
    from app.sizes import size
    from app.terminal.sanitise import one_line

    if is_json or sys.stdin is None or not sys.stdin.isatty():
        raise SettingsError("Nobody can be asked here: give --yes to remove without asking.")
    for going in found.goes:
        print("  " + one_line(f"{going.held.spec.file}, {size(going.n_bytes)}"))
    if found.losing:
        print(f"Made of them too: {', '.join(found.losing)}.")
    try:
        return input("Remove these files? [y/N] ").strip().lower() in ("y", "yes")
    except EOFError:  # Ctrl-D
        print()
        return False


def _report(names: list[str], found: Parting, freed: int, is_json: bool) -> None:
    """Say what was done."""
    import json

    from app.sizes import size
    from app.terminal.sanitise import one_line

    if is_json:
        removed = [going.held.spec.source for going in found.goes]
        stays = [{"file": held.spec.source, "why": why} for held, why in found.stays]
        print(
            json.dumps({"names": names, "freed_bytes": freed, "removed": removed, "stays": stays})
        )
    elif found.goes:
        files = one_line(", ".join(str(going.held.spec.file) for going in found.goes), LONGEST)
        print(f"{files}: removed, {size(freed)} freed.")
    else:
        print(f"{', '.join(names)}: nothing to remove.")
