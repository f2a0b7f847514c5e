"""The collector of cyclic garbage keeps out of a command's way, and still does its work."""

from __future__ import annotations

import gc
import subprocess
import sys

import pytest

from app.garbage import PAUSE_S, SOME, SOME_PER_S, TIMES, YOUNG, Sweeper, spared
from tests.conftest import RARELY, pytest_runtest_teardown

pytestmark = pytest.mark.usefixtures("frozen_again")

COUNTED = """
import atexit, gc
atexit.register(lambda: print(gc.get_freeze_count() > 1000))
from app.cli import main
main(["memory"])
print(gc.isenabled(), gc.get_threshold()[0] > 10_000)
"""


def test_at_the_end_of_a_command_nothing_is_looked_through() -> None:
    done = subprocess.run([sys.executable, "-c", COUNTED], capture_output=True, text=True)
    assert done.stdout.splitlines()[-2:] == ["True True", "True"], done.stderr


def test_garbage_is_collected_again_once_the_chat_is_put_together() -> None:
    before = gc.get_threshold()
    try:
        with spared():
            was_off = not gc.isenabled()
        assert was_off and gc.isenabled()
    finally:
        gc.unfreeze()
        gc.set_threshold(*before)


class Closed:
    """Something that is in a cycle."""

    def __init__(self) -> None:
        self.me = self
        self.much: list[list[int]] = [[] for _ in range(100)]


def close(n: int) -> None:
    """Close as much as has what is young looked through so many times."""
    for _ in range(n * YOUNG // len(Closed().much)):
        Closed()


def is_any_left() -> bool:
    return any(type(each) is Closed for each in gc.get_objects())


def test_what_is_closed_is_given_back_in_a_pause(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where it is long enough, and there is enough of it, beside what it took the last time."""
    before, now = gc.get_threshold(), iter([0.0, 1.0, 0.0, 0.0])
    monkeypatch.setattr("app.garbage.thread_time", lambda: next(now))
    try:
        with spared():
            pass
        forgot: list[None] = []
        sweeper = Sweeper(lambda: forgot.append(None))
        for pause_s, enough in ((PAUSE_S, SOME), (TIMES, SOME_PER_S)):
            close(enough // 2)
            sweeper.sweep(pause_s)
            assert is_any_left()
            close(enough)
            sweeper.sweep(pause_s * 0.9)
            assert is_any_left()
            sweeper.sweep(pause_s)
            assert not is_any_left()
        assert len(forgot) == 2
    finally:
        gc.unfreeze()
        gc.set_threshold(*before)


def test_what_a_test_does_to_the_collector_is_undone_behind_it() -> None:
    gc.set_threshold(YOUNG)
    pytest_runtest_teardown()
    assert gc.get_threshold() == RARELY
