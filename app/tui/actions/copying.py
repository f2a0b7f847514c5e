"""Copying that works: what is selected, an answer, its code, the whole chat."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from app.errors import AppError
from app.thinking import without_thinking
from app.tui.actions import Action

if TYPE_CHECKING:
    from markdown_it.token import Token

    from app.conversation import Turn
    from app.tui.screens.chat import ChatScreen

ORDER = 5
CODE = ("fence", "code_block")
GIVEN = "Select with the mouse, and copy as in any terminal. F4 ends it."
TAKEN = "The mouse clicks and scrolls here again."


async def copy(chat: ChatScreen, what: str) -> None:
    """Copy the chosen answer, or the last one; its code; or the whole chat."""
    await chat.copy(text_of(chat, what))


def text_of(chat: ChatScreen, what: str) -> str:
    """Return what `/copy …` copies. Raises AppError."""
    if what == "all":
        turns = chat.session.conversation.turns
        return "\n\n".join(f"{each.question}\n\n{each.answer}" for each in turns)
    turn = chat.asking.meant()
    blocks = code_blocks(turn)
    if what == "code":
        if not blocks:
            raise AppError("This answer has no code block.")
        return "\n\n".join(blocks)
    if what:
        number = int(what)
        if number > len(blocks):
            raise AppError(f"There is no code block {number}; this answer has {len(blocks)}.")
        return blocks[number - 1]
    return without_thinking(turn.answer).strip()


def code_blocks(turn: Turn) -> list[str]:
    """Return the code of an answer, block by block; while it is written, the blocks that are
    whole.
    """
    from app.tui.widgets.answer_slice import parser

    text = without_thinking(turn.answer)
    lines = text.split("\n")
    is_over = turn.reason is not None
    return [
        token.content.rstrip("\n")
        for token in parser().parse(text)
        if token.type in CODE and (is_over or _is_closed(token, lines))
    ]


def _is_closed(token: Token, lines: Sequence[str]) -> bool:
    """Whether what follows cannot belong to a block any more."""
    first, end = token.map or (0, 0)
    if token.type != "fence":
        return any(line.strip() for line in lines[end:])
    return end - 1 > first and token.markup in lines[end - 1] and end < len(lines)


def code(chat: ChatScreen, _: str) -> None:
    """Copy the only code block, or have one of several chosen."""
    from app.tui.screens.code_choice import CodeChoice

    blocks = code_blocks(chat.asking.meant())
    if not blocks:
        chat.say("This answer has no code block.")
        return

    def take(chosen: str | None) -> None:
        if chosen is not None:
            chat.run_worker(chat.copy(chosen))

    if len(blocks) == 1:
        take(blocks[0])
    else:
        chat.app.push_screen(CodeChoice(blocks), take)


def mouse(chat: ChatScreen, _: str) -> None:
    """Give the mouse to the terminal, or take it back."""
    from app.tui.widgets.top_bar import TopBar

    bar = chat.query_one(TopBar)
    bar.mouse_is_free = not bar.mouse_is_free
    chat.say(GIVEN if bar.mouse_is_free else TAKEN)


def choices(chat: ChatScreen, _: str) -> Iterable[tuple[str, str]]:
    """Offer what there is to copy."""
    try:
        blocks = code_blocks(chat.asking.meant())
    except AppError:
        blocks = []
    yield "all", "the whole chat"
    if blocks:
        yield "code", "all code of the answer"
    for number, block in enumerate(blocks, 1):
        yield str(number), block.splitlines()[0] if block else ""


def has_answer(chat: ChatScreen) -> bool:
    return bool(chat.session.conversation.turns)


def nothing_yet(_: ChatScreen) -> str:
    return "There is nothing to copy yet."


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
        also="clipboard yank select",
        why_not=nothing_yet,
    ),
    Action(
        "code",
        "Copy code",
        "copy a code block; so does a click on `copy` over it",
        code,
        ("alt+k",),
        makes_sense=has_answer,
        also="clipboard yank",
        why_not=nothing_yet,
    ),
    Action(
        "mouse",
        "Mouse",
        "let the terminal select with the mouse; Shift+drag does it, too",
        mouse,
        ("f4",),
    ),
)
