"""What is written is read again, and every change can be seen."""

from __future__ import annotations

from pathlib import Path

import pytest

from app.errors import HistoryError
from app.history import Attachment, Figures, History, Outcome
from engine import Span, Stats
from tests.app.history.chats import NOW, Clock, Reports, answered, found, said, titles

STATS = Stats(
    prompt_tokens=5,
    cached_tokens=1,
    output_tokens=9,
    steps=3,
    drafted=8,
    accepted=6,
    tested=7,
    acceptance_rate=6 / 7,
    draft_efficiency=0.75,
    mean_acceptance_length=3.0,
    near_ties=[4],
    ttft_s=0.1,
    prefill_tps=50.0,
    decode_tps=20.0,
    plain_tps=None,
    speedup=1.7,
    drafters={},
    engine_overhead_s=0.001,
    tested_at=[3, 2],
    accepted_at=[3, 1],
)


def test_a_message_comes_back_whole(history: History) -> None:
    chat = history.new_chat("Be brief.", "demo", {"temperature": 0.5})
    file = Attachment("a\udcff.py", "print('é')")
    asked = history.add(chat, None, "user", "What?\x00 \ud800", attachments=[file])
    answer = history.add(chat, asked, "assistant", pair="demo")
    spans = [Span("Th", "plain"), Span("is", "lookup"), Span(" 🎉", "bonus")]
    figures = Figures(STATS, 2**64 - 1, 33)
    history.write(answer, spans[:1])
    history.write(answer, spans[1:], Figures(STATS))
    history.finish(answer, "This 🎉", Outcome("length", figures, "late"))
    assert history.flush()
    read = history.chat(chat)
    question, written = read.path()
    assert (read.system, read.settings) == ("Be brief.", {"temperature": 0.5})
    assert question.content == "What?\x00 \N{REPLACEMENT CHARACTER}"
    assert question.attachments == (Attachment("a\N{REPLACEMENT CHARACTER}.py", file.text),)
    assert (written.content, written.spans()) == ("This 🎉", spans)
    assert (written.figures, written.reason, written.error) == (figures, "length", "late")
    assert (written.parent, written.pair, written.created_at) == (asked, "demo", NOW)
    assert read.info.n_questions == 1


def test_an_answer_that_streams_is_read_before_it_ends(history: History) -> None:
    chat = said(history, "Why?")
    message = history.add(chat, None, "assistant")
    history.write(message, [Span("Beca", "plain")], Figures(STATS))
    assert history.flush()
    written = history.chat(chat).path()[-1]
    assert (written.content, written.reason, written.figures.stats) == ("Beca", None, STATS)


def test_spans_end_where_the_text_was_cut(history: History) -> None:
    chat = history.new_chat()
    message = history.add(chat, None, "assistant")
    history.write(message, [Span("one", "plain"), Span(" two", "lookup"), Span(" x", "plain")])
    history.finish(message, "one t", Outcome("stop"))
    assert history.flush()
    written = history.chat(chat).path()[0]
    assert written.spans() == [Span("one", "plain"), Span(" t", "lookup")]


def test_pinned_chats_come_first_then_the_newest(history: History, clock: Clock) -> None:
    chats = []
    for name in "abcd":
        clock.now += 10
        chats.append(said(history, name))
    history.pin(chats[0])
    assert titles(history) == ["a", "d", "c", "b"]
    clock.now += 10
    said(history, "again", chat=chats[1])
    assert titles(history) == ["a", "b", "d", "c"]
    history.unpin(chats[0])
    assert titles(history) == ["b", "d", "c", "a"]
    assert [chat.title for chat in history.chats(limit=2)] == ["b", "d"]


def test_a_title_is_the_persons_until_it_is_given_back(history: History) -> None:
    chat = said(history, "## What is **json**?\nTell me.")
    assert titles(history) == ["What is json?"]
    history.rename(chat, "  My \x1b[31m own\n title ")
    said(history, "Another question", chat=chat)
    assert titles(history) == ["My [31m own title"]
    assert history.chats()[0].is_title_own
    history.rename(chat, " ")
    assert titles(history) == ["What is json?"]
    assert not history.chats()[0].is_title_own


def test_a_deleted_chat_is_nowhere_until_it_is_undeleted(history: History) -> None:
    chat = said(history, "The tortoise", "It is slow.")
    kept = said(history, "The hare")
    history.delete(chat)
    assert titles(history) == ["The hare"]
    assert found(history, "tortoise") == found(history, "slow") == found(history, "ortois") == []
    assert history.chat(chat).path()[0].content == "The tortoise"
    history.undelete(chat)
    assert set(titles(history)) == {"The hare", "The tortoise"}
    assert found(history, "tortoise") == ["The tortoise"]
    assert kept in {chat.id for chat in history.chats()}


def test_what_is_asked_in_a_deleted_chat_brings_it_back(history: History) -> None:
    chat = said(history, "The tortoise", "It is slow.")
    history.delete(chat)
    assert history.flush() and history.is_deleted(chat)
    last = history.chat(chat).path()[-1].id
    history.add(chat, last, "user", "How slow?")
    assert titles(history) == ["The tortoise"] and not history.is_deleted(chat)
    assert found(history, "tortoise") == found(history, "how slow") == ["The tortoise"]


def test_answers_that_are_over_are_told_from_those_that_run(history: History) -> None:
    chat = said(history, "one", "It is one.")
    assert history.flush()
    (_, over) = history.chat(chat).path()
    history.add(chat, history.add(chat, over.id, "user", "two"), "assistant")
    assert history.flush() and history.answers(chat) == {over.id}


def test_the_titles_of_some_chats_are_those_that_are_there(history: History) -> None:
    one, two, other = (said(history, word) for word in ("one", "two", "other"))
    history.rename(one, "Named")
    history.delete(two)
    assert history.flush()
    assert history.titles([two, one, 12345]) == {one: "Named"} and history.titles([]) == {}
    assert other not in history.titles([one])


def test_only_what_was_deleted_long_ago_is_purged(history: History, clock: Clock) -> None:
    old, new, kept = (said(history, word) for word in ("aardvark", "badger", "civet"))
    last = None
    for _ in range(1500):  # deeper than triggers may nest
        last = history.add(old, last, "user", "deep")
    history.delete(old)
    clock.now += 100
    history.delete(new)
    history.purge(50)
    assert titles(history) == ["civet"]
    with pytest.raises(HistoryError, match="There is no chat"):
        history.chat(old)
    history.undelete(old)
    history.undelete(new)
    assert set(titles(history)) == {"badger", "civet"}
    assert found(history, "aardvark") == found(history, "deep") == []
    assert kept in {chat.id for chat in history.chats()}


def test_settings_of_a_chat_change(history: History) -> None:
    chat = said(history, "Hello")
    history.configure(chat, "Shout.", {"seed": 3})
    assert history.flush()
    read = history.chat(chat)
    assert (read.system, read.info.pair, read.settings) == ("Shout.", "demo", {"seed": 3})
    with pytest.raises(HistoryError, match="cannot be kept"):
        history.configure(chat, "", {"seed": object()})


def test_a_chat_counts_the_questions_of_the_branch_that_is_shown(history: History) -> None:
    chat = said(history, "one")
    assert history.flush()
    first = history.chat(chat).path()
    follow = history.add(chat, first[-1].id, "user", "two")
    answered(history, chat, follow, "Yes.")
    answered(history, chat, follow, "No.")
    said(history, "another first question", chat=chat)
    nothing = said(history, "nothing of it is shown")
    history.show_upto(nothing, None)
    assert history.flush()
    counts = {one.id: one.n_questions for one in history.chats()}
    assert counts == {chat: 1, nothing: 0}
    history.show(chat, follow)
    assert history.flush()
    assert {one.id: one.n_questions for one in history.chats()} == {chat: 2, nothing: 0}
    assert history.chat(chat).info.n_questions == 2


def test_a_parent_must_be_in_the_same_chat(path: Path, clock: Clock, reports: Reports) -> None:
    history = History.open(path, reports, clock)
    one, other = said(history, "one"), said(history, "other")
    assert history.flush()
    stranger = history.chat(other).path()[0].id
    history.add(one, stranger, "user", "lost")
    assert not history.flush()
    said(history, "later")
    assert set(titles(history)) == {"one", "other", "later"}
    assert history.chat(one).info.n_questions == 1
    assert reports.lines[0].startswith("A change to the chats could not be saved")
    assert not history.close()


def test_the_history_is_there_after_it_was_closed(path: Path, clock: Clock) -> None:
    first = History.open(path, clock=clock)
    chat = said(first, "Remember me")
    message = first.add(chat, None, "assistant")
    first.write(message, [Span("half an ans", "plain")])
    assert first.close()
    second = History.open(path, clock=clock)
    assert titles(second) == ["Remember me"]
    assert second.chat(chat).path()[0].content == "half an ans"
    assert found(second, "half") == ["Remember me"], "what was cut off can be found"
    message = answered(second, chat, message, "whole")
    assert second.close()


def test_ids_grow_even_when_the_clock_stands_still(history: History) -> None:
    ids = [history.new_chat() for _ in range(500)]
    assert ids == sorted(set(ids))
    assert all(0 < id < 2**63 for id in ids)
