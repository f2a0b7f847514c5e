"""The command line: finds the command, hands it its arguments, turns errors into one line. Imports
little, so that a Ctrl-C is heard from the first moment on.

Exit codes: 0 done, 1 failure, 2 usage, 130 interrupted.
"""

from __future__ import annotations

import argparse
import fcntl
import importlib
import io
import os
import pkgutil
import re
import sys
from collections.abc import Sequence
from typing import Any, NoReturn

from app import commands

DEFAULT_COMMAND = "chat"
LONGEST_QUOTED = 200
"""Characters of a question that are repeated in a line to be copied."""
ELSEWHERE = {"run": "chat", "models": "list", "ls": "list", "show": "info"}
"""What other programs for local models call our commands."""
FLAGS_ELSEWHERE = {"--draft-max": "--draft-tokens", "--draft-n": "--draft-tokens"}
"""What llama.cpp calls flags that nearly do what ours do: a most is no fixed length."""
NEGATIVE = re.compile(r"-\.?\d")
"""How a value may begin that is no flag, exponents and units behind it: as in Python 3.14."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run `slipstream` with these arguments (default: the process's) and return the exit code."""
    try:
        try:
            return _run(sys.argv[1:] if argv is None else argv)
        finally:
            sys.stdout.flush()  # while there is somebody to say that it fails
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:  # the reader, such as `head`, has what it wanted
        from app.terminal.standard_output import forget_stdout

        forget_stdout()
        return 1
    except Exception as error:
        if isinstance(error.__cause__, KeyboardInterrupt):  # Python 3.11's __set_name__ wraps it
            return 130
        return _report(error)


def _run(argv: Sequence[str]) -> int:
    from app.garbage import sparing
    from app.terminal.standard_output import mend_stdout
    from app.terminal.unheard import mend_stderr

    sparing()
    _mend_streams()
    mend_stdout()
    mend_stderr()
    parser = build_parser()
    if "_ARGCOMPLETE" in os.environ:  # a shell asks what a word could become
        from app.commands.completion import complete

        complete(parser)
    words = _completed(_readable(argv), parser)
    args, unknown = parser.parse_known_args(words)
    if unknown:  # argparse itself would point to `slipstream --help`
        args.refuse(_too_much(unknown, args))
    return int(args.run(args))


def _completed(words: list[str], parser: argparse.ArgumentParser) -> list[str]:
    """Return what was typed with the command that is meant, if none is named. Raises CatalogError
    where models.toml does not tell whether a word is a pair.
    """
    from app.commands.chat import is_question

    first, *others = words or [""]
    if first in ("-h", "--help", "--version", *command_names()):
        return words
    if first == "help":
        return [*others[:1], "--help"]
    if is_question(first):
        has_other = any(word.partition("=")[0] == "--ask" for word in others)
        return [DEFAULT_COMMAND, first if has_other else f"--ask={first}", *others]
    if not words or first.startswith("-"):
        return [DEFAULT_COMMAND, *words]
    pairs = _pairs()
    if first in pairs:
        return [DEFAULT_COMMAND, *words]
    parser.error(_no_command(words, pairs))


def _pairs() -> list[str]:
    from app.models.catalog import load_catalog
    from app.paths import Paths

    return list(load_catalog(Paths().own_catalog).pairs)


def _mend_streams() -> None:
    """Open what was closed (`>&-`) as nothing, for good and in the order of their numbers, so that
    no file gets one of these; and have signs that an encoding lacks printed as question marks.
    What is open the other way counts as closed: where standard error was, the shell of
    packaging/run has its script open, and nohup gives an input that can only be written to.
    """
    for number, (name, mode) in enumerate((("stdin", "r"), ("stdout", "w"), ("stderr", "w"))):
        if getattr(sys, name) is None:
            nothing = os.open(os.devnull, os.O_RDWR)
            setattr(sys, name, os.fdopen(nothing, mode, closefd=False))
        elif _is_open_for(number) == (os.O_WRONLY if mode == "r" else os.O_RDONLY):
            os.dup2(os.open(os.devnull, os.O_RDWR), number)
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")


def _is_open_for(descriptor: int) -> int:
    """Return O_RDONLY, O_WRONLY or O_RDWR."""
    return fcntl.fcntl(descriptor, fcntl.F_GETFL) & os.O_ACCMODE


def command_names() -> list[str]:
    """Return the commands as one types them."""
    return [info.name.replace("_", "-") for info in pkgutil.iter_modules(commands.__path__)]


def _no_command(words: Sequence[str], pairs: Sequence[str]) -> str:
    """Say what a person may have meant by a first word that is neither a command nor a pair."""
    import difflib
    import shlex

    from app.models.catalog import is_gguf
    from app.terminal.sanitise import one_line

    if is_gguf(words[0]):
        opened = one_line(shlex.join(["slipstream", "chat", "--model", words[0]]), 1000)
        return f"there is no command {one_line(words[0], 40)!r}; to open a file: {opened}"
    word, known = words[0].lower(), [*command_names(), *pairs]
    near = [ELSEWHERE[word]] if word in ELSEWHERE else difflib.get_close_matches(word, known, n=1)
    meant = f", did you mean {near[0]}?" if near else ";"
    said = _quoted(" ".join(words))
    return (
        f"there is no command {one_line(words[0], 40)!r}{meant} to ask a question: "
        f"slipstream ask {said}, or in the chat: slipstream chat --ask {said}"
    )


def _quoted(question: str) -> str:
    """Return a question as a shell takes it, or what stands for one that is long."""
    import shlex

    from app.terminal.sanitise import one_line

    quoted = shlex.quote(one_line(question, LONGEST_QUOTED + 1))
    return quoted if len(question) <= LONGEST_QUOTED else '"…"'


def _too_much(words: Sequence[str], args: argparse.Namespace) -> str:
    """Say for which words there is no place, and of a question behind a pair where it goes."""
    from app.completers import pair_names

    said = " ".join(words)
    refused = f"unrecognized arguments: {said}"
    asks_nothing = "ask" in args and args.ask is None
    if words[0].startswith("-"):
        return f"{refused}{args.meant(words[0])}"
    if not asks_nothing or args.pair not in pair_names():
        return refused
    begin = f"slipstream {args.pair} --ask {_quoted(said)}"
    return f"{refused}; to begin with a question: {begin}"


def _readable(words: Sequence[str]) -> list[str]:
    """Return arguments with bytes that are no UTF-8 replaced. Raises SettingsError for a file, to
    which nothing would lead any more.
    """
    readable = []
    for word in words:
        readable.append(_shown(word))
        path = word.partition("=")[2] if word.startswith("-") else word
        if _shown(path) != path and os.path.lexists(path):
            from app.errors import SettingsError

            raise SettingsError(f"{_shown(path)}: its name is no UTF-8 text; rename the file.")
    return readable


def _shown(word: str) -> str:
    return word.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


class _Parser(argparse.ArgumentParser):
    """Says what is wrong in one line, and where the flags are listed."""

    def _get_option_tuples(self, option_string: str) -> list[Any]:
        """Take no short flag for the beginning of another word: `-ctk` is no `-c tk`, and "-t, what
        is it?" a question. Two names of one flag leave no choice.
        """
        if not option_string.startswith("--"):
            return []
        found: list[Any] = super()._get_option_tuples(option_string)
        return list({id(each[0]): each for each in found}.values())

    def error(self, message: str) -> NoReturn:
        from app.terminal.sanitise import one_line

        said = one_line(message.replace("ignored explicit argument", "takes no value; found"))
        self.exit(2, f"{self.prog}: {said} ({self.prog} --help lists what there is)\n")

    def meant(self, flag: str) -> str:
        """Say which flag may have been meant by one that there is not, "" if none comes near."""
        import difflib

        known = re.findall(r"--[a-z][a-z-]+", self.format_usage())
        name = flag.split("=")[0]
        near = [like for like in known if like == FLAGS_ELSEWHERE.get(name)]
        near = near or difflib.get_close_matches(name, known, n=1, cutoff=0.75)
        return f"; did you mean {near[0]}?" if near else ""


def build_parser() -> argparse.ArgumentParser:
    """Return the parser, with one sub-parser per file in app/commands."""
    parser = _Parser(
        prog="slipstream",
        description="Chat with local models, faster: exact speculative decoding you can watch.",
        epilog="Without a command, slipstream opens the chat, `slipstream PAIR` with that pair. "
        "Each command has its own --help.",
    )
    parser.add_argument("--version", action=_Version, nargs=0, help="show the version and exit")
    subparsers = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    for info in pkgutil.iter_modules(commands.__path__):
        module = importlib.import_module(f"app.commands.{info.name}")
        name = info.name.replace("_", "-")
        subparser = subparsers.add_parser(name, help=module.HELP, description=module.HELP)
        module.add_arguments(subparser)
        subparser._negative_number_matcher = NEGATIVE
        subparser.set_defaults(run=module.run, refuse=subparser.error, meant=subparser.meant)
    return parser


class _Version(argparse.Action):
    """Looks the version up only when asked: reading package metadata is slow."""

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> None:
        from importlib.metadata import version

        print(f"slipstream {version('slipstream')}")
        parser.exit()


def _report(error: Exception) -> int:
    """Print one line, the hint at its end too; return the exit code. A defect's traceback goes to a
    file.
    """
    from app.errors import LONGEST_DEFECT, MOST_CHARS, AppError
    from app.logs import kept_traceback
    from app.terminal.sanitise import one_line
    from engine import EngineError, SettingError

    if isinstance(error, AppError | EngineError):
        message = str(error)
    elif isinstance(error, OSError):
        message = _of_system(error)
    else:
        what = one_line(repr(error), LONGEST_DEFECT)
        message = f"a defect of Slipstream: {what}. {kept_traceback(error)}"
    print(f"slipstream: {one_line(message, MOST_CHARS)}", file=sys.stderr)
    return 2 if isinstance(error, SettingError) else getattr(error, "exit_code", 1)


def _of_system(error: OSError) -> str:
    """Say what the system refuses."""
    from app.errors import reason, refused
    from app.terminal.standard_output import forget_stdout, is_of_stdout

    if is_of_stdout(error):
        forget_stdout()
        return f"cannot write to standard output: {reason(error)}"
    if not error.filename and isinstance(error, FileNotFoundError) and _is_nowhere():
        return "the folder that you are in is gone: change to another one (cd)"
    return refused(error)


def _is_nowhere() -> bool:
    """Whether the current folder was deleted."""
    try:
        os.getcwd()
    except FileNotFoundError:
        return True
    return False


if __name__ == "__main__":
    sys.exit(main())
