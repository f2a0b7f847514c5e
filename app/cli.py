"""The command line: finds the command, hands it its arguments, turns errors into one line. Imports
little, so that a Ctrl-C is heard from the first moment on.

Exit codes: 0 done, 1 failure, 2 usage, 130 interrupted.
"""

from __future__ import annotations

import argparse
import importlib
import io
import os
import pkgutil
import sys
from collections.abc import Sequence
from typing import NoReturn

from app import commands

DEFAULT_COMMAND = "chat"


def main(argv: Sequence[str] | None = None) -> int:
    """Run `slipstream` with these arguments (default: the process's) and return the exit code."""
    try:
        return _run(sys.argv[1:] if argv is None else argv)
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:  # the reader, such as `head`, has what it wanted
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except Exception as error:
        return _report(error)


def _run(argv: Sequence[str]) -> int:
    from app.commands.chat import is_question
    from app.garbage import sparing

    sparing()
    _mend_streams()
    words = [_readable(word) for word in argv]
    parser = build_parser()
    if "_ARGCOMPLETE" in os.environ:  # a shell asks what a word could become
        import argcomplete

        argcomplete.autocomplete(parser)
    if not words or (words[0].startswith("-") and words[0] not in {"-h", "--help", "--version"}):
        words.insert(0, DEFAULT_COMMAND)
    elif is_question(words[0]):
        words[:1] = [DEFAULT_COMMAND, f"--ask={words[0]}"]
    elif not words[0].startswith("-") and words[0] not in command_names():
        parser.error(_no_command(words))
    args, unknown = parser.parse_known_args(words)
    if unknown:  # argparse itself would point to `slipstream --help`
        args.refuse(f"unrecognized arguments: {' '.join(unknown)}")
    return int(args.run(args))


def _mend_streams() -> None:
    """Open what was closed (`>&-`) as nothing, for good and in the order of their numbers, so that
    no file gets one of these; and have signs that an encoding lacks printed as question marks.
    """
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            nothing = os.open(os.devnull, os.O_RDWR)
            setattr(sys, name, os.fdopen(nothing, mode, closefd=False))
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")


def command_names() -> list[str]:
    """Return the commands as one types them."""
    return [info.name.replace("_", "-") for info in pkgutil.iter_modules(commands.__path__)]


def _no_command(words: Sequence[str]) -> str:
    """Say what a person may have meant by a first word that is no command."""
    import difflib

    from app.terminal.sanitise import one_line

    near = difflib.get_close_matches(words[0].lower(), command_names(), n=1)
    meant = f", did you mean {near[0]}?" if near else ";"
    said = one_line(" ".join(words), 40)
    return (
        f"there is no command {one_line(words[0], 40)!r}{meant} to ask a question: "
        f'slipstream ask "{said}", or in the chat: slipstream chat --ask "{said}"'
    )


def _readable(word: str) -> str:
    """Return an argument with bytes that are no UTF-8 replaced."""
    return word.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


class _Parser(argparse.ArgumentParser):
    """Says what is wrong in one line, and where the flags are listed."""

    def error(self, message: str) -> NoReturn:
        self.exit(2, f"{self.prog}: {message} ({self.prog} --help lists what there is)\n")


def build_parser() -> argparse.ArgumentParser:
    """Return the parser, with one sub-parser per file in app/commands."""
    parser = _Parser(
        prog="slipstream",
        description="Chat with local models, faster: exact speculative decoding you can watch.",
        epilog="Without a command, slipstream opens the chat. Each command has its own --help.",
    )
    parser.add_argument("--version", action=_Version, nargs=0, help="show the version and exit")
    subparsers = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    for info in pkgutil.iter_modules(commands.__path__):
        module = importlib.import_module(f"app.commands.{info.name}")
        name = info.name.replace("_", "-")
        subparser = subparsers.add_parser(name, help=module.HELP, description=module.HELP)
        module.add_arguments(subparser)
        subparser.set_defaults(run=module.run, refuse=subparser.error)
    return parser


class _Version(argparse.Action):
    """Looks the version up only when asked: reading package metadata is slow."""

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> None:
        from importlib.metadata import version

        print(f"slipstream {version('slipstream')}")
        parser.exit()


def _report(error: Exception) -> int:
    """Print one line and return the exit code; a defect's traceback goes to a file."""
    from app.errors import AppError, reason
    from app.logs import kept_traceback
    from app.terminal.sanitise import one_line
    from engine import EngineError, SettingError

    if isinstance(error, AppError | EngineError):
        message = str(error)
    elif isinstance(error, OSError):
        message = f"{error.filename}: {reason(error)}" if error.filename else reason(error)
    else:
        message = f"a defect of Slipstream: {error!r}. {kept_traceback(error)}"
    print(f"slipstream: {one_line(message)}", file=sys.stderr)
    return 2 if isinstance(error, SettingError) else getattr(error, "exit_code", 1)


if __name__ == "__main__":
    sys.exit(main())
