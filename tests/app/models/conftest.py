"""A Hub on the loopback which misbehaves on command, for the tests that download."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import certifi
import huggingface_hub
import pytest
from huggingface_hub import constants

from app.models import machine
from app.models.proxies import BUNDLES
from tests.app.models.machines import MACHINES
from tests.app.models.pulling import BRISK, CONTENT, FILE, REPO, having
from tests.hub.real_client import untold
from tests.hub.server import Hub

__all__ = ["brisk", "hub", "one_certificate", "untold"]


@pytest.fixture(scope="session")
def one_certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file of one certificate: to read all that there are was a third of a pull, and twice that
    where the variables of this machine name them for requests too.
    """
    first, end, _ = Path(certifi.where()).read_text("ascii").partition("-----END CERTIFICATE-----")
    file = tmp_path_factory.mktemp("certificate") / "one.pem"
    file.write_text(first + end + "\n", "ascii")
    return file


@pytest.fixture
def hub(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, one_certificate: Path) -> Iterator[Hub]:
    """A hub with one model, which this process and its children take for the Hugging Face Hub."""
    home = tmp_path / "hugging"
    monkeypatch.setenv("HF_HOME", str(home))
    monkeypatch.setenv("SSL_CERT_FILE", str(one_certificate))
    for name in BUNDLES:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("NO_PROXY", "*")
    monkeypatch.setattr(machine, "look", lambda folder: MACHINES["a laptop with 16 GB"])
    with Hub() as hub:
        hub.add(REPO, FILE, CONTENT)
        template = "/{repo_id}/resolve/{revision}/{filename}"
        monkeypatch.setenv("HF_ENDPOINT", hub.endpoint)
        monkeypatch.setattr(constants, "ENDPOINT", hub.endpoint)
        monkeypatch.setattr(constants, "HUGGINGFACE_CO_URL_TEMPLATE", hub.endpoint + template)
        monkeypatch.setattr(constants, "HF_TOKEN_PATH", str(home / "token"))
        yield hub
        huggingface_hub.close_session()


@pytest.fixture
def brisk() -> Iterator[None]:
    """Let the commands of this process try again soon, and wait for each answer."""
    with having(BRISK):
        yield
