"""A Hub that fails at times, or resumes badly: the pull goes on, and its file is the right one."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

import pytest

from tests.app.models.pulling import (
    CONTENT,
    FILE,
    SOON,
    having,
    patience_with,
    pull,
    pull_half,
    said,
    target,
)
from tests.hub.answers import Answer, Asked, Place, Version
from tests.hub.lies import (
    Chunked,
    IgnoredRange,
    NoEtag,
    NothingStated,
    OverstatedLength,
    ShiftedRange,
)
from tests.hub.misbehaviour import (
    AddressExpired,
    DropAfter,
    DropBeforeHeaders,
    Hang,
    Misbehaviour,
    NeverSatisfiable,
    OfBody,
    ResetAfter,
    ServerError,
    StallAfter,
    TooManyRequests,
    Trickle,
)
from tests.hub.server import Hub

pytestmark = pytest.mark.usefixtures("brisk")

SIZE = len(CONTENT)
CUT = SIZE // 3
API, RESOLVE = Place.API, Place.RESOLVE


@dataclass(frozen=True, slots=True)
class Header(OfBody):
    """One header says this."""

    name: str
    text: str

    def edit_answer(self, answer: Answer, asked: Asked) -> Answer:
        return replace(answer, headers={**answer.headers, self.name: self.text})


@dataclass(frozen=True, slots=True)
class WeakEtag(Misbehaviour):
    """The ETag is a weak one, with which no Range may be asked for."""

    def edit_answer(self, answer: Answer, asked: Asked) -> Answer:
        return replace(answer, headers={**answer.headers, "ETag": 'W/"weak"'})


SURVIVED: dict[str, tuple[Misbehaviour, int]] = {
    "cut": (DropAfter(CUT), 1),
    "cut again and again": (DropAfter(SIZE // 9), 9),
    "reset": (ResetAfter(CUT), 1),
    "hangs up twice": (DropBeforeHeaders(), 2),
    "silent once": (Hang(), 1),
    "hub silent once": (Hang(at=RESOLVE), 1),
    "API silent once": (Hang(at=API), 1),
    "stalls once": (StallAfter(CUT), 1),
    "trickles once": (Trickle(1_000, 0.05), 1),
    "API breaks twice": (ServerError(500, at=API), 2),
    "hub breaks twice": (ServerError(502, at=RESOLVE), 2),
    "CDN breaks twice": (ServerError(503), 2),
    "API asks to wait": (TooManyRequests(0, at=API), 1),
    "CDN asks to wait": (TooManyRequests(0), 1),
    "address expires": (AddressExpired(), 2),
    "chunks": (Chunked(), 9),
    "length in no digits": (Header("Content-Length", "²"), 1),
    "length without end": (Header("Content-Length", "9" * 5000), 1),
}
UNRESUMED: dict[str, Misbehaviour] = {
    "no ETag": NoEtag(),
    "weak ETag": WeakEtag(),
    "range ignored": IgnoredRange(),
    "range shifted": ShiftedRange(-7),
    "range shifted on": ShiftedRange(7),
    "range never good": NeverSatisfiable(),
    "range without end": Header("Content-Range", f"bytes {'9' * 5000}-1/2"),
}


@pytest.mark.parametrize("case", SURVIVED)
def test_what_passes_is_waited_for(hub: Hub, case: str) -> None:
    behaviour, times = SURVIVED[case]
    hub.misbehave(behaviour, times=times)
    waits_for_more = isinstance(behaviour, Header)  # of a length that cannot be
    with having(SOON if waits_for_more else patience_with(behaviour)):
        assert pull() == 0
    assert target().read_bytes() == CONTENT


@pytest.mark.parametrize("case", UNRESUMED)
def test_who_resumes_badly_is_borne_with(hub: Hub, case: str) -> None:
    hub.misbehave(UNRESUMED[case])
    hub.misbehave(DropAfter(CUT), times=1)
    assert pull() == 0
    assert target().read_bytes() == CONTENT


@pytest.mark.parametrize("behaviour", [NeverSatisfiable(), IgnoredRange()])
def test_who_always_begins_anew_and_never_ends_is_left(
    hub: Hub, behaviour: Misbehaviour, capsys: pytest.CaptureFixture[str]
) -> None:
    hub.misbehave(DropAfter(CUT))
    hub.misbehave(behaviour)
    assert pull() == 1
    then = r"(is kept: try again to go on|again later)"
    assert re.search(rf"(cannot go on|was cut|ended early).* {then}", said(capsys))
    assert hub.sent_bytes(FILE) < 5 * SIZE
    hub.behave()
    assert pull() == 0


def test_a_weak_etag_costs_nothing(hub: Hub) -> None:
    hub.misbehave(WeakEtag())
    hub.misbehave(DropAfter(CUT), times=1)
    assert pull() == 0
    assert hub.sent_bytes(FILE) == SIZE


@dataclass(frozen=True, slots=True)
class OtherEtag(Misbehaviour):
    """The same file, on a server that makes ETags in a way of its own."""

    def edit_version(self, version: Version) -> Version:
        return replace(version, etag='"of-a-mirror"')


def test_another_etag_of_the_same_file_costs_nothing(hub: Hub) -> None:
    pull_half(hub)
    hub.misbehave(OtherEtag())
    assert pull() == 0
    assert target().read_bytes() == CONTENT
    assert hub.sent_bytes(FILE) == SIZE


def test_a_file_that_nothing_is_known_of_is_taken_as_it_is(hub: Hub) -> None:
    hub.misbehave(NothingStated())
    hub.misbehave(DropAfter(CUT), times=1)
    assert pull() == 0
    assert target().read_bytes() == CONTENT


def test_a_part_that_promises_more_than_comes_is_enough_if_all_came(hub: Hub) -> None:
    hub.misbehave(OverstatedLength(1000), after=1)
    hub.misbehave(DropAfter(CUT), times=1)
    assert pull() == 0
    assert target().read_bytes() == CONTENT


def test_what_was_damaged_on_disk_is_fetched_once_more(hub: Hub) -> None:
    half = pull_half(hub)
    path = target().with_name(FILE + ".part")
    path.write_bytes(CONTENT[: half - 1] + bytes([CONTENT[half - 1] ^ 1]))
    assert pull() == 0
    assert target().read_bytes() == CONTENT
    assert hub.sent_bytes(FILE) == 2 * SIZE
