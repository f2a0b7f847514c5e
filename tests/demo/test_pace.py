"""Threads are given up on a busy machine, and tried again."""

from __future__ import annotations

from pace import KEPT, TRIAL, Pace


def after_trials(all_s: float, alone_s: float) -> Pace:
    """Return the pace after trials in which steps took these seconds."""
    pace = Pace(4)
    for step_s in [all_s] * TRIAL + [alone_s] * TRIAL:
        pace.note(step_s)
    return pace


def test_the_trials_take_all_threads_first_and_then_one() -> None:
    pace, seen = Pace(4), []
    for _ in range(2 * TRIAL):
        seen.append(pace.threads)
        pace.note(1.0)
    assert seen == [4] * TRIAL + [1] * TRIAL


def test_one_thread_is_kept_where_it_is_faster() -> None:
    assert after_trials(all_s=5.0, alone_s=2.0).threads == 1


def test_all_threads_are_kept_where_they_are_faster() -> None:
    assert after_trials(all_s=1.0, alone_s=2.0).threads == 4


def test_all_threads_are_tried_again() -> None:
    pace = after_trials(all_s=5.0, alone_s=2.0)
    for _ in range(KEPT):
        pace.note(2.0)
    assert pace.threads == 4
