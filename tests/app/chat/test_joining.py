"""What another window adds to a chat is taken in once it is over, and only then."""

from __future__ import annotations

from app.chat.joining import joined
from app.history import StoredMessage

QUESTION, ANSWER, NEXT, RUNNING = 1, 2, 3, 4


def message(id: int, parent: int | None, role: str, reason: str | None = None) -> StoredMessage:
    return StoredMessage(id, parent, role, f"message {id}", 0.0, reason=reason)


CHAT = [
    message(QUESTION, None, "user"),
    message(ANSWER, QUESTION, "assistant", "stop"),
    message(NEXT, ANSWER, "user"),
    message(RUNNING, NEXT, "assistant"),
]


def test_a_question_comes_with_its_answer_and_not_before() -> None:
    running = joined(CHAT, ())
    assert running.parents == {QUESTION: None, ANSWER: QUESTION}
    over = joined([*CHAT[:3], message(RUNNING, NEXT, "assistant", "length")], running.parents)
    assert over.new == {NEXT, RUNNING} and over.asked == [CHAT[2]]
    assert list(over.parents) == [QUESTION, ANSWER, NEXT, RUNNING]


def test_what_is_known_is_not_new_and_stays_even_while_its_answer_runs() -> None:
    known = joined(CHAT, (QUESTION, ANSWER, NEXT, RUNNING))
    assert not known.new and not known.asked
    assert known.parents == {QUESTION: None, ANSWER: QUESTION, NEXT: ANSWER, RUNNING: NEXT}


def test_whoever_knows_nothing_is_told_all_questions_that_were_answered() -> None:
    assert joined(CHAT, ()).asked == [CHAT[0]]
    assert joined([], ()).parents == {}
