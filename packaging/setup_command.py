"""Runs a command with its output in a log file, shows how far it is, and says why it failed.

The command gets a process group of its own, which is ended when we are interrupted. Should we be
killed outright, it runs on undisturbed, and keeps the locks that it inherited until it is done.
"""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from itertools import pairwise
from pathlib import Path

from setup_machine import SetupError

POLL_S = 0.5
PROGRESS_EVERY_S = 60.0  # where lines cannot be overwritten
GRACE_S = 5.0

PROGRESS = re.compile(rb"\[ *(\d+(?:/\d+|%))\]")  # ninja's [52/83], make's [ 52%]
OUR_ERROR = re.compile(r"\berror:|CMake Error|fatal:|No space left on device")
PIP_ERROR = re.compile(r"^\s*ERROR: ")
PIP_SAYS_NOTHING = re.compile(
    r"subprocess-exited-with-error|metadata-generation-failed|Failed building wheel|Failed to build"
    r"|^ERROR: Exception:$|^note: This error originates|^\[end of output\]$|^\[notice\]"
)
KILLED = re.compile(
    r"Killed signal terminated program|died due to signal 9|unable to execute command: Killed"
)
CUDA_REFUSES = re.compile(r"#error -- (unsupported \w+ version!.*?supported!)")
ELSEWHERE = "Cannot set --home and --prefix together"
NOT_TRUSTED = "CERTIFICATE_VERIFY_FAILED"
NO_NETWORK = re.compile(
    r"NewConnectionError|NameResolutionError|name resolution|Network is unreachable|ProxyError"
    r"|ConnectTimeout|Max retries exceeded|Could not fetch URL|Failed to establish"
)


def say(line: str) -> None:
    """Tell the person, on stderr: stdout belongs to what runs afterwards."""
    print(f"slipstream: {line}", file=sys.stderr, flush=True)


def run(command: Sequence[str | Path], log: Path, env: Mapping[str, str], doing: str) -> None:
    """Run a command to its end. Raises SetupError, in which `doing` names what failed."""
    with log.open("ab") as output:
        start = output.tell()
        process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            env=env,
            start_new_session=True,
            close_fds=False,  # the locks, see above
        )
    try:
        _watch(process, log, start)
    except BaseException:
        _end(process)
        raise
    if process.returncode != 0:
        said = _read_from(log, start).decode("utf-8", "replace")
        raise SetupError(f"{doing} failed. {explain(said)} Log: {log}")


def explain(said: str) -> str:
    """Return the line of a failed command's output that tells the most, or what it means."""
    if KILLED.search(said):
        return (
            "The compiler was killed, most likely because memory ran out."
            " Set CMAKE_BUILD_PARALLEL_LEVEL=1 and start again."
        )
    if refused := CUDA_REFUSES.search(said):
        return f"CUDA refuses the C++ compiler: {refused[1]}"
    lines = [line.strip() for line in said.splitlines() if line.strip()]
    telling = [line for line in lines if not PIP_SAYS_NOTHING.search(line)]
    for line, following in pairwise([*telling, ""]):
        if OUR_ERROR.search(line):
            return f"{line} {following}" if line.endswith("):") else line
    if ELSEWHERE in said:
        return (
            "pip's settings have it install elsewhere. Take target and prefix out of pip.conf,"
            " which pip config list shows, and start again."
        )
    if NOT_TRUSTED in said:
        return (
            "The certificate of the package index is not trusted. If your company has a CA of its"
            " own, set PIP_CERT to the path of its certificate and start again."
        )
    if NO_NETWORK.search(said):
        return "No network: pip cannot reach the package index. Connect and start again."
    blamed = [line for line in telling if PIP_ERROR.match(line)] or telling
    return blamed[-1] if blamed else "It said nothing."


def _watch(process: subprocess.Popen[bytes], log: Path, position: int) -> None:
    """Wait for the end, meanwhile showing the build's own counter."""
    is_terminal = sys.stderr.isatty()
    said = time.monotonic()
    try:
        while _is_running(process):
            fresh = _read_from(log, position)
            position += len(fresh)
            counters = PROGRESS.findall(fresh)
            if counters and is_terminal:
                _show(f"slipstream: [{counters[-1].decode()}]")
            elif counters and time.monotonic() - said > PROGRESS_EVERY_S:
                said = time.monotonic()
                say(f"[{counters[-1].decode()}]")
    finally:
        if is_terminal:
            _show("")


def _is_running(process: subprocess.Popen[bytes]) -> bool:
    try:
        process.wait(POLL_S)
    except subprocess.TimeoutExpired:
        return True
    return False


def _show(text: str) -> None:
    """Overwrite the terminal's current line."""
    print(f"\r\033[K{text}", end="", file=sys.stderr, flush=True)


def _read_from(log: Path, position: int) -> bytes:
    with log.open("rb") as output:
        output.seek(position)
        return output.read()


def _end(process: subprocess.Popen[bytes]) -> None:
    """End the command and all it started."""
    for number in (signal.SIGTERM, signal.SIGKILL):
        try:
            os.killpg(process.pid, number)
            process.wait(GRACE_S)
        except ProcessLookupError:
            return
        except subprocess.TimeoutExpired:
            continue
