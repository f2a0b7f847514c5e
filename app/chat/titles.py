"""Has the model that answers write the title of a chat: a request that is no turn.

It is asked behind what the chat has said, so that what the engine keeps of that is not read anew.
The title is one harmless line without markup. What is no title (nothing, the question, the request
repeated, an answer in whole sentences) is "": the chat is then called as before. It knows no screen
and no history.
"""

from __future__ import annotations

import re
from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import dataclass

from app.chat.conversation import Conversation
from app.history.title import LONGEST, title_of
from app.thoughts import without_thinking
from engine import Delta, Finished, Message, Started

PLEASE = (
    "Write a title for this chat: what it is about, in two to six words, in the language of the "
    "chat. Only the title itself, in one line: no quotation marks, no full stop, no answer."
)
MOST_TOKENS = 256
"""For a model that cannot do without thinking first; a title is over sooner."""
MOST_WORDS = 10
QUOTES = (
    "\"'`* \u00ab\u00bb\u2018\u2019\u201a\u201c\u201d\u201e\u201f\u2039\u203a"
    "\u300a\u300b\u300c\u300d\u300e\u300f"
)
ENDS = ".,:; \u3001\u3002\uff1a\uff1b"
LABEL = re.compile(
    r"(?:(?:chat|the)\s+)?(?:title|titel|titre|t[íi]tulo|titolo|标题|標題|タイトル|題名|제목|заголовок)"
    r"\s*[:\uff1a]\s*",
    re.IGNORECASE,
)
SAYS = re.compile(r"\w")


@dataclass(slots=True, eq=False)
class Titling:
    """The making of one title. before: what the chat is called until then. is_asked: by the person,
    just now. title: "" while there is none; was_stopped: something else was more urgent.
    """

    conversation: Conversation
    before: str
    is_asked: bool = False
    title: str = ""
    was_stopped: bool = False

    async def do(self) -> AsyncGenerator[Started | Delta | Finished, None]:
        """Make it. Raises EngineError."""
        self.was_stopped, text, turns = False, "", self.conversation.turns
        asked = [*self.conversation.messages(), Message(role="user", content=PLEASE)]
        async with aclosing(self.conversation.aside(asked, MOST_TOKENS)) as events:
            async for event in events:
                yield event
                if isinstance(event, Delta):
                    text += "".join(span.text for span in event.spans)
                elif isinstance(event, Finished):
                    text, self.was_stopped = event.text, event.reason == "cancelled"
                if is_over(text):
                    break
        if turns and not self.was_stopped:
            self.title = cleaned(text, turns[0].question)


def is_over(text: str) -> bool:
    """Whether what has been written so far is a title, or will not become one."""
    said = without_thinking(text).lstrip()
    return "\n" in said or len(said) > 2 * LONGEST


def cleaned(text: str, question: str) -> str:
    """Return the title that a model wrote, "" if that is none. question: the chat's first."""
    line = title_of(without_thinking(text)).strip(QUOTES)
    line = LABEL.sub("", line, count=1).strip(QUOTES).rstrip(ENDS).strip(QUOTES)
    is_long = line.endswith("…") or len(line.split()) > MOST_WORDS
    known = {question.strip().casefold(), title_of(question).casefold()}
    is_repeated = line.casefold() in known or line.casefold() in PLEASE.casefold()
    return "" if is_long or is_repeated or not SAYS.search(line) else line
