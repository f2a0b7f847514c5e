"""A chat as Markdown, for people: the branch that is shown, harmless in any terminal."""

from __future__ import annotations

import re
import time

from app.history.records import Chat, StoredMessage
from app.sanitise import one_line, sanitise

_FENCES = re.compile(r"^ {0,3}(`{3,})", re.MULTILINE)


def as_markdown(chat: Chat) -> str:
    """Return what is shown of a chat."""
    begun = time.strftime("%Y-%m-%d", time.gmtime(chat.info.created_at))
    pair = f", {one_line(chat.info.pair)}" if chat.info.pair else ""
    parts = [f"# {one_line(chat.info.title) or 'Chat'}", f"*{begun}{pair}*"]
    if chat.system:
        parts += ["## System", sanitise(chat.system).strip()]
    path = chat.path()
    summed = next((message for message in reversed(path) if message.summary), None)
    for message in path:
        parts += _message(message)
        if message is summed:
            parts += ["## Summary of what stands above", sanitise(message.summary).strip()]
    return "\n\n".join(parts) + "\n"


def _message(message: StoredMessage) -> list[str]:
    parts = ["## You" if message.role == "user" else "## Answer"]
    for attachment in message.attachments:
        text = sanitise(attachment.text).rstrip("\n")
        fence = "`" * (1 + max(map(len, _FENCES.findall(text)), default=2))
        of = f" (the beginning, of {attachment.of_lines} lines)" if attachment.of_lines else ""
        parts.append(f"{one_line(attachment.name)}{of}:\n\n{fence}\n{text}\n{fence}")
    parts.append(sanitise(message.content).strip())
    if message.role == "assistant" and message.reason != "stop":
        parts.append(f"*({one_line(message.error) or message.reason or 'interrupted'})*")
    return [part for part in parts if part]
