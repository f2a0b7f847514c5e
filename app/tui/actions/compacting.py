"""A summary in the place of the oldest turns: made, replaced by one's own words, dropped, shown."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from app.chat.sent import covered, summary_of
from app.errors import AppError
from app.tui.actions import Action, not_now

if TYPE_CHECKING:
    from app.tui.chat_view import ChatView

ORDER = 3
OFF = "off"


def compact(chat: ChatView, text: str) -> None:
    """Summarise all turns but the last. text: the summary in the person's words; off: none."""
    from app.tui.figures.shown_figures import begin_counting
    from app.tui.turns.compacting import begin

    conversation = chat.session.conversation
    known, n = covered(conversation.turns), len(conversation.turns) - 1
    if text.casefold() == OFF:
        for turn in conversation.turns[:known]:
            if turn.summary:
                conversation.summarise(turn, "")
        begin_counting(chat)
        chat.say("The turns themselves are sent again." if known else "There is no summary.")
    elif text:
        conversation.summarise(conversation.turns[(known or n) - 1], text)
        begin_counting(chat)
        chat.say("The summary is in your words now.")
    elif known >= n:
        which = "All turns" if known > n else "All turns but the last"
        raise AppError(f"{which} are in the summary already.")
    else:
        begin(chat, n)


def can_compact(chat: ChatView) -> bool:
    turns = chat.session.conversation.turns
    return chat.is_idle and (len(turns) > 1 or covered(turns) > 0)


def too_short(chat: ChatView) -> str:
    """Say why there is nothing to summarise."""
    if chat.is_idle and chat.session.conversation.turns:
        return "The last turn stays as it is, and there is nothing before it."
    return not_now(chat)


def words(chat: ChatView, _: str) -> Iterable[tuple[str, str]]:
    """Offer the summary as it is, to be changed."""
    summary = summary_of(chat.session.conversation.turns)
    if summary:
        yield OFF, "send the turns themselves again"
        yield summary, "as it is, to be changed"


def summarise(chat: ChatView, _: str) -> None:
    """Summarise as many turns as was said, and ask again or go on."""
    from app.tui.turns.compacting import begin

    full = chat.full
    if full is not None and full.left_out is not None:
        begin(chat, full.left_out, "go on" if full.is_cut else "retry")


def can_summarise(chat: ChatView) -> bool:
    return chat.full is not None and chat.full.unsummed > 0


def fold(chat: ChatView, _: str) -> None:
    """Open or fold the summary."""
    from app.tui.widgets.summary_view import SummaryView

    for view in chat.talk.transcript.query(SummaryView):
        view.toggle()
        view.scroll_visible(animate=False)


def has_summary(chat: ChatView) -> bool:
    return covered(chat.session.conversation.turns) > 0


ACTIONS = (
    Action(
        "compact",
        "Summarise the chat",
        compact,
        makes_sense=can_compact,
        choices=words,
        also="summarise summarize summary shorten condense context",
        why_not=too_short,
    ),
    Action(
        "summarise",
        "Summarise the oldest turns",
        summarise,
        "summarise the oldest turns, which makes room in a full context",
        makes_sense=can_summarise,
    ),
    Action(
        "fold-summary",
        "Show or fold the summary",
        fold,
        "show or fold the summary that is sent in the place of turns",
        makes_sense=has_summary,
    ),
)
