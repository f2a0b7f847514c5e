"""What a person may call a model: a pair of models.toml, a repository's file, or a path."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from app.errors import CatalogError
from app.models import hub
from app.models.catalog import Catalog, ModelSpec
from app.models.patience import Patience

ON_HUB = re.compile(r"(?:hf\.co/|https://huggingface\.co/)?([\w.-]+/[\w.-]+)(?::(.+))?")
SHARD = re.compile(r"(.+)-[0-9]{5}-of-([0-9]{5})\.gguf")
SHOWN_FILES = 12


@dataclass(frozen=True, slots=True)
class Named:
    """The models that a name stands for, the target first. pair: its name in the catalogue."""

    name: str
    models: tuple[ModelSpec, ...]
    pair: str | None = None


def is_on_hub(name: str) -> bool:
    """Whether a name is OWNER/REPO:FILE."""
    found = ON_HUB.fullmatch(name)
    return found is not None and found[2] is not None and not Path(name).exists()


def spec_of(name: str) -> ModelSpec:
    """Return the model that OWNER/REPO:FILE.gguf stands for. Raises CatalogError."""
    found = ON_HUB.fullmatch(name)
    try:
        return ModelSpec(repo=found[1], file=found[2]) if found else ModelSpec(path=name)
    except ValueError:
        raise CatalogError(f"{name!r} is no file of the Hub: write OWNER/REPO:FILE.gguf.") from None


def named(name: str, catalog: Catalog) -> Named:
    """Return what a name stands for, without asking anybody. Raises CatalogError."""
    if name in catalog.pairs:
        return Named(name, tuple(catalog.members(catalog.pairs[name])), name)
    if name in catalog.models:
        return Named(name, (catalog.models[name],))
    if ON_HUB.fullmatch(name):
        return Named(name, tuple(_shards(spec_of(name))))
    raise CatalogError(
        f"There is no pair named {name!r}. `slipstream list` shows those there are; a file of the "
        "Hub is OWNER/REPO:FILE.gguf."
    )


def found_on_hub(name: str, catalog: Catalog, patience: Patience) -> Named:
    """Return what a name stands for; OWNER/REPO:Q4_K_M is looked up on the Hub.

    Raises CatalogError, PullError.
    """
    at_hub = ON_HUB.fullmatch(name)
    is_whole = at_hub is not None and (at_hub[2] or "").endswith(".gguf")
    if at_hub is None or is_whole or name in catalog.pairs or name in catalog.models:
        return named(name, catalog)
    repo, wanted = at_hub[1], at_hub[2] or ""
    files = hub.files_of(repo, patience)
    fitting = [file for file in files if wanted.lower() in file.lower() and _is_first(file)]
    if len(fitting) == 1:
        return named(f"{repo}:{fitting[0]}", catalog)
    shown = _shown(fitting or list(files))
    which = "Say which one" if fitting else f"None of its files is called {wanted!r}"
    raise CatalogError(f"{which}: {repo} has {shown}.")


def _shown(files: list[str]) -> str:
    more = f" and {len(files) - SHOWN_FILES} more" if len(files) > SHOWN_FILES else ""
    return ", ".join(files[:SHOWN_FILES]) + more or "no GGUF files at all"


def _is_first(file: str) -> bool:
    """Whether a file is no later shard of a split model."""
    return SHARD.fullmatch(file) is None or "-00001-of-" in file


def _shards(spec: ModelSpec) -> list[ModelSpec]:
    """Return all files of a model that is split; llama.cpp opens the first and finds the others."""
    found = SHARD.fullmatch(spec.file or "")
    if found is None or not int(found[2]):
        return [spec]
    files = [f"{found[1]}-{i:05}-of-{found[2]}.gguf" for i in range(1, int(found[2]) + 1)]
    return [spec.model_copy(update={"file": file}) for file in files]
