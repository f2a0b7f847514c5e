"""What is shown of a chat in a list: what was said last in it, or where a search found something.

Pure, and of a length that never makes anybody wait.
"""

from __future__ import annotations

import re
import time
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

from textual.content import Content

from app.chat.gain import gain
from app.history import Chat, Hit, StoredMessage
from app.history.endings import ending_of
from app.history.words import fold, literal_of, pattern_of
from app.sizes import counted
from app.terminal.sanitise import one_line, sanitise
from app.thoughts import without_thinking
from app.tui.chats.chat_row import FOUND, UNTITLED
from app.tui.tones import DIM

MOST_MESSAGES = 8
LONGEST = 1000
"""Characters that are shown of a message; READ are looked at."""
READ = 20_000
LEAD = 200
"""Characters that are shown of a message before what was found in it."""
SPACE = re.compile(r"\s+")


@dataclass(frozen=True, slots=True)
class Preview:
    """head: title and figures; body: the last messages of the branch that is shown, or those from
    where something was found.
    """

    head: Content
    body: Content


def preview_of(chat: Chat, hit: Hit | None = None) -> Preview:
    """Return what is shown of a chat. hit: what a search found in it."""
    path, are_pairs_told = chat.path(message_of(hit)), chat.are_pairs_told
    begin = _place_of(hit, path)
    last = path[begin : begin + MOST_MESSAGES]
    parts = [_said(message, are_pairs_told, hit) for message in last]
    if begin:
        parts.insert(0, Content.styled(f"… {counted(begin, 'earlier message')}", DIM))
    if not parts:
        parts = [Content.styled("Nothing was said in it yet.", DIM)]
    title = one_line(chat.info.title, 120) or UNTITLED
    head = Content.assemble((title, "bold"), "\n", (about(chat), DIM))
    return Preview(head, Content("\n\n").join(parts))


def about(chat: Chat) -> str:
    """Return in one line what a chat is: its pair, how much was asked, how fast, when, branches."""
    path = chat.path()
    asked = counted(sum(message.role == "user" for message in path), "question")
    followed = {message.parent for message in chat.messages}
    n_branches = sum(message.id not in followed for message in chat.messages)
    branches = f"{n_branches} branches" if n_branches > 1 else ""
    parts = (one_line(chat.info.pair, 60), asked, _speed(path), _dates(chat), branches)
    return " · ".join(part for part in parts if part)


def _speed(path: Sequence[StoredMessage]) -> str:
    """Return the medians of the answers that were measured, "" if none was."""
    measured = [message.figures.stats for message in path if message.figures.stats is not None]
    tps = [stats.decode_tps for stats in measured if stats.decode_tps is not None]
    gains = [factor for stats in measured if stats.drafted and (factor := gain(stats)) is not None]
    parts = [f"{median(tps):.0f} tok/s"] if tps else []
    parts += [f"≈{median(gains):.1f}\N{MULTIPLICATION SIGN} plain"] if gains else []
    return ", ".join(parts)


def _dates(chat: Chat) -> str:
    """Return when it began, and when it was last gone on with, if that was another day."""
    first, last = (
        time.strftime("%d %b %Y", time.localtime(at)).lstrip("0")
        for at in (chat.info.created_at, chat.info.updated_at)
    )
    return first if first == last else f"{first} to {last}"


def message_of(hit: Hit | None) -> int | None:
    """Return the message where something was found, None if there is none."""
    return None if hit is None else hit.message


def _place_of(hit: Hit | None, path: Sequence[StoredMessage]) -> int:
    """Return the place of the first message that is shown: the one where something was found."""
    message = message_of(hit)
    place = next((i for i, each in enumerate(path) if each.id == message), None)
    return max(0, len(path) - MOST_MESSAGES) if place is None else place


def _said(message: StoredMessage, is_pair_told: bool, hit: Hit | None) -> Content:
    is_question = message.role == "user"
    pair = one_line(message.pair, 60) if is_pair_told else ""
    who = Content.styled("You", "bold $primary") if is_question else _answered(message, pair)
    return Content.assemble(who, "\n", _text_of(message, hit))


def _text_of(message: StoredMessage, hit: Hit | None) -> Content:
    """Return the beginning of a message, or where the words that were found stand, marked."""
    text = message.content[:READ]
    text = sanitise(text if message.role == "user" else without_thinking(text))
    text = text.expandtabs(4).strip()
    found = _found_in(text, hit) if hit is not None else []
    begin = _begin(text, found[0][0]) if found and message.id == message_of(hit) else 0
    shown = text[begin : begin + LONGEST]
    is_whole = begin + LONGEST >= len(text) and len(message.content) <= READ
    content = Content(shown if is_whole else shown.rstrip())
    for start, end in found:
        if begin <= start < end <= begin + len(content):
            content = content.stylize(FOUND, start - begin, end - begin)
    return Content.assemble("…" * (begin > 0), content, "…" * (not is_whole))


def _begin(text: str, first: int) -> int:
    """Return from where a message is shown, so that what was found in it is near."""
    if first <= LEAD:
        return 0
    space = SPACE.search(text, first - LEAD, first)
    return space.end() if space else first - LEAD


def _found_in(text: str, hit: Hit) -> list[tuple[int, int]]:
    """Return where the words stand for which a chat was found, be it inside others."""
    words = {fold(hit.snippet[start:end]) for start, end in hit.marks}
    folded = fold(text)
    for patterns in (
        [pattern_of(word, is_beginning=True) for word in words],
        [literal_of(word) for word in words],
    ):
        pattern = "|".join(sorted(filter(None, patterns), key=len, reverse=True))
        found = [it.span() for it in re.finditer(pattern, folded)] if pattern else []
        if found:
            return found
    return []


def _answered(message: StoredMessage, pair: str) -> Content:
    """Return the heading of an answer, which says if it did not come to its end.

    pair: which one wrote it, "" where that is not told.
    """
    name = Content.styled("Answer", "bold $accent")
    if pair:
        name = Content.assemble(name, (f"  {pair}", DIM))
    if message.skipped:
        name = Content.assemble(name, ("  left out", DIM))
    why = ending_of(message, 120)
    return Content.assemble(name, "  ", (why, "$warning")) if why else name
