"""What ChatGPT exports, in small, and ways to bring it in."""

from __future__ import annotations

import json
from collections.abc import Mapping

from app.history import Chat, History


def node(parent: str | None, role: str, *parts: object, **more: object) -> dict[str, object]:
    """Return a node with a message; more: what its message has beside the usual."""
    content = {"content_type": "text", "parts": list(parts)}
    message = {"author": {"role": role}, "content": content, "create_time": 5.5, **more}
    return {"message": message, "parent": parent}


def conversation(nodes: Mapping[str, object], **more: object) -> dict[str, object]:
    root: dict[str, object] = {"message": None, "parent": None, "children": []}
    return {"title": "Sky", "create_time": 1.5, "update_time": 9.5, **more} | {
        "mapping": {"root": root, **nodes}
    }


def brought_in(history: History, *chats: object) -> list[Chat]:
    found = history.import_json(json.dumps(chats).encode())
    assert history.flush()
    return [history.chat(id) for id in found.chats]


def shown(chat: Chat) -> list[str]:
    return [message.content for message in chat.path()]


def only(history: History, nodes: Mapping[str, object], **more: object) -> Chat:
    (chat,) = brought_in(history, conversation(nodes, **more))
    return chat
