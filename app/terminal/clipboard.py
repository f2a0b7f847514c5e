"""Copies a text by every way that may work here, and says no more than it knows.

Ways: the terminal's own clipboard (OSC 52), through tmux or GNU screen if we are inside; tmux's
buffer, which tmux passes on to the terminal; and the system's clipboard by a program of it. Only
the last is certain, and only where we run on the person's own machine: over ssh it would fill the
clipboard of another one. It knows no screen; `copy` waits for programs, so call it from a thread.
"""

from __future__ import annotations

import base64
import shutil
import subprocess
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from app.sizes import size
from app.terminal.passthrough import SCREEN_CHUNK, through

OSC52_LIMIT = 100_000
"""Longest sequence that common terminals take, in characters; they drop longer ones silently."""

TOOL_TIMEOUT_S = 2.0
WITHOUT_OSC52 = ("dumb", "linux")
REMOTE = ("SSH_CONNECTION", "SSH_CLIENT", "SSH_TTY")

Run: TypeAlias = Callable[[Sequence[str], bytes, Mapping[str, str]], bool]
"""Run a program with this input and environment, and say whether it succeeded in time."""


@dataclass(frozen=True, slots=True)
class Copied:
    """certain: whether the text is in the clipboard for sure. words: one line for the person."""

    certain: bool
    words: str


@dataclass(frozen=True, slots=True)
class Tool:
    """A program that fills the system's clipboard. needs: a variable without which it cannot."""

    command: tuple[str, ...]
    needs: str = ""
    encoding: str = "utf-8"
    variables: tuple[tuple[str, str], ...] = ()


TOOLS = (
    Tool(("pbcopy",), variables=(("LC_ALL", "en_US.UTF-8"),)),  # else it takes it for Mac Roman
    # Not UTF-8, which it does not know; not ASCII, which it may take for UTF-16; no byte order
    # mark, which it would copy.
    Tool(("clip.exe",), needs="WSL_DISTRO_NAME", encoding="utf-16-le"),
    Tool(("wl-copy", "--type", "text/plain;charset=utf-8"), needs="WAYLAND_DISPLAY"),
    Tool(("xclip", "-selection", "clipboard", "-in"), needs="DISPLAY"),
    Tool(("xsel", "--clipboard", "--input"), needs="DISPLAY"),
)


def run_tool(command: Sequence[str], content: bytes, env: Mapping[str, str]) -> bool:
    """Run a program and wait for its end, not for the child that xclip and wl-copy leave behind."""
    try:
        process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env=dict(env),
            start_new_session=True,  # the child outlives this terminal
        )
    except OSError:
        return False
    with process:
        try:
            process.communicate(content, timeout=TOOL_TIMEOUT_S)
        except (OSError, subprocess.TimeoutExpired):
            process.kill()
            return False
    return process.returncode == 0


def copy(
    text: str, write: Callable[[str], object], env: Mapping[str, str], run: Run = run_tool
) -> Copied:
    """Copy a text. write: to the terminal, as it is. Never raises, and ends within seconds."""
    if not text:
        return Copied(False, "There is nothing to copy.")
    ways = [*_by_tmux(text, env, run), *_by_terminal(text, write, env), *_by_tool(text, env, run)]
    is_certain = any(way in _names() for way in ways)
    return Copied(is_certain, _words(text, ways, is_certain))


def osc52(text: str, env: Mapping[str, str]) -> str | None:
    """Return what makes the terminal copy a text, None if it would be too long or not understood.

    Inside tmux it is sent plainly and through it: which one works is a matter of its settings.
    So it is over ssh where TERM is that of GNU screen, which may be tmux's, too.
    """
    if env.get("TERM") in WITHOUT_OSC52:
        return None
    encoded = base64.b64encode(text.encode("utf-8", "replace")).decode()
    plain = f"\x1b]52;c;{encoded}\x07"
    if len(plain) > OSC52_LIMIT:
        return None
    sent = through(plain, env)
    is_either = sent != plain and not env.get("STY") and len(plain) <= SCREEN_CHUNK
    return plain + sent if env.get("TMUX") or is_either else sent


def _by_terminal(
    text: str, write: Callable[[str], object], env: Mapping[str, str]
) -> tuple[str, ...]:
    sequence = osc52(text, env)
    if sequence is None:
        return ()
    try:
        write(sequence)
    except (OSError, ValueError):  # closed
        return ()
    return ("OSC 52",)


def _by_tmux(text: str, env: Mapping[str, str], run: Run) -> tuple[str, ...]:
    """Fill tmux's buffer; since 3.2 it passes it on to the terminal."""
    tmux = shutil.which("tmux", path=env.get("PATH", ""))
    if not env.get("TMUX") or tmux is None:
        return ()
    content = text.encode("utf-8", "replace")
    return ("tmux",) if run((tmux, "load-buffer", "-w", "-"), content, env) else ()


def _by_tool(text: str, env: Mapping[str, str], run: Run) -> tuple[str, ...]:
    """Fill the system's clipboard by the first program that does it."""
    if any(env.get(name) for name in REMOTE):
        return ()
    for tool in TOOLS:
        program, *arguments = tool.command
        path = shutil.which(program, path=env.get("PATH", ""))
        if path is None or (tool.needs and not env.get(tool.needs)):
            continue
        content = text.encode(tool.encoding, "replace")
        if run((path, *arguments), content, {**env, **dict(tool.variables)}):
            return (program,)
    return ()


def _names() -> set[str]:
    return {tool.command[0] for tool in TOOLS}


def _words(text: str, ways: Sequence[str], is_certain: bool) -> str:
    if is_certain:
        return "Copied"
    if "OSC 52" in ways:
        return "Sent to the terminal's clipboard (OSC 52)"
    if "tmux" in ways:
        return "Copied to tmux's buffer, which passes it on if the terminal takes it"
    n_bytes = len(text.encode("utf-8", "replace"))
    longest = OSC52_LIMIT * 3 // 4
    if n_bytes >= longest - 8:
        return (
            f"Not copied: {size(n_bytes)} is more than a terminal's clipboard takes "
            f"({size(longest)}), and no program here copies."
        )
    return "Not copied: this terminal has no clipboard that can be reached."
