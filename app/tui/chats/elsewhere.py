"""Another window may go on with the same chat: what it asked there is seen here, too, once it is
answered: behind what is shown, or as a branch beside it.

It is looked for when this window gets the focus, when the list of chats is left, and when something
is asked here; not while a question is being changed, whose place it could take. What the person
does meanwhile goes first: what is shown is changed only where it is as it was.

An answer that was not over when it was read is looked after until it is. Nothing tells a window
that is writing from one that died while it did but this: the text grows, twice a second.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING

from app.chat.conversation import Turn
from app.chat.recorder import HistoryRecorder
from app.errors import HistoryError
from app.tui.background.starting import start
from app.tui.background.threads import in_thread
from app.tui.keys.keymap import told
from app.tui.turns.authors import name_models
from app.tui.widgets.turn_view import TurnView

if TYPE_CHECKING:
    from app.tui.chat_view import ChatView

BESIDE = (
    "In this chat {asked} asked in another window: a branch beside this one. {{version-back}} and "
    "{{version-on}} go from one to the other."
)
BEHIND = (
    "In this chat {asked} asked in another window, behind what is shown here. Once you have asked "
    "something else, {{version-back}} goes there."
)
ENDED = "An answer that was running in another window has ended there: it is shown as it is now."
FATES: Mapping[str | None, str] = {
    "deleted": (
        "This chat was deleted in another window. What you ask here brings it back among the chats."
    ),
    "erased": (
        "This chat was erased in another window. Nothing of it is kept any more, nor is what you "
        "ask here."
    ),
}
"""What others have done with the chat."""


LOOK_S, LOOKS = 2.0, 3
"""How often it is looked whether an answer grows, and how often in vain: a model may be slow."""


def follow_others(chat: ChatView) -> None:
    """Look whenever the person comes back to this window, and while an answer grows in another."""

    def look(has_focus: bool) -> None:
        if has_focus:
            start(chat, look_for_others, chat)

    chat.watch(chat.app, "app_focus", look, init=False)
    chat.set_interval(LOOK_S, _Growing(chat).look)


class _Growing:
    """The last answer in sight, as long as another window may be writing it."""

    def __init__(self, chat: ChatView) -> None:
        self._chat = chat
        self._turn: Turn | None = None
        self._length = self._n_looks = 0

    def look(self) -> None:
        """See how far it is, if it was not over."""
        asking = self._chat.asking
        recorder, turn = asking.recorder, next(reversed(asking.conversation.turns), None)
        if turn is not self._turn:
            self._turn, self._n_looks = turn, LOOKS
            self._length = len(turn.answer) if turn is not None else 0
        if recorder is None or turn is None or not self._n_looks:
            return
        if recorder.branches.runs_elsewhere(turn):
            start(self._chat, self._see, recorder, turn)

    async def _see(self, recorder: HistoryRecorder, turn: Turn) -> None:
        try:
            now = await in_thread(lambda: recorder.running(turn))
        except HistoryError:  # told by whoever reads or writes more than a courtesy
            return
        chat = self._chat
        view = chat.asking.transcript.last_turn
        if turn is not self._turn or chat.asking.recorder is not recorder or view is None:
            return
        if now is None:
            await look_for_others(chat)
            return
        grows = len(now) > self._length
        self._length, self._n_looks = len(now), LOOKS if grows else self._n_looks - 1
        if grows or (view.is_growing and not self._n_looks):
            view.tell_growing(grows)
            chat.show_state()


async def look_for_others(chat: ChatView) -> None:
    """Take in what another window has asked in the chat in sight, and say so."""
    asking = chat.asking
    recorder = asking.recorder
    if recorder is None or asking.editing is not None:
        return
    try:
        fate, found = await in_thread(lambda: (recorder.new_fate(), recorder.changed()))
    except HistoryError:  # told by whoever reads or writes more than a courtesy
        return
    async with chat.tabs.moving, asking.changing:
        if not chat.is_attached or chat.asking is not asking or asking.editing is not None:
            return
        if fate in FATES:
            await asking.transcript.note(FATES[fate])
        is_here = found is not None and recorder.chat == found.info.id
        asked = recorder.branches.join(found) if found is not None and is_here else set()
        renewed = recorder.branches.renewed(asking.conversation.turns)
        if renewed is not None and chat.session.is_idle:
            await asking.put_up(renewed)
            await asking.transcript.note(ENDED)
        if is_here:
            await _take_in(chat, recorder, asked)
    chat.show_state()


async def _take_in(chat: ChatView, recorder: HistoryRecorder, asked: set[int]) -> None:
    asking, transcript = chat.asking, chat.talk.transcript
    turns = asking.conversation.turns
    onward = recorder.branches.onward(turns[-1], asked) if turns else []
    if onward and await _append(chat, recorder, onward):
        asked -= {turn.question_id for turn in onward}
        n = len(onward)
        last = "question here was" if n == 1 else f"{n} questions here were"
        await transcript.note(f"The last {last} asked in another window.")
    if not transcript.is_attached:  # the app ends
        return
    turns = asking.conversation.turns
    for view, turn in zip(transcript.asked, turns, strict=False):
        if view.over:
            view.tell_version(asking.places(turn))
    # what waits here will be asked beside it
    shown = turns[-1] if turns else None
    behind = set() if chat.session.waiting else recorder.branches.behind(shown, asked)
    for line, questions in ((BEHIND, behind), (BESIDE, asked - behind)):
        if questions:
            await transcript.note(told(chat, line.format(asked=_counted(questions))))


async def _append(chat: ChatView, recorder: HistoryRecorder, onward: list[Turn]) -> bool:
    """Show turns behind the others, unless the person does something else before they are there."""
    asking = chat.asking
    conversation, turns = asking.conversation, asking.conversation.turns

    def are_wanted() -> bool:
        is_as_it_was = conversation.turns is turns and asking.editing is None
        return is_as_it_was and chat.session.is_idle

    if not are_wanted():
        return False
    views = [
        (TurnView(next(asking.keys), turn.question, turn.attachments), turn) for turn in onward
    ]
    places = [asking.places(turn) for turn in onward]
    if not await asking.transcript.append(views, places, are_wanted):
        return False
    conversation.turns = [*turns, *onward]
    recorder.shown_upto(onward[-1])
    name_models(asking.transcript, asking.conversation.turns, asking.recorder)
    chat.show_figures_of(onward[-1])
    return True


def _counted(questions: Collection[int]) -> str:
    return "a question was" if len(questions) == 1 else f"{len(questions)} questions were"
