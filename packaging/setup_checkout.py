"""A checkout's environment: where it lies, what it was made with, and how it outlives a new one.

While a new one is made, the finished one lies aside. At whatever moment a start dies, one of them
is whole, and `settle` tells which: the stamp that says "ready" is written last.
"""

from __future__ import annotations

import os
import shutil
import tomllib
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

KINDS = ("run", "test")
# What a person may choose: the second to fourth line of a signature.
CHOICES = ("SLIPSTREAM_BACKEND", "CMAKE_ARGS", "CXXFLAGS")
# Of its lines: the checkout's path, and after two checksums what machine it is.
PLACE, MACHINE = slice(0, 1), slice(6, None)


@dataclass(frozen=True, slots=True)
class Checkout:
    """A checkout's folders, and whether its environment is ready for "run" or for "test"."""

    root: Path

    @property
    def venv(self) -> Path:
        return self.root / ".venv"

    @property
    def work(self) -> Path:
        """Where the lock and the log lie."""
        return self.root / ".build"

    @property
    def aside(self) -> Path:
        """Where the finished environment lies while a new one is made."""
        return self.work / "venv.before"

    def stamp(self, kind: str) -> Path:
        return _stamp(self.venv, kind)

    def is_ready(self, kind: str, signature: str) -> bool:
        stamp = self.stamp(kind)
        return stamp.is_file() and stamp.read_text() == signature

    def still_works(self, signature: str) -> bool:
        """Whether the environment that is finished starts here, though it is not made with what
        the signature asks for: it lies where it was made, on such a machine. One that we may not
        look into starts nothing.
        """
        try:
            if not _is_finished(self.venv) or not (self.venv / "bin" / "python").exists():
                return False
            stamp = self.stamp("run").read_text()
        except OSError:
            return False
        made, wanted = (text.split("\n") for text in (stamp, signature))
        return all(made[lines] == wanted[lines] for lines in (PLACE, MACHINE))

    def mark_ready(self, kinds: tuple[str, ...], signature: str) -> None:
        os.sync()  # a power cut must not leave the stamp without what it stands for
        for kind in kinds:
            draft = self.stamp(f"{kind}.new")
            draft.write_text(signature)
            draft.replace(self.stamp(kind))

    def pyproject(self) -> dict[str, Any]:
        return tomllib.loads((self.root / "pyproject.toml").read_text())

    def with_kept_choices(self, signature: str, env: Mapping[str, str]) -> str:
        """Return the signature with what the environment was made with where nothing is set."""
        if not self.stamp("run").is_file():
            return signature
        lines, made = signature.split("\n"), self.stamp("run").read_text().split("\n")
        for n, name in enumerate(CHOICES, start=1):
            if name not in env:
                lines[n : n + 1] = made[n : n + 1]
        return "\n".join(lines)

    def make_room(self) -> None:
        """Move a finished environment aside; what is half done may be cleared."""
        if _is_finished(self.venv) and not self.venv.is_symlink():
            with suppress(OSError):  # a mount cannot be moved
                self.venv.rename(self.aside)
                return
        for kind in KINDS:
            self.stamp(kind).unlink(missing_ok=True)

    def settle(self) -> None:
        """Keep the environment that is finished: the new one, else the one that lies aside."""
        if not self.aside.exists():
            return
        if _is_finished(self.venv) or not _is_finished(self.aside):
            _stamp(self.aside, "run").unlink(missing_ok=True)
            shutil.rmtree(self.aside)
            return
        if self.venv.exists():
            shutil.rmtree(self.venv)
        self.aside.rename(self.venv)


def choices(signature: str) -> dict[str, str]:
    """Return what a signature's environment is built with, as variables."""
    return dict(zip(CHOICES, signature.split("\n")[1:], strict=False))


def _stamp(venv: Path, kind: str) -> Path:
    return venv / f"ready-{kind}"


def _is_finished(venv: Path) -> bool:
    return _stamp(venv, "run").is_file()
