"""`slipstream verify-files`: reads installed files again and compares their hashes."""

from __future__ import annotations

import argparse
from collections.abc import Iterable
from typing import TYPE_CHECKING

from app.settings.flags import add_model_names, add_network_arguments

if TYPE_CHECKING:
    from app.models.rehash import Rehashed
    from app.models.shelf import Held, Shelf

HELP = "hash installed files again and compare them with what they should be"
WRONG = ("damaged", "unreadable", "not here")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the flags."""
    add_model_names(parser, "*")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    add_network_arguments(parser)


def run(args: argparse.Namespace) -> int:
    """Hash; 1 if a file is damaged, cannot be read, or is named and not here. Raises CatalogError,
    also if the folder of models cannot be read.
    """
    import json

    from app.models.rehash import rehash
    from app.models.shelf import Shelf
    from app.terminal.sanitise import one_line

    shelf = Shelf.open()
    shelf.store.check()
    checked = []
    for held in _files(shelf, args.names):
        found = rehash(held, shelf.store)
        checked.append(found)
        if not args.json:
            print(one_line(f"{found.path.name}: {found.words}"))
    if args.json:
        print(json.dumps({"files": [_as_json(found) for found in checked]}))
    return int(any(found.state in WRONG for found in checked))


def _as_json(found: Rehashed) -> dict[str, str | None]:
    return {
        "file": str(found.path),
        "state": found.state,
        "sha256": found.sha256,
        "why": found.why,
    }


def _files(shelf: Shelf, names: list[str]) -> list[Held]:
    """Return the files of these names; without names all that are here, be they unfinished."""
    held = [file for name in names for file in _named(shelf, name)] if names else shelf.all_here()
    return list({file.spec.source: file for file in held}.values())


def _named(shelf: Shelf, name: str) -> Iterable[Held]:
    """Return the files of a name: a pair of which a projector was left out does not lack it."""
    is_usable = name in shelf.catalog.pairs and shelf.pair(name).is_usable
    return _here(shelf.files(name)) if is_usable else shelf.files(name)


def _here(held: Iterable[Held]) -> Iterable[Held]:
    return (file for file in held if file.state != "not here")
