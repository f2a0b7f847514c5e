"""Which keys send what is typed, and which break its line: the setting `enter` has two ways.

Ctrl+J is the one key of these beside Enter that every terminal tells; Alt+Enter, Shift+Enter and
Ctrl+Enter are told by some.
"""

from __future__ import annotations

from collections.abc import Mapping

from app.settings.values import Enter
from app.tui.keys.key_name import pretty

SENDING: Mapping[Enter, tuple[str, ...]] = {
    "send": ("enter",),
    "newline": ("ctrl+j", "alt+enter", "ctrl+enter"),
}
BREAKING: Mapping[Enter, tuple[str, ...]] = {
    "send": ("ctrl+j", "shift+enter", "alt+enter"),
    "newline": ("enter", "shift+enter"),
}


def sender(enter: Enter) -> str:
    """Return the key that sends, as it stands on a keyboard."""
    return pretty(SENDING[enter][0])


def named(text: str, enter: Enter) -> str:
    """Return a text with the keys for {sender} and {breaker}, and the words for {breaks-too}."""
    words = {
        "{sender}": pretty(SENDING[enter][0]),
        "{breaker}": pretty(BREAKING[enter][0]),
        "{breaks-too}": _breaks_too(enter),
    }
    for name, word in words.items():
        text = text.replace(name, word)
    return text


def _breaks_too(enter: Enter) -> str:
    """Say which keys beside the first one break a line in some terminals: in the others they send,
    unless Enter itself breaks it.
    """
    if BREAKING[enter][0] == "enter":
        return ""
    others = " or ".join(map(pretty, BREAKING[enter][1:]))
    return f"; so does {others}, where the terminal tells them from Enter"
