"""The engine process's environment, for what the lab runs in its own process."""

from __future__ import annotations

import os
import sys

from engine.process.environment import environment


def enter(batch_invariant: bool = False) -> None:
    """Begin anew with what the engine process is told, unless that was told already.

    OpenMP and malloc read it when a process begins. Bound threads, in turn, hide the other cores
    from who counts them, so say how many there shall be (`PairSettings.threads`).
    """
    told = environment(batch_invariant=batch_invariant)
    if not told.keys() <= os.environ.keys():
        os.execve(sys.executable, sys.orig_argv, {**told, **os.environ})
