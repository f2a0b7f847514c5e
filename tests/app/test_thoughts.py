"""Thinking is told from the answer, in the same way however the text arrives."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.thoughts import MARKERS, TAGS, Splitter, split, without_thinking
from engine.llama.model import Model
from tests import tiny


def told(text: str) -> list[tuple[str, str]]:
    return [(part.kind, part.text) for part in split(text)]


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("Just this.", [("answer", "Just this.")]),
        ("<think>\nhm\n</think>\n\n4", [("thinking", "hm"), ("answer", "4")]),
        ("<thinking>hm</thinking>4", [("thinking", "hm"), ("answer", "4")]),
        ("[THINK]hm[/THINK] 4", [("thinking", "hm"), ("answer", "4")]),
        ("<think>\n\n</think>\n\n4", [("answer", "4")]),
        ("<think>cut sh", [("thinking", "cut sh")]),
        ("so, 2+2\n</think>\n\n4", [("thinking", "so, 2+2"), ("answer", "4")]),
        ("<think>a</think>\n    code", [("thinking", "a"), ("answer", "    code")]),
        ("A\n<think>b</think>C", [("answer", "A\n"), ("thinking", "b"), ("answer", "C")]),
        ("  indented", [("answer", "  indented")]),
        ("", []),
        ("\n\n", []),
        ("a < b [1] <th", [("answer", "a < b [1] <th")]),
    ],
)
def test_each_piece_is_of_its_kind(text: str, parts: list[tuple[str, str]]) -> None:
    assert told(text) == parts


@pytest.mark.parametrize(
    "text",
    [
        "<|channel|>analysis<|message|>hm<|end|><|start|>assistant<|channel|>final<|message|>4",
        "<|channel|>analysis<|message|>hm<|channel|>final<|message|>4",
        "<|start|>assistant<|channel|>analysis<|message|>hm<|end|>4",
    ],
)
def test_channels_are_tags(text: str) -> None:
    assert told(text) == [("thinking", "hm"), ("answer", "4")]
    assert told("<|channel|>final<|message|>4") == [("answer", "4")]


def test_a_span_that_the_template_opened_is_known_from_the_first_word() -> None:
    splitter = Splitter()
    splitter.feed("<think>\nhm")
    assert splitter.is_thinking and splitter.parts[0].kind == "thinking"


def test_a_tag_that_the_model_writes_behind_the_templates_own_is_one_with_it() -> None:
    assert told("<think>\n<think>\nhm</think>4") == [("thinking", "hm"), ("answer", "4")]


def test_a_thought_whose_tag_was_not_kept_may_name_one_in_code() -> None:
    parts = told("they ask for `<think>`\n</think>\n4")
    assert parts == [("thinking", "they ask for `<think>`"), ("answer", "4")]


@pytest.mark.parametrize(
    "text",
    [
        "```xml\n<think>\n</think>\n```\ndone",
        "~~~\n```\n<think>\n~~~\n",
        "Write `<think>` and `</think>`.",
        "It goes <think> so",
        "It wraps them in <think> and </think> tags. Then it goes on.",
        "1. so\n   ```\n</think>",
    ],
)
def test_tags_in_code_and_in_prose_are_text(text: str) -> None:
    assert told(text) == [("answer", text)]


def test_a_fence_that_is_closed_ends_the_code() -> None:
    text = "```\n<think>\n````\n<think>\nb"
    assert told(text) == [("answer", "```\n<think>\n````\n"), ("thinking", "b")]


def test_code_in_the_thinking_hides_a_tag_unless_it_begins_a_line() -> None:
    inline = "<think>the `</think>` tag, or `x`</think>4"
    assert told(inline) == [("thinking", "the `</think>` tag, or `x`"), ("answer", "4")]
    string = '<think>\n```\ns = "</think>"\n```\n</think>\n4'
    assert told(string) == [("thinking", '```\ns = "</think>"\n```'), ("answer", "4")]
    broken_off = "<think>\n```py\nx = 1\n</think>\n4\n```\n<think>\n```"
    assert told(broken_off) == [
        ("thinking", "```py\nx = 1"),
        ("answer", "4\n```\n<think>\n```"),
    ]


def test_what_was_thought_in_control_tokens_is_told_from_the_answer(tmp_path: Path) -> None:
    harmony = (
        "<|channel|>analysis<|message|>hm<|end|><|start|>assistant<|channel|>final<|message|>4"
    )
    brackets = ("[THINK]", "[/THINK]")
    controls = sorted({*re.findall(r"<\|\w+\|>", harmony), "<|return|>", "<|call|>"})
    model = Model(str(tiny.write("llama", tmp_path / "m.gguf", controls=(*controls, *brackets))))
    try:
        for text in (harmony, "[THINK]hm[/THINK]\n4"):
            pieces = [model.piece(token) for token in model.tokenize(text, special=True)]
            assert told(b"".join(pieces).decode()) == [("thinking", "hm"), ("answer", "4")]
    finally:
        model.free()


def test_a_second_closing_tag_is_text() -> None:
    assert told("<think>a</think>b</think>c")[-1] == ("answer", "b</think>c")


def test_closed_says_whether_the_end_is_known() -> None:
    assert [part.closed for part in split("<think>a</think>b")] == [True, True]
    assert [part.closed for part in split("<think>a")] == [False]
    splitter = Splitter()
    splitter.feed("<think>a</think>b")
    assert [part.closed for part in splitter.parts] == [True, False]


def test_the_next_prompt_holds_no_thinking() -> None:
    assert without_thinking("<think>a</think>\n\nb") == "b"
    assert without_thinking("a</think>\nb") == "b"
    assert without_thinking("plain <b>text</b>") == "plain <b>text</b>"
    assert without_thinking("<think>cut") == ""


def test_no_tag_is_shown_while_it_comes() -> None:
    splitter = Splitter()
    for character in "<think>a</think":
        splitter.feed(character)
        assert all("<" not in part.text for part in splitter.parts)


def test_a_whole_tag_counts_at_once() -> None:
    splitter = Splitter()
    splitter.feed("<think>")
    assert splitter.is_thinking
    splitter.feed("a</think>")
    assert not splitter.is_thinking and splitter.parts[0].closed


def test_a_part_says_where_in_the_text_it_begins() -> None:
    text = "<think>\n hm \n</think>\n\n  4"
    assert [(part.start, part.text) for part in split(text)] == [(8, " hm"), (23, "  4")]


def test_every_tag_of_the_table_works() -> None:
    for tag in TAGS:
        for opening in tag.opening:
            for closing in tag.closing:
                assert told(f"{opening}a{closing}b") == [("thinking", "a"), ("answer", "b")]


SNIPPETS = [*MARKERS, "\n", " ", "`", "```\n", "```py\n", "~~~\n", "a", "word ", "<", "<|end", "["]
TEXTS = st.lists(st.sampled_from(SNIPPETS), max_size=14).map("".join)


@given(TEXTS, st.lists(st.integers(1, 7), max_size=20))
def test_the_parts_are_those_of_the_whole_however_it_is_cut(text: str, sizes: list[int]) -> None:
    splitter, at = Splitter(), 0
    for n in [*sizes, len(text)]:
        splitter.feed(text[at : at + n])
        at += n
    splitter.finish()
    parts = split(text)
    assert list(splitter.parts) == parts
    for part in parts:
        assert text[part.start : part.start + len(part.text)] == part.text and part.text.strip()


@given(TEXTS)
def test_what_is_shown_on_the_way_depends_on_the_text_alone(text: str) -> None:
    grown = Splitter()
    for n, character in enumerate(text, start=1):
        grown.feed(character)
        at_once = Splitter()
        at_once.feed(text[:n])
        assert grown.parts == at_once.parts
