"""`slipstream chat`: the terminal UI, which is also what `slipstream` alone opens."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Coroutine
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from app.settings.chat_flags import add_habit_arguments, add_theme_argument
from app.settings.flags import add_model_arguments, add_pair_argument, add_think_argument

if TYPE_CHECKING:
    from textual.pilot import Pilot

    from app.tui.app import SlipstreamApp
    from app.tui.chat_parts import ChatParts

HELP = "chat in the terminal (the default)"
MOST_SETTINGS_BYTES = 2**20
"""Read before the first picture; of a larger file its theme comes with all settings."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the flags."""
    add_pair_argument(
        parser,
        default="the last one used; demo the first time",
        otherwise="; or a question of several words, in quotation marks, to begin a new chat with",
    )
    add_model_arguments(parser)
    add_think_argument(parser)
    add_theme_argument(parser)
    add_habit_arguments(parser)
    parser.add_argument(
        "--new", action="store_true", help="begin a new chat instead of going on with the last one"
    )
    parser.add_argument(
        "--private",
        action="store_true",
        help="keep nothing of this chat: no history, no prompts, no memory to draft from",
    )
    parser.add_argument(
        "--ask", metavar="TEXT", help="begin a new chat with this question, sent once it is loaded"
    )
    parser.add_argument(
        "--inline",
        action="store_true",
        help="chat below the prompt of the shell, not on the whole terminal; the last answer stays "
        "there, and resizing the window may leave parts of the chat on the screen, even of a "
        "private one (not on Windows)",
    )
    parser.add_argument(
        "--demo-script",
        type=lambda name: Path(os.path.expanduser(name)),
        metavar="FILE",
        help="for recordings: do what the file says, line by line (type TEXT, key NAME, "
        "wait ready|answer, see TEXT, pause SECONDS, speed N, picture FILE.svg)",
    )


def run(args: argparse.Namespace) -> int:
    """Open the chat. Raises SettingsError for a wrong demo script or a model that is not there,
    TerminalError without a terminal that it can be opened in so, and AppError where the script
    waits in vain.
    """
    from app.errors import TerminalError
    from app.paths import Paths
    from app.settings.given_files import check_models
    from app.tui.terminal.terminal_title import kept_title

    args = asked(args)
    play = _player(args.demo_script) if args.demo_script else None
    check_models(args)
    if args.inline and os.name != "posix":
        raise TerminalError("--inline works on Linux and macOS alone; leave it out")
    if not all(file is not None and file.isatty() for file in (sys.stdin, sys.stdout)):
        raise TerminalError("chat needs a terminal; use `slipstream ask`")
    if os.environ.get("TERM") == "dumb":
        raise TerminalError(
            "chat needs a terminal that can place text, and TERM is dumb; use `slipstream ask`,"
            " or export TERM=xterm-256color if it can"
        )
    app, terminal = chat_app(args), sys.__stderr__
    if terminal is None or not terminal.isatty():
        terminal = sys.__stdout__
    if args.inline:
        _paint_inline(app)
    else:
        _paint_whole(app)
    for name in ("COLUMNS", "LINES"):  # what a shell exports is the size that its window had
        os.environ.pop(name, None)
    with kept_title(terminal):
        app.run(auto_pilot=play)
    if not app.is_all_saved:
        unsaved = f"what was said last could not be saved to {Paths().history_file}."
        print(f"slipstream: {unsaved}", file=sys.stderr)
    if app.failure is not None:
        raise app.failure
    if args.inline and not args.private:
        from app.tui.terminal.left_behind import left_behind

        print(left_behind(app.chat), end="")
    return app.return_code or (0 if app.is_all_saved else 1)


def asked(args: argparse.Namespace) -> argparse.Namespace:
    """Take a whole question that stands where a pair's name does for one, white space for none.
    Raises SettingsError for two.
    """
    from app.errors import SettingsError

    is_one = is_question(args.pair or "")
    if (args.ask or "").strip():
        if is_one:
            raise SettingsError("Give a question or --ask, not both.")
        return args
    said = {"pair": None, "ask": args.pair} if is_one else {"ask": None}
    return argparse.Namespace(**{**vars(args), **said})


def is_question(word: str) -> bool:
    """Whether a word is a whole question, in quotation marks: no pair and no command has a space
    in its name. A path may have one.
    """
    return len(word.split()) > 1 and not (word.lower().endswith(".gguf") or os.path.isfile(word))


def _paint_whole(app: SlipstreamApp) -> None:
    if os.name == "posix":
        from app.tui.terminal.whole_driver import WholeDriver

        app.driver_class = WholeDriver


def _paint_inline(app: SlipstreamApp) -> None:
    from app.tui.terminal.inline_driver import InlineDriver

    app.driver_class = InlineDriver


def _player(script: Path) -> Callable[[Pilot[Any]], Coroutine[Any, Any, None]]:
    from app.tui.demo_script import Player, read

    return Player(read(script)).play


def chat_app(args: argparse.Namespace) -> SlipstreamApp:
    """Return the app that these arguments mean, not started; it raises what `chat_parts` does."""
    from app.tui.app import SlipstreamApp

    return SlipstreamApp(partial(chat_parts, args), first_theme(args))


def chat_parts(args: argparse.Namespace, app: SlipstreamApp) -> ChatParts:
    """Return all that these arguments mean. Raises SettingsError, CatalogError, OSError."""
    from app.garbage import spared

    with spared():
        return _chat_parts(args, app)


def _chat_parts(args: argparse.Namespace, app: SlipstreamApp) -> ChatParts:
    from app.history import History
    from app.last import Last, read_last, settings_or_last
    from app.paths import Paths
    from app.prompts.prompt_history import PromptHistory
    from app.settings.config import is_offline
    from app.tui.chat_parts import ChatParts
    from app.tui.chats.resuming import Resuming
    from app.tui.keys.key_table import of_file
    from app.tui.models.local_models import LocalModels
    from app.tui.preferences.own_settings import said_by
    from app.tui.preferences.setting_sources import keep_theme
    from engine import EngineClient

    paths = Paths().ensure()
    last = Last() if args.demo_script else read_last(paths.last_file)
    is_private: bool = args.private
    if is_private:
        args = argparse.Namespace(**{**vars(args), "memory": False})
    settings, notice = settings_or_last(args, last)

    def report(line: str) -> None:
        """Hand on, from the writer's thread, what is amiss with the chats on disk."""
        if app.is_running:
            app.call_from_thread(app.tell_of_history, line)

    return ChatParts(
        EngineClient(log_path=paths.engine_log),
        settings,
        LocalModels(args, is_offline(args)),
        None if is_private else History.open(paths.history_file, report),
        PromptHistory(None if is_private else paths.prompts_file),
        settings.theme,
        lambda name: keep_theme(name, args),
        Resuming(
            None if is_private or args.demo_script else paths.last_file,
            last,
            begins_anew(args),
            notice,
            args.ask or "",
        ),
        said_by(args, settings),
        of_file(paths.settings_file),
    )


def first_theme(args: argparse.Namespace) -> str:
    """Return the theme of the first picture, as far as that is seen without reading and checking
    all settings: a light screen should not begin dark.
    """
    from app.errors import SettingsError
    from app.paths import Paths
    from app.short_text import parsed_toml, read_short

    named = args.theme or os.environ.get("SLIPSTREAM_THEME")
    if named:
        return str(named)
    try:
        text = read_short(Paths().settings_file, MOST_SETTINGS_BYTES, "it should be a text file")
        return str(parsed_toml(text).get("theme", ""))
    except (OSError, ValueError, SettingsError):
        return ""


def begins_anew(args: argparse.Namespace) -> bool:
    """Whether a new chat is begun: a system prompt and a question are given for a chat of their
    own, and a script begins where nothing is.
    """
    return bool(args.new or args.ask or args.system or args.persona or args.demo_script)
