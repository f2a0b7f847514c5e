"""Another window may go on with the same chat: what it asks there becomes a branch, and is told."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.errors import HistoryError
from app.tui.keymap import way_to
from app.tui.threads import in_thread

if TYPE_CHECKING:
    from app.tui.screens.chat import ChatScreen


async def tell_of_others(chat: ChatScreen) -> None:
    """Say once of each question that another window has asked in the chat in sight."""
    recorder, transcript = chat.asking.recorder, chat.talk.transcript
    if recorder is None:
        return
    try:
        n = await in_thread(recorder.asked_elsewhere)
    except HistoryError:  # told by whoever reads or writes more than a courtesy
        return
    if n and transcript.is_attached:  # else it was closed meanwhile
        asked = "a question was" if n == 1 else f"{n} questions were"
        await transcript.note(
            f"In this chat {asked} asked in another window: a branch beside this one, which is "
            f"here when the chat is closed (/close) and opened again ({way_to(chat, 'search')})."
        )
