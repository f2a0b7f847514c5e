"""Hands a sequence on to the terminal through tmux or GNU screen, which would keep it otherwise."""

from __future__ import annotations

from collections.abc import Mapping

SCREEN_CHUNK = 700  # GNU screen drops strings of more than 768


def through(sequence: str, env: Mapping[str, str]) -> str:
    """Return what brings a sequence to the terminal from here; it must end with BEL, not ST."""
    if env.get("TMUX"):
        return "\x1bPtmux;" + sequence.replace("\x1b", "\x1b\x1b") + "\x1b\\"
    if env.get("STY") or env.get("TERM", "").startswith("screen"):
        chunks = range(0, len(sequence), SCREEN_CHUNK)
        return "".join(f"\x1bP{sequence[i : i + SCREEN_CHUNK]}\x1b\\" for i in chunks)
    return sequence
