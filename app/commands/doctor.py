"""`slipstream doctor`: what works here, what does not, and the line that mends it."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from app.settings.flags import add_network_arguments

if TYPE_CHECKING:
    from app.doctor.facts import Check

HELP = "check hardware, build, kernels, terminal and disk"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the flags."""
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    add_network_arguments(parser)


def run(args: argparse.Namespace) -> int:
    """Examine this machine and print what was found; 1 if something failed."""
    from app.doctor.examine import examine, gather

    checks = examine(gather())
    print(as_json(checks) if args.json else as_text(checks))
    return 1 if any(check.status == "fail" for check in checks) else 0


def as_text(checks: list[Check]) -> str:
    """Write one line per check, and below a fault the line that mends it."""
    from app.errors import MOST_CHARS
    from app.terminal.sanitise import one_line

    lines = []
    for check in checks:
        lines.append(f"{check.status:4}  {check.name:11}  {one_line(check.found, MOST_CHARS)}")
        if check.mend:
            lines.append(f"      {'':11}  -> {one_line(check.mend, MOST_CHARS)}")
    return "\n".join(lines)


def as_json(checks: list[Check]) -> str:
    """Write one object: `ok`, and `checks` with name, status, found and mend."""
    import json
    from dataclasses import asdict

    ok = all(check.status != "fail" for check in checks)
    return json.dumps({"ok": ok, "checks": [asdict(check) for check in checks]})
