"""Conversations as the OpenAI API has them: each a list of messages, which is a chat of one branch.

Leading instructions are its system prompt. Several answers in a row, with tools between them,
become one. Calls of tools, what tools said, answers to nothing, pictures and other parts that are
no text are left out and counted; of a question that has nothing else it is told that there was one.

A conversation of another shape, with other roles or with instructions behind its first question is
left out and counted, too.
"""

from __future__ import annotations

import msgspec

from app.history.conversations import SkippedError, converted
from app.history.interchange import Role, SharedChat, SharedMessage
from app.history.wordless import wordless

_SAYING: dict[str, Role] = {"user": "user", "assistant": "assistant"}
_TOLD = ("system", "developer")
_TOOLS = ("tool", "function")


class _Part(msgspec.Struct, frozen=True):
    """A piece of a message's content; only text is understood."""

    type: str
    text: str = ""


class _Message(msgspec.Struct, frozen=True):
    """content: null or not there where an assistant calls a tool."""

    role: str
    content: str | list[_Part] | msgspec.UnsetType | None = msgspec.UNSET


class _Conversation(msgspec.Struct, frozen=True):
    messages: list[_Message]
    title: str | None = None


def read(found: list[object]) -> tuple[list[SharedChat], int]:
    """Return the chats in which something was asked, and how many messages, parts of messages or
    whole conversations were left out. Raises HistoryError if none can be read.
    """
    chats, n_left_out, why = [], 0, None
    for place, each in enumerate(found):
        try:
            reader = _Reader(each, f"$[{place}]")
        except SkippedError as error:
            why, n_left_out = why or error, n_left_out + 1
            continue
        n_left_out += reader.n_left_out
        if (chat := reader.chat()).messages:
            chats.append(chat)
    if why and not chats:
        raise why
    return chats, n_left_out


class _Reader:
    """Reads one conversation."""

    def __init__(self, found: object, where: str) -> None:
        """Raises SkippedError if it cannot be read."""
        conversation = converted(found, _Conversation, where)
        self.n_left_out = 0
        self._title = conversation.title or ""
        self._system: list[str] = []
        self._said: list[tuple[Role, list[str]]] = []
        for place, message in enumerate(conversation.messages):
            self._hear(message, f"{where}.messages[{place}]")

    def chat(self) -> SharedChat:
        """Return it as a chat of ours."""
        messages = []
        for place, (role, texts) in enumerate(self._said):
            text = "\n\n".join(filter(str.strip, texts)) if len(texts) > 1 else texts[0]
            reason = "stop" if role == "assistant" else None
            messages.append(SharedMessage(role, text, place - 1 if place else None, reason=reason))
        return SharedChat(self._title, messages, system="\n\n".join(self._system))

    def _hear(self, message: _Message, where: str) -> None:
        """Note what a message says."""
        role = message.role
        if role not in (*_SAYING, *_TOLD, *_TOOLS) or (role in _TOLD and self._said):
            raise SkippedError(f"Nothing was imported: {where} has the role {role!r:.40} there.")
        text, n_other = (None, 0) if role in _TOOLS else _text_of(message, where)
        self.n_left_out += n_other
        if role == "user" and not (text or "").strip():
            text = wordless((), n_other)
        if text is None or (role == "assistant" and not self._said):
            self.n_left_out += 1  # an answer to nothing has no place here
        elif role in _TOLD:
            self._system.append(text)
        elif role == "assistant" and self._said[-1][0] == role:
            self._said[-1][1].append(text)
        else:
            self._said.append((_SAYING[role], [text]))


def _text_of(message: _Message, where: str) -> tuple[str | None, int]:
    """Return what it says, None where it calls a tool, and how many parts are no text."""
    content = message.content
    if content is None or isinstance(content, str):
        return content, 0
    if isinstance(content, msgspec.UnsetType):
        if message.role != "assistant":
            raise SkippedError(f"Nothing was imported: {where} has no content.")
        return None, 0
    texts = [part.text for part in content if part.type == "text"]
    return "".join(texts), len(content) - len(texts)
