"""Running a command: what is said when it fails, and what is left of it when we are interrupted."""

from __future__ import annotations

import importlib
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

OUT_OF_MEMORY = (
    "The compiler was killed, most likely because memory ran out."
    " Set CMAKE_BUILD_PARALLEL_LEVEL=1 and start again."
)


@pytest.fixture
def command() -> Any:
    return importlib.import_module("setup_command")


def test_a_failed_command_is_one_line_that_names_the_log(command: Any, tmp_path: Path) -> None:
    log = tmp_path / "log"
    script = "import sys; print('a.cpp:1: error: no such type'); sys.exit(2)"
    with pytest.raises(command.SetupError) as raised:
        command.run([sys.executable, "-c", script], log, os.environ, "Building")
    line = str(raised.value)
    assert line == f"Building failed. a.cpp:1: error: no such type Log: {log}"


def test_an_interrupt_ends_all_that_the_command_started(
    command: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    started: list[int] = []

    def interrupted(process: subprocess.Popen[bytes], *_: object) -> None:
        started.append(process.pid)
        raise KeyboardInterrupt

    monkeypatch.setattr(command, "_watch", interrupted)
    script = "import subprocess, sys; subprocess.run([sys.executable, '-c', 'input()'])"
    with pytest.raises(KeyboardInterrupt):
        command.run([sys.executable, "-c", script], tmp_path / "log", os.environ, "Building")
    with pytest.raises(ProcessLookupError):
        os.killpg(started[0], 0)


@pytest.mark.parametrize(
    ("said", "line"),
    [
        (
            "[1/2] c++ -Werror=x a.cpp\na.cpp:3:1: error: bad\nERROR: Failed building wheel for x",
            "a.cpp:3:1: error: bad",
        ),
        (
            "CMake Error at CMakeLists.txt:20 (find_package):\n  Could not find Vulkan\n",
            "CMake Error at CMakeLists.txt:20 (find_package): Could not find Vulkan",
        ),
        (
            "a.cpp:3:1: error: none\nFAILED: [code=1] a.o\n"
            "g++: fatal error: Killed signal terminated program cc1plus\nninja: build stopped",
            OUT_OF_MEMORY,
        ),
        ("nvcc error   : 'cicc' died due to signal 9 (Kill signal)", OUT_OF_MEMORY),
        ("clang++: error: unable to execute command: Killed", OUT_OF_MEMORY),
        (
            "CMake Error at CMakeDetermineCompilerId.cmake:838 (message):\n"
            "  Compiling the CUDA compiler identification source file\n"
            "  host_config.h:143:2: error: #error -- unsupported GNU version! gcc versions later"
            " than 12 are not supported! The nvcc flag '-allow-unsupported-compiler' can be used\n",
            "CUDA refuses the C++ compiler: unsupported GNU version! gcc versions later than 12 are"
            " not supported!",
        ),
        (
            "WARNING: Retrying after SSLError(SSLCertVerificationError(1, '[SSL:"
            " CERTIFICATE_VERIFY_FAILED] certificate verify failed'))\n"
            "Could not fetch URL https://…: Max retries exceeded\n"
            "ERROR: No matching distribution found for x\n",
            "The certificate of the package index is not trusted. If your company has a CA of its"
            " own, set PIP_CERT to the path of its certificate and start again.",
        ),
        (
            "WARNING: Retrying after NewConnectionError('…')\n"
            "ERROR: No matching distribution found for x\n",
            "No network: pip cannot reach the package index. Connect and start again.",
        ),
        (
            "WARNING: something\nERROR: No matching distribution found for x\nmore\n",
            "ERROR: No matching distribution found for x",
        ),
        (
            "pip subprocess did not run successfully\nerror: subprocess-exited-with-error\n"
            "OSError: [Errno 28] No space left on device\n",
            "OSError: [Errno 28] No space left on device",
        ),
        (
            "  ERROR: Cannot set --home and --prefix together\n"
            "error: subprocess-exited-with-error\n",
            "pip's settings have it install elsewhere. Take target and prefix out of pip.conf,"
            " which pip config list shows, and start again.",
        ),
        (
            "ERROR: Exception:\nTraceback (most recent call last):\n  File x\n"
            "PermissionError: [Errno 13] Permission denied: '/x'\n[notice] A new release of pip",
            "PermissionError: [Errno 13] Permission denied: '/x'",
        ),
        (
            "  error: subprocess-exited-with-error\n  ModuleNotFoundError: No module named 'h'\n"
            "  [end of output]\n\n  note: This error originates from a subprocess, and is likely"
            " not a problem with pip.\n",
            "ModuleNotFoundError: No module named 'h'",
        ),
        ("", "It said nothing."),
    ],
)
def test_the_line_that_tells_the_most_is_shown(command: Any, said: str, line: str) -> None:
    assert command.explain(said) == line
