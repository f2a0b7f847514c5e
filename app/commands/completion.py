"""`slipstream completion`: what makes the shell complete commands, flags and pairs."""

from __future__ import annotations

import argparse
import os

HELP = "print the line for your shell that completes commands, flags and pair names"
SHELLS = ("bash", "zsh", "fish", "tcsh", "powershell")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the argument."""
    parser.epilog = (
        'bash and zsh: add  eval "$(slipstream completion bash)"  to ~/.bashrc or ~/.zshrc; fish: '
        "slipstream completion fish > ~/.config/fish/completions/slipstream.fish"
    )
    parser.add_argument("shell", choices=SHELLS)


def run(args: argparse.Namespace) -> int:
    """Print the shell's code."""
    import argcomplete

    print(
        argcomplete.shellcode(  # type: ignore[attr-defined]
            ["slipstream"], shell=args.shell
        )
    )
    return 0


def complete(parser: argparse.ArgumentParser) -> None:
    """Answer the shell and end the process. A line without a command is one of the chat, the
    default: it begins with a flag, or with a pair.
    """
    import argcomplete

    from app.commands import chat
    from app.completers import pair_names

    first = os.environ.get("COMP_LINE", "").split(" ", 2)[1:2]
    if first and first[0].startswith("-"):
        chat.add_arguments(parser := argparse.ArgumentParser())
        parser.add_argument("--version", action="store_true", help="show the version and exit")
    else:
        for action in parser._actions:
            if isinstance(action, argparse._SubParsersAction):
                of_chat = action.choices["chat"]
                action.choices.update(dict.fromkeys(pair_names(), of_chat))
    argcomplete.autocomplete(parser)
