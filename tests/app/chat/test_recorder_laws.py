"""Whatever is done in a chat, what is shown is a path of its tree, and what opens again."""

from __future__ import annotations

import tempfile
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from app.chat.branches import Part
from app.chat.conversation import Turn
from app.history import Chat, History
from app.history.tree import Tree
from tests.app.recorded import Recorded
from tests.app.tui.fakes import Answer, words

JOIN = words("It joins paths.")
ANSWERS = st.sampled_from([Answer(JOIN, fail_after=count) for count in (None, None, 2, 0)])
KINDS = ("ask", "ask", "edit", "retry", "go on", "undo", "reopen", "question", "answer", "summary")
KINDS += ("leave out",)
DEEDS = st.tuples(st.sampled_from(KINDS), st.integers(0, 5))


def do(recorded: Recorded, deed: tuple[str, int], number: int) -> None:
    """Do it, where it can be done."""
    kind, where = deed
    turns = recorded.turns
    at = where % len(turns) if turns else 0
    if kind == "ask" or not turns:
        recorded.ask(f"question {number}")
    elif kind == "edit":
        recorded.ask(f"question {number}", at=at)
    elif kind == "retry":
        recorded.retry(at, left_out=where % (at + 1))
    elif kind == "summary":
        recorded.talk.summarise(turns[at], f"summary {number}")
    elif kind == "leave out":
        if turns[at].answer:
            turns[at].skipped = not turns[at].skipped
            recorded.recorder.skipped(turns[at])
    elif kind == "undo":
        recorded.undo()
    elif kind == "reopen":
        recorded.reopen()
    elif kind == "go on":
        if turns[-1].reason == "failed":
            recorded.go_on()
    else:
        part: Part = "question" if kind == "question" else "answer"
        place = getattr(recorded.recorder.branches.places(turns[at]), part)
        recorded.walk(at, part, where % place[1] + 1 - place[0])


def is_path(turns: list[Turn], chat: Chat) -> bool:
    parents = {message.id: message.parent for message in chat.messages}
    before = None
    for turn in turns:
        assert turn.question_id is not None and turn.answer_id is not None
        if parents[turn.question_id] != before or parents[turn.answer_id] != turn.question_id:
            return False
        before = turn.answer_id
    return True


def seen(turns: list[Turn]) -> list[tuple[object, ...]]:
    return [
        (t.question, t.answer, t.spans, t.reason, t.error, t.seed, t.left_out, t.summary, t.skipped)
        for t in turns
    ]


def versions(recorded: Recorded, tree: Tree) -> set[int]:
    """Return every message that walking one step at a time shows."""
    found: set[int] = set()
    waiting = [recorded.turns]
    while waiting:
        for turn in waiting.pop():
            for part, message in (("question", turn.question_id), ("answer", turn.answer_id)):
                assert message is not None
                siblings = tree.siblings(message)
                place = getattr(recorded.recorder.branches.places(turn), part)
                assert place == (siblings.index(message) + 1, len(siblings))
                if message in found:
                    continue
                found.add(message)
                for steps in (-1, 1):
                    turns = recorded.recorder.beside(turn, part, steps)  # type: ignore[arg-type]
                    assert (turns is None) == (not 1 <= place[0] + steps <= place[1])
                    waiting += [turns] if turns else []
    return found


def taken_back(recorded: Recorded, tree: Tree, known: set[int]) -> set[int]:
    """Return the messages behind the last one that is shown."""
    if not recorded.turns:
        return known
    last = recorded.turns[-1].answer_id
    return {message for message in known if last in tree.path(message)[:-1]}


@settings(max_examples=40)
@given(st.lists(st.tuples(DEEDS, ANSWERS), min_size=1, max_size=9))
def test_any_deeds_leave_a_path_of_the_tree_which_opens_as_it_was_shown(
    deeds: list[tuple[tuple[str, int], Answer]],
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        history = History.open(Path(folder) / "history.db")
        try:
            recorded = Recorded(history, *(answer for _, answer in deeds))
            for number, (deed, _) in enumerate(deeds):
                do(recorded, deed, number)
                shown = seen(recorded.turns)
                chat = recorded.kept()
                assert is_path(recorded.turns, chat)
                assert [m.id for m in chat.path()][1::2] == [t.answer_id for t in recorded.turns]
                again = Recorded(history)
                again.recorder.chat = recorded.recorder.chat
                again.reopen()
                assert seen(again.turns) == shown
                assert [t.answer_id for t in again.turns] == [t.answer_id for t in recorded.turns]
            known = {message.id for message in chat.messages}
            assert known - taken_back(recorded, chat.tree, known) <= versions(recorded, chat.tree)
            assert versions(recorded, chat.tree) <= known
        finally:
            assert history.close()
