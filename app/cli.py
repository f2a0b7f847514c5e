"""The command line: finds the command, hands it its arguments, turns errors into one line.

Exit codes: 0 done, 1 failure, 2 usage, 130 interrupted.
"""

from __future__ import annotations

import argparse
import importlib
import pkgutil
import sys
from collections.abc import Sequence

from app import commands

DEFAULT_COMMAND = "chat"


def main(argv: Sequence[str] | None = None) -> int:
    """Run `slipstream` with these arguments (default: the process's) and return the exit code."""
    words = list(sys.argv[1:] if argv is None else argv)
    parser = build_parser()
    if not words or (words[0].startswith("-") and words[0] not in {"-h", "--help", "--version"}):
        words.insert(0, DEFAULT_COMMAND)
    args = parser.parse_args(words)
    try:
        return int(args.run(args))
    except KeyboardInterrupt:
        return 130
    except Exception as error:
        return _report(error)


def build_parser() -> argparse.ArgumentParser:
    """Return the parser, with one sub-parser per file in app/commands."""
    parser = argparse.ArgumentParser(
        prog="slipstream",
        description="Chat with local models, faster: exact speculative decoding you can watch.",
        epilog="Without a command, slipstream opens the chat. Each command has its own --help.",
    )
    parser.add_argument("--version", action=_Version, nargs=0, help="show the version and exit")
    subparsers = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    for info in pkgutil.iter_modules(commands.__path__):
        module = importlib.import_module(f"app.commands.{info.name}")
        subparser = subparsers.add_parser(info.name, help=module.HELP, description=module.HELP)
        module.add_arguments(subparser)
        subparser.set_defaults(run=module.run)
    return parser


class _Version(argparse.Action):
    """Looks the version up only when asked: reading package metadata is slow."""

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> None:
        from importlib.metadata import version

        print(f"slipstream {version('slipstream')}")
        parser.exit()


def _report(error: Exception) -> int:
    """Print one line for an error that has one to say; let a defect of ours show itself."""
    from app.errors import AppError
    from engine import EngineError

    if isinstance(error, AppError | EngineError | OSError):
        print(f"slipstream: {error}", file=sys.stderr)
        return 1
    raise error


if __name__ == "__main__":
    sys.exit(main())
