"""Earlier prompts, found by words: the list over the prompt offers them while one types."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.tui.actions import Action

if TYPE_CHECKING:
    from app.tui.screens.chat import ChatScreen

ORDER = 7


def recall(chat: ChatScreen, words: str) -> None:
    """Offer the prompts with these words, or with what stands in the box; without any, the newest.

    Nothing of what stands there is lost: it follows the command until a prompt takes its place.
    """
    from app.tui.widgets.completions import RECALL, recalled

    box = chat.prompt
    sought = words or box.text.removeprefix(RECALL).strip()
    line = f"{RECALL} {sought}"
    if not recalled(line, len(line), box.past).offers:
        chat.say("No earlier prompt has these words." if sought else "Nothing was asked before.")
        return
    box.focus()
    box.text = ""
    box.insert(line)  # as if it were typed, so that the list opens


ACTIONS = (
    Action(
        "recall",
        "Recall a prompt",
        "find what you typed earlier by words in it",
        recall,
        ("alt+r",),
        also="history previous earlier search prompts",
    ),
)
