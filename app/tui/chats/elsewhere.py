"""Another window may go on with the same chat: what it asked there is seen here, too, once it is
answered: behind what is shown, or as a branch beside it.

It is looked for when this window gets the focus, when the list of chats is left, and when something
is asked here; not while a question is being changed, whose place it could take. What the person
does meanwhile goes first: what is shown is changed only where it is as it was.

An answer that was not over when it was read is looked after until it is, and then mended where it
stands: who reads, selects or has chosen something there goes on. Nothing tells a window that is
writing from one that died while it did but this: the text grows, twice a second.
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
    """The newest answer of the chat in sight that another window may be writing."""

    def __init__(self, chat: ChatView) -> None:
        self._chat = chat
        self._turn: Turn | None = None
        self._length = self._n_looks = 0
        self._is_over = False  # as was read, though it could not be shown yet

    def look(self) -> None:
        """See how far it is, if it was not over; show what has ended, and could not be shown."""
        recorder, turns = self._chat.asking.recorder, self._chat.asking.conversation.turns
        if recorder is None:
            return
        turn, renewed = recorder.branches.running(turns), recorder.branches.renewed(turns)
        if turn is not self._turn:
            self._turn, self._n_looks, self._is_over = turn, LOOKS, False
            self._length = len(turn.answer) if turn is not None else 0
        if turn is not None and self._is_over:
            if self._can_mend(turn):
                start(self._chat, look_for_others, self._chat)
        elif turn is not None and self._n_looks:
            start(self._chat, self._see, recorder, turn)
        elif renewed is not None:
            pairs = zip(turns, renewed, strict=True)
            if self._can_mend(next(before for before, now in pairs if before is not now)):
                start(self._chat, look_for_others, self._chat)

    async def _see(self, recorder: HistoryRecorder, turn: Turn) -> None:
        try:
            now = await in_thread(lambda: recorder.running(turn))
        except HistoryError:  # told by whoever reads or writes more than a courtesy
            return
        chat, asking = self._chat, self._chat.asking
        pairs = zip(asking.transcript.asked, asking.conversation.turns, strict=False)
        view = next((view for view, each in pairs if each is turn), None)
        if turn is not self._turn or asking.recorder is not recorder or view is None:
            return
        if now is None:
            self._is_over = True
            if self._can_mend(turn):
                await look_for_others(chat)
            return
        grows = len(now) > self._length
        self._length, self._n_looks = len(now), LOOKS if grows else self._n_looks - 1
        if view.over and (grows or (view.is_growing and not self._n_looks)):
            view.tell_growing(grows)
            chat.show_state()

    def _can_mend(self, turn: Turn) -> bool:
        """Whether nothing is answered or changed here, and nobody reads what it would push down."""
        asking = self._chat.asking
        is_last = turn is asking.conversation.turns[-1]
        is_quiet = self._chat.session.is_idle and asking.editing is None
        return is_quiet and (is_last or asking.transcript.is_followed)


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
            await _mend(chat, renewed)
            await asking.transcript.note(ENDED)
        if is_here:
            await _take_in(chat, recorder, asked)
    chat.show_state()


async def _mend(chat: ChatView, renewed: list[Turn]) -> None:
    """Show turns as they are by now; those that stay, and what is done there, are left alone."""
    asking, transcript = chat.asking, chat.asking.transcript
    shown = zip(transcript.asked, asking.conversation.turns, renewed, strict=False)
    changed = [(view, now) for view, before, now in shown if before is not now]
    asking.conversation.turns = renewed
    for view, turn in changed:
        await transcript.make(view)
        if view.is_attached and chat.session.is_idle:  # else another answer takes its place
            await view.renew(turn, asking.places(turn))
    name_models(transcript, renewed, asking.recorder)
    if any(turn is renewed[-1] for _, turn in changed):
        chat.show_figures_of(renewed[-1])


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
