"""A chat to begin with is plain Markdown: it is read as it was written, or refused in one line."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.chat.example_chat import ExampleChat, ExampleError, parsed, written
from app.trimmed import trimmed_lines

HEADINGS = (" ## System:", "## User", "##  assistant ", "\\## User", "\\\\## ASSISTANT", "### User")
LINES = st.sampled_from(["", "  indented", "```", "{{input}}", "a\x85## User\u2028b", *HEADINGS])
TEXTS = st.lists(LINES | st.text(max_size=8), min_size=1, max_size=5).map("\n".join)
SAID = TEXTS.map(lambda text: trimmed_lines("\n".join(text.splitlines()))).filter(bool)
CHATS = st.builds(
    ExampleChat,
    st.just("") | SAID,
    st.lists(st.tuples(SAID, SAID), max_size=3).map(tuple),
    st.just("") | SAID,
)


@given(CHATS)
def test_what_is_written_is_read_as_it_was(chat: ExampleChat) -> None:
    expected = chat if chat != ExampleChat() else None
    assert parsed(written(chat).splitlines()) == expected


def test_people_may_write_it_loosely() -> None:
    lines = ["", "## system", "", "Be brief.", "##  USER: ", "Why?", "", "\\## User"]
    lines.append("  ## Assistant ##")
    assert parsed([*lines, "", "So.", "", "## User", "And {{input}}?"]) == ExampleChat(
        "Be brief.", (("Why?\n\n## User", "So."),), "And {{input}}?"
    )


def test_a_part_of_a_file_keeps_its_first_line_where_that_belongs() -> None:
    lines = ["## User", "", "  image: x", "  ports: 80", "## Assistant", "  image: x", "  ports:"]
    assert parsed(lines) == ExampleChat(
        turns=(("  image: x\n  ports: 80", "  image: x\n  ports:"),)
    )


@pytest.mark.parametrize(
    "text",
    [
        "",
        "\n",
        "Why?",
        "Why?\n## User\nReally?",
        "## Users\nx",
        "# User",
        "    ## User\nx",
        "## User: x",
        "\\## User\nx",
    ],
)
def test_what_does_not_begin_with_a_heading_is_no_chat(text: str) -> None:
    assert parsed(text.splitlines()) is None


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("## User\na\n## User\nb", "line 3: ## User follows ## User: an answer, ## Assistant,"),
        ("\n## Assistant\na", "line 2: ## Assistant answers nothing: a question, ## User,"),
        ("## User\na\n## System\nb", "line 3: ## System comes first, before every other"),
        ("## System\na\n## System\nb", "line 3: ## System comes first"),
        ("## User\n\n## Assistant\nb", "line 1: ## User is empty: write its text below it"),
        ("## System\na\n## User\n", "line 3: ## User is empty"),
    ],
)
def test_what_is_wrong_is_said_with_its_line(text: str, wrong: str) -> None:
    with pytest.raises(ExampleError) as refused:
        parsed(text.splitlines())
    assert str(refused.value).startswith(wrong) and "\n" not in str(refused.value)
