"""The drafters: one file each, and the file's name is the drafter's name on the command line.

A drafter module has `build(parts) -> Drafter`, which raises `Unavailable` with the reason if this
pair cannot have it, and `USES_DRAFT_MODEL = True` if it drafts with one. To add a drafter, add a
file; nothing else changes.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable
from dataclasses import dataclass
from types import ModuleType

from engine.cache.tokens import TokenCache
from engine.drafting.automaton import Automaton
from engine.drafting.growing import never
from engine.errors import SettingError
from engine.types import Drafter


@dataclass(frozen=True, slots=True)
class Parts:
    """What a drafter may be built from.

    draft_cache: the draft model's, shared by all drafters that use it; None without one.
    n_common: ids below this mean the same in both vocabularies.
    memory: what was said in earlier conversations; None where nothing is to be remembered.
    is_end: whether a token ends an answer.
    """

    draft_cache: TokenCache | None = None
    n_common: int = 0
    memory: Automaton | None = None
    is_end: Callable[[int], bool] = never


class Unavailable(Exception):
    """This pair cannot have this drafter; the text says why."""


def names() -> list[str]:
    """Return the names of all drafters, in alphabetical order."""
    return sorted(info.name for info in pkgutil.iter_modules(__path__))


def build(name: str, parts: Parts) -> Drafter:
    """Build the drafter of that name. Raises Unavailable, or SettingError for an unknown name."""
    drafter: Drafter = _module(name).build(parts)
    return drafter


def uses_draft_model(name: str) -> bool:
    """Whether a draft model is worth loading for it. Raises SettingError for an unknown name."""
    return getattr(_module(name), "USES_DRAFT_MODEL", False)


def _module(name: str) -> ModuleType:
    if name not in names():
        raise SettingError(f"There is no drafter named {name!r}.", f"Known: {', '.join(names())}.")
    return importlib.import_module(f"{__name__}.{name}")
