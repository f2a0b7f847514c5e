"""What is exported as Markdown reads as the chat did, and harms neither terminal nor viewer."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from itertools import pairwise

import pytest
from markdown_it import MarkdownIt

from app.history import Attachment, Figures, History, Outcome
from app.history.markdown import LEFT_OUT, THOUGHT
from engine import SamplingSettings
from tests.app.history.chats import answered, said


@pytest.fixture(autouse=True)
def move(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[str], None]]:
    """It is the time of Greenwich, whatever the machine's, until the test moves elsewhere."""
    with monkeypatch.context() as patch:

        def go(zone: str) -> None:
            patch.setenv("TZ", zone)
            time.tzset()

        go("UTC")
        yield go
    time.tzset()


def exported(history: History, answer: str) -> str:
    """Return a chat of which the first answer was stopped, and the second was not."""
    chat = history.new_chat()
    asked = history.add(chat, None, "user", "Write code.")
    cut = history.add(chat, asked, "assistant")
    history.finish(cut, answer, Outcome("cancelled"))
    again = history.add(chat, cut, "user", "Thanks.")
    answered(history, chat, again, "You are welcome.")
    assert history.flush()
    return history.export_markdown(chat)


def headings(markdown: str) -> list[str]:
    """Return the headings that a viewer shows."""
    tokens = MarkdownIt("commonmark").parse(markdown)
    return [inline.content for it, inline in pairwise(tokens) if it.type == "heading_open"]


def test_the_summary_that_counts_stands_below_what_it_is_of_in_markdown(history: History) -> None:
    chat = history.new_chat()
    history.rename(chat, "Tea")
    ids: list[int] = []
    for n in range(3):
        asked = history.add(chat, ids[-1] if ids else None, "user", f"question {n}")
        ids.append(answered(history, chat, asked, f"answer {n}."))
    history.summarise(ids[0], "An older one.")
    history.summarise(ids[1], "They like\x1b[31m tea.")
    assert history.flush()
    text = history.export_markdown(chat)
    assert "An older one." not in text and "\x1b" not in text
    head, _, tail = text.partition("## Summary of what stands above\n\nThey like")
    assert "answer 1." in head and "question 2" in tail
    history.summarise(ids[1], "")
    history.summarise(ids[0], "")
    assert history.flush() and "Summary" not in history.export_markdown(chat)


def test_markdown_says_of_which_answer_the_model_is_not_told(history: History) -> None:
    chat = history.new_chat()
    history.rename(chat, "Tea")
    asked = history.add(chat, None, "user", "A mistake?")
    answer = answered(history, chat, asked, "Yes.")
    history.leave_out(answer)
    assert history.flush()
    assert f"## Answer\n\n{LEFT_OUT}\n\nYes." in history.export_markdown(chat)
    history.take_in(answer)
    assert history.flush() and LEFT_OUT not in history.export_markdown(chat)


def test_markdown_says_what_the_last_answer_was_asked_with(history: History) -> None:
    chosen = {"temp": 0.1, "think": False, "predict": None, "about_me": "I live in Graz."}
    chosen |= {"presence_penalty": 0.5}
    chat = history.new_chat("Be kind.", "demo", chosen)
    history.rename(chat, "Tea")
    asked = history.add(chat, None, "user", "Why?")
    assert history.flush()
    text = history.export_markdown(chat)
    assert "*think first off, temperature 0.1, presence penalty 0.5*" in text and "Be kind." in text
    sampling = SamplingSettings(temperature=0.7, top_k=9, repeat_penalty=1.2, seed=5)
    answer = history.add(chat, asked, "assistant")
    history.finish(answer, "Because.", Outcome("stop", Figures(seed=5, sampling=sampling)))
    assert history.flush()
    text = history.export_markdown(chat)
    assert (
        "*think first off, temperature 0.7, top-k 9, top-p 0.95, min-p 0.05, repeat penalty 1.2, "
        "seed 5*"
    ) in text
    assert "Graz" not in text, "what it knew of the user is in the JSON alone"
    assert json.loads(history.export_json([chat]))["chats"][0]["settings"] == chosen


def test_markdown_holds_the_shown_branch_and_nothing_harmful(history: History) -> None:
    chat = history.new_chat("Be \x1b[1mkind.", "demo")
    file = Attachment("a\n.md", "```\ncode\n```\n")
    asked = history.add(chat, None, "user", "# Why\x07?", attachments=[file])
    answered(history, chat, asked, "hidden")
    cut = history.add(chat, asked, "assistant")
    history.finish(cut, "shown", Outcome("cancelled"))
    assert history.flush()
    assert history.export_markdown(chat) == (
        "# Why?\n\n*2027-01-15, demo*\n\n## System\n\nBe [1mkind.\n\n## You\n\n"
        "a .md:\n\n````\n```\ncode\n```\n````\n\n# Why?\n\n## Answer\n\nshown\n\n*(stopped)*\n"
    )


HEADINGS = ["Write code.", "You", "Answer", "You", "Answer"]
CUT = {
    "```python\nx = 1": "```python\nx = 1\n```",
    "~~~~\n~~~\nx": "~~~~\n~~~\nx\n~~~~",
    "`````\n```\nx\n```": "`````\n```\nx\n```\n`````",
    "See:\n\n   ```\n   x": "See:\n\n   ```\n   x\n```",
    "```": "```\n```",
    "```\nx\n```\n\nand\n\n```sh\nls": "```\nx\n```\n\nand\n\n```sh\nls\n```",
    "<?php\n\necho 1;": "<?php\n\necho 1;\n?>",
    "Like:\n\n<!-- a\n\nb": "Like:\n\n<!-- a\n\nb\n-->",
    "<![CDATA[\nx": "<![CDATA[\nx\n]]>",
    "<!DOCTYPE html": "<!DOCTYPE html\n>",
    "<Script>\n\nlet x": "<Script>\n\nlet x\n</script>",
    "  <pre\nclass='x'>": "<pre\nclass='x'>\n</pre>",
}
WHOLE = [
    "```\nx\n```",
    "1. a\n\n   ```\n   x\n   ```\n\nend",
    "1. ```\n   x\n   ```\n\nend",
    "- a\n\n  ```\n  x",
    "> ```\n> x",
    "Write ```x``` there",
    "[a]: <```>",
    "a\n\n    ```\n    x",
    "<?php echo 1; ?>",
    "<style>\n\na {}\n</STYLE>",
    "<div>\nx",
    "<p>\n\n- <!-- a",
    "`<?php`, or 1 < 2 and <!-- not",
]


@pytest.mark.parametrize(("answer", "closed"), CUT.items())
def test_a_block_that_was_cut_ends_with_its_message(
    history: History, answer: str, closed: str
) -> None:
    text = exported(history, answer)
    assert f"## Answer\n\n{closed}\n\n*(stopped)*" in text
    assert headings(text) == HEADINGS


@pytest.mark.parametrize("answer", WHOLE)
def test_nothing_is_closed_that_ends_by_itself(history: History, answer: str) -> None:
    text = exported(history, answer)
    assert f"## Answer\n\n{answer.strip()}\n\n*(stopped)*" in text
    assert headings(text) == HEADINGS


def test_code_that_an_answer_begins_with_stays_code(history: History) -> None:
    text = exported(history, "\n    import os\n    os.getcwd()\n")
    assert "## Answer\n\n    import os\n    os.getcwd()\n\n*(stopped)*" in text


def test_questions_instructions_and_summaries_are_closed_too(history: History) -> None:
    chat = history.new_chat("Like this:\n```\nx")
    asked = history.add(chat, None, "user", "Why?\n```\nx = 1")
    answer = answered(history, chat, asked, "So.")
    history.summarise(answer, "It was:\n```\nx")
    history.add(chat, answer, "user", "More.")
    assert history.flush()
    shown = headings(history.export_markdown(chat))
    assert shown[1:] == ["System", "You", "Answer", "Summary of what stands above", "You"]


@pytest.mark.parametrize("name", ["<pre>.txt", "~~~", "<!-- a"])
def test_the_name_of_a_file_opens_nothing(history: History, name: str) -> None:
    chat = history.new_chat()
    asked = history.add(chat, None, "user", "Why?", attachments=[Attachment(name, "x = 1")])
    answered(history, chat, asked, "So.")
    assert history.flush()
    assert headings(history.export_markdown(chat)) == ["Why?", "You", "Answer"]


def test_a_thought_is_a_quotation_apart_from_the_answer(history: History) -> None:
    thought = "<think>\nLet me\x1b[2J plan:\n\n```\nx\n</think>\n\nHere it is."
    text = exported(history, thought)
    quoted = f"> {THOUGHT}\n>\n> Let me[2J plan:\n>\n> ```\n> x\n\nHere it is.\n\n*(stopped)*"
    assert f"## Answer\n\n{quoted}" in text and "think>" not in text
    assert headings(text) == HEADINGS


def test_a_question_about_tags_is_left_as_it_is(history: History) -> None:
    chat = said(history, "<think>what?</think>")
    assert history.flush()
    assert "## You\n\n<think>what?</think>\n" in history.export_markdown(chat)


@pytest.mark.parametrize(("zone", "day"), [("HST10", "14"), ("JST-9", "15")])
def test_the_day_is_that_of_the_person(
    history: History, move: Callable[[str], None], zone: str, day: str
) -> None:
    chat = said(history, "Why?")
    assert history.flush()
    move(zone)
    assert f"*2027-01-{day}, demo*" in history.export_markdown(chat)
