"""The way to the Hub as the environment has it: who is trusted, and which proxy is asked.

Contract: what huggingface_hub's client, httpx or httpx2, makes of SSL_CERT_FILE, SSL_CERT_DIR and
the system's certificates holds for the bytes of a file too (stream.py), and what it would stumble
over is said in one line that names the variable. Slow to import.
"""

from __future__ import annotations

import os
import ssl
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from types import ModuleType
from typing import Any
from urllib.parse import urlsplit
from urllib.request import getproxies_environment, proxy_bypass

from huggingface_hub import constants
from huggingface_hub.errors import HfHubHTTPError
from requests.adapters import HTTPAdapter
from urllib3.util.ssl_ import create_urllib3_context

from app.errors import PullError, reason

CLIENT = ("SSL_CERT_FILE", "SSL_CERT_DIR")
BUNDLES = ("REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE")
"""What requests heeds; of files, not of facts."""
MOST_PORT = 65_535


class Trusting(HTTPAdapter):
    """Lets requests trust whom a context trusts, and nobody else: by itself it adds certifi's."""

    def __init__(self, context: ssl.SSLContext) -> None:
        self._context = context
        super().__init__()

    def init_poolmanager(self, *args: Any, **options: Any) -> None:
        """Give the context to direct connections."""
        super().init_poolmanager(*args, ssl_context=self._context, **options)

    def proxy_manager_for(self, proxy: Any, **options: Any) -> Any:
        """Give the context to connections through a proxy."""
        return super().proxy_manager_for(proxy, ssl_context=self._context, **options)

    def cert_verify(self, conn: Any, url: Any, verify: Any, cert: Any) -> None:
        """Have certificates checked, by the context alone."""
        conn.cert_reqs = "CERT_REQUIRED"


def trusted() -> ssl.SSLContext:
    """Return whom downloads trust: whom the client trusts, or the bundle that is set for requests.

    Raises PullError.
    """
    with _naming(*CLIENT):
        context: ssl.SSLContext = _client().create_ssl_context()
    for name in BUNDLES:
        if path := os.environ.get(name):
            context = create_urllib3_context()
            with _naming(name):
                if not os.path.isdir(path):
                    context.load_verify_locations(cafile=path)
                else:
                    context.load_verify_locations(capath=path)
            break
    return context


@contextmanager
def _naming(*variables: str) -> Iterator[None]:
    """Say of certificates that cannot be read which variable names them."""
    try:
        yield
    except OSError as error:
        why = "it holds none" if isinstance(error, ssl.SSLError) else reason(error)
        for name in variables:
            if path := os.environ.get(name):
                raise PullError(
                    f"{name} names {path}, of which no certificates can be read "
                    f"({why}); correct it or unset it."
                ) from None
        raise


def heed_proxies() -> None:
    """Take a proxy that cannot be used out of the environment, where another one is asked: the
    client builds them all, and fails by one. Raises PullError where it is the one.
    """
    given = getproxies_environment()
    if "*" in (host.strip() for host in given.get("no", "").split(",")):
        return
    home = constants.ENDPOINT.partition(":")[0]
    for kind in ("http", "https", "all"):
        if not given.get(kind) or _is_usable(given[kind]):
            continue
        names = _variables(kind)
        if kind == home or (kind == "all" and not given.get(home)):
            scheme = given[kind].partition("://")[0]
            raise PullError(
                f"{names[0]} names a proxy that cannot be used ({scheme}://…): it should be "
                "http://HOST:PORT or socks5h://HOST:PORT; correct it or unset it."
            )
        for name in names:
            del os.environ[name]


def asked_proxy() -> str:
    """Return the variable that names the proxy which the Hub is asked through, "" without one."""
    given, home = getproxies_environment(), urlsplit(constants.ENDPOINT)
    if proxy_bypass(home.hostname or ""):
        return ""
    return next((_variables(kind)[0] for kind in (home.scheme, "all") if given.get(kind)), "")


def _variables(kind: str) -> list[str]:
    """Return the variables that name a kind of proxy, the one that counts first."""
    return sorted((name for name in os.environ if name.lower() == f"{kind}_proxy"), reverse=True)


def _is_usable(proxy: str) -> bool:
    """Whether the client can ask this proxy."""
    client = _client()
    try:
        url = client.Proxy(proxy if "://" in proxy else f"http://{proxy}").url
    except (ValueError, client.InvalidURL):
        return False
    return bool(url.host) and (url.port or 1) <= MOST_PORT


def _client() -> ModuleType:
    return import_module(HfHubHTTPError.__bases__[0].__module__.partition(".")[0])
