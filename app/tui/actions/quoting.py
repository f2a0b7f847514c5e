"""Part of an answer: selected by keyboard, stepped through, put into the prompt as a quotation."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from app.errors import AppError
from app.terminal.sanitise import sanitise
from app.thoughts import without_thinking
from app.tui.actions import Action
from app.tui.actions.copying import nothing_yet
from app.tui.asked import has_question, has_turn

if TYPE_CHECKING:
    from app.tui.chat_view import ChatView

ORDER = 9


def select(chat: ChatView, _: str) -> None:
    """Show the source of the chosen answer, or the last one, for selecting in it."""
    from app.tui.screens.answer_source import AnswerSource

    turn = chat.asking.meant()
    text = without_thinking(turn.answer).strip()
    if not text:
        raise AppError("Of this answer there is only the thought.")

    chat.app.push_screen(AnswerSource(text, turn.question), partial(quote_chosen, chat))


def blocks(chat: ChatView, _: str) -> None:
    """Step through the blocks of the chosen answer, or the newest one."""
    from app.tui.screens.block_cursor import BlockCursor
    from app.tui.text.shown_blocks import shown_blocks

    transcript = chat.talk.transcript
    views = reversed(transcript.turns) if transcript.selected is None else [transcript.selected]
    view = next((each for each in views if shown_blocks(each.parts)), None)
    if view is None:
        raise AppError("There is no answer to step through.")

    chat.app.push_screen(BlockCursor(transcript, view), partial(quote_chosen, chat))


def quote_chosen(chat: ChatView, chosen: str | None) -> None:
    """Quote what was chosen on a screen, if anything was."""
    if chosen is not None:
        quote_in(chat, chosen)


def quote(chat: ChatView, _: str) -> None:
    """Quote what the mouse has selected; to write in the prompt takes the selection away."""
    quote_in(chat, chat.get_selected_text() or "")


def quote_in(chat: ChatView, text: str) -> None:
    """Put a text as quoted lines behind what is typed; the cursor is where one goes on."""
    box = chat.prompt
    before = "\n\n" if box.text.strip() else ""
    box.insert(f"{before}{quoted(text)}\n\n", box.document.end)
    box.move_cursor(box.document.end)
    box.focus()


def quoted(text: str) -> str:
    """Return a text's lines, each marked as quoted."""
    lines = sanitise(text).strip("\n").split("\n")
    return "\n".join(f"> {line}" if line.strip() else ">" for line in lines)


def has_selection(chat: ChatView) -> bool:
    return bool((chat.get_selected_text() or "").strip())


def nothing_selected(_: ChatView) -> str:
    return (
        "Nothing is selected: drag over the text with the mouse, or {select} selects by keyboard."
    )


ACTIONS = (
    Action(
        "select",
        "Select",
        select,
        keys=("alt+s",),
        makes_sense=has_turn,
        also="mark source markdown raw copy yank vim",
        why_not=nothing_yet,
    ),
    Action(
        "blocks",
        "Blocks",
        blocks,
        keys=("alt+j",),
        makes_sense=has_question,
        also="cursor paragraph code block menu copy quote save yank vim keyboard",
        why_not=nothing_yet,
    ),
    Action(
        "quote",
        "Quote",
        quote,
        "put what the mouse has selected into the box, as a quotation",
        ("alt+q",),
        makes_sense=has_selection,
        also="cite reply insert selection",
        why_not=nothing_selected,
    ),
)
