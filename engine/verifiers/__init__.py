"""The ways to verify: one file each, and the file's name is its name on the command line.

A verifier also draws the drafters' tokens from the drafters' own rows (`pick`), since how a token
was drawn decides how it must be verified; drafters do not know which verifier that is. A module
has `build(sampler, sharpness) -> Verifier`. To add a way to verify, add a file; no other changes.
"""

from __future__ import annotations

import importlib
import pkgutil

from engine.errors import SettingError
from engine.sampling.sampler import Sampler
from engine.sampling.sharpness import Sharpness
from engine.types import Verifier


def names() -> list[str]:
    """Return the names of all verifiers, in alphabetical order."""
    return sorted(info.name for info in pkgutil.iter_modules(__path__))


def check(name: str) -> None:
    """Raise SettingError for an unknown name."""
    if name not in names():
        raise SettingError(
            f"There is no verification named {name!r}.", f"Known: {', '.join(names())}."
        )


def build(name: str, sampler: Sampler, sharpness: Sharpness | None = None) -> Verifier:
    """Build the verifier of that name over the target's sampler. Raises SettingError."""
    check(name)
    verifier: Verifier = importlib.import_module(f"{__name__}.{name}").build(sampler, sharpness)
    return verifier
