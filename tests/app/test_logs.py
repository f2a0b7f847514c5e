"""The logs' ends are harmless, the newest is last, and what cannot be read says so."""

from __future__ import annotations

import itertools
import os
from pathlib import Path

from app.logs import LINES, NOTHING, ends_of, kept_traceback
from app.paths import Paths


def test_where_nothing_was_logged_that_is_said() -> None:
    assert ends_of(Paths()) == NOTHING


def test_the_last_lines_of_each_log_are_shown_under_its_path_the_engines_last() -> None:
    paths = Paths().ensure()
    paths.engine_log.write_text("".join(f"engine {n}\n" for n in range(LINES + 50)))
    paths.engine_log.with_suffix(".before.log").write_bytes(b"died \x1b[2J of\xff this\n")
    (paths.log_dir / "defect.log").write_text("Traceback\n")
    text = ends_of(paths)
    assert text.index("Traceback") < text.index("died ") < text.index("engine 50")
    assert str(paths.engine_log) in text
    assert text.endswith(f"engine {LINES + 49}")
    assert "engine 49\n" not in text
    assert "\x1b" not in text and "died [2J of\N{REPLACEMENT CHARACTER} this" in text


def test_the_last_defects_traceback_is_kept_and_is_among_the_logs() -> None:
    for error in (ZeroDivisionError("the first"), ValueError("the last, with half a sign: \ud800")):
        assert str(Paths().log_dir / "defect.log") in kept_traceback(error)
    text = ends_of(Paths())
    assert "ValueError: the last" in text and "the first" not in text


def test_what_was_logged_is_for_its_owner_alone() -> None:
    mask = os.umask(0o022)
    try:
        kept_traceback(ValueError("oops"))
    finally:
        os.umask(mask)
    log_dir = Paths().log_dir
    made = [log_dir / "defect.log", *itertools.takewhile(is_ours, log_dir.parents), log_dir]
    assert len(made) >= 3 and not any(path.stat().st_mode & 0o077 for path in made)


def is_ours(folder: Path) -> bool:
    return "slipstream" in folder.parts


def test_a_traceback_that_cannot_be_kept_is_said_to_be_lost() -> None:
    (Paths().ensure().log_dir / "defect.log").mkdir()
    assert kept_traceback(ValueError("oops")) == "Its traceback could not be written."


def test_of_an_endless_log_only_the_end_is_read() -> None:
    paths = Paths().ensure()
    paths.engine_log.write_bytes(b"x" * 1_000_000 + b"\nlast words\n")
    assert ends_of(paths).splitlines()[1:] == ["last words"]


def test_a_log_that_cannot_be_read_says_why() -> None:
    paths = Paths().ensure()
    paths.engine_log.mkdir()
    assert "It cannot be read: Is a directory." in ends_of(paths)
