"""What can go wrong between a client and the hub: one class each, to be given to `Hub.misbehave`.

Contract: a misbehaviour is a frozen value. `strikes` says which requests it is for, `edit_version`
changes a file before it is listed or served, `edit_answer` changes the answer that came of it. It
keeps no count: how often and from when on it strikes is the caller's word. Several that strike the
same request are applied in the order in which they were given.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from tests.hub.answers import (
    Answer,
    Asked,
    End,
    Pace,
    Place,
    Version,
    page,
    redirect,
    refusal,
    size_of,
    unsatisfiable,
)
from tests.hub.repositories import access_denied

MISSING_HOST = "http://no-such-host.invalid/model.gguf"


@dataclass(frozen=True, slots=True)
class Misbehaviour:
    """Behaves: the ground of all others. `at` names the stations of a download it strikes at."""

    at: Place = field(default=Place.CDN, kw_only=True)

    def strikes(self, asked: Asked) -> bool:
        """Tell whether this request is one to misbehave on."""
        return asked.place in self.at

    def edit_version(self, version: Version) -> Version:
        """Return the file as it shall be listed and served."""
        return version

    def edit_answer(self, answer: Answer, asked: Asked) -> Answer:
        """Return the answer that shall be given instead."""
        return answer


@dataclass(frozen=True, slots=True)
class OfBody(Misbehaviour):
    """Strikes only where a body is due: at GET."""

    def strikes(self, asked: Asked) -> bool:
        return asked.place in self.at and asked.request.method == "GET"


@dataclass(frozen=True, slots=True)
class OfPart(Misbehaviour):
    """Strikes only where a Range is asked for."""

    def strikes(self, asked: Asked) -> bool:
        return asked.place in self.at and asked.request.range is not None


# The connection


@dataclass(frozen=True, slots=True)
class DropAfter(OfBody):
    """Close the connection after this many bytes of the body."""

    size: int

    def edit_answer(self, answer: Answer, asked: Asked) -> Answer:
        return replace(answer, limit=self.size, end=End.CLOSE)


@dataclass(frozen=True, slots=True)
class ResetAfter(OfBody):
    """Reset the connection (RST) after this many bytes: the client may see fewer of them."""

    size: int

    def edit_answer(self, answer: Answer, asked: Asked) -> Answer:
        return replace(answer, limit=self.size, end=End.RESET)


@dataclass(frozen=True, slots=True)
class DropBeforeHeaders(Misbehaviour):
    """Close the connection without a byte of an answer."""

    def edit_answer(self, answer: Answer, asked: Asked) -> Answer:
        return Answer(0, end=End.CLOSE)


@dataclass(frozen=True, slots=True)
class Hang(Misbehaviour):
    """Accept the request and never answer, until the hub stops."""

    def edit_answer(self, answer: Answer, asked: Asked) -> Answer:
        return Answer(0, end=End.STALL)


@dataclass(frozen=True, slots=True)
class StallAfter(OfBody):
    """Send this many bytes of the body and then nothing, until the hub stops."""

    size: int

    def edit_answer(self, answer: Answer, asked: Asked) -> Answer:
        return replace(answer, limit=self.size, end=End.STALL)


@dataclass(frozen=True, slots=True)
class Trickle(OfBody):
    """Send `size` bytes of the body every `pause_s` seconds."""

    size: int
    pause_s: float

    def edit_answer(self, answer: Answer, asked: Asked) -> Answer:
        return replace(answer, pace=Pace(self.size, self.pause_s))


# Refusals


@dataclass(frozen=True, slots=True)
class ServerError(Misbehaviour):
    """Answer with this status (500, 502, 503) and a page for people."""

    status: int = 500

    def edit_answer(self, answer: Answer, asked: Asked) -> Answer:
        return page(self.status, b"<html><body>Bad day.</body></html>", "text/html", {})


@dataclass(frozen=True, slots=True)
class TooManyRequests(Misbehaviour):
    """Answer 429 and ask to come back after this many seconds."""

    retry_after_s: int

    def edit_answer(self, answer: Answer, asked: Asked) -> Answer:
        told = refusal(429, "", "We had to rate limit you.")
        wait = {"Retry-After": str(self.retry_after_s)}
        return replace(told, headers={**told.headers, **wait})


@dataclass(frozen=True, slots=True)
class Refusal(Misbehaviour):
    """Answer with an error as the Hub words it: a status, its X-Error-Code and its message."""

    status: int
    code: str
    message: str
    at: Place = field(default=Place.API | Place.RESOLVE, kw_only=True)

    def edit_answer(self, answer: Answer, asked: Asked) -> Answer:
        return refusal(self.status, self.code, self.message)


LOGIN_NEEDED = Refusal(401, "GatedRepo", "Access to model is restricted. Please log in.")
NOT_ON_THE_LIST = Refusal(403, "GatedRepo", "Access is restricted: you are not on the list.")
REPOSITORY_GONE = Refusal(404, "RepoNotFound", "Repository not found")
REVISION_GONE = Refusal(404, "RevisionNotFound", "Invalid rev id: main")
FILE_GONE = Refusal(404, "EntryNotFound", "Entry not found", at=Place.RESOLVE)


@dataclass(frozen=True, slots=True)
class AddressExpired(Misbehaviour):
    """Answer 403 in XML, as a CDN does once the signature of an address is out of date."""

    def edit_answer(self, answer: Answer, asked: Asked) -> Answer:
        return access_denied()


@dataclass(frozen=True, slots=True)
class NeverSatisfiable(OfPart):
    """Answer 416 to every Range."""

    def edit_answer(self, answer: Answer, asked: Asked) -> Answer:
        return unsatisfiable(size_of(answer.body.source))


# Wrong ways


@dataclass(frozen=True, slots=True)
class RedirectLoop(Misbehaviour):
    """The CDN sends the client back to the hub, which sends it to the CDN, and so on."""

    def edit_answer(self, answer: Answer, asked: Asked) -> Answer:
        return redirect(asked.page, {})


@dataclass(frozen=True, slots=True)
class RedirectTo(Misbehaviour):
    """The hub names this address as the file's, e.g. `MISSING_HOST` or file:///etc/passwd."""

    location: str
    at: Place = field(default=Place.RESOLVE, kw_only=True)

    def edit_answer(self, answer: Answer, asked: Asked) -> Answer:
        kept = {name: text for name, text in answer.headers.items() if name.startswith("X-")}
        return redirect(self.location, kept)


@dataclass(frozen=True, slots=True)
class LoginPage(Misbehaviour):
    """Answer 200 with a page of HTML instead of what was asked, as a captive portal does."""

    def edit_answer(self, answer: Answer, asked: Asked) -> Answer:
        return page(200, b"<!DOCTYPE html><html>Sign in to the Wi-Fi.</html>", "text/html", {})


@dataclass(frozen=True, slots=True)
class MalformedJson(Misbehaviour):
    """The API answers 200 with JSON that breaks off in the middle, its length in accord."""

    at: Place = field(default=Place.API, kw_only=True)

    def edit_answer(self, answer: Answer, asked: Asked) -> Answer:
        whole = answer.body.read()
        return page(200, whole[: len(whole) // 2], "application/json", {})
