"""Gives back the memory of what was closed, while nobody does anything and nothing is answered."""

from __future__ import annotations

from time import perf_counter
from typing import TYPE_CHECKING

from textual._styles_cache import StylesCache

from app.garbage import Sweeper
from app.tui.terminal.key_watch import KeyWatch

if TYPE_CHECKING:
    from app.tui.chat_view import ChatView

LOOK_S = 0.5


def sweep_in_pauses(chat: ChatView) -> None:
    """Look again and again whether there is a pause.

    Textual keeps two colours of each of the last 1024 widgets, and with them all that was painted
    of these, though they are gone.
    """
    sweeper, swept_at = Sweeper(StylesCache.get_inner_outer.cache_clear), perf_counter()

    def look() -> None:
        nonlocal swept_at
        app = chat.app
        if not isinstance(app, KeyWatch) or not chat.session.is_free:
            return
        # once in a pause: a long chat, which takes long to walk through, may be opening in it
        if sweeper.sweep(perf_counter() - max(app.last_input_at, swept_at)):
            swept_at = perf_counter()

    chat.set_interval(LOOK_S, look)
