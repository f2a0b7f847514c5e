"""What a hub can say that is not so: about a file's content, its size, its parts, its encoding.

Contract: as in `misbehaviour.py`, whose ground these classes share; they differ from the failures
there in that every answer here looks like a success.
"""

from __future__ import annotations

import gzip
from dataclasses import dataclass, field, replace

from tests.hub.answers import (
    Answer,
    Asked,
    Body,
    End,
    Place,
    Version,
    bytes_of,
    new_version,
    size_of,
)
from tests.hub.misbehaviour import Misbehaviour, OfBody, OfPart

# Content


@dataclass(frozen=True, slots=True)
class FlippedByte(Misbehaviour):
    """One bit of the file's byte at this offset is not what its hash was made of."""

    offset: int

    def edit_version(self, version: Version) -> Version:
        content = bytearray(bytes_of(version.content))
        content[self.offset] ^= 1
        return replace(version, content=bytes(content))


@dataclass(frozen=True, slots=True)
class Shortened(Misbehaviour):
    """The CDN's file, and so its Content-Length, ends this many bytes before the stated size."""

    missing: int

    def edit_version(self, version: Version) -> Version:
        content = bytes_of(version.content)
        return replace(version, content=content[: len(content) - self.missing])


@dataclass(frozen=True, slots=True)
class Lengthened(Misbehaviour):
    """The CDN's file, and so its Content-Length, has this many bytes more than the stated size."""

    extra: int

    def edit_version(self, version: Version) -> Version:
        return replace(version, content=bytes_of(version.content) + bytes(self.extra))


@dataclass(frozen=True, slots=True)
class Emptied(Misbehaviour):
    """The CDN's file is empty."""

    def edit_version(self, version: Version) -> Version:
        return replace(version, content=b"")


@dataclass(frozen=True, slots=True)
class Changed(Misbehaviour):
    """Another file under the same address, with an ETag, and a commit, of its own.

    `Hub.misbehave(Changed(...), after=1)` changes it between two parts of one download.
    """

    content: bytes
    commit: str
    at: Place = field(default=Place.RESOLVE | Place.CDN, kw_only=True)

    def edit_version(self, version: Version) -> Version:
        return new_version(version.name, self.content)

    def edit_answer(self, answer: Answer, asked: Asked) -> Answer:
        if "X-Repo-Commit" not in answer.headers:
            return answer
        return replace(answer, headers={**answer.headers, "X-Repo-Commit": self.commit})


# What is stated beforehand


@dataclass(frozen=True, slots=True)
class StatedSize(Misbehaviour):
    """API and redirect state this size, whatever the CDN has."""

    size: int
    at: Place = field(default=Place.API | Place.RESOLVE, kw_only=True)

    def edit_version(self, version: Version) -> Version:
        return replace(version, stated_size=self.size)


@dataclass(frozen=True, slots=True)
class StatedSha256(Misbehaviour):
    """API and redirect state this hash, whatever the CDN has."""

    sha256: str
    at: Place = field(default=Place.API | Place.RESOLVE, kw_only=True)

    def edit_version(self, version: Version) -> Version:
        return replace(version, sha256=self.sha256)


@dataclass(frozen=True, slots=True)
class NothingStated(Misbehaviour):
    """API and redirect state neither hash nor size."""

    at: Place = field(default=Place.API | Place.RESOLVE, kw_only=True)

    def edit_version(self, version: Version) -> Version:
        return replace(version, sha256=None, stated_size=None)


@dataclass(frozen=True, slots=True)
class NoEtag(Misbehaviour):
    """The answer has no ETag, linked or of its own."""

    def edit_answer(self, answer: Answer, asked: Asked) -> Answer:
        kept = {n: text for n, text in answer.headers.items() if not n.lower().endswith("etag")}
        return replace(answer, headers=kept)


# How it is sent


@dataclass(frozen=True, slots=True)
class OverstatedLength(OfBody):
    """Content-Length promises this many bytes more than come before the connection closes."""

    extra: int

    def edit_answer(self, answer: Answer, asked: Asked) -> Answer:
        length = str(answer.body.length + self.extra)
        return replace(answer, headers={**answer.headers, "Content-Length": length}, end=End.CLOSE)


@dataclass(frozen=True, slots=True)
class Chunked(Misbehaviour):
    """The body comes in chunks, without a Content-Length."""

    def edit_answer(self, answer: Answer, asked: Asked) -> Answer:
        kept = {name: text for name, text in answer.headers.items() if name != "Content-Length"}
        return replace(answer, headers={**kept, "Transfer-Encoding": "chunked"})


@dataclass(frozen=True, slots=True)
class Gzipped(Misbehaviour):
    """The body is gzip, whatever Accept-Encoding asked for."""

    def edit_answer(self, answer: Answer, asked: Asked) -> Answer:
        packed = gzip.compress(answer.body.read(), mtime=0)
        told = {"Content-Encoding": "gzip", "Content-Length": str(len(packed))}
        body = Body(packed, 0, len(packed))
        return replace(answer, headers={**answer.headers, **told}, body=body)


@dataclass(frozen=True, slots=True)
class IgnoredRange(OfPart):
    """The whole file, with status 200, for a Range."""

    def edit_answer(self, answer: Answer, asked: Asked) -> Answer:
        if answer.status != 206:
            return answer
        size = size_of(answer.body.source)
        kept = {name: text for name, text in answer.headers.items() if name != "Content-Range"}
        whole = Body(answer.body.source, 0, size)
        return replace(
            answer, status=200, headers={**kept, "Content-Length": str(size)}, body=whole
        )


@dataclass(frozen=True, slots=True)
class ShiftedRange(OfPart):
    """A 206 for the part that starts this many bytes away from the one asked for."""

    by: int

    def edit_answer(self, answer: Answer, asked: Asked) -> Answer:
        if answer.status != 206:
            return answer
        size = size_of(answer.body.source)
        start = answer.body.start + self.by
        length = min(answer.body.length, size - start)
        told = {
            "Content-Range": f"bytes {start}-{start + length - 1}/{size}",
            "Content-Length": str(length),
        }
        body = Body(answer.body.source, start, length)
        return replace(answer, headers={**answer.headers, **told}, body=body)
