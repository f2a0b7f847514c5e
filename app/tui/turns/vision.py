"""What a chat does with pictures: whether the model takes them, where they are kept, and which one
is meant by a name.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.files.attachments import Attachment, is_shown
from app.terminal.sanitise import one_line
from app.tui.keys.keymap import told
from app.tui.serving.shared_engine import LOADED

if TYPE_CHECKING:
    from app.tui.chat_view import ChatView

EXAMPLE = "smolvlm2-500m"
"""The smallest pair of the catalogue that takes pictures."""
BLIND = (
    f"takes text only: `slipstream pull {EXAMPLE}` gets a model that takes pictures, {{model}} "
    "changes to it."
)


def let_see(chat: ChatView) -> None:
    """Have the prompt take pictures as the chat does."""
    reader = chat.prompt.reader
    reader.blind = lambda: blind(chat)
    reader.album = chat.history.album if chat.history is not None else None
    reader.former = lambda name: former(chat, name)


def former(chat: ChatView, name: str) -> Attachment | None:
    """Return the picture that a name stands for whose file is not there any more: that of the
    question which is in the prompt again, or the last one of this chat. From any thread.
    """
    asking = chat.asking
    turns = tuple(asking.conversation.turns)
    found = [*asking.had, *(each for turn in reversed(turns) for each in turn.attachments)]
    return next((each for each in found if each.name == name and is_shown(each)), None)


def blind(chat: ChatView) -> str:
    """Say why no picture is taken now, "" where they are. Until the pair is loaded, that it has a
    projector is as good as that it can use it.
    """
    session, pair = chat.session, chat.session.settings.pair
    if session.sees if session.state in LOADED else pair.mmproj is not None:
        return ""
    return f"{one_line(session.settings.title)} {told(chat, BLIND)}"
