"""What a person may call a model: a pair of models.toml, a repository's file, or a path."""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from app.errors import CatalogError, UnknownError
from app.models import hub
from app.models.catalog import Catalog, ModelSpec, is_gguf, is_taken, meant, parts_of
from app.models.metadata import read_metadata
from app.models.projector import MARK, best, is_projector
from app.models.retrying import Patience
from app.models.store import Store
from app.terminal.sanitise import one_line

ON_HUB = re.compile(r"(?:hf\.co/|https://huggingface\.co/)?(\w[\w.-]*/\w[\w.-]*)(?::(.+))?")
SHOWN_FILES = 12
LONGEST_NAME = 60
NOT_TAKEN = (
    "has characters, or leads to a place, that Slipstream takes in no file's name: download it "
    "yourself, and open it by its path (--model)."
)


class NotHereError(CatalogError):
    """No file of a repository that is called so is on this machine."""


@dataclass(frozen=True, slots=True)
class Named:
    """The files that a name stands for, the target's first. pair: its name in the catalogue."""

    name: str
    models: tuple[ModelSpec, ...]
    pair: str | None = None


def without_projector(found: Named) -> Named:
    """Return what a name stands for, without a projector beside a target."""
    target, *others = found.models
    kept = (spec for spec in others if not is_projector(spec.source))
    return replace(found, models=(target, *kept))


def is_on_hub(name: str) -> bool:
    """Whether a name is OWNER/REPO:FILE."""
    found = ON_HUB.fullmatch(name)
    return found is not None and found[2] is not None and not os.path.exists(name)


def is_repository(name: str) -> bool:
    """Whether a name that leads to no file here is OWNER/REPO alone."""
    found = ON_HUB.fullmatch(name)
    return found is not None and found[2] is None and not is_gguf(name)


def is_path(name: str) -> bool:
    """Whether a name that is no pair's is a file of this machine, or is written like one."""
    is_written_so = name.startswith((".", "/", "~")) or (is_gguf(name) and ":" not in name)
    return is_written_so or os.path.isfile(name)


def at_path(name: str) -> ModelSpec:
    """Return the model that a path leads to. Raises CatalogError if that is no GGUF file."""
    read_metadata(Path(os.path.expanduser(name)))
    return ModelSpec(path=name)


def spec_of(name: str) -> ModelSpec:
    """Return the model that OWNER/REPO:FILE.gguf stands for. Raises CatalogError."""
    found = ON_HUB.fullmatch(name)
    try:
        return ModelSpec(repo=found[1], file=found[2]) if found else ModelSpec(path=name)
    except ValueError:
        if found is not None and is_gguf(found[2] or ""):
            raise CatalogError(f"{one_line(found[2], LONGEST_NAME)!r} {NOT_TAKEN}") from None
        raise CatalogError(f"{name!r} is no file of the Hub: write OWNER/REPO:FILE.gguf.") from None


def named(name: str, catalog: Catalog) -> Named:
    """Return what a name stands for, without asking anybody. Raises CatalogError."""
    if name in catalog.pairs:
        return Named(name, tuple(_parts(catalog.files(catalog.pairs[name]))), name)
    if name in catalog.models:
        return Named(name, catalog.models[name].parts)
    if is_path(name):
        raise CatalogError(
            f"{name!r} is a path, and only `slipstream info` and --model take one. A pair is meant "
            "here, or a file of the Hub, OWNER/REPO:FILE.gguf: `slipstream list` shows both."
        )
    if ON_HUB.fullmatch(name):
        return Named(name, spec_of(name).parts)
    hint = meant(name[:LONGEST_NAME], [*catalog.pairs, *catalog.models])
    raise UnknownError(
        f"There is no pair named {one_line(name, LONGEST_NAME)!r}.{hint} `slipstream list` shows "
        "those there are; a file of the Hub is OWNER/REPO:FILE.gguf."
    )


def found_on_hub(name: str, catalog: Catalog, patience: Patience) -> Named:
    """Return what a name stands for; OWNER/REPO:Q4_K_M is looked up on the Hub, with the projector
    that is published there.

    Raises CatalogError, PullError.
    """
    part = _part_of_a_name(name, catalog)
    if part is None:
        return named(name, catalog)
    repo, wanted = part
    all_files = list(hub.files_of(repo, patience))
    files = list(filter(is_taken, all_files)) or all_files
    found = _chosen(repo, wanted, files, catalog)
    projector = best(files)
    if projector is None or MARK in wanted.lower():
        return found
    return replace(found, models=(*found.models, ModelSpec(repo=repo, file=projector)))


def found_here(name: str, catalog: Catalog, store: Store) -> Named:
    """Return what a name stands for; OWNER/REPO:Q4_K_M is looked up among the files that are here,
    and where none is called so, among those that are damaged or unfinished.

    Asks nobody. Raises CatalogError, NotHereError.
    """
    part = _part_of_a_name(name, catalog)
    if part is None:
        return named(name, catalog)
    repo, wanted = part
    files = store.files_of(repo)
    if not _fitting(wanted, files):
        remains = [str(spec.file) for spec in store.files() if spec.repo == repo]
        if _fitting(wanted, remains):
            return _chosen(repo, wanted, remains, catalog)
        called = f" that is called {wanted!r}" if wanted else ""
        found = f" (but {_shown(files)})" if files else ""
        raise NotHereError(
            f"No file of {repo}{called} is here{found}; `slipstream pull {shlex.quote(name)}` "
            "downloads one."
        )
    return _chosen(repo, wanted, files, catalog)


def _part_of_a_name(name: str, catalog: Catalog) -> tuple[str, str] | None:
    """Return repository and part of a file's name, where a name is that; None if it is whole."""
    at_hub = ON_HUB.fullmatch(name)
    if at_hub is None or is_path(name) or name in catalog.pairs or name in catalog.models:
        return None
    repo, wanted = at_hub[1], at_hub[2] or ""
    return None if is_gguf(wanted) else (repo, wanted)


def _chosen(repo: str, wanted: str, files: list[str], catalog: Catalog) -> Named:
    """Return the one of a repository's models that is wanted. Raises CatalogError."""
    fitting = _fitting(wanted, files)
    if len(fitting) == 1:
        return named(f"{repo}:{fitting[0]}", catalog)
    if not files:
        raise CatalogError(
            f"{repo} has no GGUF files; look for a repository whose name ends in -GGUF."
        )
    shown = _shown(fitting or files)
    which = "Say which one" if fitting else f"None of its files is called {wanted!r}"
    raise CatalogError(f"{which}: {repo} has {shown}.")


def _fitting(wanted: str, files: list[str]) -> list[str]:
    fitting = [file for file in files if wanted.lower() in file.lower() and _is_first(file)]
    if wanted:  # Q6_K, no Q6_K_L
        whole = re.compile(rf"(?<![a-z0-9_]){re.escape(wanted.lower())}(?![a-z0-9_])")
        fitting = [file for file in fitting if whole.search(file.lower())] or fitting
    if MARK not in wanted.lower():
        return [file for file in fitting if not is_projector(file)]
    return fitting


def _shown(files: list[str]) -> str:
    more = f" and {len(files) - SHOWN_FILES} more" if len(files) > SHOWN_FILES else ""
    return ", ".join(files[:SHOWN_FILES]) + more


def _is_first(file: str) -> bool:
    """Whether a file is no later shard of a split model."""
    return parts_of(file)[0] == file


def _parts(models: Iterable[ModelSpec]) -> Iterator[ModelSpec]:
    for spec in models:
        yield from spec.parts
