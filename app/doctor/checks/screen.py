"""Checks of the terminal: can it show the chat?"""

from __future__ import annotations

from collections.abc import Mapping

from app.doctor.facts import Check, Checker, Facts

SMALLEST_TERMINAL = (60, 16)
FEW_COLOURS = "16 colours or fewer"
SOME_COLOURS = "256 colours"


def check_terminal(facts: Facts) -> Check:
    """Warn of a terminal that cannot show the chat."""
    terminal, name = facts.terminal, facts.env.get("TERM", "")
    if not terminal.is_terminal:
        return Check("terminal", "ok", "the output is not a terminal, so there is nothing to see")
    found = f"{name or 'TERM is not set'}, {terminal.columns}x{terminal.lines}"
    if name in ("", "dumb"):
        return Check("terminal", "fail", found, "export TERM=xterm-256color")
    if terminal.columns < SMALLEST_TERMINAL[0] or terminal.lines < SMALLEST_TERMINAL[1]:
        wanted = "x".join(map(str, SMALLEST_TERMINAL))
        return Check("terminal", "warn", found, f"Make the window at least {wanted} characters.")
    return Check("terminal", "ok", found)


def check_colours(facts: Facts) -> Check:
    """Warn when the terminal does not announce its colours; tmux hides them by default."""
    colours = _colours(facts.env)
    if "TMUX" in facts.env and colours == SOME_COLOURS:
        mend = "tmux set -as terminal-features ',*:RGB' && export COLORTERM=truecolor"
        return Check("colours", "warn", f"{colours}, inside tmux", mend)
    if facts.terminal.is_terminal and colours == FEW_COLOURS:
        return Check("colours", "warn", colours, "export TERM=xterm-256color")
    return Check("colours", "ok", colours)


def check_unicode(facts: Facts) -> Check:
    """Warn of a locale that cannot print what models say."""
    encoding = facts.terminal.encoding
    if encoding.lower().replace("-", "") == "utf8":
        return Check("unicode", "ok", "UTF-8")
    return Check("unicode", "warn", f"the locale's encoding is {encoding}", "export LC_ALL=C.UTF-8")


def _colours(env: Mapping[str, str]) -> str:
    if env.get("NO_COLOR"):
        return "no colour (NO_COLOR)"
    if env.get("COLORTERM", "").lower() in ("truecolor", "24bit"):
        return "truecolor"
    return SOME_COLOURS if "256" in env.get("TERM", "") else FEW_COLOURS


CHECKS: tuple[Checker, ...] = (check_terminal, check_colours, check_unicode)
