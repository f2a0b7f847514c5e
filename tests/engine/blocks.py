"""Cases for test_blocks.py: an answer, how it is cut into tokens and drafts, and what it must show.

The rules are a plain function of all tokens: no reader, no loop, no incremental decoder.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from hypothesis import strategies as st

from engine.messages import FinishReason
from tests.engine.fakes import VOCAB

ENDS = (0, 1)
"""End of text and end of turn. Their pieces are not empty, so that showing one is noticed."""
PROMPT = (2, 2, 2)
SPECIAL = (b"</s>", b"<end_of_turn>", b"<s>")
MOST_PIECES = VOCAB - len(SPECIAL)
LONGEST_DRAFT, MOST_ROOM = 7, 24
EXACT = 200
"""From this number on a budget ends with the very token that ends the answer anyhow."""

CHARACTERS = ("a", "b", "a", "b", "\0", "é", "中", "😀", "e\u0301", "👩\u200d🚀", "🇩🇪", "\ufeff")
INVALID = (b"\xff", b"\x80", b"\xc3", b"\xe2\x82", b"\xf0\x9f\x98", b"\xed\xa0\x80", b"\xc0\xaf")
ATOMS = (*(c.encode() for c in CHARACTERS), *INVALID)
BEGINNINGS = frozenset(
    chr(code).encode("utf-8", "surrogatepass")[:n]
    for code in range(0x80, 0x110000, 0x40)
    for n in range(1, 2 + (code >= 0x800) + (code >= 0x10000))
)
"""What more bytes may complete, for 64 characters each; a surrogate is refused as a whole."""


@dataclass(frozen=True, slots=True)
class Case:
    """What the target says, forever in a circle, when that ends, and how it is drafted.

    plan: for step after step, how many right tokens are drafted and how many wrong ones behind.
    heedless: whether drafts are as long as the cache allows, though fewer tokens may be emitted.
    """

    pieces: tuple[bytes, ...]
    script: tuple[int, ...]
    stop: tuple[str, ...]
    predict: int | None
    room: int
    plan: tuple[tuple[int, int], ...]
    heedless: bool

    def said(self, n: int) -> list[int]:
        """The first n tokens of the script."""
        return (list(self.script) * (n // len(self.script) + 1))[:n]

    def data(self, tokens: Sequence[int]) -> bytes:
        """The bytes of tokens; an end token has none."""
        return b"".join(self.pieces[token] for token in tokens if token not in ENDS)


@st.composite
def cases(draw: st.DrawFn) -> Case:
    """Cut a text into pieces first: so characters and stop strings are split and whole again."""
    data = b"".join(ATOMS[i % len(ATOMS)] for i in draw(st.binary(min_size=4, max_size=20)))
    cut = list(_cut(data, draw(st.binary(min_size=1, max_size=6))))
    pieces = (*SPECIAL, *dict.fromkeys(cut))
    script = [pieces.index(piece, len(SPECIAL)) for piece in cut]
    predict, room, end = draw(st.binary(min_size=3, max_size=3))
    if 0 < end % 30 <= len(script):
        script.insert(end % 30, ENDS[end % 2])
    said = (data * 2).decode("utf-8", "replace")
    steps = draw(st.binary(min_size=1, max_size=5))
    case = Case(
        pieces=(*pieces, *(b"?",) * (VOCAB - len(pieces))),
        script=tuple(script),
        stop=tuple(_stops(said, draw(st.binary(max_size=6)))),
        predict=None if predict >= EXACT else predict % MOST_ROOM or None,
        room=MOST_ROOM - room % MOST_ROOM,
        plan=tuple((7 - step % 8, step // 8 % 3) for step in steps),
        heedless=draw(st.booleans()),
    )
    return replace(case, predict=len(by_the_rules(case)[2])) if predict >= EXACT else case


def _cut(data: bytes, lengths: bytes) -> Iterator[bytes]:
    """Cut into at most MOST_PIECES of 0 to 5 bytes."""
    at = 0
    for i in range(MOST_PIECES):
        n = (lengths[i % len(lengths)] + 2) % 6
        yield data[at : at + n]
        at += n
        if at >= len(data):
            return


def _stops(said: str, numbers: bytes) -> Iterator[str]:
    """Parts of what is said, things that only begin like them, and parts of one another."""
    last = said
    for where, how in zip(numbers[::2], numbers[1::2], strict=False):
        source = last if how % 4 == 3 and last else said
        start, n = (len(source) - 3 - where) % len(source), (how // 8 + 3) % 7
        last = source[start : start + n] + ("#" if how % 4 == 2 else "")
        yield last


def decided(data: bytes) -> str:
    """The characters of data, but for one that more bytes may complete."""
    unfinished = next((n for n in (1, 2, 3) if data[-n:] in BEGINNINGS), 0)
    return data[: len(data) - unfinished].decode("utf-8", "replace")


def by_the_rules(case: Case) -> tuple[str, FinishReason, list[int]]:
    """Text, reason and tokens of the answer, from the longest sequence that it can be."""
    said = case.said(case.room)
    for n, token in enumerate(said, start=1):
        data = case.data(said[:n])
        text, whole = decided(data), data.decode("utf-8", "replace")
        cuts = [text.index(s) for s in case.stop if s and s in text]
        if token in ENDS:
            return whole, "stop", said[:n]
        if cuts:
            return text[: min(cuts)], "stop", said[:n]
        if n == case.predict:
            return whole, "length", said[:n]
    return whole, "context", said


def may_be_shown(case: Case, tokens: Sequence[int]) -> str:
    """All of an unfinished answer's text but an end that may be the beginning of a stop string."""
    text = decided(case.data(tokens))
    waiting = (n for s in case.stop for n in range(len(s)) if text.endswith(s[:n]))
    return text[: len(text) - max(waiting, default=0)]
