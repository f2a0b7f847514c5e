"""What a chat says of files that were opened by path: what was found beside them, and what of them
is not used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine import Ready

if TYPE_CHECKING:
    from app.tui.chat_view import ChatView


async def tell_of_files(chat: ChatView, ready: Ready) -> None:
    """Say by which projector they see, and of a draft model that was given in vain."""
    from app.models.given_draft import noted_draft
    from app.models.projector import noted_sight
    from app.settings.config import ChatSettings

    settings = chat.session.settings
    if not isinstance(settings, ChatSettings):
        return
    name, pair = settings.name, settings.pair
    lines = noted_sight(name, pair, ready.sees, settings.lacks)
    for line in [*lines, *noted_draft(name, pair)]:
        await chat.talk.note_once(line)
