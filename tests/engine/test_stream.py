"""Text is the same whatever blocks the tokens come in."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from engine.messages import Span
from engine.stream import AnswerReader

END = 256


def reader(
    predict: int | None = None,
    stop: tuple[str, ...] = (),
    room: int = 10_000,
    opened: str = "",
) -> AnswerReader:
    """A reader over a vocabulary of bytes, with one end token."""
    return AnswerReader(lambda t: bytes([t]), lambda t: t == END, room, predict, stop, opened)


def feed(into: AnswerReader, data: bytes) -> str | None:
    for byte in data:
        reason = into.read(byte, "plain")
        if reason is not None:
            return reason
    return None


def expected(text: str, stop: tuple[str, ...]) -> str:
    """What a person would cut: before the stop string that is complete first."""
    for end in range(len(text) + 1):
        for s in stop:
            if text[:end].endswith(s):
                ends = [end - len(z) for z in stop if text[:end].endswith(z)]
                return text[: min(ends)]
    return text


@settings(max_examples=500)
@given(
    text=st.text(alphabet="abé€😀", max_size=12),
    stop=st.lists(st.text(alphabet="abé", min_size=1, max_size=3), max_size=3).map(tuple),
)
def test_text_ends_before_the_first_stop_string(text: str, stop: tuple[str, ...]) -> None:
    into = reader(stop=stop)
    reason = feed(into, text.encode())
    into.close()
    assert into.text == expected(text, stop)
    assert (reason == "stop") == any(s in text for s in stop)


@settings(max_examples=500)
@given(data=st.binary(max_size=12))
def test_bytes_become_the_text_that_decoding_all_at_once_gives(data: bytes) -> None:
    into = reader()
    feed(into, data)
    into.close()
    assert into.text == data.decode("utf-8", "replace")


@settings(max_examples=300)
@given(text=st.text(max_size=12), takes=st.sets(st.integers(0, 40)))
def test_spans_taken_at_any_time_join_to_the_text(text: str, takes: set[int]) -> None:
    into, taken = reader(stop=("</s>",)), []
    for i, byte in enumerate(text.encode("utf-8", "replace")):
        into.read(byte, "plain")
        if i in takes:
            taken += into.take()
    into.close()
    taken += into.take()
    assert "".join(span.text for span in taken) == into.text


def test_a_character_waits_for_its_last_byte_and_has_its_origin() -> None:
    into = reader()
    for byte, origin in zip("é".encode(), ("lookup", "bonus"), strict=True):
        assert into.take() == []
        into.read(byte, origin)
    assert into.take() == [Span("é", "bonus")]


def test_tokens_in_a_row_that_one_proposed_are_one_span() -> None:
    into = reader()
    for byte, origin in zip(b"abcd", ("lookup", "lookup", "bonus", "lookup"), strict=True):
        into.read(byte, origin)
    assert into.take() == [Span("ab", "lookup"), Span("c", "bonus"), Span("d", "lookup")]


def test_what_may_become_a_stop_string_waits_until_it_cannot() -> None:
    into = reader(stop=("END",))
    feed(into, b"aEN")
    assert into.take() == [Span("a", "plain")]
    feed(into, b"x")
    assert "".join(span.text for span in into.take()) == "ENx"


def test_an_unfinished_character_at_the_end_is_replaced() -> None:
    into = reader()
    feed(into, b"a\xe2\x82")
    into.close()
    assert into.text == "a\N{REPLACEMENT CHARACTER}"


def test_an_end_token_ends_counts_and_adds_no_text() -> None:
    into = reader()
    feed(into, b"ab")
    assert into.read(END, "plain") == "stop"
    into.close()
    assert (into.text, len(into.tokens)) == ("ab", 3)


@settings(max_examples=200)
@given(text=st.text(alphabet="ab", max_size=6), takes=st.sets(st.integers(0, 6)))
def test_what_the_prompt_opened_comes_once_and_with_the_first_text(
    text: str, takes: set[int]
) -> None:
    into, taken = reader(stop=("b",), opened="<think>\n"), []
    for i, byte in enumerate(text.encode()):
        if into.read(byte, "lookup") is not None:
            break
        if i in takes:
            taken += into.take()
    into.close()
    taken += into.take()
    cut = expected(text, ("b",))
    assert into.text == ("<think>\n" + cut if cut else "")
    assert "".join(span.text for span in taken) == into.text
    assert [span.text for span in taken if span.origin == "plain"] == ["<think>\n"] * bool(cut)


def test_the_budget_and_the_context_end_an_answer_each_with_its_reason() -> None:
    assert feed(reader(predict=3), b"abcdef") == "length"
    assert feed(reader(room=3), b"abcdef") == "context"
    assert feed(reader(predict=3, room=3), b"abcdef") == "length"
    into = reader(predict=5, room=3)
    assert into.room == 3
    feed(into, b"a")
    assert into.room == 2
