"""Who is told what: the token goes to the Hub alone, passwords to nobody, and offline opens no
socket at all."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from app.errors import OFFLINE, OfflineError
from app.models import hub as hub_facts
from tests.app.models.pulling import BRISK, CONTENT, FILE, NAME, REPO, SPEC, pull, started, target
from tests.hub.answers import Place
from tests.hub.misbehaviour import DropAfter, RedirectTo
from tests.hub.server import Hub
from tests.patience import PATIENCE_S

TOKEN = "hf_of_the_test"
NO_SOCKET = """
import sys
def watch(event, args):
    if event.startswith("socket."):
        print("OPENED", event, args)
sys.addaudithook(watch)
from app.cli import main
sys.exit(main(["pull", *sys.argv[1:]]))
"""


def pulled_offline(*words: str) -> subprocess.CompletedProcess[str]:
    """Run the command in a process that tells of every socket."""
    return subprocess.run(
        [sys.executable, "-c", NO_SOCKET, *words],
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
    )


def offline_ways(monkeypatch: pytest.MonkeyPatch, way: str) -> tuple[str, ...]:
    """Switch the network off, and return the words that belong to it."""
    if way.startswith("--"):
        return (way,)
    monkeypatch.setenv(way, "1")
    return ()


WAYS = pytest.mark.parametrize(
    "way", ["--offline", "SLIPSTREAM_OFFLINE", "HF_HUB_OFFLINE", "TRANSFORMERS_OFFLINE"]
)


@WAYS
def test_offline_ends_in_one_line_and_opens_no_socket(
    hub: Hub, way: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    done = pulled_offline(*offline_ways(monkeypatch, way), NAME)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == f"slipstream: {NAME} is not here, and {OFFLINE}.\n"
    assert hub.requests == []


@WAYS
def test_offline_what_is_installed_is_all_right(
    hub: Hub, way: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert pull() == 0
    n_requests = len(hub.requests)
    done = pulled_offline(*offline_ways(monkeypatch, way), NAME, "demo")
    assert done.returncode == 0, done.stderr
    assert "OPENED" not in done.stdout
    assert len(hub.requests) == n_requests


def test_the_witness_of_sockets_sees_them(hub: Hub) -> None:
    assert "OPENED socket.connect" in pulled_offline(NAME).stdout


def test_facts_of_the_hub_are_not_asked_for_offline(
    hub: Hub, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
    with pytest.raises(OfflineError):
        hub_facts.look_up(SPEC, BRISK)
    with pytest.raises(OfflineError):
        hub_facts.files_of(REPO, BRISK)
    assert hub.requests == []


def test_the_token_is_the_hubs_and_never_the_cdns(
    hub: Hub, monkeypatch: pytest.MonkeyPatch
) -> None:
    hub.token = TOKEN
    hub.add(REPO, FILE, CONTENT, gated=True)
    monkeypatch.setenv("HF_TOKEN", TOKEN)
    hub.misbehave(DropAfter(len(CONTENT) // 2), times=1)
    assert pull() == 0
    told = {(request.host, request.headers.get("authorization")) for request in hub.requests}
    assert told == {("hub", f"Bearer {TOKEN}"), ("cdn", None)}
    assert not any(TOKEN in request.path for request in hub.requests)
    assert TOKEN not in "".join(
        path.read_text("utf-8", "replace") for path in target().parent.iterdir()
    )


@pytest.mark.parametrize("at", [Place.API, Place.RESOLVE])
def test_a_redirect_to_another_host_takes_no_token_along(
    hub: Hub, at: Place, monkeypatch: pytest.MonkeyPatch, brisk: None
) -> None:
    hub.token = TOKEN
    monkeypatch.setenv("HF_TOKEN", TOKEN)
    hub.misbehave(RedirectTo(f"{hub.cdn}/somewhere/else/1/x", at=at))
    assert pull() == 1
    told = {(request.host, request.headers.get("authorization")) for request in hub.requests}
    assert told == {("hub", f"Bearer {TOKEN}"), ("cdn", None)}


def test_the_hub_is_asked_about_the_model_alone_and_told_of_no_other_program(
    hub: Hub, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AI_AGENT", "another-program")
    process = started()
    process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 0
    asked = [request.path for request in hub.requests if request.host == "hub"]
    assert len(asked) == 2
    assert all(path.startswith((f"/api/models/{REPO}?", f"/{REPO}/resolve/")) for path in asked)
    assert not any("agent/" in request.headers["user-agent"] for request in hub.requests)


def test_passwords_of_netrc_are_told_to_nobody(
    hub: Hub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    netrc = tmp_path / "netrc"
    hosts = ("127.0.0.1", "localhost")
    netrc.write_text("".join(f"machine {host} login me password secret\n" for host in hosts))
    netrc.chmod(0o600)
    monkeypatch.setenv("NETRC", str(netrc))
    assert pull() == 0
    assert {request.headers.get("authorization") for request in hub.requests} == {None}
    assert os.environ["NETRC"] == str(netrc)
