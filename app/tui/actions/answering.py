"""Stopping, repeating, editing and going on."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.chat.amending import written
from app.chat.condense import STOPPED
from app.tui.actions import Action, not_now
from app.tui.asked import can_change, has_question
from app.tui.serving.orders import Condense

if TYPE_CHECKING:
    from app.tui.chat_view import ChatView

ORDER = 1
CUT = ("cancelled", "length", "failed", "edited")
"""Reasons of answers that can be gone on with."""


async def stop(chat: ChatView, _: str) -> None:
    """Stop the answer, and take back what waits for it; while files are read or a model loads, take
    the waiting question back, or keep the former.
    """
    session, conversation = chat.session, chat.session.conversation
    n_back = int(chat.prompt.enclosing.take_back())
    if session.answering:
        is_first = session.state == "answering"
        n_back += await chat.asking.take_all_back() if is_first else 0
        if runs := session.answers(conversation):  # else another chat is being answered by now
            await session.stop()
        if n_back:
            chat.say(f"{'Stopped. ' if runs else ''}{_told_back(n_back)}")
    elif n_back:
        chat.prompt.focus()
    elif waiting := session.waiting_of(conversation):
        await chat.asking.take_back()
        if isinstance(waiting[-1], Condense):
            chat.say(STOPPED)
    elif chat.asking.editing is not None:
        chat.asking.leave_editing()
    elif chat.session.can_go_back:
        await chat.session.go_back()
    else:
        chat.talk.transcript.select(None)


def _told_back(n: int) -> str:
    what = "The question that waited is" if n == 1 else f"The {n} questions that waited are"
    return f"{what} back in the box."


async def take_back(chat: ChatView, _: str) -> None:
    """Take the question that waits back into the box, of several the last one."""
    await chat.asking.take_back()
    chat.prompt.focus()


def can_take_back(chat: ChatView) -> bool:
    return chat.session.can_take_back


def nothing_waits(_: ChatView) -> str:
    return "No question waits here."


def can_stop(chat: ChatView) -> bool:
    session = chat.session
    is_busy = session.answering or session.waiting > 0 or session.can_go_back
    is_chosen = chat.asking.editing is not None or chat.talk.transcript.selected is not None
    return is_busy or is_chosen or chat.prompt.enclosing.is_reading


def stop_title(chat: ChatView) -> str:
    """Say what Esc does just now, in the order in which `stop` looks."""
    if chat.session.answering:
        return "Stop"
    if chat.prompt.enclosing.is_reading or chat.session.waiting:
        return "Take back"
    if chat.asking.editing is not None:
        return "Keep as it was"
    return "Keep former" if chat.session.can_go_back else "Deselect"


def nothing_runs(_: ChatView) -> str:
    return "Nothing is being answered, waits or is chosen here."


async def retry(chat: ChatView, _: str) -> None:
    """Ask a question again: another answer beside the one that is there."""
    if chat.is_idle:
        await chat.asking.ask_again(chat.talk.transcript.selected)


def can_retry(chat: ChatView) -> bool:
    return chat.is_idle and (chat.is_resting or has_question(chat))


def edit(chat: ChatView, _: str) -> None:
    """Put a question back into the prompt; sent, it begins another branch."""
    view = chat.talk.transcript.selected or chat.talk.transcript.last_turn
    if chat.is_idle and view is not None:
        chat.asking.edit(view)


def amend(chat: ChatView, _: str) -> None:
    """Put an answer into the prompt; sent, it is another version of it."""
    turn, transcript = chat.asking.meant(), chat.talk.transcript
    view = transcript.selected or transcript.asked[-1]
    chat.asking.edit(view, written(turn.answer))


async def go_on(chat: ChatView, _: str) -> None:
    """Have the last answer go on where it ends."""
    if can_go_on(chat):
        await chat.asking.go_on()


def can_go_on(chat: ChatView) -> bool:
    turns, full = chat.session.conversation.turns, chat.full
    is_cut = bool(turns) and turns[-1].reason in CUT and not _is_growing(chat)
    return chat.is_idle and (is_cut or (full is not None and full.fits and full.is_cut))


def _is_growing(chat: ChatView) -> bool:
    """Whether another window writes the last answer."""
    return any(view.is_growing for view in chat.talk.transcript.asked[-1:])


def is_whole(chat: ChatView) -> str:
    """Say why there is nothing to go on with."""
    turns = chat.session.conversation.turns
    if not chat.is_idle or not turns:
        return not_now(chat)
    if _is_growing(chat):
        return "Another window is still answering this question."
    match turns[-1].reason:
        case "context":
            return "There is no room to go on: the context is full."
        case "too long":
            return "This question has no answer yet: it does not fit into the context."
    return "This answer is complete: ask for what is missing, or {retry} for another one."


async def undo(chat: ChatView, _: str) -> None:
    """Take the last question and its answer out of sight; they stay a branch."""
    if chat.is_idle:
        await chat.asking.undo()
        turns = chat.session.conversation.turns
        chat.show_figures_of(turns[-1] if turns else None)


ACTIONS = (
    Action(
        "stop",
        "Stop",
        stop,
        "stop the answer, and take back what waits; else deselect",
        ("escape",),
        True,
        can_stop,
        kept=True,
        now=stop_title,
        why_not=nothing_runs,
        also="cancel interrupt abort",
    ),
    Action(
        "take-back",
        "Take back",
        take_back,
        "take a question that waits back into the box, as Up there does",
        makes_sense=can_take_back,
        why_not=nothing_waits,
        also="withdraw waiting queue queued unsend",
    ),
    Action(
        "retry",
        "Retry",
        retry,
        "ask again, for another answer",
        ("ctrl+r",),
        True,
        can_retry,
        also="regenerate repeat redo reroll rerun another",
    ),
    Action(
        "edit",
        "Edit",
        edit,
        "change a question: a branch",
        ("ctrl+e",),
        True,
        can_change,
        also="correct rewrite fork",
    ),
    Action(
        "amend",
        "Edit answer",
        amend,
        "change an answer in your own words: a version beside it",
        makes_sense=can_change,
        also="amend correct rewrite change",
    ),
    Action(
        "continue",
        "Continue",
        go_on,
        "go on with the answer",
        ("ctrl+y",),
        True,
        can_go_on,
        also="more longer",
        why_not=is_whole,
    ),
    Action(
        "undo", "Undo", undo, "take back the last question", makes_sense=can_change, also="remove"
    ),
)
