"""An error of standard output is known from one of another file, whatever is left to be written."""

from __future__ import annotations

import io
import sys
from pathlib import Path

import pytest

from app.terminal.standard_output import forget_stdout, is_of_stdout, mend_stdout


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="only Linux has a disk that is full")
@pytest.mark.parametrize("n", [1, 100_000], ids=["kept", "more than is kept"])
def test_an_error_of_the_output_is_known_from_one_of_another_file(
    n: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    with open("/dev/full", "w") as full, open("/dev/full", "w") as other:
        for name in ("stdout", "__stdout__"):
            monkeypatch.setattr(sys, name, full)
        mend_stdout()
        with pytest.raises(OSError) as caught:
            print("x" * n, flush=True)
        with pytest.raises(OSError) as elsewhere:
            print("x", file=other, flush=True)
        assert is_of_stdout(caught.value) and not is_of_stdout(elsewhere.value)
        for out in (sys.stdout, other):
            monkeypatch.setattr(sys, "stdout", out)
            forget_stdout()
            out.flush()
        monkeypatch.undo()


def test_an_output_that_was_replaced_stays(capsys: pytest.CaptureFixture[str]) -> None:
    replaced = sys.stdout
    mend_stdout()
    assert sys.stdout is replaced and not is_of_stdout(OSError(28, "No space left on device"))


def test_a_console_that_is_no_file_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    class Console(io.RawIOBase):
        """What Windows has for one: it alone can write what the console's code page lacks."""

        def writable(self) -> bool:
            return True

    out = io.TextIOWrapper(io.BufferedWriter(Console()), "utf-8")
    for name in ("stdout", "__stdout__"):
        monkeypatch.setattr(sys, name, out)
    monkeypatch.setattr(Console, "fileno", lambda _: 1)
    mend_stdout()
    assert sys.stdout is out
    monkeypatch.undo()
