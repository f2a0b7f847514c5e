"""`slipstream chat`: the terminal UI, which is also what `slipstream` alone opens."""

from __future__ import annotations

import argparse
import sys

from app.flags import add_model_arguments, add_pair_argument

HELP = "chat in the terminal (the default)"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the flags."""
    add_pair_argument(parser)
    add_model_arguments(parser)


def run(args: argparse.Namespace) -> int:
    """Open the chat. Raises TerminalError without a terminal to open it in."""
    from app.errors import TerminalError

    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise TerminalError("chat needs a terminal; use `slipstream ask`")
    from app.config import is_offline, settings_from
    from app.history import History
    from app.paths import Paths
    from app.prompt_history import PromptHistory
    from app.tui.app import SlipstreamApp
    from app.tui.models_room import LocalModels
    from engine import EngineClient

    settings = settings_from(args)
    room = LocalModels(args, is_offline(args))
    paths = Paths().ensure()

    def report(line: str) -> None:
        """Hand on, from the writer's thread, what is amiss with the chats on disk."""
        if app.is_running:
            app.call_from_thread(app.tell_of_history, line)

    prompts = PromptHistory(paths.prompts_file)
    history = History.open(paths.history_file, report)
    app = SlipstreamApp(EngineClient(log_path=paths.engine_log), settings, room, history, prompts)
    app.run()
    return app.return_code or 0
