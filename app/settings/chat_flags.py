"""The flags of the chat alone: its colours, and what it does by itself.

As in flags.py a flag that is not given is None, and only the standard library is imported.
"""

from __future__ import annotations

import argparse

from app.settings.values import DEFAULT_THEME, ENTERS, FRAMES, NOTICES, THEMES, TITLES


def add_theme_argument(parser: argparse.ArgumentParser) -> None:
    """Add the colours of the chat."""
    theme = parser.add_argument(
        "--theme",
        metavar="NAME",
        help=f"the colours: {', '.join(THEMES)}, … (default: {DEFAULT_THEME})",
    )
    theme.completer = lambda **_: list(THEMES)  # type: ignore[attr-defined]


def add_habit_arguments(parser: argparse.ArgumentParser) -> None:
    """Add what the chat does by itself."""
    parser.add_argument(
        "--titles",
        choices=TITLES,
        help="what names a chat: its first question, or the model in a few words "
        f"(default: {TITLES[0]})",
    )
    parser.add_argument(
        "--notify",
        choices=NOTICES,
        help="how to notify you when a long answer ends while you are in another window: a desktop "
        "notification where the terminal can, and the bell; the bell; nothing "
        f"(default: {NOTICES[0]})",
    )
    parser.add_argument(
        "--frame",
        choices=FRAMES,
        help="what is shown around the chat: the figures and the row of keys, one of them, neither "
        f"(default: {FRAMES[0]})",
    )
    parser.add_argument(
        "--enter",
        choices=ENTERS,
        help=f"what Enter does in the question box; Ctrl+J does the other (default: {ENTERS[0]})",
    )
    parser.add_argument(
        "--chat-list",
        action=argparse.BooleanOptionalAction,
        help="the list of chats beside the chat, where there is room (default: as it was left)",
    )
    parser.add_argument(
        "--copy-on-select",
        action=argparse.BooleanOptionalAction,
        help="copy what the mouse selects in a chat at once (default: --no-copy-on-select)",
    )
