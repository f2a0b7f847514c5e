"""A client that believes nothing: it shows each answer of the test hub as it came."""

from __future__ import annotations

import hashlib
import http.client
import json
from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import urlsplit

from tests.hub.misbehaviour import Misbehaviour
from tests.hub.server import Hub
from tests.patience import PATIENCE_S

REPO = "someone/model"
FILE = "model-q8_0.gguf"
CONTENT = bytes(range(256)) * 4
SIZE = len(CONTENT)
SHA256 = hashlib.sha256(CONTENT).hexdigest()
API = f"/api/models/{REPO}?blobs=true"
PAGE = f"/{REPO}/resolve/main/{FILE}"


@dataclass(frozen=True, slots=True)
class Seen:
    """What a client saw: an answer, as far as it came, and what became of the connection."""

    status: int
    headers: Mapping[str, str]
    body: bytes
    broke: str = ""


def see(url: str, headers: Mapping[str, str] | None = None, timeout_s: float = PATIENCE_S) -> Seen:
    """GET without following, retrying or unpacking anything. timeout_s: for each sign of life."""
    host = urlsplit(url).netloc
    connection = http.client.HTTPConnection(host, timeout=timeout_s)
    try:
        connection.request("GET", url.removeprefix(f"http://{host}"), headers=dict(headers or {}))
        return read(connection.getresponse())
    except (ConnectionResetError, TimeoutError) as error:
        return Seen(0, {}, b"", type(error).__name__)
    finally:
        connection.close()


def read(answer: http.client.HTTPResponse) -> Seen:
    """Read byte by byte, so that what came before a break is kept."""
    body, broke = bytearray(), ""
    try:
        while byte := answer.read(1):
            body += byte
        if answer.length:
            broke = "IncompleteRead"
    except (http.client.IncompleteRead, ConnectionResetError, TimeoutError) as error:
        broke = type(error).__name__
    return Seen(answer.status, dict(answer.headers), bytes(body), broke)


def address(hub: Hub) -> str:
    """The file's address at the CDN."""
    return see(hub.endpoint + PAGE).headers["Location"]


def cdn(
    hub: Hub,
    behaviour: Misbehaviour,
    headers: Mapping[str, str] | None = None,
    timeout_s: float = PATIENCE_S,
) -> Seen:
    """See a file at the CDN of a hub that misbehaves so."""
    url = address(hub)
    hub.misbehave(behaviour)
    return see(url, headers, timeout_s)


def resolve(hub: Hub, behaviour: Misbehaviour) -> Seen:
    """See the redirect of a hub that misbehaves so."""
    hub.misbehave(behaviour)
    return see(hub.endpoint + PAGE)


def listed(hub: Hub) -> dict[str, object]:
    """What the API says of the one file."""
    (sibling,) = json.loads(see(hub.endpoint + API).body)["siblings"]
    assert isinstance(sibling, dict)
    return sibling
