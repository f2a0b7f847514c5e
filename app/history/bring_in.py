"""Chats from a file: our own JSON, ChatGPT's export, or conversations as the OpenAI API has them.

Everything is checked before anything is written. Whatever is wrong raises HistoryError, which says
where. Nothing in the file decides more than text: ids are new, titles become one harmless line.
"""

from __future__ import annotations

from dataclasses import dataclass

import msgspec

from app.errors import HistoryError
from app.history import chatgpt
from app.history.figures import (
    pack_attachments,
    pack_figures,
    pack_spans,
    storable,
)
from app.history.ids import Ids
from app.history.interchange import (
    FORMAT,
    FORMAT_VERSION,
    Role,
    SharedChat,
    SharedChats,
    SharedMessage,
)
from app.history.store import NOTHING, ChatRow, ImportedChat, MessageRow
from app.history.title import own_title, title_of
from app.pictures import UnreadableError, kind_of, pixels_of, sha256_of

_ROLES: dict[str, Role] = {"user": "user", "assistant": "assistant"}
LATEST = 2.0**37
"""Times beyond the year 6300 are taken for faults."""
ZIP = b"PK\x03\x04"
MOST_REPEATED = 4
"""How many times larger than its file a chat may become: answers that branch repeat their
beginnings.
"""


class _Part(msgspec.Struct, frozen=True):
    """A piece of a message's content; only text is understood."""

    type: str
    text: str = ""


class _OpenMessage(msgspec.Struct, frozen=True):
    role: str
    content: str | list[_Part]


class _OpenChat(msgspec.Struct, frozen=True):
    messages: list[_OpenMessage]
    title: str = ""


@dataclass(frozen=True, slots=True)
class Imported:
    """Chats ready to be written, and how many parts of their messages are no text and left out.

    pictures: what they show, each with its kind.
    """

    chats: tuple[ImportedChat, ...]
    n_left_out: int
    pictures: tuple[tuple[bytes, str], ...] = ()


@dataclass(frozen=True, slots=True)
class _Maker:
    """Makes rows of shared chats."""

    ids: Ids
    now: float

    def rows(self, chat: SharedChat, where: str) -> ImportedChat:
        created_at = self._time(chat.created_at, where)
        row = ChatRow(
            id=self.ids.new(),
            title=own_title(chat.title) or _first_title(chat),
            is_title_own=chat.is_title_own,
            created_at=created_at,
            updated_at=max(created_at, self._time(chat.updated_at, where)),
            pair=storable(chat.pair),
            system=storable(chat.system),
            settings=storable(msgspec.json.encode(chat.settings).decode()),
            pinned=chat.pinned,
            archived=chat.archived,
        )
        ids: list[int] = []
        messages = []
        for place, message in enumerate(chat.messages):
            here = f"{where}.messages[{place}]"
            parent = _at(message.parent, ids, f"{here}.parent")
            ids.append(self.ids.new())
            messages.append(self._message(message, row.id, ids[-1], parent, here))
        if chat.leaf is msgspec.UNSET:
            leaf = ids[-1] if ids else None
        else:
            leaf = NOTHING if chat.leaf is None else _at(chat.leaf, ids, f"{where}.leaf")
        return ImportedChat(row, tuple(messages), leaf)

    def _message(
        self, message: SharedMessage, chat: int, id: int, parent: int | None, where: str
    ) -> MessageRow:
        return MessageRow(
            id=id,
            chat=chat,
            parent=parent,
            role=message.role,
            content=storable(message.content),
            created_at=self._time(message.created_at, where),
            pair=storable(message.pair),
            reason=None if message.reason is None else storable(message.reason),
            error=storable(message.error),
            figures=pack_figures(message.figures),
            attachments=pack_attachments(message.attachments),
            pieces=pack_spans(message.spans),
            summary=storable(message.summary),
            skipped=message.skipped,
        )

    def _time(self, at: float | None, where: str) -> float:
        if at is None:
            return self.now
        if not 0 <= at < LATEST:
            raise HistoryError(f"Nothing was imported: {where} has the time {at}.")
        return at


def imported(raw: bytes, ids: Ids, now: float) -> Imported:
    """Return the chats that a file holds, ready to be written. Raises HistoryError."""
    if raw.startswith(ZIP):
        raise HistoryError(
            "Nothing was imported: this is a ZIP file. Unpack it; ChatGPT's chats are in its "
            "conversations.json."
        )
    try:
        found = msgspec.json.decode(raw)
        shared, n_left_out = _read(found, MOST_REPEATED * len(raw))
        pictures = tuple((each, _checked(id, each)) for id, each in shared.pictures.items())
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise HistoryError(f"Nothing was imported: {error}.") from error
    if not shared.chats:
        raise HistoryError("Nothing was imported: the file holds no chats.")
    maker = _Maker(ids, now)
    rows = tuple(maker.rows(chat, f"$.chats[{place}]") for place, chat in enumerate(shared.chats))
    return Imported(rows, n_left_out, pictures)


def _checked(id: str, content: bytes) -> str:
    """Return the kind of a picture. Raises HistoryError if it is none, or another."""
    try:
        kind = kind_of(content) if sha256_of(content) == id else ""
        if kind:
            pixels_of(content, kind)
            return kind
    except UnreadableError:
        pass
    raise HistoryError(f"Nothing was imported: $.pictures: {id!r:.40} is not that picture.")


def _read(found: object, most: int) -> tuple[SharedChats, int]:
    """Tell the formats apart; return what is shared, and how many parts are no text and left out.

    most: characters that chats may have whose parts are repeated. Raises msgspec.ValidationError,
    HistoryError.
    """
    if isinstance(found, dict) and found.get("format") == FORMAT:
        version = found.get("version")
        if version != FORMAT_VERSION:
            raise HistoryError(
                f"Nothing was imported: the file is of version {version!r:.20}, "
                f"this Slipstream reads {FORMAT_VERSION}."
            )
        return msgspec.convert(found, SharedChats), 0
    if isinstance(found, dict) and ("messages" in found or "mapping" in found):
        found = [found]
    if chatgpt.is_chatgpt(found):
        chats, n_left_out = chatgpt.read(found, most)
        return SharedChats(FORMAT, FORMAT_VERSION, chats), n_left_out
    if not isinstance(found, list):
        raise HistoryError(
            "Nothing was imported: expected exported chats, ChatGPT's conversations.json, "
            'or a list of {"messages": […]}.'
        )
    opened = msgspec.convert(found, list[_OpenChat])
    chats = [_from_open(chat, f"$[{place}]") for place, chat in enumerate(opened)]
    return SharedChats(FORMAT, FORMAT_VERSION, chats), 0


def _from_open(chat: _OpenChat, where: str) -> SharedChat:
    """Turn a list of messages into a chat of one branch; leading instructions are its system."""
    system: list[str] = []
    messages: list[SharedMessage] = []
    for place, message in enumerate(chat.messages):
        text, here = _text_of(message, where, place), f"{where}.messages[{place}]"
        if message.role in ("system", "developer") and not messages:
            system.append(text)
        elif role := _ROLES.get(message.role):
            parent = len(messages) - 1 if messages else None
            reason = "stop" if role == "assistant" else None
            messages.append(SharedMessage(role, text, parent, reason=reason))
        else:
            what = f"{message.role!r:.40}"
            raise HistoryError(f"Nothing was imported: {here} has the role {what} there.")
    return SharedChat(chat.title, messages, system="\n\n".join(system))


def _text_of(message: _OpenMessage, where: str, place: int) -> str:
    if isinstance(message.content, str):
        return message.content
    for part in message.content:
        if part.type != "text":
            what = f"{part.type!r:.40}"
            raise HistoryError(
                f"Nothing was imported: {where}.messages[{place}] holds {what}, not text."
            )
    return "".join(part.text for part in message.content)


def _at(place: int | None, ids: list[int], where: str) -> int | None:
    """Return the id at a place among those made so far. Raises HistoryError."""
    if place is None:
        return None
    if not 0 <= place < len(ids):
        raise HistoryError(f"Nothing was imported: {where} is {place}, where no message is.")
    return ids[place]


def _first_title(chat: SharedChat) -> str:
    questions = (message.content for message in chat.messages if message.role == "user")
    return title_of(next(questions, ""))
