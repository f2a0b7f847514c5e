"""Opening a chat that was kept: as it was, or at a message that was found in it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.widget import Widget
from textual.widgets._markdown import MarkdownBlock

from app.conversation import Turn
from app.errors import AppError
from app.history import Hit
from app.recorder import HistoryRecorder
from app.sanitise import one_line
from app.tui.actions import not_now
from app.tui.threads import in_thread
from app.tui.widgets.answer_blocks import Fence
from app.tui.widgets.answer_text import AnswerText

if TYPE_CHECKING:
    from app.tui.screens.chat import ChatScreen


async def open_chat(
    chat: ChatScreen, recorder: HistoryRecorder, number: int, hit: Hit | None = None
) -> None:
    """Show a chat in place of the one that is shown, as it was, or where a search found something.

    If another pair gave its last answer, a line says so. Raises HistoryError, and AppError while
    something is answered or waits.
    """
    found = await in_thread(lambda: recorder.read(number))
    if not chat.session.is_idle:
        raise AppError(not_now(chat))
    turns = recorder.take(found, hit.message if hit is not None else None)
    await show_opened(chat, recorder, turns)
    if hit is not None and hit.message is not None:
        _go_to(chat, turns, hit)


async def show_opened(chat: ChatScreen, recorder: HistoryRecorder, turns: list[Turn]) -> None:
    """Show the chat that the recorder has just taken."""
    session = chat.session
    session.conversation.system = recorder.system or session.settings.system
    await chat.asking.show_turns(turns)
    before, now = recorder.answered_by, session.settings.title
    if turns and before and before != now:
        line = f"The last answer here is by {one_line(before)}; {one_line(now)} goes on."
        await chat.talk.transcript.note(line)
    chat.show_figures_of(turns[-1] if turns else None)
    chat.show_state()


def _go_to(chat: ChatScreen, turns: list[Turn], hit: Hit) -> None:
    """Scroll to what was found."""
    transcript = chat.talk.transcript
    for view, turn in zip(transcript.asked, turns, strict=False):
        if hit.message == turn.question_id:
            transcript.point_at(view.query_one(".turn--question"))
        elif hit.message == turn.answer_id:
            transcript.point_at(_place(view.query_one(AnswerText), hit))


def _place(answer: AnswerText, hit: Hit) -> Widget:
    """Return the smallest block that holds most of the words, the whole answer if none does."""
    words = {hit.snippet[start:end].casefold() for start, end in hit.marks}
    best: tuple[tuple[int, int], Widget] = (0, 0), answer
    for block in answer.query(MarkdownBlock):
        text = (block.code if isinstance(block, Fence) else block._content.plain).casefold()
        worth = sum(word in text for word in words), -len(text)
        if worth[0] and worth > best[0]:
            best = worth, block
    return best[1]
