"""Runs `slipstream` as `slipstream … 2>FILE` does: python -m tests.app.tui.stderr_away FILE …"""

from __future__ import annotations

import os
import sys

from app import cli

if __name__ == "__main__":
    file, *words = sys.argv[1:]
    os.dup2(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), 2)
    sys.exit(cli.main(words))
