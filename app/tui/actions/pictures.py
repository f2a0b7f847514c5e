"""Looking at the pictures that went with questions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from app.errors import AppError
from app.files.attachments import Attachment
from app.terminal.sanitise import one_line
from app.tui.actions import Action
from app.tui.background.threads import in_thread
from app.tui.serving.orders import Job

if TYPE_CHECKING:
    from app.tui.chat_view import ChatView

ORDER = 6


def _pictures(chat: ChatView) -> Iterator[Attachment]:
    """Yield those of the chat in sight, the last one first."""
    conversation = chat.session.conversation
    waiting = (job for job in chat.session.waiting_of(conversation) if isinstance(job, Job))
    asked: list[Sequence[Attachment]] = [turn.attachments for turn in conversation.turns]
    asked += [job.attachments for job in waiting]
    found = (each for attachments in asked for each in attachments)
    yield from reversed([each for each in found if each.picture is not None])


async def show(chat: ChatView, name: str) -> None:
    """Open a picture in the viewer of the desktop: the last one, or the last one of a name, which
    is the file's or that of what it shows.
    """
    from app.files.viewer import open_file

    found = next((each for each in _pictures(chat) if _is_called(each, name)), None)
    if found is None or found.picture is None:
        raise AppError("This chat has no such picture.")
    if found.is_gone:
        raise AppError(f"{one_line(found.name)} is gone.")
    path = Path(found.picture.path)
    await in_thread(lambda: open_file(path))
    chat.say(f"Opened: {found.name}")


def _is_called(each: Attachment, name: str) -> bool:
    return name in ("", each.name, each.picture.id if each.picture is not None else "")


def has_any(chat: ChatView) -> bool:
    return next(_pictures(chat), None) is not None


def none(_: ChatView) -> str:
    """Say why there is none to be seen."""
    return "No picture went with a question of this chat."


ACTIONS = (
    Action(
        "picture",
        "Look at the picture",
        show,
        "open the last picture of this chat; a click on a picture's name opens that one",
        makes_sense=has_any,
        also="image photo view viewer open",
        why_not=none,
    ),
)
