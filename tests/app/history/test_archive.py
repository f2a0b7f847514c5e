"""An archived chat is out of list and search, and lost in no other way."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

import pytest

from app.history import History, Outcome, schema
from app.history.database import open_database
from app.history.reading import Reader, Value, count_archived, read_list
from app.history.search import search
from app.history.words import indexed
from tests.app.history.chats import Clock, answered, found, said, titles


def archived(history: History, words: str = "") -> list[str]:
    """Return the titles of the chats in the archive, or of those that are found there."""
    assert history.flush()
    if words:
        return [hit.chat.title for hit in history.search(words, archived=True)]
    return [chat.title for chat in history.chats(archived=True)]


def test_an_archived_chat_is_listed_and_found_in_the_archive_alone(history: History) -> None:
    one, other = said(history, "boats at sea"), said(history, "sea weed")
    history.pin(one)
    history.archive(one)
    assert titles(history) == found(history, "sea") == ["sea weed"]
    assert archived(history) == archived(history, "boat") == archived(history, "sea")
    assert archived(history) == ["boats at sea"] and archived(history, "oat") == ["boats at sea"]
    assert found(history, "oat") == [] == archived(history, "weed")
    assert history.n_archived() == 1 and history.archived([one, other]) == {one}
    assert history.titles([one, other]) == {one: "boats at sea", other: "sea weed"}
    history.unarchive(one)
    assert titles(history) == ["boats at sea", "sea weed"] and archived(history) == []
    assert history.n_archived() == 0 and history.chat(one).info.pinned, "it is pinned as before"


@pytest.mark.parametrize("written", ["question", "answer"])
def test_a_chat_that_is_written_to_comes_back(history: History, written: str) -> None:
    chat = said(history, "boats", "Yes.")
    history.archive(chat)
    assert archived(history) == ["boats"]
    question, answer = history.chat(chat).path()
    if written == "question":
        history.add(chat, answer.id, "user", "and ships?")
    else:
        answered(history, chat, question.id, "No.")
    assert titles(history) == ["boats"] and archived(history) == []


def test_what_is_changed_beside_its_messages_leaves_a_chat_archived(history: History) -> None:
    chat = said(history, "boats", "Yes.")
    answer = history.chat(chat).path()[-1].id if history.flush() else 0
    history.archive(chat)
    history.rename(chat, "ships")
    history.pin(chat)
    history.configure(chat, "Be terse.", {"temp": 0.5})
    history.summarise(answer, "Boats float.")
    assert archived(history) == ["ships"] and titles(history) == []


def test_an_answer_that_ends_after_its_chat_was_archived_leaves_it_there(history: History) -> None:
    chat = history.new_chat()
    asked = history.add(chat, None, "user", "boats")
    history.add(chat, asked, "assistant")
    history.archive(chat)
    history.flush()
    history.finish(history.chat(chat).messages[-1].id, "Yes.", Outcome("stop"))
    assert archived(history) == ["boats"]


def test_an_archived_chat_is_deleted_and_restored_archived_and_erased(history: History) -> None:
    chat = said(history, "boats")
    history.archive(chat)
    history.delete(chat)
    assert archived(history) == archived(history, "boats") == [] and history.n_archived() == 0
    (deleted,) = history.deleted()
    assert deleted.archived and history.titles([chat]) == {}
    history.undelete(chat)
    assert archived(history) == ["boats"] and titles(history) == []
    history.delete(chat)
    history.purge(-1)
    assert history.flush() and history.deleted() == []


def test_an_export_brings_an_archived_chat_back_into_the_archive(history: History) -> None:
    for words in ("boats", "weed"):
        new = said(history, words)
        if words == "boats":
            history.pin(new)
            history.archive(new)
    listed = [*history.chats(), *history.chats(archived=True)] if history.flush() else []
    raw = history.export_json(chat.id for chat in listed)
    assert [chat.get("archived", False) for chat in json.loads(raw)["chats"]] == [False, True]
    for chat in listed:
        history.delete(chat.id)
    came = history.import_json(raw)
    assert (len(came.chats), came.n_archived) == (2, 1)
    assert titles(history) == ["weed"] and archived(history) == ["boats"]
    assert all(chat.pinned for chat in history.chats(archived=True))


def test_an_export_of_before_archives_is_imported_among_the_chats(history: History) -> None:
    chat = {"title": "Old", "messages": [{"role": "user", "content": "long ago"}]}
    raw = json.dumps({"format": "slipstream-chats", "version": 1, "chats": [chat]}).encode()
    assert history.import_json(raw).n_archived == 0
    assert titles(history) == ["Old"] and archived(history) == []


def test_a_file_of_before_archives_is_opened_with_nothing_archived(
    path: Path, clock: Clock
) -> None:
    path.parent.mkdir()
    with closing(sqlite3.connect(path, isolation_level=None)) as old:
        old.create_function("indexed", 1, indexed)
        schema.migrate(old, upto=6)
        for number, (pinned, deleted) in enumerate([(0, None), (1, None), (0, 1.0)], 1):
            old.execute(
                "INSERT INTO chats (id, title, created_at, updated_at, pinned, deleted_at) "
                "VALUES (?, ?, 1, 1, ?, ?)",
                (number, f"chat {number}", pinned, deleted),
            )
    history = History.open(path, clock=clock)
    assert (history.notice, titles(history)) == ("", ["chat 2", "chat 1"])
    assert archived(history) == [] and [chat.id for chat in history.deleted()] == [3]
    history.archive(1)
    assert archived(history, "chat") == ["chat 1"] and history.close()


class Explaining(Reader):
    """A reader that notes how SQLite looks for what is asked."""

    plan: str = ""

    def rows(self, sql: str, values: Sequence[Value] = ()) -> list[tuple[object, ...]]:
        explained = super().rows(f"EXPLAIN QUERY PLAN {sql}", values)
        self.plan += "".join(f"{row[3]}\n" for row in explained)
        return super().rows(sql, values)


@pytest.mark.parametrize("is_archive", [False, True], ids=["chats", "archive"])
def test_lists_and_searches_use_their_index(path: Path, is_archive: bool) -> None:
    assert History.open(path).close()
    reader = Explaining(open_database(path))
    assert read_list(reader, 50, is_archive) == []
    assert "SEARCH c USING INDEX listed (archived=?)" in reader.plan
    n_sorts = reader.plan.count("USE TEMP B-TREE")
    assert n_sorts <= 1, "only for the newest message of a chat of which none is shown"
    assert count_archived(reader) == 0
    assert "SEARCH chats USING COVERING INDEX listed (archived=?)" in reader.plan
    reader.plan = ""
    assert search(reader, "words", 50, is_archive, 0.0) == []
    assert "SCAN said VIRTUAL TABLE" in reader.plan and "SCAN titled VIRTUAL TABLE" in reader.plan
    assert reader.plan.count("SEARCH c USING INTEGER PRIMARY KEY") == 3
    reader.close()
