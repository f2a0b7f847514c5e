"""Chats as JSON, for other programs and other machines: everything but the ids, with the pictures
themselves (base64, by their sha256), each once.

Parents and the leaf are places in the list of messages, which holds parents before their children.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, Literal

import msgspec

from app.files.pictures import Album, sha256_of
from app.history.figures import Attachment, Figures
from app.history.records import Chat, StoredMessage
from engine import Span

FORMAT: Final = "slipstream-chats"
FORMAT_VERSION = 1

Role = Literal["user", "assistant"]


class SharedMessage(msgspec.Struct, frozen=True, omit_defaults=True):
    """A message in the file. spans: the text again, cut by who proposed it; [] if unknown.

    summary: of its branch up to itself, sent in the place of all that; "" if there is none.
    skipped: an answer that is left out, with its question, of what is sent.
    """

    role: Role
    content: str
    parent: int | None = None
    created_at: float | None = None
    pair: str = ""
    reason: str | None = None
    error: str = ""
    figures: Figures = Figures()
    attachments: tuple[Attachment, ...] = ()
    spans: list[Span] = []
    summary: str = ""
    skipped: bool = False


class SharedChat(msgspec.Struct, frozen=True, omit_defaults=True):
    """A chat in the file. leaf: the place of the message shown last, null where all is undone;
    without it, the last message is.
    """

    title: str
    messages: list[SharedMessage]
    leaf: int | msgspec.UnsetType | None = msgspec.UNSET
    is_title_own: bool = False
    created_at: float | None = None
    updated_at: float | None = None
    pinned: bool = False
    archived: bool = False
    pair: str = ""
    system: str = ""
    settings: dict[str, object] = {}


class SharedChats(msgspec.Struct, frozen=True):
    """The whole file. pictures: in base64, by their sha256; one that is gone or damaged is not
    there.
    """

    format: Literal["slipstream-chats"]
    version: int
    chats: list[SharedChat]
    pictures: dict[str, object] = {}


def as_json(chats: Iterable[Chat], album: Album) -> bytes:
    """Return the chats as JSON, one on a line, behind them the pictures."""
    parts = [f'{{"format":"{FORMAT}","version":{FORMAT_VERSION},"chats":['.encode()]
    pictures: dict[str, bytes] = {}
    for chat in chats:
        parts += [b",\n" if len(parts) > 1 else b"\n", msgspec.json.encode(_shared(chat))]
        pictures |= _pictures(chat, album)
    parts.append(b"\n]")
    if pictures:
        parts += [b',"pictures":\n', msgspec.json.encode(pictures)]
    return b"".join([*parts, b"}\n"])


def _pictures(chat: Chat, album: Album) -> dict[str, bytes]:
    found = {}
    for each in (each for message in chat.messages for each in message.attachments):
        path = album.path_of(each.picture, each.encoding)
        content = path.read_bytes() if each.picture and path.is_file() else b""
        if sha256_of(content) == each.picture:
            found[each.picture] = content
    return found


def _shared(chat: Chat) -> SharedChat:
    places = {message.id: place for place, message in enumerate(chat.messages)}
    info = chat.info
    return SharedChat(
        title=info.title,
        messages=[_shared_message(message, places) for message in chat.messages],
        leaf=None if chat.leaf is None else places[chat.leaf],
        is_title_own=info.is_title_own,
        created_at=info.created_at,
        updated_at=info.updated_at,
        pinned=info.pinned,
        archived=info.archived,
        pair=info.pair,
        system=chat.system,
        settings=chat.settings,
    )


def _shared_message(message: StoredMessage, places: dict[int, int]) -> SharedMessage:
    return SharedMessage(
        role="user" if message.role == "user" else "assistant",
        content=message.content,
        parent=None if message.parent is None else places.get(message.parent),
        created_at=message.created_at,
        pair=message.pair,
        reason=message.reason,
        error=message.error,
        figures=message.figures,
        attachments=message.attachments,
        spans=message.spans(),
        summary=message.summary,
        skipped=message.skipped,
    )
