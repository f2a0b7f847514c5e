"""What is drawn goes, and the cursor comes back, whoever ends a command."""

from __future__ import annotations

import os
import pty
import signal
import subprocess
import sys

import pytest

from app.terminal.signals import ENDS, ending_like_ctrl_c
from tests.terminal import Terminal, have_ended

HIDDEN, SHOWN = b"\x1b[?25l", b"\x1b[?25h"
"""The cursor."""
PULL = """
import signal, sys
from app.models.pull import Plan
from app.models.showing import shown
with shown(Plan("pair", (), (), 0)):
    signal.raise_signal(int(sys.argv[1]))
"""


def has_cursor(written: bytes) -> bool:
    """Whether the cursor was hidden, and is seen in the end."""
    return 0 <= written.rfind(HIDDEN) < written.rfind(SHOWN)


@pytest.mark.usefixtures("known_costs")
@pytest.mark.parametrize("number", ENDS)
@pytest.mark.parametrize("words", [["bench", "--rounds", "400"], ["verify", "--seconds", "999"]])
def test_a_measurement_that_is_ended_leaves_cursor_and_no_engine(
    words: list[str], number: signal.Signals
) -> None:
    with Terminal("app.cli", words) as terminal:
        terminal.until(lambda: HIDDEN in terminal.written and bool(terminal.family()), "bar")
        family = terminal.family()
        os.kill(terminal.process.pid, number)
        assert terminal.ended() == 128 + number
        assert has_cursor(terminal.written)
        assert have_ended(family)
        assert "Traceback" not in terminal.text


@pytest.mark.parametrize("number", ENDS)
def test_a_pull_that_is_ended_leaves_the_cursor(number: signal.Signals) -> None:
    leader, follower = pty.openpty()
    done = subprocess.run(
        [sys.executable, "-c", PULL, str(int(number))],
        stderr=follower,
        env={**os.environ, "TERM": "xterm"},
    )
    os.close(follower)
    assert has_cursor(os.read(leader, 4096))
    os.close(leader)
    assert done.returncode == 128 + number


def test_who_ends_it_twice_does_not_keep_it_from_clearing_up() -> None:
    cleared = False
    with pytest.raises(SystemExit) as ended, ending_like_ctrl_c():
        try:
            signal.raise_signal(signal.SIGHUP)
        finally:
            signal.raise_signal(signal.SIGTERM)
            cleared = True
    assert cleared and ended.value.code == 128 + signal.SIGHUP
    assert {signal.getsignal(number) for number in ENDS} == {signal.SIG_DFL}


def test_a_signal_that_is_ignored_stays_so() -> None:
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        with ending_like_ctrl_c():
            signal.raise_signal(signal.SIGHUP)
        assert signal.getsignal(signal.SIGHUP) == signal.SIG_IGN
    finally:
        signal.signal(signal.SIGHUP, before)
