"""Each lie is seen on the wire, so that no test passes for want of it."""

from __future__ import annotations

import gzip

import pytest

from tests.hub import lies
from tests.hub.answers import Place
from tests.hub.misbehaviour import DropAfter, Misbehaviour
from tests.hub.seeing import CONTENT, SIZE, address, cdn, listed, resolve, see
from tests.hub.server import Hub

PART = {"Range": "bytes=100-"}


def test_one_byte_is_not_the_files(hub: Hub) -> None:
    body = cdn(hub, lies.FlippedByte(500)).body
    assert [at for at in range(SIZE) if body[at] != CONTENT[at]] == [500]


@pytest.mark.parametrize(
    ("behaviour", "expected"),
    [
        (lies.Shortened(3), CONTENT[:-3]),
        (lies.Lengthened(3), CONTENT + bytes(3)),
        (lies.Emptied(), b""),
    ],
)
def test_the_cdns_file_has_another_size(hub: Hub, behaviour: Misbehaviour, expected: bytes) -> None:
    seen = cdn(hub, behaviour)
    assert (seen.body, seen.headers["Content-Length"]) == (expected, str(len(expected)))
    assert listed(hub)["size"] == SIZE


def test_the_file_changes_between_two_parts(hub: Hub) -> None:
    url = address(hub)
    hub.misbehave(lies.Changed(b"new", "f" * 40, at=Place.CDN), after=1)
    first = see(url, {"Range": "bytes=0-9"})
    second = see(url, {"Range": "bytes=10-", "If-Range": first.headers["ETag"]})
    assert (first.status, first.body) == (206, CONTENT[:10])
    assert (second.status, second.body) == (200, b"new")
    assert second.headers["ETag"] != first.headers["ETag"]


def test_a_changed_file_has_a_commit_of_its_own(hub: Hub) -> None:
    seen = resolve(hub, lies.Changed(b"new", "f" * 40))
    assert (seen.headers["X-Repo-Commit"], seen.headers["X-Linked-Size"]) == ("f" * 40, "3")


def test_what_is_stated_is_not_what_is_sent(hub: Hub) -> None:
    hub.misbehave(lies.StatedSize(5))
    seen = resolve(hub, lies.StatedSha256("0" * 64))
    stated = (seen.headers["X-Linked-Size"], seen.headers["X-Linked-Etag"])
    assert stated == ("5", f'"{"0" * 64}"')
    assert listed(hub)["lfs"] == {"sha256": "0" * 64, "size": 5, "pointerSize": 135}
    assert see(seen.headers["Location"]).body == CONTENT


def test_nothing_is_stated(hub: Hub) -> None:
    seen = resolve(hub, lies.NothingStated())
    assert not {"X-Linked-Size", "X-Linked-Etag"} & set(seen.headers)
    assert set(listed(hub)) == {"rfilename", "blobId"}


def test_no_etag_is_sent(hub: Hub) -> None:
    assert "ETag" not in cdn(hub, lies.NoEtag()).headers
    assert not {"ETag", "X-Linked-Etag"} & set(resolve(hub, lies.NoEtag(at=Place.RESOLVE)).headers)


def test_the_length_promises_more(hub: Hub) -> None:
    seen = cdn(hub, lies.OverstatedLength(8))
    assert (seen.body, seen.broke) == (CONTENT, "IncompleteRead")


def test_chunks_have_no_length(hub: Hub) -> None:
    seen = cdn(hub, lies.Chunked())
    assert ("Content-Length" in seen.headers, seen.body) == (False, CONTENT)


def test_dropped_chunks_have_no_end(hub: Hub) -> None:
    hub.misbehave(lies.Chunked())
    seen = cdn(hub, DropAfter(10))
    assert (seen.body, seen.broke) == (CONTENT[:10], "IncompleteRead")


def test_gzip_comes_unasked(hub: Hub) -> None:
    seen = cdn(hub, lies.Gzipped(), {"Accept-Encoding": "identity"})
    assert (seen.headers["Content-Encoding"], gzip.decompress(seen.body)) == ("gzip", CONTENT)


def test_a_range_is_ignored(hub: Hub) -> None:
    seen = cdn(hub, lies.IgnoredRange(), PART)
    assert (seen.status, seen.body, "Content-Range" in seen.headers) == (200, CONTENT, False)


def test_another_part_comes_than_was_asked_for(hub: Hub) -> None:
    seen = cdn(hub, lies.ShiftedRange(-40), PART)
    assert (seen.status, seen.body) == (206, CONTENT[60:-40])
    assert seen.headers["Content-Range"] == f"bytes 60-983/{SIZE}"
