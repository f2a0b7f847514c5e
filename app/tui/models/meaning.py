"""What a person means by what they call a model: a pair, a file, or a repository's file.

It means what `--pair` and `--model` of the command line would. Reads files and asks nobody.
"""

from __future__ import annotations

import argparse
import difflib
import os

from app.errors import UnknownError
from app.files.dropped import path_in
from app.models.names import ON_HUB, NotHereError, at_path, found_here, is_path
from app.models.shelf import Shelf
from app.settings.config import settings_for, settings_for_pair
from app.terminal.sanitise import one_line
from app.tui.models.model_access import Listed, Meant, OnHub, Usable

MOST_NEAR = 3


def meant(name: str, shelf: Shelf, args: argparse.Namespace) -> Meant:
    """Return it. args: the flags of the start, which hold for every pair. Raises AppError: there is
    nothing of that name, or more than one thing, or it is no model.
    """
    catalog, name = shelf.catalog, path_in(name)
    if name in catalog.pairs:
        is_here = shelf.pair(name).is_usable
        return Usable(settings_for_pair(args, name)) if is_here else Listed(name)
    if is_path(name):
        at_path(name)
        return Usable(settings_for(args, {"model": os.path.expanduser(name)}))
    if name not in catalog.models and not ON_HUB.fullmatch(name):
        raise UnknownError(_nothing(name, list(catalog.pairs)))
    try:
        target = found_here(name, catalog, shelf.store).models[0]
    except NotHereError:
        return OnHub(name)
    found = shelf.store.find(target)
    if found is None:
        return OnHub(name)
    return Usable(settings_for(args, {"model": str(found.path)}))


def _nothing(name: str, pairs: list[str]) -> str:
    wanted = name.casefold()
    holding = [pair for pair in pairs if wanted in pair.casefold()]
    near = holding or difflib.get_close_matches(wanted, pairs, MOST_NEAR, 0.5)
    told = f"There is no pair named {one_line(name, 40)!r}."
    if near:
        return f"{told} Did you mean {' or '.join(near[:MOST_NEAR])}?"
    return f"{told} /model lists all; a file is ./NAME.gguf, one of the Hub OWNER/REPO:FILE."
