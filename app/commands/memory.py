"""`slipstream memory`: what is kept of earlier answers to draft from, and how to be rid of it."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from app.settings.flags import add_network_arguments

if TYPE_CHECKING:
    from engine import HeldMemory

HELP = "show or remove the earlier answers that are kept as material for drafts"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the argument."""
    parser.epilog = "Nothing of it leaves this machine. A chat with --no-memory adds nothing to it."
    parser.add_argument("action", nargs="?", choices=["clear"], help="clear removes all of it")
    add_network_arguments(parser)


def run(args: argparse.Namespace) -> int:
    """Show the memory, or remove it and say how much that was."""
    from app.errors import AppError, reason
    from app.paths import Paths
    from app.terminal.sanitise import one_line
    from engine import clear_memory, held_memory

    folder = Paths().memory_dir
    try:
        held = held_memory(folder)
        if args.action == "clear":
            removed = clear_memory(folder)
    except OSError as error:
        verb = "remove" if args.action == "clear" else "read"
        raise AppError(
            f"Cannot {verb} the memory in {folder}: {reason(error)}. "
            "Check who owns that folder, and whether the disk can be written to."
        ) from None
    if args.action != "clear":
        print(as_text(folder, held))
    elif removed:
        print(f"Removed {_amount(held)} from {one_line(str(folder))}.")
    else:
        print(f"There is nothing to remove in {one_line(str(folder))}.")
    return 0


def as_text(folder: Path, held: HeldMemory) -> str:
    """Write where the memory is, how much it holds, and how to remove it."""
    from app.terminal.sanitise import one_line

    where = f"The memory is in {one_line(str(folder))}."
    if not held.tokenizers:
        return f"{where}\nIt is empty: nothing has been kept yet."
    return f"{where}\nIt holds {_amount(held)}.\n`slipstream memory clear` removes it."


def _amount(held: HeldMemory) -> str:
    from app.sizes import counted

    tokens, texts = counted(held.tokens, "token"), counted(held.texts, "text")
    tokenizers = counted(held.tokenizers, "tokenizer")
    return f"{tokens} in {texts} for {tokenizers}, {counted(held.size_bytes, 'byte')}"
