"""The test hub serves parts as HTTP says, tells who asked for what, and ends when it is told."""

from __future__ import annotations

import http.client
from urllib.parse import urlsplit
from urllib.request import Request as UrlRequest
from urllib.request import urlopen

import pytest

from tests.hub.answers import Asked
from tests.hub.misbehaviour import Misbehaviour, StallAfter
from tests.hub.seeing import CONTENT, FILE, PAGE, REPO, SHA256, SIZE, address, see
from tests.hub.server import Hub
from tests.patience import PATIENCE_S


@pytest.mark.parametrize(
    ("asked", "start", "end"),
    [("bytes=100-", 100, SIZE), ("bytes=100-199", 100, 200), ("bytes=-7", SIZE - 7, SIZE)],
)
def test_a_range_gets_that_part(hub: Hub, asked: str, start: int, end: int) -> None:
    with urlopen(
        UrlRequest(hub.endpoint + PAGE, headers={"Range": asked}), timeout=PATIENCE_S
    ) as answer:
        assert (answer.status, answer.read()) == (206, CONTENT[start:end])
        assert answer.headers["Content-Range"] == f"bytes {start}-{end - 1}/{SIZE}"
    assert [(r.host, r.range) for r in hub.requests] == [("hub", asked), ("cdn", asked)]
    assert hub.sent_bytes(FILE) == end - start


def test_if_range_gets_the_part_of_the_same_file_and_the_whole_of_another(hub: Hub) -> None:
    url = address(hub)
    same = {"Range": "bytes=100-", "If-Range": f'"{SHA256}"'}
    other = {"Range": "bytes=100-", "If-Range": '"another"'}
    assert (see(url, same).status, see(url, same).body) == (206, CONTENT[100:])
    assert (see(url, other).status, see(url, other).body) == (200, CONTENT)


def test_a_range_beyond_the_end_is_not_satisfiable(hub: Hub) -> None:
    seen = see(address(hub), {"Range": f"bytes={SIZE}-"})
    assert (seen.status, seen.headers["Content-Range"]) == (416, f"bytes */{SIZE}")


def test_the_cdn_serves_nothing_without_its_signature(hub: Hub) -> None:
    assert see(address(hub).split("?")[0]).status == 403
    assert hub.requests[-1].host == "cdn"


def test_one_connection_serves_many_requests(hub: Hub) -> None:
    connection = http.client.HTTPConnection(urlsplit(hub.endpoint).netloc, timeout=PATIENCE_S)
    connection.connect()
    socket = connection.sock
    for _ in range(3):
        connection.request("GET", f"/api/models/{REPO}")
        connection.getresponse().read()
        assert connection.sock is socket
    connection.close()


def test_stopping_ends_what_stalls_and_what_is_idle() -> None:
    with Hub() as hub:
        hub.add(REPO, FILE, CONTENT)
        idle = http.client.HTTPConnection(urlsplit(hub.endpoint).netloc, timeout=PATIENCE_S)
        idle.request("GET", f"/api/models/{REPO}")
        idle.getresponse().read()
        hub.misbehave(StallAfter(10))
        stalled = urlopen(address(hub), timeout=PATIENCE_S)
    with stalled, pytest.raises(http.client.IncompleteRead):
        stalled.read()
    assert idle.sock.recv(1) == b""
    idle.close()


def test_a_hub_that_never_began_can_be_stopped() -> None:
    hub = Hub()
    hub.stop()
    assert hub.requests == []


class Broken(Misbehaviour):
    """Fails itself instead of the request."""

    def strikes(self, asked: Asked) -> bool:
        raise ZeroDivisionError


def test_what_breaks_in_the_hub_is_no_misbehaviour() -> None:
    hub = Hub()
    hub.start()
    hub.add(REPO, FILE, CONTENT)
    hub.misbehave(Broken())
    assert see(hub.endpoint + PAGE).broke == "RemoteDisconnected"
    with pytest.raises(RuntimeError, match="hub itself"):
        hub.stop()


def test_a_client_that_takes_its_token_along_is_caught(hub: Hub) -> None:
    hub.token = "hf_of_the_test"
    header = {"Authorization": f"Bearer {hub.token}"}
    with urlopen(UrlRequest(hub.endpoint + PAGE, headers=header), timeout=PATIENCE_S) as answer:
        assert answer.read() == CONTENT
    leaked = [r.headers["authorization"] for r in hub.requests if r.host == "cdn"]
    assert leaked == ["Bearer hf_of_the_test"]
