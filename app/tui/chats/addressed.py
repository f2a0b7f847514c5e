"""What is sent from the prompt is meant for the chat that is in sight at that moment, however late
it is looked at: a slow disk or a long chat may take the screen's time, and the person goes on to
another chat meanwhile.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from textual.message import Message

from app.chat.unsent import beside
from app.prompts.slash import typed
from app.tui.serving.orders import Job
from app.tui.turns.asking import Asking
from app.tui.widgets.prompt import Prompt

if TYPE_CHECKING:
    from app.tui.chat_view import ChatView

Sent: TypeAlias = Prompt.Submitted | Prompt.Commanded


class Addressed(Message):
    """asking: that of the chat in which it was sent. key: that of a question among those on their
    way there, None for what is no question.
    """

    def __init__(self, sent: Sent, asking: Asking, key: int | None) -> None:
        super().__init__()
        self.sent, self.asking, self.key = sent, asking, key


def address(chat: ChatView, sent: Sent) -> None:
    """Send it to the chat in sight."""
    asking, key = chat.asking, None
    if isinstance(sent, Prompt.Submitted) and not asking.amends:
        key = expect(asking, sent)
    chat.post_message(Addressed(sent, asking, key))


def expect(asking: Asking, question: Prompt.Submitted) -> int:
    """Have a question be on its way to a chat, which stays open for it; return its key."""
    key, attached = next(asking.keys), question.attachments
    asking.on_way[key] = Job(key, asking.conversation, "ask", question.question, attached)
    return key


async def is_for_sight(chat: ChatView, event: Addressed) -> bool:
    """Return whether it is for the chat in sight; a question for another one is asked there."""
    asking, sent = event.asking, event.sent
    if event.key is not None and asking.on_way.pop(event.key, None) is None:
        return False  # its chat is closed, and it was put by
    if asking is chat.asking:
        return True
    if isinstance(sent, Prompt.Commanded):
        chat.say(f"/{sent.name} is not done: you went on to another chat. Up brings it there.")
    elif asking.editing is None:
        await asking.ask(sent.question, sent.attachments)
    else:
        _put_back(chat, asking, sent)
    return False


def _put_back(chat: ChatView, asking: Asking, sent: Prompt.Submitted) -> None:
    """Have a change in the box again, in which it is to be seen once its chat is in sight."""
    for one in chat.tabs.open:
        if one.asking is asking:
            before = sent.question if asking.amends else typed(sent.question)
            one.typed = "\n\n".join(filter(None, (before, one.typed)))
            one.pasted = (*beside(sent.question, sent.attachments), *one.pasted)
            chat.say("What you changed is back in its box: you went on to another chat.")
