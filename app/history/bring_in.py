"""Chats from a file: our own JSON, ChatGPT's export, or conversations as the OpenAI API has them,
in a list or one on each line.

Everything is checked before anything is written. Whatever is wrong raises HistoryError, which says
where. Nothing in the file decides more than text: ids are new, titles become one harmless line.
"""

from __future__ import annotations

import codecs
import re
from base64 import b64decode
from dataclasses import dataclass
from itertools import chain
from typing import Any, TypeGuard

import msgspec

from app.errors import HistoryError
from app.files.pictures import UnreadableError, kind_of, pixels_of, sha256_of
from app.history import chatgpt, openai_form
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
    SharedChat,
    SharedChats,
    SharedMessage,
)
from app.history.store import NOTHING, ChatRow, ImportedChat, MessageRow
from app.history.title import own_title, title_of

LATEST = 2.0**37
"""Times beyond the year 6300 are taken for faults."""
ZIP = b"PK\x03\x04"
UTF_16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE, b"[\0", b"{\0", b"\0[", b"\0{")
EXPECTED = 'expected exported chats, ChatGPT\'s conversations.json, or a list of {"messages": […]}'
MOST_REPEATED = 4
"""How many times larger than its file a chat may become: answers that branch repeat their
beginnings.
"""

MOST_NESTED = 32
"""Levels of a chat's settings: far more than there are, and few enough to be written and read."""

_HIGH, _LOW = (rb"u[dD][%b][0-9a-fA-F]{2}" % kind for kind in (b"89abAB", b"c-fC-F"))
_ESCAPE = re.compile(rb"\\(?:%b\\%b|(?P<half>%b|%b)|.)" % (_HIGH, _LOW, _HIGH, _LOW), re.DOTALL)
"""What JSON escapes; half: one of two escapes that are a sign together, without the other."""


@dataclass(frozen=True, slots=True)
class Imported:
    """Chats ready to be written. n_left_out: parts that are no question or answer in plain text,
    damaged pictures, and conversations that cannot be read. pictures: what the chats show, each
    with its kind. n_known: how many are not among the chats, being here already (known.py).
    """

    chats: tuple[ImportedChat, ...]
    n_left_out: int
    pictures: tuple[tuple[bytes, str], ...] = ()
    n_known: int = 0


@dataclass(frozen=True, slots=True)
class _Maker:
    """Makes rows of shared chats."""

    ids: Ids
    now: float

    def rows(self, chat: SharedChat, where: str) -> ImportedChat:
        if _nests_deeply(chat.settings):
            raise HistoryError(f"Nothing was imported: {where}.settings nests too deeply.")
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
            if message.role == "assistant" and _role_at(message.parent, chat) != "user":
                raise HistoryError(f"Nothing was imported: {here} is an answer to no question.")
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
        """Return when that was; nothing was written later than now, by which what is deleted is
        erased in time.
        """
        if at is None:
            return self.now
        if not 0 <= at < LATEST:
            raise HistoryError(f"Nothing was imported: {where} has the time {at}.")
        return min(at, self.now)


def imported(raw: bytes, ids: Ids, now: float) -> Imported:
    """Return the chats that a file holds, ready to be written. Raises HistoryError."""
    if raw.startswith(ZIP):
        raise HistoryError(
            "Nothing was imported: this is a ZIP file. Unpack it; ChatGPT's chats are in its "
            "conversations.json."
        )
    if raw.startswith(UTF_16):
        raise HistoryError("Nothing was imported: it is UTF-16 text; save it as UTF-8.")
    if not raw.strip():
        raise HistoryError(f"Nothing was imported: the file is empty; {EXPECTED}.")
    try:
        decoded = _decoded(raw.removeprefix(codecs.BOM_UTF8))
        shared, n_left_out = _read(decoded, MOST_REPEATED * len(raw))
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise HistoryError(f"Nothing was imported: {_wrong(error)}.") from error
    if not shared.chats:
        raise HistoryError("Nothing was imported: the file holds no chats.")
    maker = _Maker(ids, now)
    rows = tuple(maker.rows(chat, f"$.chats[{place}]") for place, chat in enumerate(shared.chats))
    found = [(id, _content(each)) for id, each in shared.pictures.items()]
    kinds = [(content, _kind(id, content)) for id, content in found]
    pictures = tuple((each, kind) for each, kind in kinds if kind)
    return Imported(rows, n_left_out + len(kinds) - len(pictures), pictures)


def _wrong(error: Exception) -> str:
    """Say what is wrong with a file that cannot be understood."""
    if isinstance(error, RecursionError):
        return "it nests too deeply"
    if isinstance(error, UnicodeDecodeError):
        return "it is no UTF-8 text; save it as UTF-8"
    return str(error) if isinstance(error, msgspec.ValidationError) else f"{error}; {EXPECTED}"


def _decoded(raw: bytes) -> object:
    """Decode JSON, or conversations one on each line. Raises msgspec.DecodeError."""
    try:
        return _json(raw)
    except msgspec.DecodeError:
        lines = [(n, line) for n, line in enumerate(raw.split(b"\n"), 1) if line.strip()]
        if not lines or not _holds_conversation(lines[0][1]):
            raise
    return [_line(n, line) for n, line in lines]


def _line(n: int, line: bytes) -> object:
    try:
        return _json(line)
    except msgspec.DecodeError as error:
        raise msgspec.DecodeError(f"line {n}: {error}") from error


def _holds_conversation(line: bytes) -> bool:
    try:
        return _is_conversation(_json(line))
    except msgspec.DecodeError:
        return False


def _json(raw: bytes) -> object:
    """Decode JSON; halves of signs, which programs leave that cut texts anywhere, are replaced.
    Raises msgspec.DecodeError, and UnicodeDecodeError for what is no UTF-8.
    """
    try:
        return msgspec.json.decode(raw)
    except msgspec.DecodeError:
        raw.decode()  # msgspec from 0.23 on tells both alike
        return msgspec.json.decode(_ESCAPE.sub(_whole, raw))


def _whole(escape: re.Match[bytes]) -> bytes:
    return escape[0] if escape["half"] is None else rb"\ufffd"


def _is_conversation(found: object) -> TypeGuard[dict[object, object]]:
    return isinstance(found, dict) and ("messages" in found or "mapping" in found)


def _content(shared: object) -> bytes:
    """Return a picture's bytes, none where it is no base64."""
    try:
        return b64decode(shared, validate=True) if isinstance(shared, str) else b""
    except ValueError:
        return b""


def _kind(id: str, content: bytes) -> str:
    """Return the kind of a picture, "" if it is none, or another."""
    try:
        kind = kind_of(content) if sha256_of(content) == id else ""
        if kind:
            pixels_of(content, kind)
        return kind
    except UnreadableError:
        return ""


def _read(found: object, most: int) -> tuple[SharedChats, int]:
    """Tell the formats apart; return what is shared, and how much was left out.

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
        return msgspec.convert(found, SharedChats, str_keys=True), 0
    if _is_conversation(found):
        found = [found]
    if not isinstance(found, list):
        raise HistoryError(f"Nothing was imported: {EXPECTED}.")
    if chatgpt.is_chatgpt(found):
        chats, n_left_out = chatgpt.read(found, most, LATEST)
    else:
        chats, n_left_out = openai_form.read(found)
    return SharedChats(FORMAT, FORMAT_VERSION, chats), n_left_out


def _nests_deeply(settings: dict[str, object]) -> bool:
    level: list[Any] = [settings]
    for _ in range(MOST_NESTED):
        inner = (each.values() if isinstance(each, dict) else each for each in level)
        level = [each for each in chain.from_iterable(inner) if isinstance(each, dict | list)]
    return bool(level)


def _at(place: int | None, ids: list[int], where: str) -> int | None:
    """Return the id at a place among those made so far. Raises HistoryError."""
    if place is None:
        return None
    if not 0 <= place < len(ids):
        raise HistoryError(f"Nothing was imported: {where} is {place}, where no message is.")
    return ids[place]


def _role_at(place: int | None, chat: SharedChat) -> str:
    return "" if place is None else chat.messages[place].role


def _first_title(chat: SharedChat) -> str:
    questions = (message.content for message in chat.messages if message.role == "user")
    return title_of(next(questions, ""))
