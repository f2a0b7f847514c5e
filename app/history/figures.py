"""What a message carries beside its text, and how that is packed into columns.

A file may have been written by another version of the app: what cannot be understood is left out,
and nothing here raises for what a file holds.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, TypeAlias

import msgspec

from app.errors import HistoryError
from app.terminal.sanitise import REPLACEMENT, SURROGATES
from engine import SamplingSettings, Span, Stats

UNREADABLE = (msgspec.DecodeError, UnicodeError, RecursionError)
"""What a damaged file makes a decoder raise."""

MOST = 2**53
"""Nothing that was counted or measured comes near it, and with more no figure can be reckoned."""
Count: TypeAlias = Annotated[int, msgspec.Meta(ge=0, lt=MOST)]
PictureId: TypeAlias = Annotated[str, msgspec.Meta(pattern=r"\A([0-9a-f]{64})?\Z")]
"""It names a file: what else it could say would lead out of the folder."""


class Attachment(msgspec.Struct, frozen=True, omit_defaults=True):
    """A file that was attached to a question, with its text as it was then.

    size_bytes: of the file, None where nobody kept it; encoding: what it was taken for; of_lines:
    how many lines the file has, where only the first ones are kept; 0: all are. picture: the sha256
    of one (app/files/pictures.py), which has no text; pixels: its width and height.
    """

    name: str
    text: str
    size_bytes: Count | None = None
    encoding: str = ""
    of_lines: Count = 0
    picture: PictureId = ""
    pixels: tuple[Count, Count] = (0, 0)


class Figures(msgspec.Struct, frozen=True, omit_defaults=True):
    """What was measured of an answer, its seed, and the context tokens in use at its end.

    left_out: how many turns, the oldest of its branch, its prompt did without. sampling: how it was
    drawn, None where nobody kept that.
    """

    stats: Stats | None = None
    seed: int | None = None
    context_used: Count = 0
    left_out: Count = 0
    sampling: SamplingSettings | None = None


UNMEASURED = Figures()


@dataclass(frozen=True, slots=True)
class Outcome:
    """How an answer ended. reason: as the conversation says it; error: one line, if it failed."""

    reason: str
    figures: Figures = UNMEASURED
    error: str = ""


class _Pieces(msgspec.Struct, frozen=True, array_like=True):
    """Who proposed each piece: its length in characters, and an index into `names`."""

    names: list[str]
    lengths: list[int]
    who: list[int]


def storable(text: str) -> str:
    """Return text that can be written as UTF-8: lone surrogates are replaced."""
    return text if text.isascii() else SURROGATES.sub(REPLACEMENT, text)


def pack_spans(spans: Iterable[Span]) -> bytes:
    """Pack who proposed each piece, without the text: about two bytes for each."""
    numbers: dict[str, int] = {}
    lengths, who = [], []
    for span in spans:
        lengths.append(len(span.text))
        who.append(numbers.setdefault(span.origin, len(numbers)))
    return msgspec.msgpack.encode(_Pieces(list(numbers), lengths, who)) if lengths else b""


def unpack_spans(pieces: bytes, text: str) -> list[Span]:
    """Cut the text into its spans; what goes beyond its end is left out."""
    try:
        found = msgspec.msgpack.decode(pieces, type=_Pieces) if pieces else _Pieces([], [], [])
    except UNREADABLE:
        return []
    spans, begin = [], 0
    for length, number in zip(found.lengths, found.who, strict=False):
        if not length:
            continue
        piece = text[begin : begin + length] if length > 0 else ""
        if not piece or not 0 <= number < len(found.names):
            break
        spans.append(Span(piece, found.names[number]))
        begin += length
    return spans


def pack_figures(figures: Figures) -> str:
    """Return the figures as JSON, "" if there are none, or none that can have been measured."""
    known = _measured(figures)
    return "" if known == UNMEASURED else msgspec.json.encode(known).decode()


def unpack_figures(packed: str) -> Figures:
    """Return the figures."""
    if not packed:
        return UNMEASURED
    try:
        return _measured(msgspec.json.decode(packed, type=Figures))
    except UNREADABLE:
        return UNMEASURED


def _measured(figures: Figures) -> Figures:
    """Return the figures, UNMEASURED where they cannot have been measured."""
    stats = figures.stats
    if stats is None:
        return figures
    places = zip(stats.accepted_at, stats.tested_at, strict=False)
    is_sound = all(0 <= number < MOST for number in _numbers(msgspec.to_builtins(stats)))
    is_sound = is_sound and all(accepted <= tested for accepted, tested in places)
    return figures if is_sound else UNMEASURED


def _numbers(found: object) -> Iterator[float]:
    """Yield all numbers, however deep they are."""
    if isinstance(found, dict | list):
        for each in found.values() if isinstance(found, dict) else found:
            yield from _numbers(each)
    elif isinstance(found, int | float):
        yield found


def pack_attachments(attachments: Sequence[Attachment]) -> str:
    """Return the attachments as JSON, "" if there are none."""
    kept = [
        msgspec.structs.replace(it, name=storable(it.name), text=storable(it.text))
        for it in attachments
    ]
    return msgspec.json.encode(kept).decode() if kept else ""


def unpack_attachments(packed: str) -> tuple[Attachment, ...]:
    """Return the attachments."""
    if not packed:
        return ()
    try:
        return msgspec.json.decode(packed, type=tuple[Attachment, ...])
    except UNREADABLE:
        return ()


def pictures_in(packed: str) -> list[str]:
    """Return the pictures among the attachments."""
    return [it.picture for it in unpack_attachments(packed) if it.picture]


def pack_settings(settings: Mapping[str, object]) -> str:
    """Return a chat's settings as JSON. Raises HistoryError if they cannot be."""
    try:
        return storable(msgspec.json.encode(dict(settings)).decode())
    except (TypeError, msgspec.MsgspecError, UnicodeEncodeError, RecursionError) as error:
        raise HistoryError(f"A chat's settings cannot be kept: {error}.") from error


def unpack_settings(packed: str) -> dict[str, object]:
    """Return a chat's settings."""
    try:
        return msgspec.json.decode(packed, type=dict[str, object])
    except UNREADABLE:
        return {}
