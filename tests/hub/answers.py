"""Requests, files and answers of the test hub as plain data.

Contract: frozen values and pure functions. `repositories.py` makes answers, `misbehaviour.py` and
`lies.py` edit them, `listener.py` puts them on the wire exactly as they are: headers are written as
given, so that an edited answer may contradict itself.
"""

from __future__ import annotations

import hashlib
import io
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum, Flag, auto
from pathlib import Path
from typing import BinaryIO
from urllib.parse import quote

LAST_MODIFIED = "Thu, 01 Jan 2026 00:00:00 GMT"


class Place(Flag):
    """The stations of a download: the JSON API, the hub's redirect, and the CDN that it names."""

    API = auto()
    RESOLVE = auto()
    CDN = auto()


@dataclass(frozen=True, slots=True)
class Request:
    """One request as it arrived; the names of `headers` are in lower case, `path` has the query."""

    host: str
    method: str
    path: str
    headers: Mapping[str, str]

    @property
    def range(self) -> str | None:
        """What the Range header asked for."""
        return self.headers.get("range")


@dataclass(frozen=True, slots=True)
class Asked:
    """A request, understood: where it arrived, and what it wants to have."""

    request: Request
    place: Place
    kind: str
    endpoint: str
    repo: str = ""
    revision: str = "main"
    path: str = ""

    @property
    def page(self) -> str:
        """The hub's address of the file."""
        revision = quote(self.revision, safe="")
        return f"{self.endpoint}/{self.repo}/resolve/{revision}/{quote(self.path)}"


@dataclass(frozen=True, slots=True)
class Version:
    """One file at one commit: its content, and what the hub states about it."""

    name: str
    content: bytes | Path
    sha256: str | None
    stated_size: int | None
    etag: str

    @property
    def blob_id(self) -> str:
        """The git object id of the pointer file that stands for the content."""
        return hashlib.sha1(f"pointer to {self.etag}".encode()).hexdigest()


def size_of(content: bytes | Path) -> int:
    """Return the number of bytes of the content."""
    return content.stat().st_size if isinstance(content, Path) else len(content)


def bytes_of(content: bytes | Path) -> bytes:
    """Return the content, read whole."""
    return content.read_bytes() if isinstance(content, Path) else content


def sha256_of(content: bytes | Path) -> str:
    """Return the content's SHA-256 in hex."""
    if isinstance(content, bytes):
        return hashlib.sha256(content).hexdigest()
    with content.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def new_version(name: str, content: bytes | Path, sha256: str | None = None) -> Version:
    """Return a file which the hub states truly, but for a `sha256` that the caller makes up."""
    digest = sha256 or sha256_of(content)
    return Version(name, content, digest, size_of(content), f'"{digest}"')


@dataclass(frozen=True, slots=True)
class Body:
    """`length` bytes of `source`, from `start`."""

    source: bytes | Path = b""
    start: int = 0
    length: int = 0

    def open(self) -> BinaryIO:
        """Open the whole source for reading."""
        return self.source.open("rb") if isinstance(self.source, Path) else io.BytesIO(self.source)

    def read(self) -> bytes:
        """Return the bytes of the body."""
        with self.open() as stream:
            stream.seek(self.start)
            return stream.read(self.length)


class End(Enum):
    """What happens to the connection after the last byte of an answer."""

    KEEP = auto()
    CLOSE = auto()
    RESET = auto()
    STALL = auto()


@dataclass(frozen=True, slots=True)
class Pace:
    """Write `size` bytes, pause for `pause_s`, and so on."""

    size: int = 1 << 20
    pause_s: float = 0.0


@dataclass(frozen=True, slots=True)
class Answer:
    """What goes on the wire. Status 0: not one byte of it. `limit`: body bytes before `end`."""

    status: int
    headers: Mapping[str, str] = field(default_factory=dict)
    body: Body = Body()
    limit: int | None = None
    end: End = End.KEEP
    pace: Pace = Pace()
    file: str = ""


def page(status: int, text: bytes, content_type: str, headers: Mapping[str, str]) -> Answer:
    """Return an answer with this text as its body."""
    stated = {"Content-Type": content_type, "Content-Length": str(len(text)), **headers}
    return Answer(status, stated, Body(text, 0, len(text)))


def json_page(status: int, value: object, headers: Mapping[str, str]) -> Answer:
    """Return an answer with this value as JSON."""
    return page(status, json.dumps(value).encode(), "application/json; charset=utf-8", headers)


def refusal(status: int, code: str, message: str) -> Answer:
    """Return an error as the Hub words it: in headers for programs, in JSON for people."""
    named = {"X-Error-Code": code} if code else {}
    return json_page(status, {"error": message}, {**named, "X-Error-Message": message})


def redirect(location: str, headers: Mapping[str, str]) -> Answer:
    """Return a 302 to this address."""
    return page(302, b"Found.", "text/plain", {"Location": location, **headers})


def file_page(version: Version, request: Request) -> Answer:
    """Answer a CDN request for a file: whole (200), a part (206), or no such part (416)."""
    size = size_of(version.content)
    headers = {
        "Content-Type": "binary/octet-stream",
        "Accept-Ranges": "bytes",
        "ETag": version.etag,
        "Last-Modified": LAST_MODIFIED,
    }
    part = _part_asked_for(request, version.etag, size)
    if part is None:
        headers["Content-Length"] = str(size)
        return Answer(200, headers, Body(version.content, 0, size))
    start, end = part
    if start >= size or end <= start:
        return unsatisfiable(size)
    headers["Content-Length"] = str(end - start)
    headers["Content-Range"] = f"bytes {start}-{end - 1}/{size}"
    return Answer(206, headers, Body(version.content, start, end - start))


def unsatisfiable(size: int) -> Answer:
    """Return a 416 for a file of this size."""
    text = b"<?xml version='1.0'?><Error><Code>InvalidRange</Code></Error>"
    return page(416, text, "application/xml", {"Content-Range": f"bytes */{size}"})


def _part_asked_for(request: Request, etag: str, size: int) -> tuple[int, int] | None:
    """Return [start, end) of the Range asked for, or None where the whole file is due."""
    match = re.fullmatch(r"bytes=(\d*)-(\d*)", request.range or "")
    if match is None or match.group(0) == "bytes=-":
        return None
    if request.headers.get("if-range", etag) != etag:
        return None
    first, last = match.groups()
    if not first:
        return max(0, size - int(last)), size
    return int(first), min(size, int(last) + 1) if last else size
