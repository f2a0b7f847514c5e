"""What is kept of benchmarks: the heats of one that was interrupted, the results of former ones.

Heats are appended as they are measured, one JSON line each and one write each, so a benchmark that
was killed goes on behind its last whole line. A line that cannot be read is as good as not there.
"""

from __future__ import annotations

import os
from datetime import UTC, datetime
from pathlib import Path

import msgspec

from app.bench.result import FORMAT, Heat, Result, Setup
from app.errors import AppError, SettingsError, reason
from app.paths import make_private
from app.private_file import replace, write_private
from app.short_text import read_short
from engine import write_whole

CUT = "the disk is full"
"""Why a write was cut."""
FORMER_RUNS = 20
"""How many results are kept for the same models."""
LIMIT_BYTES = 64 * 2**20
"""Of a result that is compared with."""


class Progress:
    """The heats of one benchmark that is under way. count: how many are kept; date: when the last
    of those that were resumed was measured, "" without any. unkept: why the disk did not take one,
    "" where it took all.
    """

    def __init__(self, root: Path, setup: Setup) -> None:
        self._path = root / f"{setup.state_key}.jsonl"
        self.count = 0
        self.date = ""
        self.unkept = ""

    @property
    def told(self) -> str:
        """What is left if it is interrupted now, "" where nothing was measured."""
        kept = f"(prompts: {self.count})"
        if self.unkept and self.count:
            return f"only a part of what was measured could be kept {kept}: {self.unkept}"
        if self.unkept:
            return f"what was measured could not be kept: {self.unkept}"
        return f"what was measured is kept {kept}" if self.count else ""

    @property
    def is_begun(self) -> bool:
        """Whether an interrupted run of the same benchmark has left something."""
        return self._path.exists()

    def resume(self) -> tuple[Heat, ...]:
        """Return what an interrupted run of the same benchmark measured."""
        try:
            written_s = self._path.stat().st_mtime
            lines = self._path.read_bytes().split(b"\n")
        except FileNotFoundError:
            return ()
        heats = {heat.key: heat for heat in map(_heat, lines) if heat is not None}
        self.date = datetime.fromtimestamp(written_s, UTC).date().isoformat() if heats else ""
        self.count = len(heats)
        return tuple(heats.values())

    def append(self, heat: Heat) -> None:
        """Keep one more, if the disk takes it: what is measured is shown all the same.

        It begins a line, whatever a write that was cut has left.
        """
        line = b"\n" + msgspec.json.encode(heat) + b"\n"
        try:
            make_private(self._path.parent)
            is_whole = self._write(line) == len(line)
        except OSError as error:
            self.unkept = reason(error)
        else:
            self.count += is_whole
            self.unkept = self.unkept if is_whole else CUT

    def forget(self) -> None:
        """Remove all of it."""
        self._path.unlink(missing_ok=True)
        self.count, self.unkept = 0, ""

    def _write(self, line: bytes) -> int:
        """Return how many bytes of it the disk took."""
        handle = os.open(self._path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        try:
            return os.write(handle, line)
        finally:
            os.close(handle)


def _heat(line: bytes) -> Heat | None:
    try:
        return msgspec.json.decode(line, type=Heat)
    except (ValueError, RecursionError):
        return None


class FormerRuns:
    """Finished benchmarks of the same models, the latest ones."""

    def __init__(self, root: Path, setup: Setup) -> None:
        self._folder = root / "runs" / setup.models_key
        self._key = setup.comparable_key

    def last(self) -> Result | None:
        """Return the latest whose figures may be compared with this benchmark's."""
        for path in reversed(self._paths()):
            result = _result(path)
            if result is not None and result.setup.comparable_key == self._key:
                return result
        return None

    def keep(self, result: Result) -> None:
        """Add one and drop the oldest ones."""
        stamp = "".join(c for c in result.date if c.isdigit())
        write_private(self._folder / f"{stamp}-{self._key}.json", msgspec.json.encode(result))
        for path in self._paths()[:-FORMER_RUNS]:
            path.unlink(missing_ok=True)

    def _paths(self) -> list[Path]:
        """Return the files, the oldest first."""
        return sorted(self._folder.glob("*.json"))


def _result(path: Path) -> Result | None:
    try:
        result = msgspec.json.decode(path.read_bytes(), type=Result)
    except (OSError, ValueError, RecursionError):
        return None
    return result if result.format == FORMAT else None


class _Written(msgspec.Struct):
    """What each format says of itself; the rest may have changed."""

    format: int = FORMAT


def read_result(path: Path) -> Result:
    """Read what `--json` wrote. Raises SettingsError naming the file."""
    try:
        content = read_short(path, LIMIT_BYTES, "it should be what --json wrote")
        written = msgspec.json.decode(content, type=_Written)
        if written.format != FORMAT:
            raise SettingsError(
                f"{path} has format {written.format}, this version reads {FORMAT}: measure it "
                "again."
            )
        return msgspec.json.decode(content, type=Result)
    except FileNotFoundError as error:
        raise SettingsError(
            f"Cannot read {path}: {reason(error)}. --against takes a file that --json wrote."
        ) from None
    except (ValueError, RecursionError) as error:
        raise SettingsError(f"{path} is no result of slipstream bench --json: {error}.") from None


def write_out(path: Path, text: str) -> None:
    """Write a file that somebody asked for; what is there already stays until it is whole, and its
    rights beyond that.

    Raises AppError naming the file.
    """
    try:
        if path.is_file():
            replace(path, text.encode())
        elif path.exists():  # a pipe, or /dev/null
            path.write_text(text, encoding="utf-8")
        else:
            write_whole(path.resolve(), text.encode(), 0o666)
    except OSError as error:
        raise AppError(
            f"Cannot write {path}: {reason(error)}. The figures are above; give another file next "
            "time."
        ) from None
