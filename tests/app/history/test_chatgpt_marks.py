"""ChatGPT's marks come in as what people read in their place."""

from __future__ import annotations

import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.errors import HistoryError
from app.history import History
from app.history.chatgpt_marks import n_added, read_as, unmarked
from tests.app.history.chatgpt_files import brought_in, conversation, node, only, shown
from tests.app.history.chats import found, titles

CITED = "\ue200cite\ue202turn0search3\ue202turn0news1\ue201"
OTHER = "\ue200cite\ue202turn0search4\ue201"
ENTITY = '\ue200entity\ue202["software","Python","a language"]\ue201'
LINK = "([python.org](https://python.org))"
REFERENCES: list[object] = [
    {"matched_text": CITED, "alt": LINK},
    {"matched_text": OTHER, "alt": None},
    {"matched_text": " ", "alt": "footnotes"},
    {"matched_text": ENTITY, "alt": ""},
    {"matched_text": 5, "alt": "x"},
    {"alt": "x"},
    "x",
]
READ = {
    f"It is out. {CITED}": f"It is out. {LINK}",
    f"It is out{CITED}.": f"It is out{LINK}.",
    f"See {ENTITY}, please.": "See Python, please.",
    f"It is out {OTHER}. And": "It is out. And",
    f"It is out. {OTHER} And": "It is out. And",
    f"It is out. {OTHER}": "It is out.",
    f"It is out {OTHER}{CITED}.": f"It is out {LINK}.",
    f"It is out {OTHER}{OTHER}.": "It is out.",
    f"a {OTHER}b": "a b",
    "It is \ue200cite\ue202turn0sea": "It is",
    "a \ue200 stays\nb": "a \ue200 stays\nb",
    '\ue200entity\ue202["software"]\ue201x': "x",
    '\ue200entity\ue202["software", 5]\ue201x': "x",
    '\ue200entity\ue202{"a": 1}\ue201x': "x",
    "\ue200entity\ue202broken\ue201x": "x",
    "\ue200entity\ue202" + "[" * 100_000 + "\ue201x": "x",
    '\ue200entity\ue202["\ud800","\ud800"]\ue201x': "x",
    "\ue200\ue201x": "x",
    "none  of it": "none  of it",
}


@pytest.mark.parametrize(("text", "read"), READ.items(), ids=range(len(READ)))
def test_marks_are_what_is_read_in_their_place(text: str, read: str) -> None:
    assert unmarked(text, read_as({"content_references": REFERENCES})) == read


@given(st.text(st.sampled_from('ab \n.\ue200\ue201\ue202["]')))
def test_no_word_goes_that_is_not_in_a_mark(text: str) -> None:
    outside = re.sub("\ue200[^\ue200\ue201]*\ue201|\ue200[^\ue200\ue201\n]*\\Z", "", text)
    assert "".join(unmarked(text, {}).split()) == "".join(outside.split())


def test_answers_come_in_without_marks_and_questions_as_they_are(history: History) -> None:
    about = {"content_references": REFERENCES, "model_slug": "gpt-5"}
    nodes = {
        "asked": node("root", "user", f"What is {OTHER}?", metadata=about),
        "begun": node("asked", "assistant", OTHER, metadata=about),
        "answer": node("begun", "assistant", f"It is {ENTITY}. {CITED}", metadata=about),
        "odd": node("answer", "assistant", f"So {OTHER}.", metadata={"content_references": 5}),
    }
    chat = only(history, nodes)
    assert shown(chat) == [f"What is {OTHER}?", f"It is Python. {LINK}\n\nSo."]
    assert found(history, "turn0search3") == [] and found(history, "python.org") == ["Sky"]


def test_marks_that_make_far_more_than_the_file_are_refused(history: History) -> None:
    long = {"content_references": [{"matched_text": OTHER, "alt": "long " * 1000}]}
    nodes = {"asked": node("root", "user", "Why?")}
    for place in range(10):
        nodes[f"{place}"] = node("asked", "assistant", OTHER * 100, metadata=long)
    with pytest.raises(HistoryError, match="repeats content_references"):
        brought_in(history, conversation(nodes))
    assert titles(history) == []
    assert n_added(OTHER * 3 + "x", {OTHER: "long"}) == 12


def test_a_conversation_whose_marks_say_much_once_comes_in(history: History) -> None:
    long = {"content_references": [{"matched_text": OTHER, "alt": "long " * 1000}]}
    nodes = {
        "asked": node("root", "user", "Why?"),
        "answer": node("asked", "assistant", f"It is {OTHER}", metadata=long),
    }
    raw = json.dumps(conversation(nodes)).encode()
    (chat,) = history.import_json(raw).chats
    assert history.flush() and len(shown(history.chat(chat))[1]) == 5006
