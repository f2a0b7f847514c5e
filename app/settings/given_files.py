"""Files that flags name and that are not there: told before anything is loaded. Imports little, for
the chat is to open at once.
"""

from __future__ import annotations

import argparse
import os


def check_models(args: argparse.Namespace) -> None:
    """Raise SettingsError where --model or --model-draft leads nowhere."""
    for flag, name in (("--model", args.model), ("--model-draft", args.model_draft)):
        if name and _is_nowhere(name):
            from app.errors import SettingsError
            from app.settings.config import if_no_file
            from app.terminal.sanitise import one_line

            is_alone = "pair" in getattr(args, "positional", ())
            hint = if_no_file(name, "its name alone" if is_alone else "--pair")
            raise SettingsError(f"{flag}: there is no file {one_line(name)}; {hint}")


def _is_nowhere(model: str) -> bool:
    """Whether a path leads nowhere; a file of the Hub, by its name there, is looked for later.

    Raises FileNotFoundError where the current folder is gone.
    """
    if os.path.exists(os.path.abspath(os.path.expanduser(model))):
        return False
    from app.models.names import is_on_hub  # slow, and needed for no path

    return not is_on_hub(model)
