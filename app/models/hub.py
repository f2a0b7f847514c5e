"""What the Hugging Face Hub says of a file: commit, size, hash, and where its bytes are.

The client is huggingface_hub, with its tokens, HF_ENDPOINT and offline switch. Only facts come from
it; bytes are ours to fetch (stream.py), since it neither resumes across runs nor checks hashes.
Imports it late, for it is slow to import.
"""

from __future__ import annotations

import os
import re
import threading
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from app.errors import OFFLINE, OfflineError, PullError
from app.models.catalog import ModelSpec, is_gguf, is_taken
from app.models.hub_words import (
    NO_NETWORK,
    REFUSED,
    says,
    senseless,
    status_words,
    why_not,
)
from app.models.retrying import Patience

if TYPE_CHECKING:
    from huggingface_hub.hf_api import ModelInfo

SHOWN_FILES = 12
SHA256 = re.compile("[0-9a-f]{64}")
MOST_BYTES = 2**50


class UnreachableError(PullError):
    """The Hub does not answer, or says that it cannot now."""


@dataclass(frozen=True, slots=True)
class Remote:
    """A file of the Hub, at a commit. size, sha256: None where the Hub does not tell.

    headers: those of the request for it, the token among them; for the Hub's own host alone.
    """

    spec: ModelSpec
    url: str
    commit: str
    size: int | None
    sha256: str | None
    licence: str
    headers: dict[str, str]


@dataclass(slots=True)
class _Heard:
    """What the Hub answers to a question as long as it cannot answer it, "" if nothing."""

    answers: str = ""


def is_offline() -> bool:
    """Whether HF_HUB_OFFLINE is set."""
    from huggingface_hub.constants import is_offline_mode

    return bool(is_offline_mode())


def files_of(repo: str, patience: Patience) -> dict[str, int | None]:
    """Return the GGUF files of a repository with their sizes. Raises PullError."""
    _check_endpoint()
    with _telling(patience) as heard:
        info = _model_info(ModelSpec(repo=repo, file="any.gguf"), patience, heard)
    return {s.rfilename: s.size for s in info.siblings or [] if is_gguf(s.rfilename)}


def look_up(spec: ModelSpec, patience: Patience) -> Remote:
    """Ask the Hub about a file. Raises PullError, and OfflineError before any socket is opened."""
    _check_endpoint()
    from huggingface_hub import hf_hub_url
    from huggingface_hub.utils import build_hf_headers  # type: ignore[attr-defined]

    assert spec.repo is not None and spec.file is not None, "a file of the Hub"
    with _telling(patience) as heard:
        info = _model_info(spec, patience, heard)
    siblings = {sibling.rfilename: sibling for sibling in info.siblings or []}
    found = siblings.get(spec.file)
    if found is None:
        raise PullError(f"{spec.repo} has no file {spec.file}; {_what_it_has(siblings)}.")
    commit = info.sha or spec.commit or "main"
    sha256 = found.lfs.sha256 if found.lfs is not None else None
    size = found.lfs.size if found.lfs is not None else found.size
    _believe(spec, commit, size, sha256)
    _compare("sha256", spec, spec.sha256, sha256)
    _compare("size", spec, spec.size, size)
    return Remote(
        spec=spec,
        url=hf_hub_url(spec.repo, spec.file, revision=commit),
        commit=commit,
        size=size or spec.size,
        sha256=sha256 or spec.sha256,
        licence=_licence(info) or spec.licence,
        headers=build_hf_headers(library_name="slipstream"),
    )


def _check_endpoint() -> None:
    """Refuse another Hub's address that is none, before the client reads it as it is imported."""
    named = os.environ.get("HF_ENDPOINT")
    try:
        parts = urlsplit(named or "https://huggingface.co")
        is_address = parts.scheme in ("http", "https") and bool(parts.hostname)
        _ = parts.port  # raises where it is no number
    except ValueError:
        is_address = False
    if not is_address:
        raise PullError(f"HF_ENDPOINT should be https://HOST, found {named!r}.")


def _check_token() -> None:
    """Refuse a token that cannot be sent."""
    from huggingface_hub import get_token

    if not (get_token() or "").isascii():
        raise PullError(
            "Your token of the Hub holds characters that no token has: correct or unset HF_TOKEN, "
            "or log in again (`hf auth login`)."
        )


@contextmanager
def _telling(patience: Patience) -> Iterator[_Heard]:
    """Tell who asks one question that the answer takes long."""
    heard = _Heard()
    timer = threading.Timer(patience.silent_s, lambda: patience.on_silence(heard.answers))
    timer.daemon = True
    timer.start()
    try:
        yield heard
    finally:
        timer.cancel()
        timer.join()


def _believe(spec: ModelSpec, commit: object, size: object, sha256: object) -> None:
    """Refuse what cannot be: huggingface_hub hands on whatever the server says."""
    for what, said, is_possible in (
        ("commit", commit, isinstance(commit, str)),
        ("size", size, size is None or (type(size) is int and 0 <= size < MOST_BYTES)),
        ("sha256", sha256, sha256 is None or SHA256.fullmatch(str(sha256)) is not None),
    ):
        if not is_possible:
            raise PullError(f"The Hub's answer about {spec.source} makes no sense: {what} {said}.")


def _compare(what: str, spec: ModelSpec, known: object, found: object) -> None:
    """Refuse a file that is another than the catalogue's."""
    if known is not None and found is not None and known != found:
        raise PullError(
            f"{spec.source} is another file on the Hub than in models.toml: {what} {found}, "
            f"expected {known}. Pull {spec.source} by this name to have it as it is now."
        )


def _model_info(spec: ModelSpec, patience: Patience, heard: _Heard) -> ModelInfo:
    """Ask, again and again while that may help, but no silent Hub for longer than `answer_s`, and
    where no network leads there for no longer than `nowhere_s`.
    """
    from huggingface_hub.errors import HfHubHTTPError, HFValidationError, OfflineModeIsEnabled
    from socksio.exceptions import SOCKSError

    from app.models.proxies import heed_proxies, trusted

    # of httpx or httpx2, whichever it is built on
    transport_error: type[Exception] = HfHubHTTPError.__bases__[0]

    if is_offline():
        raise OfflineError(_offline(spec))
    heed_proxies()
    trusted()
    _check_token()
    last: Exception | None = None
    began_s = time.monotonic()
    for turn in range(patience.tries):
        try:
            return _asked(spec, patience)
        except OfflineModeIsEnabled:
            raise OfflineError(_offline(spec)) from None
        except HfHubHTTPError as error:
            wait_s, last = _wait_after(error, spec, patience, turn), error
            heard.answers = status_words(error.response.status_code)
        except transport_error as error:
            wait_s, last, heard.answers = patience.pause_s(turn), error, ""
            most_s = patience.nowhere_s if says(error, NO_NETWORK + REFUSED) else patience.answer_s
            if time.monotonic() - began_s + wait_s > most_s:
                break
        except HFValidationError:
            raise PullError(
                f"{spec.repo} is no name that a repository of the Hub can have."
            ) from None
        except SOCKSError:
            raise PullError(
                "The proxy of ALL_PROXY or HTTPS_PROXY does not speak SOCKS 5: correct or unset it."
            ) from None
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
            raise PullError(f"The Hub's answer about {spec.repo} {senseless(error)}.") from None
        if turn + 1 < patience.tries:
            patience.sleep(wait_s)
    if isinstance(last, HfHubHTTPError):
        raise UnreachableError(f"The Hub answers {heard.answers} for {spec.repo}. Try again later.")
    raise UnreachableError(f"Cannot reach the Hub for {spec.repo}: {why_not(last)}.")


def _asked(spec: ModelSpec, patience: Patience) -> ModelInfo:
    """Ask once. Raises what the client raises, and ValueError for files without names."""
    from huggingface_hub import HfApi, constants

    constants.HF_HUB_DISABLE_TELEMETRY = True  # it would ask for, and tell, what else runs here
    assert spec.repo is not None
    info = HfApi().model_info(
        spec.repo, revision=spec.commit, files_metadata=True, timeout=patience.connect_s
    )
    if not all(isinstance(sibling.rfilename, str) for sibling in info.siblings or []):
        raise ValueError("a file without a name")
    return info


def _wait_after(error: Exception, spec: ModelSpec, patience: Patience, turn: int) -> float:
    """Return how long to wait before asking again. Raises PullError where that cannot help."""
    from huggingface_hub import constants, errors

    response = getattr(error, "response", None)
    status = response.status_code if response is not None else 0
    if isinstance(error, errors.GatedRepoError):
        raise PullError(
            f"{spec.repo} is gated: accept its licence at {constants.ENDPOINT}/{spec.repo}, then "
            "log in (`hf auth login`) or set HF_TOKEN."
        ) from None
    if isinstance(error, errors.RevisionNotFoundError):
        raise PullError(f"{spec.repo} has no commit {spec.commit or 'main'}.") from None
    was_told = response is not None and "authorization" in response.request.headers
    if status == 401 and (was_told or not isinstance(error, errors.RepositoryNotFoundError)):
        raise PullError(
            "The Hub does not accept your token: log in again (`hf auth login`), or correct or "
            "unset HF_TOKEN."
        ) from None
    if isinstance(error, errors.RepositoryNotFoundError) or status in (401, 403, 404):
        raise PullError(
            f"The Hub knows no repository {spec.repo}, or shows it to others only: check the name, "
            "or set HF_TOKEN."
        ) from None
    if status == 429 or status >= 500:
        asked = response.headers.get("Retry-After") if response is not None else None
        return patience.after(asked, turn)
    raise PullError(
        f"The Hub answers {status_words(status)} for {spec.repo}: check the name, or HF_ENDPOINT "
        "where that is set."
    ) from None


def _what_it_has(siblings: Iterable[str]) -> str:
    names = [name for name in siblings if is_gguf(name) and is_taken(name)]
    if not names:
        return "it has no GGUF files at all"
    more = f" and {len(names) - SHOWN_FILES} more" if len(names) > SHOWN_FILES else ""
    return f"it has {', '.join(names[:SHOWN_FILES])}{more}"


def _licence(info: ModelInfo) -> str | None:
    card = info.card_data
    found = card.get("license") if card is not None else None
    return str(found) if found else None


def _offline(spec: ModelSpec) -> str:
    return f"{spec.source} is not here, and {OFFLINE}."
