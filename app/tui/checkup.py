"""The doctor's checks for a screen: those that need no engine, and all of them.

Imports late and may take seconds: call it in a thread. A second engine beside a loaded one could
need more memory than there is, so checks that ask the demo are run only where that is wished.
"""

from __future__ import annotations

import locale
import os
import platform
import shutil
import sys
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from app.doctor.facts import Check, Terminal

NEEDS_ENGINE = ("check_kernels", "check_speculation")
"""Checks that say nothing without an answer of the demo's."""


class Checkup(Protocol):
    """What the doctor's screen needs; called in threads. Raises AppError or OSError."""

    def without_engine(self) -> list[Check]:
        """Run the checks that start nothing."""

    def with_engine(self) -> list[Check]:
        """Run all, and ask the demo in an engine of its own."""


class LocalCheckup:
    """The checks of this machine."""

    def without_engine(self) -> list[Check]:
        """Look at everything but what an engine does here."""
        from app.doctor.examine import CHECKS
        from app.doctor.facts import Facts, Versions
        from app.doctor.trial import Unanswered
        from app.hardware import detect
        from app.models.catalog import DEFAULT_PAIR, load_catalog
        from app.paths import Paths

        catalog = load_catalog()
        members = catalog.members(catalog.pair(DEFAULT_PAIR))
        facts = Facts(
            env=os.environ,
            hardware=detect(),
            paths=Paths(),
            terminal=_terminal(),
            versions=Versions(
                _version("slipstream"), platform.python_version(), _version("llama-cpp-python")
            ),
            demo=tuple(spec.own_path for spec in members if spec.own_path is not None),
            trial=Unanswered("not asked"),
        )
        return [check(facts) for check in CHECKS if check.__name__ not in NEEDS_ENGINE]

    def with_engine(self) -> list[Check]:
        """Do what `slipstream doctor` does, with the terminal that is behind this screen."""
        import dataclasses

        from app.doctor.examine import examine, gather

        return examine(dataclasses.replace(gather(), terminal=_terminal()))


def _terminal() -> Terminal:
    """Look at the terminal itself: sys.stdout is the screen's while there is one."""
    from app.doctor.facts import Terminal

    out = sys.__stdout__
    columns, lines = shutil.get_terminal_size()
    is_terminal = out is not None and out.isatty()
    return Terminal(is_terminal, columns, lines, locale.getpreferredencoding(False))


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return ""
