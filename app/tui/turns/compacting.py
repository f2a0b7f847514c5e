"""Having a summary made of a chat's oldest turns, and what is done and said when that has ended."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Literal

from app.chat.condense import STOPPED, Condensing
from app.errors import AppError
from app.tui.actions import not_now
from app.tui.serving.orders import Condense
from app.tui.widgets.left_out import mark_left_out
from app.tui.widgets.summary_view import SummaryView

if TYPE_CHECKING:
    from app.tui.chat_view import ChatView


def begin(chat: ChatView, n: int, then: Literal["retry", "go on"] | None = None) -> None:
    """Have a summary of the n oldest turns made. then: what is asked with it at once.

    Raises AppError where the engine is not there for it.
    """
    ready = chat.figures.ready
    if not chat.session.is_free:
        raise AppError(not_now(chat))
    if ready is None or chat.state != "ready":
        raise AppError("No model is loaded yet that could summarise.")
    making = Condensing(chat.session.conversation, n, ready.n_ctx, chat.gauge.tokens)
    chat.session.submit(Condense(making, then))


async def ended(chat: ChatView, job: Condense) -> None:
    """Say what has come of it, in its chat, and ask what was to be asked with it."""
    making = job.making
    chats = ((one, one.asking) for one in chat.tabs.open if one.asking is not None)
    found = [(one, asking) for one, asking in chats if asking.conversation is making.conversation]
    if not found:
        return
    ((opened, asking),) = found
    is_seen = opened is chat.tabs.open.current
    if making.problem == STOPPED and is_seen:
        chat.say(STOPPED)
    elif making.problem:
        await asking.transcript.note(making.problem)
    elif is_seen:
        turns = "1 turn is" if making.n == 1 else f"{making.n} turns are"
        chat.say(f"{turns} in the summary: {making.before:,} tokens before, {making.after:,} now.")
        chat.figures = replace(chat.figures, context_used=making.after)
    if making.problem or not chat.session.is_idle_in(making.conversation):
        return
    match job.then:
        case None if is_seen:
            await mark_left_out(asking.transcript, making.conversation)
            for view in asking.transcript.query(SummaryView):
                asking.transcript.point_at(view)
        case "retry" if asking.editing is None:
            await asking.ask_again(None)
        case "go on" if asking.editing is None:
            await asking.go_on()
