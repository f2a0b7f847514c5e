"""Earlier chats: searching, opening, writing to a file."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.errors import AppError, reason
from app.prompts.slash import SlashError
from app.terminal.sanitise import one_line
from app.tui.actions import Action, still_waits
from app.tui.background.threads import in_thread
from app.tui.keys.keymap import told

if TYPE_CHECKING:
    from pathlib import Path

    from app.chat.conversation import Conversation
    from app.tui.chat_view import ChatView
    from app.tui.chats.chat_files import Form

ORDER = 6
FORMS: dict[str, Form] = {"json": "json", "md": "md", "markdown": "md"}
"""What /export may be told in place of a file's name."""


def search(chat: ChatView, words: str) -> None:
    """Show earlier chats, those with the words if there are any; the one that is chosen is gone on
    with.
    """
    from app.tui.chats.elsewhere import look_for_others
    from app.tui.chats.opening import open_or_tell
    from app.tui.screens.chats import ChatsScreen

    recorder, history = chat.asking.recorder, chat.history
    if history is None or recorder is None:
        return

    screen = ChatsScreen(history, recorder.chat, words=words)

    def is_put_away(conversation: Conversation) -> bool:
        """Whether what waits there would bring back what was put away: its chat is closed soon."""
        away = screen.away.deleted | screen.away.archived
        askings = (one.asking for one in chat.tabs.open if one.number in away)
        return any(asking and asking.conversation is conversation for asking in askings)

    async def open_it(chosen: int | None) -> None:
        away = screen.away
        try:
            if chosen is not None:
                await open_or_tell(chat, chosen, screen.found)
            gone = away.deleted | away.erased
            await chat.tabs.refresh(history, away.archived - {chosen}, gone)
            await look_for_others(chat)
        except AppError as error:
            chat.notify(one_line(str(error)), severity="error", markup=False)
        finally:
            chat.session.put_off()

    chat.session.put_off(is_put_away)
    chat.app.push_screen(screen, open_it)


def can_search(chat: ChatView) -> bool:
    return chat.history is not None


def no_chats(_: ChatView) -> str:
    """Say why there are none to be seen."""
    return "Chats are not kept here: this start is private (--private). /copy all copies this chat."


async def archive(chat: ChatView, _: str) -> None:
    """Put the chat into the archive, and close it."""
    closed, history = chat.tabs.open.current, chat.history
    if history is None or closed.number is None:
        return
    title, is_cut = chat.tabs.title(closed), chat.session.answering
    history.archive(closed.number)
    await chat.tabs.close(closed)
    shown = told(chat, "{search}, then {chats-archived}, shows the archive.")
    stopped = " Its answer was stopped." if is_cut else ""
    chat.say(f"“{one_line(title, 60)}” is archived: {shown}{stopped}")


def can_archive(chat: ChatView) -> bool:
    return chat.tabs.open.current.number is not None and not chat.session.waiting


def why_listed(chat: ChatView) -> str:
    """Say why it is not archived."""
    if chat.history is None:
        return no_chats(chat)
    if chat.session.waiting:
        return still_waits(chat)
    return "There is nothing to archive yet: nothing is asked in this chat."


def rename(chat: ChatView, title: str) -> None:
    """Give the chat a title; without one, put the present title into the prompt, to be changed;
    what is typed there comes back behind that.
    """
    if title:
        chat.tabs.rename(chat.tabs.open.current, title)
        chat.say(f"This chat is called “{chat.tabs.title(chat.tabs.open.current)}”.")
        return
    before = f"/rename {chat.tabs.title(chat.tabs.open.current)}"
    if chat.asking.amends:  # else it would be sent for the answer
        chat.asking.leave_editing()
    if not chat.prompt.text.startswith(before):
        chat.prompt.drafting.begin_command(before)
    chat.prompt.focus()


def can_rename(chat: ChatView) -> bool:
    return chat.history is None or chat.tabs.open.current.number is not None


def no_title(_: ChatView) -> str:
    """Say why it has no title yet."""
    return "This chat has no title yet: its first question gives it one."


async def export(chat: ChatView, name: str) -> None:
    """Write the chat to a file; where none is named, or but a form, to a new one of its title's
    name.
    """
    from app.tui.chats.chat_files import (
        exported,
        form_of,
        path_of,
        proposed,
        write_beside,
        write_new,
    )

    recorder, history = chat.asking.recorder, chat.history
    if history is None:
        raise AppError(no_chats(chat))
    if recorder is None or recorder.chat is None:
        raise AppError("There is nothing to export yet.")
    named = FORMS.get(name.lower())
    name = "" if named else name
    path = path_of(name or proposed(chat.tabs.title(chat.tabs.open.current), named or "md"))
    form = form_of(path) if name else named or "md"
    number = recorder.chat

    def write() -> tuple[Path, str]:
        found = exported(history, number, form)
        if not name:
            return write_beside(path, found.content), found.lacks
        write_new(path, found.content)
        return path, found.lacks

    try:
        written, lacks = await in_thread(write)
    except FileExistsError:
        raise SlashError(f"{path} is there already: /export NAME takes another name.") from None
    except OSError as error:
        raise SlashError(f"Cannot write {path}: {reason(error)}.") from None
    chat.notify(one_line(str(written)), title="Exported to", markup=False)
    if lacks:
        chat.notify(lacks, severity="warning", markup=False)


ACTIONS = (
    Action(
        "search",
        "Chats",
        search,
        "find and open earlier chats",
        ("f3",),
        True,
        can_search,
        kept=True,
        also="history previous resume list delete restore undelete erase rename pin archive import",
        why_not=no_chats,
    ),
    Action(
        "rename",
        "Rename chat",
        rename,
        makes_sense=can_rename,
        also="title name call",
        why_not=no_title,
    ),
    Action(
        "archive",
        "Archive chat",
        archive,
        makes_sense=can_archive,
        also="hide away done tidy",
        why_not=why_listed,
    ),
    Action(
        "export",
        "Export",
        export,
        "write the chat to a file: .md or .json",
        also="save markdown share",
    ),
)
