"""Looks for what keeps Slipstream from working well here, and says how to mend each fault.

Gathers the facts, with a question to the embedded pair as the last and longest of them, and hands
them to every check in app/doctor/checks.
"""

from __future__ import annotations

import asyncio
import locale
import os
import platform
import shutil
import sys
from dataclasses import replace
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path

from app.doctor.checks import files, kernels, machine, pair, screen
from app.doctor.facts import Check, Checker, Facts, Terminal, Versions
from app.doctor.trial import Trial, Unanswered, try_engine
from app.errors import SettingsError
from app.hardware import detect
from app.models.catalog import DEFAULT_PAIR, load_catalog
from app.paths import Paths
from app.threads_for_screen import leave_core_to_screen
from engine import EngineClient, PairSettings

CHECKS: tuple[Checker, ...] = (
    *machine.CHECKS,
    *kernels.CHECKS,
    *pair.CHECKS,
    *screen.CHECKS,
    *files.CHECKS,
)


def examine(facts: Facts) -> list[Check]:
    """Run every check, in order."""
    return [check(facts) for check in CHECKS]


def look() -> Facts:
    """Look at this machine, and start nothing. Raises CatalogError for a broken models.toml."""
    catalog = load_catalog()
    members = catalog.members(catalog.pair(DEFAULT_PAIR))
    return Facts(
        env=os.environ,
        hardware=detect(),
        paths=Paths(),
        terminal=_terminal(),
        versions=Versions(
            _version("slipstream"),
            platform.python_version(),
            _version("llama-cpp-python"),
            _has_eyes(),
        ),
        demo=tuple(spec.own_path for spec in members if spec.own_path is not None),
        trial=Unanswered("not asked"),
    )


def gather() -> Facts:
    """Look at this machine, and ask the embedded pair. Raises CatalogError as `look`."""
    facts = look()
    return replace(facts, trial=_trial(facts.paths, *map(str, facts.demo)))


def _terminal() -> Terminal:
    """Look at the terminal itself: sys.stdout is the screen's while there is one."""
    out = sys.__stdout__
    columns, lines = shutil.get_terminal_size()
    is_terminal = out is not None and out.isatty()
    return Terminal(is_terminal, columns, lines, locale.getpreferredencoding(False))


def _trial(paths: Paths, target: str, draft: str | None = None) -> Trial:
    """Ask the embedded pair, with a log of our own: the last crash's may still be wanted."""
    try:
        log = paths.ensure().doctor_log
    except (OSError, SettingsError) as error:
        return Unanswered(str(error))
    settings = leave_core_to_screen(PairSettings(target=target, draft=draft))
    return asyncio.run(try_engine(EngineClient(log), settings))


def _has_eyes() -> bool:
    """Look for the library beside llama.cpp's that reads pictures; nothing is imported."""
    spec = find_spec("llama_cpp")
    folder = Path(spec.origin).parent / "lib" if spec is not None and spec.origin else None
    return folder is not None and any(folder.glob("*mtmd*"))


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return ""
