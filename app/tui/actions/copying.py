"""Copying that works: what is selected, an answer, its code, the whole chat."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING

from app.errors import AppError
from app.thinking import without_thinking
from app.tui.actions import Action

if TYPE_CHECKING:
    from app.conversation import Turn
    from app.tui.screens.chat import ChatScreen

ORDER = 5
FENCED = re.compile(r"^(`{3,}|~{3,})[^\n`]*\n(.*?)^\1", re.MULTILINE | re.DOTALL)


class NothingToCopy(AppError):
    """There is no such text."""


async def copy(chat: ChatScreen, what: str) -> None:
    """Copy the chosen answer, or the last one; its code; or the whole chat."""
    await chat.copy(text_of(chat, what))


def text_of(chat: ChatScreen, what: str) -> str:
    """Return what `/copy …` copies. Raises NothingToCopy."""
    turns = chat.session.conversation.turns
    chosen = chat.talk.transcript.selected
    if not turns:
        raise NothingToCopy("There is nothing to copy yet.")
    turn = turns[chat.talk.transcript.index(chosen)] if chosen is not None else turns[-1]
    if what == "all":
        return "\n\n".join(f"{each.question}\n\n{each.answer}" for each in turns)
    blocks = code_blocks(turn)
    if what == "code":
        if not blocks:
            raise NothingToCopy("This answer has no code block.")
        return "\n\n".join(blocks)
    if what:
        number = int(what)
        if number > len(blocks):
            raise NothingToCopy(f"There is no code block {number}; this answer has {len(blocks)}.")
        return blocks[number - 1]
    return without_thinking(turn.answer).strip()


def code_blocks(turn: Turn) -> list[str]:
    """Return the code of an answer, block by block."""
    return [found[2].rstrip("\n") for found in FENCED.finditer(turn.answer)]


def choices(chat: ChatScreen, _: str) -> Iterable[tuple[str, str]]:
    """Offer what there is to copy."""
    turns = chat.session.conversation.turns
    blocks = code_blocks(turns[-1]) if turns else []
    yield "all", "the whole chat"
    if blocks:
        yield "code", "all code of the answer"
    for number, block in enumerate(blocks, 1):
        yield str(number), block.splitlines()[0] if block else ""


def has_answer(chat: ChatScreen) -> bool:
    return bool(chat.session.conversation.turns)


ACTIONS = (
    Action(
        "copy",
        "Copy",
        "copy the answer",
        copy,
        ("ctrl+k",),
        True,
        has_answer,
        choices,
    ),
)
