"""Runs `slipstream` below two lines of a shell: python -m tests.app.tui.below_lines …"""

from __future__ import annotations

import sys

from app import cli

if __name__ == "__main__":
    print("one\ntwo", flush=True)
    sys.exit(cli.main(sys.argv[1:]))
