"""A notification on the desktop, raised by the terminal: the sequence that this one understands.

iTerm2 and Warp know OSC 9, kitty OSC 99, and foot, Ghostty, WezTerm, Windows Terminal, urxvt,
Contour and what is built on VTE OSC 777 or nothing. ConEmu has other uses for OSC 9, and is not
known here. Inside tmux and GNU screen the terminal is told by what it left in the environment.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, TypeAlias

from app.terminal.passthrough import through
from app.terminal.sanitise import one_line

Way: TypeAlias = Literal["OSC 9", "OSC 99", "OSC 777"]

PROGRAMS: Mapping[str, Way] = {
    "iTerm.app": "OSC 9",
    "iTerm2": "OSC 9",
    "WarpTerminal": "OSC 9",
    "kitty": "OSC 99",
    "ghostty": "OSC 777",
    "WezTerm": "OSC 777",
    "contour": "OSC 777",
}
"""What TERM_PROGRAM says; LC_TERMINAL, which ssh hands on, has the second name for iTerm."""
TERMS: Mapping[str, Way] = {
    "xterm-kitty": "OSC 99",
    "xterm-ghostty": "OSC 777",
    "foot": "OSC 777",
    "rxvt-unicode": "OSC 777",
    "wezterm": "OSC 777",
    "contour": "OSC 777",
}
"""How TERM begins."""
VARIABLES: Mapping[str, Way] = {
    "ITERM_SESSION_ID": "OSC 9",
    "KITTY_WINDOW_ID": "OSC 99",
    "GHOSTTY_RESOURCES_DIR": "OSC 777",
    "WEZTERM_PANE": "OSC 777",
    "WT_SESSION": "OSC 777",
    "VTE_VERSION": "OSC 777",
}
"""What is set in a terminal's own shell, and stays so inside tmux."""
WITHOUT = ("dumb", "linux")
MULTIPLEXERS = ("", "tmux")
"""What TERM_PROGRAM says where it does not say which terminal that is."""
LONGEST = 120


def way(env: Mapping[str, str]) -> Way | None:
    """Return how this terminal is told, None where nobody knows."""
    term, program = env.get("TERM", ""), env.get("TERM_PROGRAM", "")
    found = next((how for begins, how in TERMS.items() if term.startswith(begins)), None)
    if found is not None or term in WITHOUT:
        return found
    if program not in MULTIPLEXERS:
        return PROGRAMS.get(program)
    if env.get("LC_TERMINAL") in PROGRAMS:
        return PROGRAMS[env["LC_TERMINAL"]]
    return next((how for name, how in VARIABLES.items() if env.get(name)), None)


def notice(title: str, text: str, env: Mapping[str, str]) -> str:
    """Return what raises a notification, "" where nobody knows how."""
    title, text = _plain(title), _plain(text)
    match way(env):
        case "OSC 9":
            return through(f"\x1b]9;{title}: {text}\x07", env)
        case "OSC 777":
            return through(f"\x1b]777;notify;{title};{text}\x07", env)
        case "OSC 99":
            head = f"\x1b]99;i=slipstream:d=0;{title}\x07"
            return through(head, env) + through(f"\x1b]99;i=slipstream:p=body;{text}\x07", env)
        case None:
            return ""


def _plain(text: str) -> str:
    """Return a harmless line without what would end a field."""
    return one_line(text, LONGEST).replace(";", ",")
