"""The two words of every check: what it looks at, and what it finds."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TypeAlias

from app.doctor.trial import Answered, Trial
from app.hardware import Hardware
from app.paths import Paths

FOLDERS_FIRST = "Mend the folders first."
"""How what lies in one that cannot be is mended."""

Status = Literal["ok", "warn", "fail"]


@dataclass(frozen=True, slots=True)
class Check:
    """What one check found. mend: the line to type or the thing to do; "" when all is well."""

    name: str
    status: Status
    found: str
    mend: str = ""


@dataclass(frozen=True, slots=True)
class Terminal:
    """The terminal, or whatever standard output is."""

    is_terminal: bool
    columns: int
    lines: int
    encoding: str


@dataclass(frozen=True, slots=True)
class Versions:
    """What is installed; llama is llama-cpp-python's, "" if that is absent. has_eyes: with what
    reads pictures.
    """

    slipstream: str
    python: str
    llama: str
    has_eyes: bool = True


@dataclass(frozen=True, slots=True)
class Facts:
    """All that the checks look at. demo: the embedded pair's files; trial: what came of asking."""

    env: Mapping[str, str]
    hardware: Hardware
    paths: Paths
    terminal: Terminal
    versions: Versions
    demo: tuple[Path, ...]
    trial: Trial

    @property
    def device(self) -> str:
        """What llama.cpp took for the demo, be it that it ended by that or found no room there; ""
        without an answer.
        """
        if not isinstance(self.trial, Answered):
            return ""
        ready = self.trial.ready
        return ready.gpu_crash.partition(":")[0] or ready.device


Checker: TypeAlias = Callable[[Facts], Check]
