"""Another window may go on with the same chat: what it asked there is seen here, too, once it is
answered: behind what is shown, or as a branch beside it.

It is looked for when this window gets the focus, when the list of chats is left, and when something
is asked here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.errors import HistoryError
from app.tui.keymap import told
from app.tui.threads import in_thread

if TYPE_CHECKING:
    from app.tui.screens.chat import ChatScreen

BESIDE = (
    "In this chat {asked} asked in another window: a branch beside this one. {{version-back}} and "
    "{{version-on}} go from one to the other."
)


def follow_others(chat: ChatScreen) -> None:
    """Look whenever the person comes back to this window."""

    def look(has_focus: bool) -> None:
        if has_focus:
            chat.run_worker(look_for_others(chat))

    chat.watch(chat.app, "app_focus", look, init=False)


async def look_for_others(chat: ChatScreen) -> None:
    """Take in what another window has asked in the chat in sight, and say so."""
    asking, transcript = chat.asking, chat.talk.transcript
    recorder = asking.recorder
    if recorder is None:
        return
    try:
        found = await in_thread(recorder.changed)
    except HistoryError:  # told by whoever reads or writes more than a courtesy
        return
    if found is None or not transcript.is_attached or recorder.chat != found.info.id:
        return
    asked = recorder.join(found)
    turns, n_behind = asking.conversation.turns, 0
    is_free = chat.asking is asking and chat.session.is_idle and asking.editing is None
    onward = recorder.onward(turns[-1], asked) if is_free and turns else None
    if onward:
        n_behind = len(onward) - len(turns)
        await asking.show_turns(onward)
        chat.show_figures_of(onward[-1])
        last = "question here was" if n_behind == 1 else f"{n_behind} questions here were"
        await transcript.note(f"The last {last} asked in another window.")
    else:
        for view, turn in zip(transcript.asked, turns, strict=False):
            if view.over:
                view.tell_version(asking.places(turn))
    if n_beside := len(asked) - n_behind:
        were = "a question was" if n_beside == 1 else f"{n_beside} questions were"
        await transcript.note(told(chat, BESIDE.format(asked=were)))
    chat.show_state()
