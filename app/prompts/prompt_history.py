"""What a person typed before: kept in a file, walked through, searched backwards and forgotten.

A walk goes through all of it, slash commands too, as in a shell; a search finds questions alone.

The file has one JSON object a line and belongs to its owner alone. A prompt is appended in one
write under a lock, so several chats may share it; lines that are damaged or of a later version are
skipped. It is cut when it has grown to twice what is kept. A disk that takes nothing is no error:
the prompts of this chat are remembered all the same; but to forget, it has to. It knows no screen.
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from app.private_file import write_private
from app.prompts import slash

MOST_PROMPTS = 1_000
MOST_BYTES = 1_000_000
LONGEST_PROMPT = 20_000


class PromptHistory:
    """The prompts of one person, the oldest first. path None: those of this chat alone."""

    def __init__(self, path: Path | None) -> None:
        self._path = path
        self.prompts: list[str] = _read(path)[-MOST_PROMPTS:] if path is not None else []
        if path is not None and _is_overgrown(path):
            _cut(path)

    def add(self, prompt: str) -> None:
        """Remember a prompt, unless it is blank, too long, or the last one again."""
        is_again = bool(self.prompts) and self.prompts[-1] == prompt
        if not prompt.strip() or is_again or len(prompt) > LONGEST_PROMPT:
            return
        self.prompts = [*self.prompts, prompt][-MOST_PROMPTS:]
        if self._path is not None:
            _append(self._path, prompt)

    def forget(self, prompt: str) -> None:
        """Forget a prompt, as often as it was typed. Raises OSError."""
        self._keep(lambda each: each != prompt)

    def forget_all(self) -> None:
        """Forget all prompts. Raises OSError."""
        self._keep(lambda _: False)

    def _keep(self, is_kept: Callable[[str], bool]) -> None:
        """Keep these alone, of what other chats have added to the file, too."""
        self.prompts = [each for each in self.prompts if is_kept(each)]
        if self._path is not None and self._path.exists():
            with _locked(self._path):
                _write(self._path, [each for each in _read(self._path) if is_kept(each)])

    def walk(self) -> Walk:
        """Begin to walk through the prompts as they are now."""
        return Walk(self.prompts)

    def search(self, words: str, limit: int = 50) -> list[str]:
        """Return the questions that hold all the words, the newest first and each once.

        Capital letters count only if there is one among the words.
        """
        fold = str if words != words.lower() else str.lower
        wanted = words.split()
        distinct = dict.fromkeys(filter(_is_question, reversed(self.prompts)))
        return [p for p in distinct if all(word in fold(p) for word in wanted)][:limit]


class Walk:
    """One walk, up to older prompts and down again to the draft. What is changed on the way stays
    changed during the walk, and the history as it is.
    """

    def __init__(self, prompts: Sequence[str]) -> None:
        self._texts = [*prompts, ""]
        self._at = len(prompts)

    def up(self, shown: str) -> str | None:
        """Return the prompt before the shown text, None if there is none."""
        return self._go(-1, shown)

    def down(self, shown: str) -> str | None:
        """Return the prompt behind the shown text, at last the draft; None if it is shown."""
        return self._go(1, shown)

    def _go(self, by: int, shown: str) -> str | None:
        if not 0 <= self._at + by < len(self._texts):
            return None
        self._texts[self._at] = shown
        self._at += by
        return self._texts[self._at]


def _is_question(prompt: str) -> bool:
    """Whether it was sent to a model, or would be."""
    return slash.typed(prompt) == prompt and prompt.strip() != "/"


def _read(path: Path) -> list[str]:
    """Return the prompts that can be read, of a huge file those at its end."""
    try:
        with path.open("rb") as file:
            size = os.fstat(file.fileno()).st_size
            file.seek(max(0, size - 2 * MOST_BYTES))
            content = file.read(2 * MOST_BYTES)
    except OSError:
        return []
    return [prompt for line in content.split(b"\n") if (prompt := _prompt(line)) is not None]


def _prompt(line: bytes) -> str | None:
    try:
        prompt = json.loads(line)["prompt"]
    except (ValueError, KeyError, TypeError, IndexError, RecursionError):
        return None
    return prompt if isinstance(prompt, str) and prompt.strip() else None


def _line(prompt: str) -> bytes:
    return json.dumps({"prompt": prompt}).encode() + b"\n"


def _append(path: Path, prompt: str) -> None:
    """Append a prompt in one write; half a line that a crash left is ended first."""
    with contextlib.suppress(OSError):
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with _locked(path) as file:
            size = os.fstat(file).st_size
            is_broken_off = size > 0 and os.pread(file, 1, size - 1) != b"\n"
            os.write(file, b"\n" * is_broken_off + _line(prompt))


def _is_overgrown(path: Path) -> bool:
    try:
        content_size = path.stat().st_size
        return content_size > 2 * MOST_BYTES or len(_read(path)) > 2 * MOST_PROMPTS
    except OSError:
        return False


def _cut(path: Path) -> None:
    """Keep the newest prompts, within both limits."""
    with contextlib.suppress(OSError), _locked(path):
        _write(path, _read(path))


def _write(path: Path, prompts: Sequence[str]) -> None:
    """Write the newest of these, within both limits, in the place of what is there."""
    kept: list[bytes] = []
    room = MOST_BYTES
    for prompt in reversed(prompts[-MOST_PROMPTS:]):
        line = _line(prompt)
        room -= len(line)
        if room < 0:
            break
        kept.append(line)
    write_private(path, b"".join(reversed(kept)))


@contextlib.contextmanager
def _locked(path: Path) -> Iterator[int]:
    """Open the file for this process alone; one that was replaced meanwhile is opened again."""
    while True:
        file = os.open(path, os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(file, fcntl.LOCK_EX)
            if _is_at(path, file):
                yield file
                return
        finally:
            os.close(file)


def _is_at(path: Path, file: int) -> bool:
    """Whether an open file is the one of this name still."""
    try:
        return os.fstat(file).st_ino == path.stat().st_ino
    except FileNotFoundError:
        return False
