"""The one boundary between foreign text and the screen: what passes it is harmless to a terminal.

Model output, titles, file names and error texts go through here. It works character by character,
so a sequence cut in two by streaming is as harmless as a whole one, and sanitising the pieces gives
the same text as sanitising the whole. It knows nothing of markup: text is shown by means that do
not interpret any (`Content`, `markup=False`).
"""

from __future__ import annotations

import re

REPLACEMENT = "\N{REPLACEMENT CHARACTER}"

_C0 = "\x00-\x08\x0b-\x1f\x7f"  # all but tab and line feed; ESC is one of them
_C1 = "\x80-\x9f"  # 8-bit CSI, OSC, DCS, …
_BIDI = "\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"
_INVISIBLE = "\u2060-\u2065\u206a-\u206f\ufeff\ufff9-\ufffb"
_TAGS = "\U000e0000-\U000e007f"  # ASCII over again that nobody sees, and a model reads
_DROPPED = re.compile(f"[{_C0}{_C1}{_BIDI}{_INVISIBLE}{_TAGS}]")
_LINE_BREAKS = re.compile("[\u2028\u2029]")
SURROGATES = re.compile("[\ud800-\udfff]")
_WHITE_SPACE = re.compile(r"\s+")


def sanitise(text: str) -> str:
    """Return the text without control characters, bidi controls and lone surrogates.

    Line feeds and tabs stay; other line breaks of Unicode become line feeds.
    """
    text = _DROPPED.sub("", text)
    text = _LINE_BREAKS.sub("\n", text)
    return SURROGATES.sub(REPLACEMENT, text)


def one_line(text: str, limit: int = 400) -> str:
    """Sanitise a title, file name or error for one line: white space folded, cut at `limit`."""
    line = _WHITE_SPACE.sub(" ", sanitise(text)).strip()
    return line if len(line) <= limit else line[: limit - 1] + "…"
