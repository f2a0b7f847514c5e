"""What stands around a chat: the settings hide it, and where there is little room it gives way.

The chat has the rows first. The figures give way, then the first line, then the row of keys. That
speculation is off, and why, is said in the first line where no figures are shown: it stays then.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.settings.values import Frame
from app.tui.terminal.style_sheet import restyle

if TYPE_CHECKING:
    from app.tui.chat_view import ChatView
    from app.tui.widgets.top_bar import TopBar

WIDE, TALL = 110, 34
ROOM_FOR_FIGURES, ROOM_FOR_TOP_BAR, ROOM_FOR_KEYS = 14, 9, 8
"""Rows from which on they are shown; a panel beside the chat takes no row of it, and stays, but
says all only from as many on.
"""
ROOM_FOR_LIST, ROOM_FOR_BOTH = 100, 140
"""Columns from which on the list of chats has room beside the chat, and the panel, too."""
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


def has_room_for_list(chat: ChatView) -> bool:
    """Whether the list of chats has room beside the chat."""
    return chat.size.width >= ROOM_FOR_LIST


def has_panel(chat: ChatView) -> bool:
    """Whether the terminal is wide enough for the figures beside the chat."""
    return chat.has_class("-wide") and not chat.has_class("-crowded")


def show_frame(chat: ChatView, bar: TopBar) -> None:
    """Show what the settings say, and in the first line what is to be seen nowhere else."""
    frame, off, width = chat.session.settings.habits.frame, chat.figures.off, chat.size.width
    is_listed = chat.session.settings.habits.chat_list and has_room_for_list(chat)
    is_told = frame in WITH_FIGURES and chat.size.height >= ROOM_FOR_FIGURES
    if not is_listed and chat.side.has_focus:
        chat.prompt.focus()
    restyle(chat, frame not in WITH_FIGURES, "-no-figures", "Strip", "Panel")
    restyle(chat, frame not in WITH_KEYS, "-no-keys", "KeyFooter")
    restyle(chat, off is not None, "-off", "TopBar")
    restyle(chat, is_listed, "-listed", "ChatSide")
    restyle(chat, is_listed and width < ROOM_FOR_BOTH, "-crowded", "Strip", "Panel")
    bar.off = "" if is_told else off or ""
    bar.chat = chat.tabs.sole_title
