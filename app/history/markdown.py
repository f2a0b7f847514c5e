"""A chat as Markdown, for people: the branch that is shown, harmless in any terminal.

No text changes how what follows it is read: a code block, or a piece of HTML, that is open at its
end is closed there.
What was thought before an answer is a quotation.
"""

from __future__ import annotations

import re
import time
from functools import cache
from typing import TYPE_CHECKING

from app.files.pictures import Album
from app.history.endings import ending_of
from app.history.figures import Attachment
from app.history.records import Chat, StoredMessage
from app.settings.rows import ROWS, SAMPLING
from app.terminal.sanitise import one_line, sanitise
from app.thoughts import split
from app.trimmed import trimmed
from engine import SamplingSettings

if TYPE_CHECKING:
    from markdown_it import MarkdownIt

LEFT_OUT = "*(left out, with its question, of what is sent to the model)*"
THOUGHT = "*Thought:*"
CHOSEN = ("persona", "think", "predict")
BIAS = ("logit_bias", "logit_bias")
ALWAYS = ("temp", "top_k", "top_p", "min_p", "seed")
NAMES = {name: row.label for name, row in ROWS.items()} | {"logit_bias": "logit bias"}
LONGEST = 80
_BRACKETS = re.compile(r"[\[\]\\]")
_FENCES = re.compile(r"^ {0,3}(`{3,})", re.MULTILINE)
_HTML = (
    (re.compile(r"\s*<!--"), "-->"),
    (re.compile(r"\s*<\?"), "?>"),
    (re.compile(r"\s*<!\[CDATA\["), "]]>"),
    (re.compile(r"\s*<![A-Za-z]"), ">"),
    (re.compile(r"\s*<script(?:\s|>|$)", re.IGNORECASE), "</script>"),
    (re.compile(r"\s*<pre(?:\s|>|$)", re.IGNORECASE), "</pre>"),
    (re.compile(r"\s*<style(?:\s|>|$)", re.IGNORECASE), "</style>"),
    (re.compile(r"\s*<textarea(?:\s|>|$)", re.IGNORECASE), "</textarea>"),
)
"""What begins a block that no empty line ends, and what ends it (CommonMark 0.31, 4.6)."""


def as_markdown(chat: Chat, album: Album) -> str:
    """Return what is shown of a chat; its pictures as links to where they are kept."""
    begun = time.strftime("%Y-%m-%d", time.localtime(chat.info.created_at))
    pair = f", {one_line(chat.info.pair)}" if chat.info.pair else ""
    parts = [f"# {one_line(chat.info.title) or 'Chat'}", f"*{begun}{pair}*"]
    if settings := settings_of(chat):
        parts.append(f"*{settings}*")
    if chat.system:
        parts += ["## System", _whole(chat.system)]
    path, are_pairs_told = chat.path(), chat.are_pairs_told
    summed = next((message for message in reversed(path) if message.summary), None)
    for message in path:
        parts += _message(message, album, are_pairs_told)
        if message is summed:
            parts += ["## Summary of what stands above", _whole(message.summary)]
    return "\n\n".join(parts) + "\n"


def settings_of(chat: Chat) -> str:
    """Return in one line what the last answer that is shown was asked with, and what was chosen for
    the chat, "" where nobody kept any of it. What chats know of the user is not told here.
    """
    drawn = (message.figures.sampling for message in reversed(chat.path()))
    sampling = next((each for each in drawn if each is not None), None)
    names = CHOSEN if sampling is not None else (*CHOSEN, *SAMPLING)
    told = {name: chat.settings[name] for name in names if chat.settings.get(name) is not None}
    if sampling is not None:
        usual = SamplingSettings()
        found = {name: getattr(sampling, field) for name, field in (*SAMPLING.items(), BIAS)}
        told |= {
            name: value
            for name, value in found.items()
            if name in ALWAYS or value != getattr(usual, SAMPLING.get(name, name))
        }
    return ", ".join(f"{NAMES.get(name, name)} {_shown(value)}" for name, value in told.items())


def _shown(value: object) -> str:
    if isinstance(value, bool):
        return "on" if value else "off"
    return one_line(f"{value:g}" if isinstance(value, float) else str(value), LONGEST)


def _message(message: StoredMessage, album: Album, is_pair_told: bool) -> list[str]:
    by = f" by {one_line(message.pair)}" if is_pair_told and message.pair else ""
    parts = ["## You" if message.role == "user" else f"## Answer{by}"]
    parts += [_attachment(attachment, album) for attachment in message.attachments]
    parts += [_whole(message.content)] if message.role == "user" else _answer(message.content)
    if message.skipped:
        parts.insert(1, LEFT_OUT)
    if message.role == "assistant" and (ending := ending_of(message)):
        parts.append(f"*({ending})*")
    return [part for part in parts if part]


def _answer(text: str) -> list[str]:
    return [
        _quoted(part.text) if part.kind == "thinking" else _whole(part.text) for part in split(text)
    ]


def _quoted(thought: str) -> str:
    lines = [THOUGHT, "", *sanitise(thought).strip().split("\n")]
    return "\n".join(f"> {line}" if line else ">" for line in lines)


def _whole(text: str) -> str:
    """Return a harmless text without an open end: some answers were stopped inside their code."""
    text = trimmed(sanitise(text))
    if not any(sign in text for sign in ("```", "~~~", "<")):
        return text
    for last in _parser().parse(text + "\n")[-1:]:  # in a list or quotation it ends with that
        begin, end = last.map or (0, 0)
        if last.type == "fence" and end - begin < last.content.count("\n") + 2:
            return f"{text}\n{last.markup}"
        if last.type == "html_block":
            return text + _missing(last.content)
    return text


def _missing(html: str) -> str:
    """Return what ends a block of HTML, "" where that is in it or an empty line does."""
    end = next((end for begin, end in _HTML if begin.match(html)), "")
    return "" if end.lower() in html.lower() else f"\n{end}"


@cache
def _parser() -> MarkdownIt:
    """Return what finds the blocks of a text, and looks into none."""
    from markdown_it import MarkdownIt

    return MarkdownIt("commonmark").disable(["inline", "text_join"])


def _attachment(attachment: Attachment, album: Album) -> str:
    """Return a text between fences, or the link to a picture."""
    name = one_line(attachment.name)
    if attachment.picture:
        path = album.path_of(attachment.picture, attachment.encoding).absolute()
        return f"![{_BRACKETS.sub('', name)}](<{path.as_uri()}>)"
    text = sanitise(attachment.text).rstrip("\n")
    fence = "`" * (1 + max(map(len, _FENCES.findall(text)), default=2))
    of = f" (the beginning, of {attachment.of_lines} lines)" if attachment.of_lines else ""
    return f"{_whole(f'{name}{of}:')}\n\n{fence}\n{text}\n{fence}"
