"""Earlier prompts: found by words in the list over the prompt, and forgotten."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.tui.actions import Action
from app.tui.failures import error_line
from app.tui.keys.keymap import told

if TYPE_CHECKING:
    from app.tui.chat_view import ChatView

ORDER = 7


def recall(chat: ChatView, words: str) -> None:
    """Offer the prompts with these words, or with what stands in the box; without any, the newest.

    Nothing of what is typed is lost: what stands there follows the command until a prompt takes its
    place; Up brings what does not.
    """
    from app.tui.prompting.completing import RECALL, recalled

    box = chat.prompt
    sought = words or box.text.removeprefix(RECALL).strip()
    line = f"{RECALL} {sought}"
    if not recalled(line, len(line), box.past).offers:
        nothing = "Nothing that you typed before has these words."
        chat.say(nothing if sought else nothing_typed(chat))
        return
    box.focus()
    if words or box.unsent != box.text:
        box.drafting.put_by()
    else:
        box.text = ""
    box.insert(line)  # as if it were typed, so that the list opens


def forget_prompts(chat: ChatView, _: str) -> None:
    """Forget all earlier prompts, once that is confirmed."""
    from app.tui.screens.confirm import ConfirmScreen

    n = len(chat.prompt.past.prompts)

    def forget(is_sure: bool | None) -> None:
        if is_sure:
            try:
                chat.prompt.past.forget_all()
            except OSError as error:
                chat.notify(error_line(error), severity="error", markup=False)
            else:
                chat.say("Nothing that you typed earlier is known any more.")

    what = "the one text" if n == 1 else f"all {n} texts"
    lines = [
        told(chat, "Up and {recall} bring none of them back then; chats stay as they are."),
        "In the list that /recall opens, Delete forgets a single one.",
    ]
    ask = ConfirmScreen(f"Forget {what} that you typed earlier?", lines, "Forget", "Keep")
    chat.app.push_screen(ask, forget)


def has_prompts(chat: ChatView) -> bool:
    return bool(chat.prompt.past.prompts)


def nothing_typed(_: ChatView) -> str:
    return "Nothing was typed before."


ACTIONS = (
    Action(
        "recall",
        "Recall what was typed",
        recall,
        "find what you typed earlier by words in it",
        ("alt+r",),
        also="history previous earlier search prompts",
    ),
    Action(
        "forget-prompts",
        "Forget what was typed",
        forget_prompts,
        makes_sense=has_prompts,
        also="history delete clear erase privacy",
        why_not=nothing_typed,
    ),
)
