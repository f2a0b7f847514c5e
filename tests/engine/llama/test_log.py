"""What error lines quote of llama.cpp: the first error of what failed, and no older one."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator

import llama_cpp
import pytest

from engine.errors import DecodeError
from engine.llama import log
from engine.llama.context import Context
from engine.llama.devices import CPU
from engine.llama.model import Model
from tests.pair import DRAFT

FAILED = -3
INFO = 2


@pytest.fixture(autouse=True)
def fresh() -> Iterator[None]:
    log.forget()
    yield
    log.forget()


@pytest.fixture
def context() -> Iterator[Context]:
    model = Model(str(DRAFT), None, True)
    context = Context(model, 64, 1, device=CPU)
    yield context
    context.free()
    model.free()


def say(line: str, level: int = log.ERROR) -> None:
    log.callback(level, line.encode(), ctypes.c_void_p(0))


def test_the_cause_is_quoted_however_many_consequences_follow() -> None:
    say("loading\n", INFO)
    say("\n")
    for n in range(20):
        say(f"complaint {n}\n")
    assert log.first_complaint() == "complaint 0"
    assert log.first_complaint() == "complaint 0"


def test_debug_lines_and_what_goes_on_with_them_are_left_out(
    capsys: pytest.CaptureFixture[str],
) -> None:
    say("graph warmup ", log.DEBUG)
    say("reset\n", log.CONTINUED)
    say("loading ", INFO)
    say("done\n", log.CONTINUED)
    assert capsys.readouterr().err == "loading done\n"


def test_what_was_forgotten_is_not_quoted() -> None:
    say("of the load")
    log.forget()
    assert log.first_complaint() == "llama.cpp gave no reason"
    say("of the decode")
    assert log.first_complaint() == "of the decode"


@pytest.mark.parametrize("heard", ["", "out of memory"])
def test_a_failed_decode_quotes_nothing_older(
    context: Context, monkeypatch: pytest.MonkeyPatch, heard: str
) -> None:
    def fail(*_: object) -> int:
        say(heard)
        return FAILED

    say("of the load")
    monkeypatch.setattr(llama_cpp, "llama_decode", fail)
    with pytest.raises(DecodeError, match=heard or "gave no reason"):
        context.decode([1, 2], 0, 1)
