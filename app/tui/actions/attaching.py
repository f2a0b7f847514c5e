"""Files that go with a question: by path, or picked from their folders."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from app.files.dropped import path_in
from app.files.mentions import as_mention, mentions, short_path
from app.tui.actions import Action

if TYPE_CHECKING:
    from app.tui.chat_view import ChatView

ORDER = 6


def attach(chat: ChatView, path: str) -> None:
    """Mention a file in the prompt, which sends it along; without a path, pick some."""
    if path:
        for each in [found.path for found in mentions(path)] or [path_in(path)]:
            chat.prompt.name_file(as_mention(each))
        chat.prompt.focus()
        return
    from app.tui.screens.file_picker import FilePicker

    base = Path.cwd()

    def name(picked: Sequence[str] | None) -> None:
        for each in picked or ():
            chat.prompt.name_file(as_mention(short_path(Path(each), base)))

    chat.app.push_screen(FilePicker(base), name)


def may_attach(chat: ChatView) -> bool:
    return not chat.prompt.verbatim


def no_file(_: ChatView) -> str:
    return "An answer that you change takes no file along; {stop} leaves it as it was."


ACTIONS = (
    Action(
        "attach",
        "Attach files",
        attach,
        "pick text, PDF or picture files to send along; @FILE names one in a message",
        ("alt+a",),
        makes_sense=may_attach,
        why_not=no_file,
        also="upload add document image photo file picker browse folder tree explorer",
    ),
)
