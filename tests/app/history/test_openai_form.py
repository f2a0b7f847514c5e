"""Conversations in the form of the OpenAI API come in, with all of them that is said in text."""

from __future__ import annotations

import json

import pytest

from app.chat.recorder import HistoryRecorder
from app.errors import HistoryError
from app.history import History
from tests.app.history.chats import titles
from tests.app.recorded import opened


def user(text: str) -> dict[str, object]:
    return {"role": "user", "content": text}


def answer(text: object, **more: object) -> dict[str, object]:
    return {"role": "assistant", "content": text, **more}


def brought_in(history: History, *messages: object) -> tuple[list[tuple[str, str]], int]:
    """Bring in one conversation; return its questions with their answers, and what is left out."""
    found = history.import_json(json.dumps({"messages": messages}).encode())
    assert history.flush()
    turns = opened(HistoryRecorder(history, lambda: "demo"), found.chats[0])
    return [(turn.question, turn.answer) for turn in turns], found.n_left_out


def test_conversations_in_the_form_of_openai_are_imported(history: History) -> None:
    file = [
        {
            "messages": [
                {"role": "system", "content": "Be brief."},
                {"role": "user", "content": "What is **it**?"},
                {"role": "assistant", "content": [{"type": "text", "text": "This."}]},
            ]
        },
        {"title": "Mine", "messages": [user("Hi")], "model": "anything"},
        {"title": None, "messages": [user("Hello")]},
        {"title": "Empty", "messages": []},
        {"messages": [answer("only an answer")]},
    ]
    one, other, nameless = history.import_json(json.dumps(file).encode()).chats
    assert history.flush()
    chat = history.chat(one)
    assert (chat.system, chat.info.title) == ("Be brief.", "What is it?")
    assert [(it.role, it.content) for it in chat.path()] == [
        ("user", "What is **it**?"),
        ("assistant", "This."),
    ]
    assert [history.chat(id).info.title for id in (other, nameless)] == ["Mine", "Hello"]
    history.delete(one)
    (single,) = history.import_json(json.dumps(file[0]).encode()).chats
    assert history.flush() and len(history.chat(single).path()) == 2


def test_answers_in_a_row_are_one(history: History) -> None:
    rows = (user("a"), answer("b"), answer(" "), answer("c"), user("d"), answer("e"))
    assert brought_in(history, *rows) == ([("a", "b\n\nc"), ("d", "e")], 0)


def test_an_answer_to_nothing_is_left_out_and_counted(history: History) -> None:
    rows = (answer("Hello, I am Bob."), {"role": "system", "content": "x"}, user("Hi"), answer("?"))
    assert brought_in(history, *rows) == ([("Hi", "?")], 1)


WORDLESS = "(a picture, or another part: not imported)"
PICTURE = {"type": "image_url", "image_url": {"url": "x"}}
WORDS = {"type": "text", "text": "What is it?"}


@pytest.mark.parametrize(
    ("content", "question", "n_left_out"),
    [
        ([PICTURE], WORDLESS, 1),
        ([WORDS, PICTURE, PICTURE], "What is it?", 2),
        (None, "(no words)", 0),
        (" \n", "(no words)", 0),
    ],
)
def test_the_answer_to_a_question_without_words_stays_its_own(
    history: History, content: object, question: str, n_left_out: int
) -> None:
    rows = (user("a"), answer("b"), {"role": "user", "content": content}, answer("c"))
    assert brought_in(history, *rows) == ([("a", "b"), (question, "c")], n_left_out)


@pytest.mark.parametrize("call", [answer(None, tool_calls=[{}]), {"role": "assistant"}])
@pytest.mark.parametrize("role", ["tool", "function"])
def test_calls_of_tools_and_what_they_said_are_left_out_and_counted(
    history: History, role: str, call: object
) -> None:
    said = {"role": role, "content": [{"type": "image_url"}], "name": "search"}
    rows = (user("Search."), answer("I look."), call, said, answer("Found."))
    assert brought_in(history, *rows) == ([("Search.", "I look.\n\nFound.")], 2)


def test_a_conversation_on_each_line_comes_in(history: History) -> None:
    lines = [
        json.dumps({"messages": [user(name), answer("x")]}) for name in ("one", "two", "three")
    ]
    found = history.import_json("\r\n".join([*lines[:2], "", lines[2], ""]).encode())
    assert len(found.chats) == 3 and sorted(titles(history)) == ["one", "three", "two"]


def test_a_line_that_is_no_json_is_named_and_nothing_imported(history: History) -> None:
    first = json.dumps({"messages": [user("one")]}).encode()
    with pytest.raises(HistoryError, match=r"^Nothing was imported: [^\n]*line 3: "):
        history.import_json(first + b'\n\n{"messages":')
    assert titles(history) == []


TURN = [user("a"), answer("b")]


@pytest.mark.parametrize(
    ("unusual", "why"),
    [
        (5, r"Expected `object`, got `int` - at `\$\[0\]`"),
        ({"a": 1}, r"missing required field `messages` - at `\$\[0\]`"),
        ({"messages": [*TURN, {"role": "system", "content": "x"}]}, "messages.2. has the role 's"),
        ({"messages": [*TURN, {"role": "judge", "content": "x"}]}, "messages.2. has the role 'j"),
        ({"messages": [*TURN, {"role": "user"}]}, "messages.2. has no content"),
        ({"messages": [user("c"), answer([{"type": "text", "text": None}])]}, "got `null`"),
    ],
    ids=["a number", "another object", "told late", "a role", "no content", "no text"],
)
def test_an_unusual_conversation_is_counted_and_takes_no_other_along(
    history: History, unusual: object, why: str
) -> None:
    whole = [{"messages": [user(name), answer("x")]} for name in ("one", "two")]
    found = history.import_json(json.dumps([whole[0], unusual, whole[1]]).encode())
    assert found.n_left_out == 1 and sorted(titles(history)) == ["one", "two"]
    with pytest.raises(HistoryError, match=rf"^Nothing was imported: [^\n]*{why}[^\n]*\.$"):
        history.import_json(json.dumps([unusual, {"messages": []}]).encode())


def test_what_breaks_off_in_one_long_value_is_said_to_be_that(history: History) -> None:
    whole = json.dumps([{"messages": [user("one")]}], indent=1).encode()
    with pytest.raises(HistoryError, match=r"^Nothing was imported: Input data was truncated; "):
        history.import_json(whole[:-4])


@pytest.mark.parametrize(
    ("raw", "why"),
    [
        (b"", "the file is empty; expected exported chats, ChatGPT's conversations.json, or a "),
        (b"\n \n", "the file is empty; expected exported chats"),
        (b"<html>", r"JSON is malformed: .*; expected exported chats, "),
        (b"[" * 100_000, "it nests too deeply\\.$"),
        (b'["caf\xe9"]', "it is no UTF-8 text; save it as UTF-8\\.$"),
        (b'["\\ud83d", "caf\xe9"]', "it is no UTF-8 text; save it as UTF-8\\.$"),
        ('[{"messages": []}]'.encode("utf-16"), "it is UTF-16 text; save it as UTF-8\\.$"),
        ('[{"messages": []}]'.encode("utf-16-be"), "it is UTF-16 text; save it as UTF-8\\.$"),
    ],
    ids=["nothing", "blank", "a page", "nested", "latin", "half", "utf-16", "utf-16-be"],
)
def test_what_is_no_json_is_told_with_what_would_be(history: History, raw: bytes, why: str) -> None:
    with pytest.raises(HistoryError, match=f"^Nothing was imported: {why}"):
        history.import_json(raw)


def test_the_mark_of_utf_8_before_a_file_is_passed_over(history: History) -> None:
    mark = b"\xef\xbb\xbf"
    one, two, three = (json.dumps({"messages": [user(it)]}).encode() for it in "123")
    for raw in (mark + one, mark + two + b"\n" + three):
        history.import_json(raw)
    assert sorted(titles(history)) == ["1", "2", "3"]


@pytest.mark.parametrize("form", ["{}", "[{}]", "{}\n{}"], ids=["one", "a list", "lines"])
def test_half_a_sign_takes_nothing_but_itself(history: History, form: str) -> None:
    text = r"cut \ud83d, whole \ud83d\ude00, \ud83d\ud83d\uDE00, late \udE00, spelt \\ud83d\""
    chat = '{"messages": [{"role": "user", "content": "' + text + '"}]}'
    found = history.import_json(form.replace("{}", chat).encode()).chats
    assert len(found) == form.count("{}")
    lost = "\N{REPLACEMENT CHARACTER}"
    for id in found:
        (question,) = history.chat(id).path()
        assert question.content == f'cut {lost}, whole 😀, {lost}😀, late {lost}, spelt \\ud83d"'
