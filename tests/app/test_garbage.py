"""The collector of cyclic garbage keeps out of a command's way, and still does its work."""

from __future__ import annotations

import gc
import subprocess
import sys

from app.garbage import spared

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
