"""Threads are given up on a busy machine, and tried again."""

from __future__ import annotations

from pace import STEPS_ALONE, STEPS_SEEN, Pace


def test_slow_steps_leave_one_thread() -> None:
    pace = Pace(4)
    for step_s in (1.0, *[5.0] * STEPS_SEEN):
        pace.note(step_s)
    assert pace.threads == 1


def test_one_slow_step_changes_nothing() -> None:
    pace = Pace(4)
    for step_s in (1.0, 5.0, 1.0, 5.0, 1.0):
        pace.note(step_s)
    assert pace.threads == 4


def test_all_threads_are_tried_again() -> None:
    pace = Pace(4)
    for step_s in (1.0, *[5.0] * STEPS_SEEN, *[2.0] * STEPS_ALONE):
        pace.note(step_s)
    assert pace.threads == 4
