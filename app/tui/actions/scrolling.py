"""Moving through a chat: by pages, by lines, to its beginning, to the newest text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.tui.actions import Action, Run

if TYPE_CHECKING:
    from app.tui.chat_view import ChatView

ORDER = 3


def paging(direction: int) -> Run[ChatView]:
    """Scroll the transcript by a page."""

    def run(chat: ChatView, _: str) -> None:
        transcript = chat.talk.transcript
        transcript.scroll_by(direction * transcript.scrollable_content_region.height)

    return run


def lining(direction: int) -> Run[ChatView]:
    """Scroll the transcript by a line."""

    def run(chat: ChatView, _: str) -> None:
        chat.talk.transcript.scroll_by(direction)

    return run


def first(chat: ChatView, _: str) -> None:
    """Show where the chat begins."""
    transcript = chat.talk.transcript
    transcript.scroll_by(-transcript.scroll_y)


def newest(chat: ChatView, _: str) -> None:
    """Show the newest text, and what is written from now on."""
    chat.talk.transcript.follow()


ACTIONS = (
    Action("page-up", "Page up", paging(-1), "scroll up", ("pageup",)),
    Action("page-down", "Page down", paging(1), "scroll down", ("pagedown",)),
    Action("line-up", "Line up", lining(-1), "scroll up by a line", ("alt+pageup",)),
    Action("line-down", "Line down", lining(1), "scroll down by a line", ("alt+pagedown",)),
    Action(
        "first",
        "First question",
        first,
        "scroll to where the chat begins",
        ("ctrl+home",),
        also="top beginning start oldest",
    ),
    Action(
        "newest",
        "Newest text",
        newest,
        "scroll to the newest text and follow it; so does End in the empty box",
        ("ctrl+end",),
        also="bottom latest last follow",
    ),
)
