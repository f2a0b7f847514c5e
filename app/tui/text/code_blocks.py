"""The code blocks of an answer. Pure, and cheap to import."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from app.terminal.sanitise import one_line, sanitise
from app.thoughts import without_thinking

if TYPE_CHECKING:
    from markdown_it.token import Token

    from app.chat.conversation import Turn

CODE = ("fence", "code_block")
LONGEST = 20


@dataclass(frozen=True, slots=True)
class CodeBlock:
    """language: as the model wrote it, "" where it named none."""

    code: str
    language: str


def language_of(info: str) -> str:
    """Return the language that a fence names, harmless and short."""
    return one_line(info.strip().partition(" ")[0], LONGEST)


def code_blocks(turn: Turn) -> list[CodeBlock]:
    """Return the code of an answer as it is shown, block by block; while it is written, the blocks
    that are whole.
    """
    from app.tui.text.markdown import parser

    text = sanitise(without_thinking(turn.answer))
    lines = text.split("\n")
    is_over = turn.reason is not None
    return [
        CodeBlock(token.content.rstrip("\n"), language_of(token.info))
        for token in parser().parse(text)
        if token.type in CODE and (is_over or _is_closed(token, lines))
    ]


def _is_closed(token: Token, lines: Sequence[str]) -> bool:
    """Whether what follows cannot belong to a block any more."""
    first, end = token.map or (0, 0)
    if token.type != "fence":
        return any(line.strip() for line in lines[end:])
    return end - 1 > first and token.markup in lines[end - 1] and end < len(lines)
