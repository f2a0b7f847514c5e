"""Asks tmux whether its window with this program is in sight: as it comes, tmux tells nobody that
another window was chosen.
"""

from __future__ import annotations

import subprocess
from collections.abc import Mapping

ASKED = "#{window_active} #{session_attached}"
TIMEOUT_S = 2.0


def is_hidden(env: Mapping[str, str]) -> bool:
    """Whether another window of tmux is shown, or none; False where that is not known. It waits for
    a program.
    """
    if not env.get("TMUX") or not env.get("TMUX_PANE"):
        return False
    command = ("tmux", "display-message", "-p", "-t", env["TMUX_PANE"], ASKED)
    try:
        asked = subprocess.run(
            command, capture_output=True, text=True, timeout=TIMEOUT_S, env=dict(env)
        )
    except (OSError, subprocess.TimeoutExpired):
        return False
    return asked.returncode == 0 and "0" in asked.stdout.split()
