"""Each failure on the way is seen on the wire, so that no test passes for want of it."""

from __future__ import annotations

import json
import time

import pytest

from tests.hub import lies, misbehaviour
from tests.hub.answers import Place
from tests.hub.misbehaviour import Misbehaviour
from tests.hub.seeing import API, CONTENT, FILE, PAGE, SIZE, address, cdn, resolve, see
from tests.hub.server import Hub
from tests.patience import PATIENCE_S

SILENT_S = 1.0
"""What is waited for where nothing more comes."""


@pytest.mark.parametrize(
    ("behaviour", "timeout_s", "broke"),
    [
        (misbehaviour.DropAfter(10), PATIENCE_S, "IncompleteRead"),
        (misbehaviour.StallAfter(10), SILENT_S, "TimeoutError"),
    ],
)
def test_the_body_ends_where_told(
    hub: Hub, behaviour: Misbehaviour, timeout_s: float, broke: str
) -> None:
    seen = cdn(hub, behaviour, timeout_s=timeout_s)
    assert (seen.status, seen.body, seen.broke) == (200, CONTENT[:10], broke)
    assert hub.sent_bytes(FILE) == 10


def test_a_reset_is_a_reset(hub: Hub) -> None:
    seen = cdn(hub, misbehaviour.ResetAfter(10))
    assert seen.broke == "ConnectionResetError"
    assert CONTENT[:10].startswith(seen.body)


@pytest.mark.parametrize(
    ("behaviour", "timeout_s", "broke"),
    [
        (misbehaviour.DropBeforeHeaders(), PATIENCE_S, "RemoteDisconnected"),
        (misbehaviour.Hang(), SILENT_S, "TimeoutError"),
    ],
)
def test_no_answer_comes(hub: Hub, behaviour: Misbehaviour, timeout_s: float, broke: str) -> None:
    seen = cdn(hub, behaviour, timeout_s=timeout_s)
    assert (seen.status, seen.broke) == (0, broke)


def test_a_trickle_pauses_between_its_drops(hub: Hub) -> None:
    url = address(hub)
    hub.misbehave(misbehaviour.Trickle(SIZE // 2, 0.05))
    began = time.monotonic()
    assert see(url).body == CONTENT
    assert time.monotonic() - began >= 0.05


@pytest.mark.parametrize("status", [500, 502, 503])
def test_a_server_error_lasts_as_often_as_told(hub: Hub, status: int) -> None:
    url = address(hub)
    hub.misbehave(misbehaviour.ServerError(status), times=2)
    assert [see(url).status for _ in range(3)] == [status, status, 200]


def test_it_begins_after_as_many_requests_as_told(hub: Hub) -> None:
    url = address(hub)
    hub.misbehave(misbehaviour.ServerError(), after=1, times=1)
    assert [see(url).status for _ in range(3)] == [200, 500, 200]


def test_it_concerns_the_file_it_names_and_ends_when_told(hub: Hub) -> None:
    url = address(hub)
    hub.misbehave(misbehaviour.ServerError(), file="another.gguf")
    assert see(url).status == 200
    hub.misbehave(misbehaviour.ServerError(), file=FILE)
    assert see(url).status == 500
    hub.behave()
    assert see(url).status == 200


def test_two_of_them_compose(hub: Hub) -> None:
    hub.misbehave(lies.Changed(b"another file", "f" * 40))
    seen = cdn(hub, misbehaviour.DropAfter(4))
    assert (seen.body, seen.broke) == (b"anot", "IncompleteRead")


@pytest.mark.parametrize("at", list(Place))
def test_too_many_requests_says_when_to_come_back(hub: Hub, at: Place) -> None:
    url = {
        Place.API: hub.endpoint + API,
        Place.RESOLVE: hub.endpoint + PAGE,
        Place.CDN: address(hub),
    }[at]
    hub.misbehave(misbehaviour.TooManyRequests(7, at=at))
    seen = see(url)
    assert (seen.status, seen.headers["Retry-After"]) == (429, "7")


@pytest.mark.parametrize(
    "behaviour",
    [
        misbehaviour.LOGIN_NEEDED,
        misbehaviour.NOT_ON_THE_LIST,
        misbehaviour.REPOSITORY_GONE,
        misbehaviour.REVISION_GONE,
        misbehaviour.FILE_GONE,
    ],
)
def test_a_refusal_is_worded_as_the_hub_words_it(hub: Hub, behaviour: misbehaviour.Refusal) -> None:
    seen = resolve(hub, behaviour)
    assert (seen.status, seen.headers["X-Error-Code"]) == (behaviour.status, behaviour.code)
    assert seen.headers["X-Error-Message"] == behaviour.message


def test_an_expired_address_is_denied(hub: Hub) -> None:
    seen = cdn(hub, misbehaviour.AddressExpired())
    assert (seen.status, b"AccessDenied" in seen.body) == (403, True)


def test_every_range_is_unsatisfiable(hub: Hub) -> None:
    seen = cdn(hub, misbehaviour.NeverSatisfiable(), {"Range": "bytes=100-"})
    assert (seen.status, seen.headers["Content-Range"]) == (416, f"bytes */{SIZE}")
    assert see(address(hub)).status == 200


def test_hub_and_cdn_send_each_other_the_client(hub: Hub) -> None:
    back = cdn(hub, misbehaviour.RedirectLoop()).headers["Location"]
    assert back.startswith(hub.endpoint)
    assert see(back).headers["Location"] == address(hub)


@pytest.mark.parametrize("location", [misbehaviour.MISSING_HOST, "file:///etc/passwd"])
def test_the_redirect_leads_astray(hub: Hub, location: str) -> None:
    seen = resolve(hub, misbehaviour.RedirectTo(location))
    assert (seen.status, seen.headers["Location"]) == (302, location)
    assert seen.headers["X-Linked-Size"] == str(SIZE)


@pytest.mark.parametrize("at", list(Place))
def test_a_login_page_looks_like_a_success(hub: Hub, at: Place) -> None:
    urls = (hub.endpoint + API, hub.endpoint + PAGE, address(hub))
    hub.misbehave(misbehaviour.LoginPage(at=at))
    pages = [see(url).headers.get("Content-Type") == "text/html" for url in urls]
    assert pages == [place is at for place in Place]


def test_json_breaks_off(hub: Hub) -> None:
    hub.misbehave(misbehaviour.MalformedJson())
    seen = see(hub.endpoint + API)
    assert (seen.status, seen.broke) == (200, "")
    with pytest.raises(json.JSONDecodeError):
        json.loads(seen.body)
