"""What the prompt says below its text: the keys that matter now, and how long the question is.

Where a name stands in braces, the key is told by which that is done now: `sender` sends what is
typed, `breaker` breaks its line, and the others are those of actions.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.tui.keys.key_name import pretty
from app.tui.keys.keymap import key_of, told
from app.tui.keys.sending import named
from app.tui.prompting.interrupt import STOPPING

if TYPE_CHECKING:
    from app.tui.chat_view import ChatView
    from app.tui.widgets.prompt import Prompt

IDLE_HINT = "{sender} sends · {breaker} new line"
CODE_HINT = IDLE_HINT + " · {code} copies the code"
QUEUE_HINT = "{sender}: asked next, after this answer · {stop} stops it"
LEAVING_HINT = "again quits"
OFFER_HINT = "Enter takes it · ↑ ↓ choose · {stop} closes the list"
OFFERS_HINT = "{sender} sends · Tab takes the first · {stop} closes the list"
COMMAND_HINT = "Enter carries it out"
RECALL_HINT = "Enter puts it into the box · Delete forgets it"
STOP_HINT, STOP_BY_CTRL_C = "{stop} or Ctrl+C stops the answer", "Ctrl+C stops the answer"
HINTS = {
    "stopping": "stopping… {stop} again restarts the engine",
    "summarising": "{stop} stops the summary: nothing has changed then",
    "reading": "{stop} takes the question back",
    "editing": "{sender} sends the change · {stop} leaves it as it was",
    "back": "{stop} keeps the former model",
    "elsewhere": "{sender}: asked next, after the answer in another chat",
}
FENCES = ("```", "~~~")


def hint(chat: ChatView, leaving: str = "") -> str:
    """Return the line below the prompt. leaving: the key that quits now, "" for none."""
    return told(chat, named(_hint(chat, leaving), chat.session.settings.habits.enter))


def _hint(chat: ChatView, leaving: str) -> str:
    session = chat.session
    state: str = session.shown
    if told := _offered(chat.prompt):
        return told
    is_empty = not (chat.prompt.text or chat.prompt.attachments)
    if leaving and is_empty and (state != "answering" or leaving != pretty(STOPPING)):
        return f"{leaving} {LEAVING_HINT}"
    if state == "answering":
        stop = STOP_HINT if key_of(chat, "stop") else STOP_BY_CTRL_C
        return _meanwhile(session.waiting, bool(chat.prompt.text.strip()), stop)
    if state in ("elsewhere", "loading") and session.waiting:
        what = "another chat" if state == "elsewhere" else "the model"
        return f"{_count(session.waiting)} for {what} · {{stop}} takes {_it(session.waiting)} back"
    if chat.prompt.enclosing.is_reading:
        state = "reading"
    elif chat.asking.editing is not None and (session.is_idle or state == "loading"):
        state = "editing"
    elif state == "loading" and session.can_go_back:
        state = "back"
    elif state == "summarising" and session.how_far:
        return f"{{stop}} stops the summary · {session.how_far}"
    turns = session.conversation.turns
    has_code = bool(turns) and any(fence in turns[-1].answer for fence in FENCES)
    return HINTS.get(state, CODE_HINT if has_code else IDLE_HINT)


def _offered(prompt: Prompt) -> str:
    """Say what keys do to the list over the prompt, or to the command that stands there."""
    offered = prompt.completions
    if offered.is_recalling:
        return RECALL_HINT
    if offered.is_taken_by_enter:
        return OFFER_HINT
    if prompt.is_command:
        return COMMAND_HINT
    return OFFERS_HINT if offered.is_open else ""


def _meanwhile(waiting: int, is_typing: bool, stop: str) -> str:
    """Say what is to be known while an answer runs."""
    if waiting and is_typing:
        return f"{_count(waiting)} · {stop}"
    if waiting:
        return f"{_count(waiting)} · Up takes {_it(waiting)} back · {stop.partition(' ')[0]} stops"
    return QUEUE_HINT if is_typing else stop


def _it(waiting: int) -> str:
    return "it" if waiting == 1 else "one"


def _count(waiting: int) -> str:
    return f"{waiting} question{' waits' if waiting == 1 else 's wait'}"
