"""Saves a code block as a file of its language."""

from __future__ import annotations

from itertools import count
from pathlib import Path

from app.tui.chats.chat_files import proposed
from app.tui.screens.file_ask import FileScreen
from app.tui.text.code_blocks import CodeBlock

NAME, PLAIN = "code", "txt"


class SaveCode(FileScreen[Path]):
    """Its result is where the code went."""

    def __init__(self, block: CodeBlock) -> None:
        super().__init__("Save the code", _free(ending_of(block.language)), "Save")
        self._code = block.code

    async def done(self, path: Path) -> Path | None:
        """Write the file; ask before another is replaced."""
        return path if await self.write(path, f"{self._code}\n".encode()) else None


def ending_of(language: str) -> str:
    """Return how the name of a file of a language ends."""
    from pygments.lexers import get_lexer_by_name  # type: ignore[import-untyped]
    from pygments.util import ClassNotFound  # type: ignore[import-untyped]

    try:
        patterns = get_lexer_by_name(language).filenames
    except ClassNotFound:
        return PLAIN
    endings = (pattern.removeprefix("*.") for pattern in patterns if pattern.startswith("*."))
    return next((ending for ending in endings if ending.isalnum()), PLAIN)


def _free(ending: str) -> str:
    """Return a path in the current folder where nothing is yet."""
    names = (NAME if number == 1 else f"{NAME}-{number}" for number in count(1))
    paths = (proposed(name, ending) for name in names)
    return next(path for path in paths if not Path(path).exists())
