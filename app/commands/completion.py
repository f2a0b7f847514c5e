"""`slipstream completion`: what makes the shell complete commands, flags and pairs."""

from __future__ import annotations

import argparse

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
