"""What `ask` waits for is said on a terminal, and is gone before the answer stands there."""

from __future__ import annotations

import os
import pty
import subprocess
import sys
from collections.abc import Sequence

import pyte
import pytest

from tests.app.test_ask import QUESTION
from tests.patience import PATIENCE_S
from tests.terminal import read_all

LONG = QUESTION * 60
ASK = (sys.executable, "-m", "app.cli", "ask")


def seen(words: Sequence[str], *, out: bool, err: bool) -> tuple[bytes, pyte.Screen]:
    """Run it with these of its outputs at a terminal; return what that got, and how it looks."""
    leader, follower = pty.openpty()
    ends = {True: follower, False: subprocess.DEVNULL}
    process = subprocess.Popen(words, stdin=follower, stdout=ends[out], stderr=ends[err])
    os.close(follower)
    screen, got = pyte.Screen(80, 24), read_all(leader)
    pyte.ByteStream(screen).feed(got)
    os.close(leader)
    process.wait(timeout=PATIENCE_S)
    return got, screen


def test_it_is_gone_where_a_terminal_knows_fewer_characters(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("PYTHONIOENCODING", "latin-1")
    got, screen = seen((*ASK, QUESTION), out=True, err=True)
    assert got.startswith(b"loading?\r")
    assert screen.display[0].startswith("Join two or more") and "26" not in screen.display[0]


@pytest.mark.parametrize("more", [(), ("--json",)], ids=["text", "json"])
def test_loading_and_reading_are_told_and_gone_before_the_answer(more: tuple[str, ...]) -> None:
    got, screen = seen((*ASK, LONG, *more), out=True, err=True)
    assert got.startswith(b"loading\xe2\x80\xa6\r        \r")
    assert b"tokens\xe2\x80\xa6" in got and b" %\r" in got
    assert b"\x1b" not in got
    assert not any("loading" in row or "reading" in row for row in screen.display)
    assert screen.display[0][0] not in " lr"


def test_it_is_gone_before_what_a_load_failed_of() -> None:
    got, screen = seen((*ASK, "hi", "--model", __file__), out=True, err=True)
    assert screen.display[0].startswith("slipstream: ") and b"no GGUF" in got


@pytest.mark.parametrize(("out", "err"), [(True, False), (False, True)])
def test_nothing_is_told_where_one_of_the_two_goes_elsewhere(out: bool, err: bool) -> None:
    got, _ = seen((*ASK, LONG, "--predict", "2"), out=out, err=err)
    assert b"loading" not in got and b"reading" not in got
