"""Every test has folders of its own: nobody's settings, logs or models are read or written."""

from __future__ import annotations

import gc
import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from app.paths import HOMES, Paths
from tests.pair import measured_costs

RARELY = (100_000, 8, 50)
"""How many objects more than went a test makes before any are looked through, and so on."""

COLOURS = ("NO_COLOR", "FORCE_COLOR", "TTY_COMPATIBLE", "TTY_INTERACTIVE", "PYTHON_COLORS")
"""Variables by which Rich, Textual and Python draw, or do not, whatever the terminal is."""
OF_THE_HUB = ("HF_HOME", "HF_HUB_CACHE", "HUGGINGFACE_HUB_CACHE", "HF_HUB_OFFLINE")
"""What the app itself reads of another program's; the rest is hidden in tests/hub/real_client.py"""

settings.register_profile("busy", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("busy")
"""On a machine that is busy an example may take any time."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option that takes the pictures of the screens anew (tests/app/tui/snapping.py)."""
    parser.addoption(
        "--update-snapshots", action="store_true", help="take the snapshots of the screens anew"
    )


def pytest_configure() -> None:
    """Have processes that tests start heed Ctrl-C; they inherit that they do not where a script
    runs the tests with an & behind them. And give each of several workers cores of its own.
    """
    _settle_on_own_cores()
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def _settle_on_own_cores() -> None:
    """Engines take as many threads as there are cores to them: those of two workers on the same
    cores wait for each other at every step, which was most of the time that engines took.
    """
    nth = os.environ.get("PYTEST_XDIST_WORKER", "").removeprefix("gw")
    if nth and hasattr(os, "sched_setaffinity"):
        cores = sorted(os.sched_getaffinity(0))
        workers = int(os.environ["PYTEST_XDIST_WORKER_COUNT"])
        os.sched_setaffinity(0, cores[int(nth) % len(cores) :: workers])


@pytest.hookimpl(trylast=True)
def pytest_collection_finish() -> None:
    """Have Python look for garbage more rarely, as the app itself does (app/garbage.py), and leave
    alone what the tests have imported: this was a quarter of all their time.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(*RARELY)


@pytest.hookimpl(trylast=True)
def pytest_runtest_teardown() -> None:
    """Have that hold on: a test that starts a command or the chat in this process changes it."""
    if gc.get_threshold() != RARELY:
        gc.set_threshold(*RARELY)


@pytest.fixture
def frozen_again() -> Iterator[None]:
    """Behind a test that has Python look at all there is again, have it leave that alone."""
    yield
    gc.collect()
    gc.freeze()


@pytest.fixture(autouse=True)
def own_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Point every user folder into this test's temporary one, and return that."""
    root = tmp_path / "home"
    for name in HOMES:
        monkeypatch.setenv(name, str(root / name.lower()))
    monkeypatch.setenv("HOME", str(root))
    return root


@pytest.fixture
def known_costs(own_folders: Path) -> None:
    """Let programs that the test starts know what forwards cost here, if another test's did: to
    measure that is most of what a load takes.
    """
    costs = Paths().costs_dir
    costs.parent.mkdir(mode=0o700, parents=True)
    costs.symlink_to(measured_costs())


@pytest.fixture(autouse=True)
def no_settings_from_outside(monkeypatch: pytest.MonkeyPatch) -> None:
    """Hide the SLIPSTREAM_ variables of whoever runs the tests, and what they want of
    colours and of the Hub.
    """
    for name in [name for name in os.environ if name.startswith("SLIPSTREAM_")]:
        monkeypatch.delenv(name)
    for name in (*COLOURS, *OF_THE_HUB):
        monkeypatch.delenv(name, raising=False)
