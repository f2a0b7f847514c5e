"""What stands around a chat: the settings hide it, and where there is little room it gives way.

The chat has the rows first. The figures give way, then the first line, then the row of keys. That
speculation is off, and why, is said in the first line where no figures are shown: it stays then.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.flags import Frame

if TYPE_CHECKING:
    from app.tui.screens.chat import ChatScreen
    from app.tui.widgets.top_bar import TopBar

WIDE, TALL = 110, 34
ROOM_FOR_FIGURES, ROOM_FOR_TOP_BAR, ROOM_FOR_KEYS = 14, 9, 8
"""Rows from which on they are shown; a panel beside the chat takes no row of it, and stays, but
says all only from as many on.
"""
WIDTHS = [(0, "-narrow"), (WIDE, "-wide")]
HEIGHTS = [
    (0, "-lowest"),
    (ROOM_FOR_KEYS, "-lower"),
    (ROOM_FOR_TOP_BAR, "-low"),
    (ROOM_FOR_FIGURES, "-middle"),
    (TALL, "-tall"),
]
WITH_FIGURES: tuple[Frame, ...] = ("full", "figures")
WITH_KEYS: tuple[Frame, ...] = ("full", "keys")


def show_frame(chat: ChatScreen, bar: TopBar) -> None:
    """Show what the settings say, and in the first line what is to be seen nowhere else."""
    frame, off = chat.session.settings.frame, chat.figures.off
    is_told = frame in WITH_FIGURES and chat.size.height >= ROOM_FOR_FIGURES
    chat.set_class(frame not in WITH_FIGURES, "-no-figures")
    chat.set_class(frame not in WITH_KEYS, "-no-keys")
    chat.set_class(off is not None, "-off")
    bar.off = "" if is_told else off or ""
    bar.chat = chat.tabs.sole_title
