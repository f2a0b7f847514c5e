"""Every test has folders of its own: nobody's settings, logs or models are read or written."""

from __future__ import annotations

import gc
import signal
from pathlib import Path

import pytest

from app.paths import HOMES


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option that takes the pictures of the screens anew (tests/app/tui/snapping.py)."""
    parser.addoption(
        "--update-snapshots", action="store_true", help="take the snapshots of the screens anew"
    )


def pytest_configure() -> None:
    """Have processes that tests start heed Ctrl-C; they inherit that they do not where a script
    runs the tests with an & behind them.
    """
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.hookimpl(trylast=True)
def pytest_collection_finish() -> None:
    """Have Python look for garbage more rarely, as the app itself does (app/garbage.py), and leave
    alone what the tests have imported: this was a quarter of all their time.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000, 20, 50)


@pytest.fixture(autouse=True)
def own_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Point every user folder into this test's temporary one, and return that."""
    root = tmp_path / "home"
    for name in HOMES:
        monkeypatch.setenv(name, str(root / name.lower()))
    monkeypatch.setenv("HOME", str(root))
    return root


@pytest.fixture(autouse=True)
def no_settings_from_outside(monkeypatch: pytest.MonkeyPatch) -> None:
    """Hide the SLIPSTREAM_ variables of whoever runs the tests."""
    import os

    for name in [name for name in os.environ if name.startswith("SLIPSTREAM_")]:
        monkeypatch.delenv(name)
