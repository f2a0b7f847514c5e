"""Finding chats by their words, in at most a tenth of a second among ten thousand of them.

The index is asked first. A message is worth its bm25, more if it is new, more in a pinned chat; a
chat is worth its best message and its title. Of a word that is everywhere only the newest
messages are ranked: there, being new is what counts. The index knows no signs: where some are
typed, chats that hold them, too, come first. Where the index knows nothing, the words are looked
for inside words, in the newest messages. Deleted chats are never found, archived ones only
where they are asked for.

Robertson and Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond", 2009.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain

from app.history.query import Query, parse
from app.history.reading import INFO, Reader, info_of, seconds
from app.history.records import ChatInfo, Hit, Mark
from app.history.words import fold
from app.terminal.sanitise import one_line

RANKED = 2000
SCANNED = 100_000
"""Newest messages that are looked through when the index knows nothing."""
READ = 20_000
"""Newest messages with the words that are read to see whether they hold the signs, too."""
HALF_LIFE_S = 30 * 86400.0
OLD_SHARE = 0.5
"""What is left of the worth of a very old message."""
PINNED_WORTH = 1.5
TITLE_WORTH = 4.0

LIKE = r"{0} LIKE ? ESCAPE '\'"
SNIPPET, LEAD = 160, 40
_SPACE = re.compile(r"\s+")

_OF_CHATS = "c.deleted_at IS NULL AND c.archived = 0"
_OF_ARCHIVE = """
SELECT p.place FROM chats AS a CROSS JOIN messages AS p ON p.chat = a.id
WHERE a.archived = 1 AND a.deleted_at IS NULL
"""
"""An archive is small: its messages are gathered first, and no others are looked up."""
_MESSAGES = """
SELECT m.chat, m.id, m.created_at, c.pinned, bm25(said)
FROM said CROSS JOIN messages AS m ON m.place = said.rowid CROSS JOIN chats AS c ON c.id = m.chat
WHERE said MATCH ? AND {} ORDER BY said.rowid DESC LIMIT ?
"""
_TITLES = """
SELECT c.id, NULL, c.updated_at, c.pinned, bm25(titled)
FROM titled CROSS JOIN chats AS c ON c.id = titled.rowid
WHERE titled MATCH ? AND {} AND c.deleted_at IS NULL AND c.archived = ?
ORDER BY titled.rowid DESC LIMIT ?
"""
_NEWEST = """
said.rowid >= (SELECT min(rowid) FROM
(SELECT rowid FROM said WHERE said MATCH ? ORDER BY rowid DESC LIMIT ?))
"""
_INSIDE_MESSAGES = """
SELECT m.chat, m.id, m.created_at, c.pinned, -1.0
FROM messages AS m CROSS JOIN chats AS c ON c.id = m.chat
WHERE {} AND {}
AND m.place > (SELECT max(place) FROM messages) - ? ORDER BY m.place DESC LIMIT ?
"""
_INSIDE_TITLES = """
SELECT c.id, NULL, c.updated_at, c.pinned, -1.0 FROM chats AS c
WHERE {} AND c.deleted_at IS NULL AND c.archived = ? ORDER BY c.updated_at DESC LIMIT ?
"""


@dataclass(slots=True)
class _Found:
    """What was found of one chat. worth: of its best message; title_worth: of its title."""

    message: int | None = None
    worth: float = 0.0
    title_worth: float = 0.0
    n_messages: int = 0


def search(reader: Reader, typed: str, limit: int, archived: bool, now: float) -> list[Hit]:
    """Return the chats that what was typed is about, the best first. Raises HistoryError."""
    query = parse(typed)
    if not query.words:
        return []
    exact, found, pattern = _rank(_held(reader, query, archived), now), {}, query.pattern()
    if len(exact) < limit:
        found = _rank(_asked(reader, query, archived), now)
    if not exact and not found:
        pattern = query.literal()
        found = _rank(_looked_for(reader, query, archived, limit), now)
    best = list(dict.fromkeys([*_best(exact), *_best(found)]))[:limit]
    found |= exact
    patterns = dict.fromkeys(found, (pattern,)) | dict.fromkeys(exact, (query.exact(), pattern))
    infos = _infos(reader, best)
    contents = _contents(reader, [it for chat in best if (it := found[chat].message) is not None])
    return [
        _hit(infos[chat], found[chat], contents, patterns[chat]) for chat in best if chat in infos
    ]


def _asked(reader: Reader, query: Query, archived: bool) -> Iterator[tuple[object, ...]]:
    """Yield what the index knows: messages, then titles."""
    match = query.match()
    if match:
        of_it = f"+said.rowid IN ({_OF_ARCHIVE})" if archived else _OF_CHATS
        yield from reader.rows(_MESSAGES.format(of_it), (match, RANKED))
        yield from reader.rows(_TITLES.format("TRUE"), (match, archived, RANKED))


def _held(reader: Reader, query: Query, archived: bool) -> Iterator[tuple[object, ...]]:
    """Yield those messages and titles that hold the signs, too; none where no signs are typed."""
    match, likes = query.match(), query.signed()
    if match and likes:
        condition = " AND ".join([LIKE] * len(likes))
        of_it = f"+said.rowid IN ({_OF_ARCHIVE})" if archived else _OF_CHATS
        messages = _MESSAGES.format(f"{_NEWEST} AND {condition.format('m.content')} AND {of_it}")
        yield from reader.rows(messages, (match, match, READ, *likes, RANKED))
        titles = _TITLES.format(condition.format("c.title"))
        yield from reader.rows(titles, (match, *likes, archived, RANKED))


def _looked_for(
    reader: Reader, query: Query, archived: bool, limit: int
) -> Iterator[tuple[object, ...]]:
    """Yield the newest messages and titles that hold every word, be it inside another."""
    words = query.likes()
    condition = " AND ".join(f"({' OR '.join([LIKE] * len(cases))})" for cases in words)
    likes = [*chain.from_iterable(words)]
    of_it = f"m.place IN ({_OF_ARCHIVE})" if archived else _OF_CHATS
    messages = _INSIDE_MESSAGES.format(condition.format("m.content"), of_it)
    yield from reader.rows(messages, (*likes, SCANNED, limit * 4))
    titles = _INSIDE_TITLES.format(condition.format("c.title"))
    yield from reader.rows(titles, (*likes, archived, limit))


def _rank(rows: Iterator[tuple[object, ...]], now: float) -> dict[int, _Found]:
    """Weigh what was found, by chat."""
    found: dict[int, _Found] = {}
    for chat, message, at, pinned, bm25 in rows:
        if not (isinstance(chat, int) and isinstance(bm25, float)):
            continue
        age = max(0.0, now - seconds(at)) / HALF_LIFE_S
        worth = -bm25 * (OLD_SHARE + (1 - OLD_SHARE) * 0.5**age)
        worth *= PINNED_WORTH if pinned else 1.0
        one = found.setdefault(chat, _Found())
        if not isinstance(message, int):
            one.title_worth = TITLE_WORTH * worth
            continue
        one.n_messages += 1
        if one.message is None or worth > one.worth:
            one.message, one.worth = message, worth
    return found


def _best(found: dict[int, _Found]) -> list[int]:
    return sorted(found, key=lambda chat: -(found[chat].worth + found[chat].title_worth))


def _infos(reader: Reader, chats: list[int]) -> dict[int, ChatInfo]:
    holes = ", ".join("?" * len(chats))
    rows = reader.rows(f"SELECT {INFO} FROM chats AS c WHERE c.id IN ({holes})", chats)
    infos = map(info_of, rows)
    return {info.id: info for info in infos}


def _contents(reader: Reader, messages: list[int]) -> dict[object, tuple[str, str]]:
    """Return role and text of each message."""
    holes = ", ".join("?" * len(messages))
    sql = f"SELECT id, role, content FROM messages WHERE id IN ({holes})"
    return {id: (str(role), str(content)) for id, role, content in reader.rows(sql, messages)}


def _hit(
    info: ChatInfo,
    found: _Found,
    contents: dict[object, tuple[str, str]],
    patterns: Sequence[re.Pattern[str]],
) -> Hit:
    """patterns: what to mark, the first of them that is there."""
    role, content = contents.get(found.message, ("", ""))
    texts = fold(content), fold(info.title)
    pattern = next((it for it in patterns if any(map(it.search, texts))), patterns[-1])
    snippet = snippet_of(content, pattern)
    return Hit(
        chat=info,
        message=found.message,
        role=role,
        snippet=snippet,
        marks=_marks(snippet, pattern),
        title_marks=_marks(info.title, pattern),
        n_found=found.n_messages,
    )


def snippet_of(content: str, pattern: re.Pattern[str]) -> str:
    """Return a harmless line around the first match, or the beginning."""
    first = pattern.search(fold(content))
    begin = max(0, first.start() - LEAD) if first else 0
    if first and begin:
        space = _SPACE.search(content, begin, first.start())
        begin = space.end() if space else begin
    line = one_line(content[begin : begin + 4 * SNIPPET], SNIPPET - 1)
    return "…" + line if begin else line


def _marks(text: str, pattern: re.Pattern[str]) -> tuple[Mark, ...]:
    return tuple(Mark(*it.span()) for it in pattern.finditer(fold(text)) if it.end() > it.start())
