"""Which certificates are trusted and which proxy is asked: the same for facts and for bytes, and in
one line that names the variable where that cannot be.

The certificates are of a company's CA, for localhost alone, and hold until 2100.
"""

from __future__ import annotations

import os
import socket
import socketserver
import ssl
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest
from socksio.exceptions import ProtocolError

from app.errors import PullError
from app.models import hub as hub_facts
from app.models import proxies
from app.models.retrying import Patience
from app.models.stream import opened
from tests.app.models.pulling import BRISK, CONTENT, REPO, SPEC, pull, said, started, target
from tests.hub.server import Hub
from tests.patience import PATIENCE_S

CERTIFICATES = Path(__file__).parent / "certificates"
CA = str(CERTIFICATES / "ca.pem")
VARIABLES = (*proxies.CLIENT, *proxies.BUNDLES)
PROXIES = ("ALL_PROXY", "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY")


@pytest.fixture(autouse=True)
def no_route_from_outside(monkeypatch: pytest.MonkeyPatch) -> None:
    """Hide the variables of whoever runs the tests."""
    for name in (*VARIABLES, *PROXIES):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.lower(), raising=False)


class _Bytes(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        self.send_response(200)
        self.send_header("Content-Length", "4")
        self.end_headers()
        self.wfile.write(b"GGUF")

    def log_message(self, format: str, *args: object) -> None:
        """Stay silent."""


class _Quiet(HTTPServer):
    def handle_error(self, request: object, client_address: object) -> None:
        """Say nothing of who does not trust it."""


@pytest.fixture
def address() -> Iterator[str]:
    """Where a file is served by https."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(CERTIFICATES / "server.pem")
    with _Quiet(("localhost", 0), _Bytes) as server:
        server.socket = context.wrap_socket(server.socket, server_side=True)
        loop = threading.Thread(target=server.serve_forever, args=(0.02,))
        loop.start()
        yield f"https://localhost:{server.server_port}/file"
        server.shutdown()
        loop.join()


def fetched(url: str) -> bytes:
    with opened(url, {}, Patience()) as body:
        return b"".join(body.chunks())


def test_nobody_is_trusted_by_default_but_whom_the_system_does(address: str) -> None:
    with pytest.raises(PullError, match="The certificate of localhost is not to be trusted"):
        fetched(address)


@pytest.mark.parametrize("name", ["SSL_CERT_FILE", *proxies.BUNDLES])
def test_a_file_of_certificates_is_heeded_for_the_bytes(
    address: str, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(name, CA)
    assert fetched(address) == b"GGUF"


def test_bytes_come_from_whom_the_client_of_the_hub_trusts(
    address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def of_company() -> ssl.SSLContext:
        return ssl.create_default_context(cafile=CA)

    monkeypatch.setattr(proxies._client(), "create_ssl_context", of_company)
    assert fetched(address) == b"GGUF"


@pytest.mark.parametrize(
    "endpoint", ["http://[::1", "hf-mirror.com", "https://", "ftp://host", "http://host:port"]
)
def test_an_address_of_a_hub_that_is_none_is_said_at_once(
    hub: Hub, endpoint: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HF_ENDPOINT", endpoint)
    done = started(f"{REPO}:Q8_0")
    assert done.communicate(timeout=PATIENCE_S) == (
        "",
        f"slipstream: HF_ENDPOINT should be https://HOST, found {endpoint!r}.\n",
    )
    assert done.returncode == 1 and hub.requests == []


def test_a_token_that_cannot_be_sent_is_not_the_hubs_fault(
    hub: Hub, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("HF_TOKEN", "hf_ü")
    assert pull() == 1
    assert said(capsys).startswith("Your token of the Hub holds characters that no token has")
    assert hub.requests == []


def test_whom_the_set_file_leaves_out_is_not_trusted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", CA)
    adapter = proxies.Trusting(proxies.trusted())
    pool = adapter.poolmanager.connection_from_url("https://localhost")
    adapter.cert_verify(pool, "https://localhost", True, None)
    (known,) = pool.conn_kw["ssl_context"].get_ca_certs()
    assert known["subject"] == ((("commonName", "Company CA of the tests"),),)
    assert pool.ca_certs is None and pool.cert_reqs == "CERT_REQUIRED"


@pytest.mark.parametrize("name", ["SSL_CERT_FILE", "REQUESTS_CA_BUNDLE"])
@pytest.mark.parametrize(
    ("path", "why"), [("/nope.pem", "No such file or directory"), (__file__, "it holds none")]
)
def test_a_mistyped_file_of_certificates_is_named(
    hub: Hub,
    name: str,
    path: str,
    why: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv(name, path)
    assert pull() == 1
    assert said(capsys) == (
        f"{name} names {path}, of which no certificates can be read ({why}); correct it or unset "
        "it."
    )
    assert hub.requests == []


@pytest.mark.parametrize("proxy", ["socks://127.0.0.1:9/", "http://h:99999", "ftp://h", "http://"])
def test_a_proxy_that_cannot_be_used_is_named(
    hub: Hub, proxy: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("NO_PROXY")
    monkeypatch.setenv("all_proxy", proxy)
    assert pull() == 1
    assert said(capsys) == (
        f"all_proxy names a proxy that cannot be used ({proxy.partition(':')[0]}://…): it should "
        "be http://HOST:PORT or socks5h://HOST:PORT; correct it or unset it."
    )


def test_a_proxy_that_cannot_be_used_is_ignored_beside_one_that_can(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("HTTPS_PROXY", "127.0.0.1:9")
    monkeypatch.setenv("HTTP_PROXY", "socks://127.0.0.1:9/")
    monkeypatch.setenv("ALL_PROXY", "socks://127.0.0.1:9/")
    monkeypatch.setenv("all_proxy", "socks://127.0.0.1:9/")
    proxies.heed_proxies()
    assert [name for name in os.environ if name.lower().endswith("_proxy")] == ["HTTPS_PROXY"]


@pytest.mark.parametrize("variable", ["HTTP_PROXY", "http_proxy", "all_proxy", "ALL_PROXY"])
def test_a_proxy_that_does_not_answer_is_named(
    hub: Hub, variable: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("NO_PROXY")
    monkeypatch.setenv(variable, "http://me:secret@127.0.0.1:9")
    assert pull() == 1
    assert said(capsys) == (
        f"Cannot reach the Hub for {REPO}: the proxy that {variable} names does not answer; "
        "correct it or unset it."
    )
    assert hub.requests == []


@pytest.mark.parametrize("elsewhere", [{"HTTPS_PROXY": "x:9"}, {"NO_PROXY": "127.0.0.1"}, {}])
def test_a_proxy_that_is_not_asked_is_not_named(
    hub: Hub, elsewhere: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("NO_PROXY")
    if "NO_PROXY" in elsewhere:
        monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    for name, value in elsewhere.items():
        monkeypatch.setenv(name, value)
    assert proxies.asked_proxy() == ""


def test_of_two_proxies_the_one_that_is_asked_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTPS_PROXY", "socks://127.0.0.1:9/")
    monkeypatch.setenv("ALL_PROXY", "http://127.0.0.1:9/")
    with pytest.raises(PullError, match=r"^HTTPS_PROXY names a proxy that cannot"):
        proxies.heed_proxies()
    monkeypatch.setenv("NO_PROXY", "localhost, *")
    proxies.heed_proxies()


class _Socks(socketserver.StreamRequestHandler):
    """One connection by SOCKS 5, without a password."""

    server: _SocksServer

    def handle(self) -> None:
        self.rfile.read(self.rfile.read(2)[1])
        self.wfile.write(b"\x05\x00")
        kind = self.rfile.read(4)[3]
        length = 4 if kind == 1 else self.rfile.read(1)[0]
        name = self.rfile.read(length)
        host = socket.inet_ntoa(name) if kind == 1 else name.decode()
        port = int.from_bytes(self.rfile.read(2), "big")
        self.server.asked.append(host)
        with socket.create_connection((host, port)) as there:
            self.wfile.write(b"\x05\x00\x00\x01" + bytes(6))
            back = threading.Thread(target=_hand_on, args=(there, self.connection))
            back.start()
            _hand_on(self.connection, there)
            back.join()


def _hand_on(source: socket.socket, sink: socket.socket) -> None:
    with suppress(OSError):  # either may hang up
        while data := source.recv(65536):
            sink.sendall(data)
        sink.shutdown(socket.SHUT_WR)


class _SocksServer(socketserver.ThreadingTCPServer):
    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Socks)
        self.asked: list[str] = []

    def handle_error(self, request: object, client_address: object) -> None:
        """Say nothing of who hangs up."""


@contextmanager
def socks() -> Iterator[_SocksServer]:
    with _SocksServer() as server:
        loop = threading.Thread(target=server.serve_forever, args=(0.02,))
        loop.start()
        yield server
        server.shutdown()
        loop.join()


@pytest.mark.parametrize("scheme", ["socks5", "socks5h"])
def test_facts_and_bytes_come_through_a_socks_proxy(
    hub: Hub, scheme: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("NO_PROXY")
    with socks() as proxy:
        monkeypatch.setenv("ALL_PROXY", f"{scheme}://127.0.0.1:{proxy.server_address[1]}")
        assert pull() == 0
    assert target().read_bytes() == CONTENT
    assert len(proxy.asked) >= 2


def test_what_is_no_socks_proxy_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    def misunderstood(*_: object) -> None:
        raise ProtocolError("Malformed reply")

    monkeypatch.setattr(hub_facts, "_asked", misunderstood)
    with pytest.raises(PullError, match="ALL_PROXY or HTTPS_PROXY does not speak SOCKS 5"):
        hub_facts.look_up(SPEC, BRISK)
