"""The bytes of a file over HTTP, from an offset on, as one connection gives them.

Redirects are followed by hand, so that the token stays with the host it is for. What may go well at
another try raises Broken, what will not raises PullError; who reads decides how often to try.
"""

from __future__ import annotations

import re
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import urljoin, urlsplit

from app.errors import PullError
from app.models.retrying import Patience

if TYPE_CHECKING:
    import requests
    import urllib3

CHUNK = 2**20
GATHER_S = 0.1
MOST_REDIRECTS = 8
NUMBER = r"[0-9]{1,18}"
RANGE = re.compile(rf"bytes ({NUMBER})-{NUMBER}/({NUMBER}|\*)")
UNSATISFIED = re.compile(rf"bytes \*/({NUMBER})")
REDIRECTS = {301, 302, 303, 307, 308}


class Broken(Exception):
    """The connection failed, or the server was busy. retry_after: its header of that name, which
    says how long to wait, None without one.
    """

    def __init__(self, why: str, retry_after: str | None = None) -> None:
        super().__init__(why)
        self.retry_after = retry_after


class StartAnew(Exception):
    """The server does not go on from the offset: the file changed, or it cannot. size: of the whole
    file, None if not told.
    """

    def __init__(self, size: int | None = None) -> None:
        super().__init__("the server cannot go on where it was")
        self.size = size


@dataclass(frozen=True, slots=True)
class Body:
    """A response whose bytes begin at `start`. size: of the whole file, None if not told."""

    start: int
    size: int | None
    etag: str | None
    response: requests.Response

    def chunks(self, most: int = CHUNK) -> Iterator[bytes]:
        """Yield what arrives, at most so many bytes at a time: little by little where it is slow,
        and gathered where it is fast, for each piece costs time; nothing is held back for longer
        than GATHER_S. What comes in one piece is handed on as it is: to fill it up would copy all
        of it. Raises Broken.
        """
        import urllib3

        raw = self.response.raw
        pieces: list[bytes] = []
        gathered, since = 0, time.monotonic()
        try:
            while piece := raw.read1(most - gathered, decode_content=False):
                if not pieces:
                    since = time.monotonic()
                pieces.append(piece)
                gathered += len(piece)
                left_s = GATHER_S - (time.monotonic() - since)
                if gathered >= most // 2 or not _goes_on(raw, left_s):
                    yield b"".join(pieces)
                    pieces.clear()
                    gathered = 0
        except (urllib3.exceptions.HTTPError, OSError) as error:
            if pieces:
                yield b"".join(pieces)
            raise Broken(_why(error)) from None
        if pieces:
            yield b"".join(pieces)


def _goes_on(raw: urllib3.BaseHTTPResponse, wait_s: float) -> bool:
    """Whether more of the body can be read within this time, its end included."""
    from urllib3.util import wait_for_read

    sock = getattr(raw.connection, "sock", None)
    if sock is None or getattr(raw, "length_remaining", None) == 0:
        return True
    if wait_s <= 0.0:
        return False
    pending = getattr(sock, "pending", None)  # what TLS has decrypted already
    return bool(pending and pending()) or wait_for_read(sock, wait_s)


@contextmanager
def opened(
    url: str,
    headers: Mapping[str, str],
    patience: Patience,
    offset: int = 0,
    etag: str | None = None,
) -> Iterator[Body]:
    """Request the file from `offset` on, if it still is the one with this ETag.

    headers: for the first host alone. Raises Broken, StartAnew, PullError.
    """
    import requests

    from app.models.proxies import Trusting, trusted

    with requests.Session() as session:
        session.mount("https://", Trusting(trusted()))
        session.auth = _as_given  # no passwords from ~/.netrc
        session.get_redirect_target = _nowhere  # type: ignore[method-assign,assignment]
        response = _followed(session, url, headers, _wanted(offset, etag), patience)
        try:
            yield _checked(response, offset, is_home=_origin(response.url) == _origin(url))
        finally:
            response.close()


def _as_given(request: requests.PreparedRequest) -> requests.PreparedRequest:
    return request


def _nowhere(response: requests.Response) -> None:
    """Keep requests from reading the whole body of a redirect, and its address."""


def _wanted(offset: int, etag: str | None) -> dict[str, str]:
    asked = {"Accept-Encoding": "identity", "User-Agent": "slipstream"}
    if offset:
        asked["Range"] = f"bytes={offset}-"
        if etag is not None and not etag.startswith("W/"):  # a weak one never counts as the same
            asked["If-Range"] = etag
    return asked


def _followed(
    session: requests.Session,
    url: str,
    headers: Mapping[str, str],
    asked: dict[str, str],
    patience: Patience,
) -> requests.Response:
    """Follow redirects to the response that is none."""
    import requests
    import urllib3

    home = _origin(url)
    for _ in range(MOST_REDIRECTS):
        given = {**headers, **asked} if _origin(url) == home else asked
        try:
            response = session.get(
                url,
                headers=given,
                stream=True,
                allow_redirects=False,
                timeout=(patience.connect_s, patience.read_s),
            )
        except requests.exceptions.SSLError as error:
            if "CERTIFICATE" in str(error).upper():
                raise PullError(f"The certificate of {_host(url)} is not to be trusted.") from None
            raise Broken(f"no safe connection to {_host(url)}") from None
        except (requests.RequestException, urllib3.exceptions.HTTPError) as error:
            raise Broken(_why(error)) from None
        if response.status_code not in REDIRECTS:
            return response
        response.close()
        url = _next(url, response.headers.get("Location"), home)
    raise PullError(f"{home[1]} redirects in a circle; try again later.")


def _next(url: str, location: str | None, home: tuple[str, str]) -> str:
    """Return where a redirect leads, which must be as safe as where it came from."""
    try:
        target = urljoin(url, location or "")
        scheme = urlsplit(target).scheme
    except ValueError:
        raise PullError(f"{_host(url)} redirects to what is no address.") from None
    if scheme != "https" and scheme != home[0]:
        raise PullError(f"{_host(url)} redirects to an unsafe address ({scheme}:).")
    return target


def _host(url: str) -> str:
    return urlsplit(url).hostname or "the server"


def _origin(url: str) -> tuple[str, str]:
    parts = urlsplit(url)
    return parts.scheme, parts.netloc


def _checked(response: requests.Response, offset: int, is_home: bool) -> Body:
    """Make sure that the response is the file from the offset on, or from its beginning."""
    status, headers = response.status_code, response.headers
    host = _host(response.url)
    if status == 429 or status >= 500:
        raise Broken(f"{host} answers {status}", headers.get("Retry-After"))
    if status in (401, 403, 410) and not is_home:  # addresses that the Hub hands out expire
        raise Broken(f"{host} answers {status}")
    if status in (401, 403):
        raise PullError(
            "The Hub gives this file only to who has accepted its licence: do that on the model's "
            "page, then log in (`hf auth login`) or set HF_TOKEN."
        )
    if status == 416 and offset:
        total = UNSATISFIED.fullmatch(headers.get("Content-Range", ""))
        raise StartAnew(int(total[1]) if total else None)
    if status not in (200, 206):
        raise PullError(f"{host} answers {status} for the file; try again later.")
    if headers.get("Content-Encoding", "identity") != "identity":
        raise PullError(f"{host} sends the file encoded ({headers['Content-Encoding']}).")
    if headers.get("Content-Type", "").lower().startswith("text/html"):
        raise PullError(
            f"{host} sends a web page instead of the file: perhaps this network wants you to sign "
            "in with a browser first."
        )
    length = headers.get("Content-Length", "")
    etag = headers.get("ETag")
    if status == 200:
        return Body(0, int(length) if re.fullmatch(NUMBER, length) else None, etag, response)
    found = RANGE.fullmatch(headers.get("Content-Range", ""))
    if found is None or int(found[1]) != offset:
        raise StartAnew
    return Body(offset, None if found[2] == "*" else int(found[2]), etag, response)


def _why(error: Exception) -> str:
    """Say in a few words what broke a connection."""
    text = str(error)
    for sign, words in (
        ("timed out", "the server stopped sending"),
        ("resolve", "the host's name is not found"),
        ("refused", "the connection was refused"),
        ("IncompleteRead", "the connection ended early"),
        ("reset", "the connection was cut"),
        ("RemoteDisconnected", "the connection was cut"),
        ("Proxy", "the proxy does not answer"),
    ):
        if sign.lower() in text.lower():
            return words
    return text.splitlines()[0] if text else type(error).__name__
