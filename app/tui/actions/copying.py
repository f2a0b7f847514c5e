"""Copying that works: what is selected, a question, an answer, its code, the whole chat."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from app.errors import AppError
from app.prompts.slash import SlashError
from app.terminal.sanitise import sanitise
from app.thoughts import without_thinking
from app.trimmed import trimmed
from app.tui.actions import Action
from app.tui.asked import has_question, has_turn
from app.tui.background.starting import start
from app.tui.keys.keymap import told
from app.tui.text.code_blocks import CodeBlock, code_blocks

if TYPE_CHECKING:
    from app.chat.conversation import Turn
    from app.tui.chat_view import ChatView

ORDER = 5
NO_CODE = "This answer has no code block."
GIVEN = "Select with the mouse, and copy as in any terminal. {mouse} ends it."
TAKEN = "The mouse clicks and scrolls here again."


async def copy(chat: ChatView, what: str) -> None:
    """Copy the chosen turn, or the last answer; a question; code; or the whole chat. Raises
    SlashError: what is not there may be in another answer.
    """
    try:
        text, name = wanted(chat, what)
    except AppError as error:
        raise SlashError(str(error)) from None
    await chat.copy(text, name)


def wanted(chat: ChatView, what: str) -> tuple[str, str]:
    """Return what `/copy …` copies, and what that is called. Raises AppError."""
    chosen = chat.talk.transcript.selected
    if what == "all":
        turns = chat.session.conversation.turns
        return "\n\n".join(map(_whole, turns)), "the whole chat"
    if what == "question":
        return _question(chat), "the question"
    if not what and chosen is not None:
        if chosen.display and not chosen.text:  # else it is being made
            return _question(chat), "the question"
        return _whole(chat.asking.meant()), "the question and its answer"
    turn = chat.asking.meant()
    if what in ("", "answer"):
        return _answer(turn), "the answer"
    blocks = code_blocks(turn)
    if not blocks:
        raise AppError(NO_CODE)
    if what == "code":
        return "\n\n".join(block.code for block in blocks), "all code of the answer"
    number = int(what)
    if number > len(blocks):
        raise SlashError(f"There is no code block {number}; this answer has {len(blocks)}.")
    return blocks[number - 1].code, named(blocks, number)


def _question(chat: ChatView) -> str:
    """Return the chosen question, or the last one. Raises AppError."""
    view = chat.talk.transcript.selected or chat.talk.transcript.last_turn
    if view is None:
        raise AppError("Nothing is asked yet.")
    return sanitise(view.question)


def _answer(turn: Turn) -> str:
    return trimmed(sanitise(without_thinking(turn.answer)))


def _whole(turn: Turn) -> str:
    return f"{sanitise(turn.question)}\n\n{_answer(turn)}"


def named(blocks: list[CodeBlock], number: int) -> str:
    """Say which of the blocks one is, and its language."""
    language = blocks[number - 1].language
    place = f"code {number} of {len(blocks)}" if len(blocks) > 1 else "the code"
    return f"{place}, {language}" if language else place


def code(chat: ChatView, _: str) -> None:
    """Copy the only code block, or have one of several chosen."""
    from app.tui.screens.code_choice import CodeChoice

    blocks = code_blocks(chat.asking.meant())
    if not blocks:
        chat.say(NO_CODE)
        return

    def take(place: int | None) -> None:
        if place is not None:
            start(chat, chat.copy, blocks[place].code, named(blocks, place + 1))

    if len(blocks) == 1:
        take(0)
    else:
        chat.app.push_screen(CodeChoice(blocks), take)


def mouse(chat: ChatView, _: str) -> None:
    """Give the mouse to the terminal, or take it back."""
    from app.tui.widgets.top_bar import TopBar

    bar = chat.query_one(TopBar)
    bar.mouse_is_free = not bar.mouse_is_free
    chat.say(told(chat, GIVEN) if bar.mouse_is_free else TAKEN)


def choices(chat: ChatView, _: str) -> Iterable[tuple[str, str]]:
    """Offer what there is to copy."""
    try:
        blocks = code_blocks(chat.asking.meant())
    except AppError:
        blocks = []
    yield "question", "the question"
    yield "answer", "the answer"
    yield "all", "the whole chat"
    if blocks:
        yield "code", "all code of the answer"
    for number, block in enumerate(blocks, 1):
        yield str(number), next(iter(block.code.splitlines()), "")


def nothing_yet(_: ChatView) -> str:
    return "There is nothing to copy yet."


ACTIONS = (
    Action(
        "copy",
        "Copy",
        copy,
        "copy the answer, or a chosen question and its answer",
        ("ctrl+k",),
        True,
        has_question,
        choices,
        also="clipboard yank select",
        why_not=nothing_yet,
    ),
    Action(
        "code",
        "Copy code",
        code,
        "copy a code block; so does a click on `copy` over it",
        ("alt+k",),
        makes_sense=has_turn,
        also="clipboard yank",
        why_not=nothing_yet,
    ),
    Action(
        "mouse",
        "Mouse",
        mouse,
        keys=("f4",),
    ),
)
