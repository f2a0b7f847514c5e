"""Choosing a turn, and walking between its versions."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from app.errors import AppError
from app.prompts.slash import SlashError
from app.tui.actions import Action, Run, not_now
from app.tui.asked import can_change, has_question

if TYPE_CHECKING:
    from app.tui.chat_view import ChatView

ORDER = 2


def selecting(steps: int) -> Run[ChatView]:
    """Choose another turn."""

    def run(chat: ChatView, _: str) -> None:
        chat.talk.transcript.select_beside(steps)

    return run


def walking(steps: int) -> Run[ChatView]:
    """Show another version of the chosen turn, or of the last one that has any."""

    async def run(chat: ChatView, _: str) -> None:
        from app.tui.turns.versions import walk

        if chat.is_idle:
            await walk(chat.asking, steps)
        turns = chat.session.conversation.turns
        chat.show_figures_of(turns[-1] if turns else None)

    return run


def branch(chat: ChatView, number: str) -> None:
    """Change a question by its number, or the chosen one, or the last: a branch begins there."""
    views = [view for view in chat.talk.transcript.turns if view.asked]
    if not views:
        raise AppError("There is no question to go on from.")
    if number and not (number.isdecimal() and 1 <= int(number) <= len(views)):
        raise SlashError(f"There is no question {number}; this chat has {len(views)}.")
    chosen = views[int(number) - 1] if number else chat.talk.transcript.selected or views[-1]
    chat.asking.edit(chosen)


def has_versions(chat: ChatView) -> bool:
    from app.tui.turns.versions import branching

    return chat.is_idle and bool(branching(chat.asking))


def has_one(chat: ChatView) -> str:
    """Say why there is no other version."""
    if chat.is_idle and chat.session.conversation.turns:
        return "There is one version only: {retry} makes another answer, {edit} another question."
    return not_now(chat)


def _action(
    name: str, about: str, run: Run[ChatView], key: str, sense: Callable[[ChatView], bool]
) -> Action[ChatView]:
    why_not = has_one if sense is has_versions else not_now
    title = about.capitalize()
    return Action(name, title, run, about, (key,), makes_sense=sense, why_not=why_not)


ACTIONS = (
    Action(
        "branch",
        "Branch",
        branch,
        "change an earlier question",
        makes_sense=can_change,
        also="fork",
    ),
    _action("turn-up", "choose the question above", selecting(-1), "alt+up", has_question),
    _action("turn-down", "choose the question below", selecting(1), "alt+down", has_question),
    _action("version-back", "the version before", walking(-1), "alt+left", has_versions),
    _action("version-on", "the next version", walking(1), "alt+right", has_versions),
)
