"""Who imports the same file twice has every chat once, and is told how many were here already."""

from __future__ import annotations

import json

from app.history import Attachment, History
from tests.app.history.chatgpt_files import conversation, node
from tests.app.history.chats import Clock, answered, said, titles


def both(history: History) -> bytes:
    """Return an export of two chats that are there, one with two branches."""
    one = said(history, "Words", "Yes.")
    question = history.add(one, None, "user", "Words, once more")
    answered(history, one, question, "No.")
    other = history.new_chat()
    history.add(other, None, "user", "With a file", attachments=[Attachment("a.txt", "text")])
    assert history.flush()
    return history.export_json([one, other])


def test_what_is_here_is_not_imported(history: History, clock: Clock) -> None:
    raw = both(history)
    clock.now += 9.0
    came = history.import_json(raw)
    assert (came.chats, came.n_known) == ([], 2)
    assert sorted(titles(history)) == ["With a file", "Words"]


def test_what_is_archived_is_here_and_what_is_deleted_is_not(history: History) -> None:
    raw = both(history)
    other, one = history.chats()
    history.archive(one.id)
    history.delete(other.id)
    came = history.import_json(raw)
    assert (len(came.chats), came.n_known) == (1, 1)
    assert titles(history) == [other.title] and history.n_archived() == 1


def test_a_chat_that_went_on_since_is_another(history: History) -> None:
    raw = both(history)
    one = next(chat.id for chat in history.chats() if chat.title == "Words")
    history.add(one, history.chat(one).leaf, "user", "And?")
    came = history.import_json(raw)
    assert (len(came.chats), came.n_known) == (1, 1)


def test_the_same_words_of_another_time_are_another_chat(history: History, clock: Clock) -> None:
    first = said(history, "Hi", "Hello")
    assert history.flush()
    raw = history.export_json([first])
    history.delete(first)
    clock.now += 9.0
    said(history, "Hi", "Hello")
    assert len(history.import_json(raw).chats) == 1
    assert titles(history) == ["Hi", "Hi"]


def test_where_a_file_tells_no_time_the_words_decide(history: History, clock: Clock) -> None:
    talk = [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Hello"}]
    brief = [{"role": "system", "content": "Be brief."}, *talk]
    raw = json.dumps([{"messages": talk}, {"messages": brief}]).encode()
    assert history.import_json(raw).n_known == 0
    clock.now += 9.0
    more = json.dumps([{"messages": talk}, {"messages": talk[:1]}]).encode()
    came = history.import_json(more)
    assert (len(came.chats), came.n_known) == (1, 1)


def test_chats_of_chatgpt_are_known_again(history: History, clock: Clock) -> None:
    nodes = {"q": node("root", "user", "Why?"), "a": node("q", "assistant", "So.")}
    for n_known in (0, 1):
        clock.now += 9.0
        came = history.import_json(json.dumps([conversation(nodes)]).encode())
        assert came.n_known == n_known
    assert titles(history) == ["Sky"]


def test_a_chat_is_known_whatever_is_in_its_first_question(history: History, clock: Clock) -> None:
    chats = [said(history, text) for text in ("before\0behind", "\0", "日本" * 100, "")]
    assert history.flush()
    raw = history.export_json(chats)
    clock.now += 9.0
    assert history.import_json(raw).n_known == len(chats)
