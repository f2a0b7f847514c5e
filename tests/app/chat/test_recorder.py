"""What is recorded of a chat is what was said, and it opens again as it was shown."""

from __future__ import annotations

import asyncio
import itertools
import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from app.chat.amending import amended
from app.chat.branches import Places
from app.chat.conversation import Turn
from app.chat.recorder import HistoryRecorder
from app.errors import HistoryError
from app.history import History
from engine import PLAIN, Delta, SamplingSettings, Span
from tests.app.recorded import Recorded, opened, tree
from tests.app.tui.fakes import Answer, whole, words

JOIN = words("It joins paths with one separator.")
FAILS = Answer(JOIN, fail_after=0)
CUT = Answer(JOIN, fail_after=3)


@pytest.fixture
def history(tmp_path: Path) -> Iterator[History]:
    history = History.open(tmp_path / "history.db")
    yield history
    assert history.close()


def test_nothing_is_kept_before_the_first_question(history: History) -> None:
    Recorded(history)
    assert history.flush() and history.chats() == []


def test_a_question_and_its_answer_are_on_the_disk_with_all_that_is_known(history: History) -> None:
    recorded = Recorded(history, Answer(JOIN))
    turn = recorded.ask("What does os.path.join do?")
    chat = recorded.kept()
    question, answer = chat.messages
    assert chat.info.title == "What does os.path.join do?"
    assert (question.role, question.content, question.parent) == ("user", turn.question, None)
    assert (answer.role, answer.content, answer.parent) == ("assistant", whole(JOIN), question.id)
    assert (answer.reason, answer.error, answer.pair) == ("stop", "", "demo")
    assert answer.spans() == JOIN
    assert answer.figures.stats == turn.stats is not None
    assert (answer.figures.seed, answer.figures.context_used) == (5, turn.context_used)
    assert answer.figures.sampling == turn.sampling == SamplingSettings(seed=5)
    assert chat.leaf == answer.id == turn.answer_id


def test_a_retry_is_another_answer_beside_the_first(history: History) -> None:
    recorded = Recorded(history, Answer(words("One.")), Answer(words("Two.")))
    recorded.ask("a")
    turn = recorded.retry()
    assert tree(recorded.kept()) == [("a", None), ("One.", "a"), ("Two.", "a")]
    assert recorded.recorder.branches.places(turn) == Places((1, 1), (2, 2))


def test_an_answer_in_a_persons_words_is_by_no_pair(history: History) -> None:
    recorded = Recorded(history, Answer(JOIN))
    recorded.ask("a")
    recorded.talk.turns = amended(recorded.turns, 0, "Mine.", recorded.recorder)
    chat = recorded.kept()
    assert [(it.content, it.pair) for it in chat.messages[1:]] == [
        (whole(JOIN), "demo"),
        ("Mine.", ""),
    ]
    assert chat.info.pair == "demo"


def test_an_edit_is_another_question_beside_the_first_whose_branch_stays(history: History) -> None:
    recorded = Recorded(history, *[Answer(words(f"{n}.")) for n in range(4)])
    for question in ("a", "b"):
        recorded.ask(question)
    recorded.ask("B", at=1)
    turn = recorded.ask("A", at=0)
    links = [("a", None), ("0.", "a"), ("b", "0."), ("1.", "b"), ("B", "0."), ("2.", "B")]
    assert tree(recorded.kept()) == [*links, ("A", None), ("3.", "A")]
    assert recorded.recorder.branches.places(turn) == Places((2, 2), (1, 1))


def test_an_answer_that_is_gone_on_with_stays_one_message(history: History) -> None:
    for reopened in (False, True):
        recorded = Recorded(history, CUT, Answer(JOIN[3:]))
        recorded.ask("a")
        if reopened:
            recorded.reopen()
        turn = recorded.go_on()
        _, answer = recorded.kept().messages
        assert (answer.content, answer.reason, answer.error) == (whole(JOIN), "stop", "")
        assert answer.spans() == turn.spans == JOIN


def test_all_text_of_an_answer_from_elsewhere_has_spans_also_when_gone_on_with(
    history: History,
) -> None:
    said = [{"role": "user", "content": "a"}, {"role": "assistant", "content": "It "}]
    (chat,) = history.import_json(json.dumps([{"messages": said}]).encode()).chats
    recorded = Recorded(history, Answer(JOIN[1:]))
    recorded.recorder.chat = chat
    recorded.reopen()
    assert recorded.turns[0].spans == [Span("It ", PLAIN)]
    recorded.go_on()
    answer = recorded.kept().messages[-1]
    assert answer.content == whole(JOIN)
    assert answer.spans() == [Span("It ", PLAIN), *JOIN[1:]]


def test_a_failure_keeps_what_came_and_says_why(history: History) -> None:
    recorded = Recorded(history, CUT)
    recorded.ask("a")
    answer = recorded.kept().messages[-1]
    assert (answer.content, answer.reason) == (whole(JOIN[:3]), "failed")
    assert answer.error == "The prompt is too long."
    recorded.reopen()
    (turn,) = recorded.turns
    assert (turn.reason, turn.error) == ("failed", "The prompt is too long.")


@pytest.mark.parametrize("first", [CUT, FAILS], ids=["cut", "empty"])
def test_an_answer_that_runs_once_more_has_not_failed(history: History, first: Answer) -> None:
    recorded = Recorded(history, first)
    turn = recorded.ask("a")
    recorded.recorder.began(turn, None)
    answer = recorded.kept().messages[-1]
    assert (answer.content, answer.reason, answer.error) == (turn.answer, None, "")


def test_a_failure_without_a_word_is_no_version(history: History) -> None:
    recorded = Recorded(history, FAILS, FAILS, Answer(JOIN))
    recorded.ask("a")
    recorded.retry()
    turn = recorded.retry()
    assert tree(recorded.kept()) == [("a", None), (whole(JOIN), "a")]
    assert recorded.recorder.branches.places(turn) == Places()
    recorded.reopen()
    assert (recorded.turns[0].reason, recorded.turns[0].error) == ("stop", "")


def test_a_failure_that_was_gone_on_from_keeps_its_branch(history: History) -> None:
    recorded = Recorded(history, FAILS, Answer(words("Yes.")), Answer(JOIN))
    recorded.ask("a")
    recorded.ask("b")
    recorded.retry(0)
    shown = recorded.shown()
    assert tree(recorded.kept())[2:] == [("b", ""), ("Yes.", "b"), (whole(JOIN), "a")]
    recorded.reopen()
    assert recorded.shown() == shown == [("a", whole(JOIN))]


@pytest.mark.parametrize("how", ["cancelled", "abandoned"])
def test_a_cancelled_answer_keeps_its_text(history: History, how: str) -> None:
    recorded = Recorded(history, Answer(JOIN, hold_after=3))

    async def run() -> None:
        events = recorded.talk.ask("a")
        async for event in events:
            if isinstance(event, Delta) and len(recorded.turns[0].spans) == 3:
                if how == "abandoned":
                    break
                await recorded.engine.cancel()
        await events.aclose()

    asyncio.run(run())
    answer = recorded.kept().messages[-1]
    assert (answer.content, answer.reason) == (whole(JOIN[:3]), "cancelled")
    assert answer.spans() == JOIN[:3]


def test_an_answer_whose_app_was_killed_opens_as_cancelled_and_can_be_gone_on_with(
    history: History,
) -> None:
    recorded = Recorded(history, Answer(JOIN[2:]))
    turn = Turn("a")
    recorded.recorder.began(turn, None)
    for span in JOIN[:2]:
        turn.spans.append(span)
        recorded.recorder.grew(turn, [span])
    recorded.reopen()
    assert [(t.answer, t.reason) for t in recorded.turns] == [(whole(JOIN[:2]), "cancelled")]
    recorded.go_on()
    assert recorded.kept().messages[-1].content == whole(JOIN)


def test_opening_what_is_not_there_leaves_the_recorder_as_it_was(history: History) -> None:
    recorded = Recorded(history, Answer(JOIN))
    recorded.ask("a")
    with pytest.raises(HistoryError):
        opened(recorded.recorder, 1)
    recorded.ask("b")
    assert [content for content, _ in tree(recorded.kept())][::2] == ["a", "b"]


def test_a_new_chat_is_another_and_an_answer_that_still_runs_stays_in_the_old(
    history: History,
) -> None:
    recorded = Recorded(history, Answer(JOIN))
    old = Turn("old")
    recorded.recorder.began(old, None)
    first = recorded.recorder.chat
    former = recorded.recorder
    former.system = "Be brief."
    recorded.begin()
    recorded.ask("new")
    former.grew(old, JOIN[:1])
    old.answer = whole(JOIN[:1])
    former.ended(old)
    assert tree(recorded.kept()) == [("new", None), (whole(JOIN), "new")]
    assert recorded.kept().system == ""
    assert first is not None
    assert tree(history.chat(first)) == [("old", None), (whole(JOIN[:1]), "old")]


def test_what_is_opened_is_what_was_shown_to_the_last_field(history: History) -> None:
    recorded = Recorded(history, Answer(JOIN), CUT, FAILS, Answer(words("Yes.")))
    for question in ("a", "b", "c"):
        recorded.ask(question)
    recorded.retry(1)
    shown = list(recorded.turns)
    recorded.reopen()
    assert [replace(turn, attempt=0) for turn in recorded.turns] == [
        replace(turn, attempt=0) for turn in shown
    ]


def test_every_version_is_reached_by_steps_and_none_lies_beyond(history: History) -> None:
    answers = [Answer(words(f"{n}.")) for n in range(5)]
    recorded = Recorded(history, *answers)
    recorded.ask("a")
    recorded.retry()
    recorded.ask("b")
    recorded.ask("A", at=0)
    recorded.retry()
    for reopened in (False, True):
        if reopened:
            recorded.reopen()
        assert recorded.shown() == [("A", "4.")]
        assert recorded.recorder.branches.places(recorded.turns[0]) == Places((2, 2), (2, 2))
        for part, steps in itertools.product(("question", "answer"), (1, 2, -2)):
            assert recorded.recorder.beside(recorded.turns[0], part, steps) is None  # type: ignore[arg-type]
        recorded.walk(0, "answer", -1)
        assert recorded.shown() == [("A", "3.")]
        recorded.walk(0, "question", -1)
        assert recorded.shown() == [("a", "1."), ("b", "2.")]
        recorded.walk(0, "answer", -1)
        assert recorded.shown() == [("a", "0.")]
        recorded.reopen()
        assert recorded.shown() == [("a", "0.")]
        recorded.walk(0, "question", 1)
        assert recorded.shown() == [("A", "4.")]


def test_no_retry_of_a_whole_answer_repeats_the_seed_of_another(history: History) -> None:
    recorded = Recorded(history, Answer(JOIN))
    recorded.ask("a")
    recorded.retry()
    recorded.walk(0, "answer", -1)
    recorded.retry()
    recorded.reopen()
    recorded.walk(0, "answer", -2)
    recorded.retry()
    recorded.ask("A", at=0)
    assert [sampling.seed for sampling in recorded.engine.samplings] == [5, 6, 7, 8, 5]


def test_a_question_that_was_never_answered_is_shown_and_can_be_asked_and_followed(
    history: History,
) -> None:
    for follow in (False, True):
        chat = history.new_chat()
        history.add(chat, None, "user", "a")
        recorded = Recorded(history, Answer(JOIN))
        recorded.recorder.chat = chat
        recorded.reopen()
        assert recorded.shown() == [("a", "")]
        assert recorded.recorder.branches.places(recorded.turns[0]) == Places()
        if follow:
            recorded.ask("b")
            assert tree(recorded.kept())[1:] == [("b", "a"), (whole(JOIN), "b")]
        else:
            recorded.retry()
            assert tree(recorded.kept())[1:] == [(whole(JOIN), "a")]
        shown = recorded.shown()
        recorded.reopen()
        assert recorded.shown() == shown


def test_a_turn_of_which_nothing_is_kept_is_the_only_one(history: History) -> None:
    recorded = Recorded(history, Answer(JOIN))
    turn = Turn("a")
    assert recorded.recorder.branches.places(turn) == Places()
    assert recorded.recorder.beside(turn, "answer", 0) is None
    kept = recorded.ask("a")
    recorded.begin()
    assert recorded.recorder.branches.places(kept) == Places()
    assert recorded.recorder.beside(kept, "question", 0) is None


def test_a_summary_opens_again_on_the_branches_that_hold_its_turns_and_on_no_others(
    history: History,
) -> None:
    recorded = Recorded(history, *(Answer(words(f"Answer {n}.")) for n in range(9)))
    for n in range(4):
        recorded.ask(f"q{n}")
    recorded.talk.summarise(recorded.turns[1], "Two were asked.")
    recorded.retry(3)
    recorded.reopen()
    assert recorded.talk.left_out == 2, "a branch behind the summary has it"
    recorded.retry(1)
    recorded.reopen()
    assert (recorded.talk.left_out, len(recorded.turns)) == (0, 2), "one before it has not"
    recorded.walk(1, "answer", -1)
    recorded.reopen()
    assert [turn.summary for turn in recorded.turns] == ["", "Two were asked.", "", ""]


@pytest.mark.parametrize("first", [CUT, FAILS], ids=["cut", "empty"])
def test_of_two_windows_that_go_on_with_one_answer_the_second_goes_on_beside_it(
    history: History, tmp_path: Path, first: Answer
) -> None:
    recorded = Recorded(history, first)
    recorded.ask("a")
    other = History.open(tmp_path / "history.db")
    try:
        assert recorded.recorder.chat is not None
        mine, theirs = (HistoryRecorder(of, lambda: "demo") for of in (history, other))
        [my_turn], [their_turn] = (opened(one, recorded.recorder.chat) for one in (mine, theirs))
        answer = my_turn.answer_id
        mine.began(my_turn, None)
        assert history.flush()
        theirs.began(their_turn, None)
        assert my_turn.answer_id == answer != their_turn.answer_id
        assert theirs.branches.places(their_turn).answer == (2, 2)
        assert [turn.answer_id for turn in theirs.beside(their_turn, "answer", -1) or []] == [
            answer
        ]
    finally:
        assert other.close()


@pytest.mark.parametrize("first", [CUT, FAILS], ids=["cut", "empty"])
def test_a_chat_that_was_put_away_is_back_once_its_answer_goes_on(
    history: History, first: Answer
) -> None:
    recorded = Recorded(history, first, Answer(JOIN))
    recorded.ask("a")
    chat = recorded.kept().info.id
    history.archive(chat)
    history.delete(chat)
    assert history.flush() and not history.chats()
    answer = recorded.turns[0].answer_id
    assert recorded.go_on().answer_id == answer and history.flush()
    assert [info.id for info in history.chats()] == [chat]


def test_what_cannot_be_found_out_in_time_is_gone_on_with_beside(
    history: History, monkeypatch: pytest.MonkeyPatch
) -> None:
    recorded = Recorded(history, CUT)
    turn = recorded.ask("a")
    before, text = turn.answer_id, turn.answer
    monkeypatch.setattr(history, "flush", lambda *_: False)
    recorded.recorder.began(turn, None)
    monkeypatch.undo()
    assert turn.answer_id != before
    recorded.recorder.ended(turn)
    assert [it.content for it in recorded.kept().messages][1:] == [text, text]


def test_open_chats_go_on_where_their_file_is_deleted(tmp_path: Path) -> None:
    path = tmp_path / "history.db"
    earlier = History.open(path)
    for question in ("One", "Two", "Not open"):
        Recorded(earlier, Answer(JOIN)).ask(question)
    assert earlier.flush()
    chats = [info.id for info in earlier.chats() if info.title != "Not open"]
    assert earlier.close()
    history = History.open(path)
    tabs = [Recorded(history, Answer(JOIN)) for _ in chats]
    for tab, chat in zip(tabs, chats, strict=True):
        tab.talk.turns = opened(tab.recorder, chat)
    assert history.flush()
    path.unlink()
    for tab in tabs:
        tab.ask("And?")
        assert [turn.question for turn in tab.turns] == [tab.kept().info.title, "And?"]
    assert history.close()
    after = History.open(path)
    found = {info.title: info.n_questions for info in after.chats()}
    assert found == {"One": 2, "Two": 2} and after.close()
