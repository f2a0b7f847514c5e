"""What a Hub that fails is said to do: the errors of its client in one line for a person."""

from __future__ import annotations

import json
from collections.abc import Iterable
from http.client import responses

NO_NETWORK = ("resolution", "name or service", "nodename", "unreachable", "no route to host")
"""What the system says of the Hub's address where no network leads there."""
REFUSED = ("refused",)
"""What it says where nobody listens, be it at a proxy's address."""


def senseless(error: Exception) -> str:
    """Say what is wrong with an answer that cannot be used."""
    if isinstance(error, json.JSONDecodeError | UnicodeDecodeError):
        return (
            "is no JSON: perhaps this network wants you to sign in with a browser first, or "
            "HF_ENDPOINT is wrong"
        )
    return f"makes no sense: {first_line(error)}"


def status_words(status: int) -> str:
    """Return what a server answers with a status, whatever it says itself."""
    return f"{status} {responses.get(status, '')}".rstrip()


def why_not(error: Exception | None) -> str:
    """Say why the Hub does not answer, and what to do."""
    from app.models.proxies import asked_proxy

    why = first_line(error) if error is not None else "no answer"
    is_nowhere = error is not None and says(error, NO_NETWORK + REFUSED)
    if is_nowhere and (variable := asked_proxy()):
        return f"the proxy that {variable} names does not answer; correct it or unset it"
    if error is None or not says(error, NO_NETWORK):
        return f"{why}. Try again later"
    return (
        "there is no network that leads there. Models that are installed work without one, and so "
        "does the built-in pair, demo"
    )


def says(error: Exception, signs: Iterable[str]) -> bool:
    """Whether one of these is in the first line of an error."""
    return any(sign in first_line(error).lower() for sign in signs)


def first_line(error: Exception) -> str:
    """Return what an error says, or of what kind it is where it says nothing."""
    lines = str(error).strip().splitlines()
    return lines[0].rstrip(".:") if lines else type(error).__name__
