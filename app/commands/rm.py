"""`slipstream rm`: removes a pair's files, except those that another installed pair needs."""

from __future__ import annotations

import argparse
import sys
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from app.settings.flags import add_model_names, add_network_arguments

if TYPE_CHECKING:
    from app.errors import PullError
    from app.models.removal import Going, Parting
    from app.models.store import Store

HELP = "remove a pair's files, but none that a pair with another target uses"
LONGEST = 2000
"""Characters of a line that names files."""


@dataclass
class _Removed:
    """What went. error: what ended it before all of it had gone."""

    files: list[Going] = field(default_factory=list)
    freed_bytes: int = 0
    error: PullError | OSError | None = None


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the flags."""
    parser.epilog = "Files of the Hugging Face cache, and those that you named by path, stay."
    add_model_names(parser, "+")
    parser.add_argument("--yes", action="store_true", help="do not ask")
    parser.add_argument("--json", action="store_true", help="print one JSON object; needs --yes")
    add_network_arguments(parser)


def run(args: argparse.Namespace) -> int:
    """Remove; 1 if the person says no. Raises CatalogError, SettingsError, and once it is said what
    was removed, the PullError or OSError that ended it.
    """
    from app.models.removal import parting
    from app.models.shelf import Shelf

    shelf = Shelf.open()
    shelf.store.check()
    names = list(dict.fromkeys(args.names))
    found = parting(shelf, names)
    if not args.json:
        _say_of_others(found)
    if found.goes and not args.yes and not _agreed(found, args.json):
        print("Nothing was removed.")
        return 1
    removed = _removed(found, shelf.store)
    _report(names, found, removed, args.json)
    if removed.error is not None:
        raise removed.error
    return 0


def _removed(found: Parting, store: Store) -> _Removed:
    """Remove one file after the other, as long as that goes well."""
    from app.errors import PullError

    removed = _Removed()
    try:
        for going in found.goes:
            removed.freed_bytes += store.remove(going.held.spec)
            removed.files.append(going)
    except (PullError, OSError) as error:
        removed.error = error
    return removed


def _say_of_others(found: Parting) -> None:
    """Say what stays, in one line for each reason, and which other pairs are lost."""
    from app.terminal.sanitise import one_line

    for reason in dict.fromkeys(why for _, why in found.stays):
        files = [str(h.spec.file or h.spec.own_path) for h, why in found.stays if why == reason]
        if len(files) == 1:
            print(one_line(f"{files[0]} {reason}: it stays."))
        else:
            line = f"{', '.join(files[:-1])} and {files[-1]} stay: each {reason}."
            print(one_line(line, limit=LONGEST))
    if found.losing:
        print(f"Made of them too: {', '.join(found.losing)}.")


def _agreed(found: Parting, is_json: bool) -> bool:
    """Ask. Raises SettingsError where nobody can be asked."""
    from app.errors import SettingsError
    from app.sizes import size
    from app.terminal.sanitise import one_line

    if is_json or sys.stdin is None or not sys.stdin.isatty():
        raise SettingsError("Nobody can be asked here: give --yes to remove without asking.")
    for going in found.goes:
        print("  " + one_line(f"{going.name}, {size(going.n_bytes)}"))
    try:
        return input("Remove these files? [y/N] ").strip().lower() in ("y", "yes")
    except EOFError:  # Ctrl-D
        print()
        return False


def _report(names: list[str], found: Parting, removed: _Removed, is_json: bool) -> None:
    """Say what was done."""
    from app.sizes import size
    from app.terminal.sanitise import one_line

    if is_json:
        _print_json(names, found, removed)
    elif removed.files:
        files = one_line(", ".join(going.name for going in removed.files), LONGEST)
        print(f"{files}: removed, {size(removed.freed_bytes)} freed.")
    elif removed.error is None:
        print(f"{', '.join(names)}: nothing to remove.")


def _print_json(names: list[str], found: Parting, removed: _Removed) -> None:
    import json

    error = removed.error
    said = {
        "names": names,
        "freed_bytes": removed.freed_bytes,
        "removed": [going.held.spec.source for going in removed.files],
        "stays": [{"file": held.spec.source, "why": why} for held, why in found.stays],
        "losing": list(found.losing),
        "error": None if error is None else _words(error),
    }
    print(json.dumps(said))


def _words(error: PullError | OSError) -> str:
    from app.errors import refused

    return refused(error) if isinstance(error, OSError) else str(error)
