"""Opening a chat that was kept: as it was, or at a message that was found in it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.widget import Widget
from textual.widgets._markdown import MarkdownBlock

from app.chat.conversation import Turn
from app.errors import AppError
from app.history import Chat as Kept
from app.history import Hit
from app.terminal.sanitise import one_line
from app.tui.actions import not_now
from app.tui.background.threads import in_thread
from app.tui.chats.open_chats import OpenChat
from app.tui.keys.keymap import told
from app.tui.preferences.chat_settings import bring_back
from app.tui.widgets.answer_blocks import Fence
from app.tui.widgets.answer_text import AnswerText
from app.tui.widgets.question import Question
from app.tui.widgets.transcript import Transcript

if TYPE_CHECKING:
    from app.tui.chat_view import ChatView
    from app.tui.chats.side_rows import SideRow

ARCHIVED = (
    "This chat is archived. What you ask here brings it back among the chats, as {chats-archive} "
    "does in the archive ({search}, {chats-archived})."
)
DELETED = "This chat is deleted. What you ask here brings it back among the chats."


async def open_chat(chat: ChatView, number: int, hit: Hit | None = None) -> None:
    """Show a chat, as it was, or where a search found something; the one that was shown stays open.

    If another pair gave its last answer, a line says so. Raises HistoryError, and AppError where
    another branch is to be shown of a chat in which something is answered or waits.
    """
    opened = chat.tabs.open.find(number) or OpenChat(kept=number)
    message = hit.message if hit is not None else None
    was_read = opened.asking is not None
    await chat.tabs.show(opened, message)
    if hit is None or message is None or opened.asking is None:
        return
    turns, recorder = opened.asking.conversation.turns, opened.asking.recorder
    is_seen = any(message in (turn.question_id, turn.answer_id) for turn in turns)
    if was_read and not is_seen and recorder is not None:
        found = await in_thread(lambda: recorder.read(number))
        if not chat.session.is_idle:
            raise AppError(not_now(chat))
        await show_opened(chat, opened, found, message)
    await _go_to(opened.asking.transcript, opened.asking.conversation.turns, hit)


async def open_or_tell(chat: ChatView, number: int, hit: Hit | None = None) -> None:
    """Show a chat, as `open_chat` does, or say why that cannot be."""
    try:
        await open_chat(chat, number, hit)
    except AppError as error:
        chat.notify(one_line(str(error)), severity="error", markup=False)


async def open_listed(chat: ChatView, row: SideRow) -> None:
    """Show a chat of the list beside the chat, or the one that is shown, and give it the keys."""
    try:
        if row.opened is None or row.opened.number is not None:
            await open_chat(chat, row.info.id)
        elif row.opened in chat.tabs.open:
            await chat.tabs.show(row.opened)
    except AppError as error:
        chat.notify(one_line(str(error)), severity="error", markup=False)
    chat.prompt.focus()


async def show_opened(
    chat: ChatView, opened: OpenChat, found: Kept, message: int | None = None
) -> None:
    """Show what was read of a chat. message: one that is to be seen, on whatever branch."""
    asking, session = opened.asking, chat.session
    if asking is None or asking.recorder is None:
        return
    recorder = asking.recorder
    turns = recorder.take(found, message)
    opened.title = found.info.title
    wrong = bring_back(chat, opened)
    chat.show_state()
    await asking.show_turns(turns)
    if wrong:
        await asking.transcript.note(wrong)
    if found.info.deleted_at is not None:
        await asking.transcript.note(DELETED)
    elif found.info.archived:
        await asking.transcript.note(told(chat, ARCHIVED))
    before, now = recorder.answered_by, session.settings.title
    if turns and before and before != now:
        line = f"The last answer here is by {one_line(before)}; {one_line(now)} goes on."
        await asking.transcript.note(line)
    if opened is chat.tabs.open.current:
        chat.show_figures_of(turns[-1] if turns else None)
    chat.show_state()


async def _go_to(transcript: Transcript, turns: list[Turn], hit: Hit) -> None:
    """Scroll to what was found."""
    for view, turn in zip(transcript.asked, turns, strict=False):
        if hit.message not in (turn.question_id, turn.answer_id):
            continue
        await transcript.make(view)
        for part in view.query(Question if hit.message == turn.question_id else AnswerText):
            transcript.point_at(await _place(part, hit) if isinstance(part, AnswerText) else part)


async def _place(answer: AnswerText, hit: Hit) -> Widget:
    """Return the smallest block that holds most of the words, the whole answer if none does."""
    words = {hit.snippet[start:end].casefold() for start, end in hit.marks}
    has_any = [
        part for part in answer.parts if any(word in part.shown.casefold() for word in words)
    ]
    await answer.make(has_any)
    best: tuple[tuple[int, int], Widget] = (0, 0), answer
    for block in answer.query(MarkdownBlock):
        text = (block.code if isinstance(block, Fence) else block._content.plain).casefold()
        worth = sum(word in text for word in words), -len(text)
        if worth[0] and worth > best[0]:
            best = worth, block
    return best[1]
