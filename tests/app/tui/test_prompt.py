"""What is typed is remembered, kept beside the text, counted or sent, as a person expects."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from app.prompts.prompt_history import PromptHistory
from app.tui.widgets.prompt import TYPED_S, Prompt
from app.tui.widgets.trouble import Trouble
from tests.app.terminal.test_sanitise import HOSTILE_AT_ONCE
from tests.app.tui.alone import Seen
from tests.app.tui.driving import SIZES
from tests.app.tui.prompt_alone import Desk, at_prompt, paste, type_in

LONG = "\n".join(f"line {n}" for n in range(120))

at_both_sizes = pytest.mark.parametrize("size", SIZES, ids=["80x24", "160x50"])


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "first.md").write_text("one\ntwo\n")
    return tmp_path


def test_up_and_down_walk_through_what_was_sent_and_back_to_the_draft() -> None:
    async def scenario(seen: Seen, desk: Desk) -> None:
        for text in ("one", "/new", "two"):
            await type_in(seen, text)
            await seen.press("enter")
        await type_in(seen, "draft")
        shown = []
        for key in ("up", "up", "up", "up", "down", "ctrl+down", "down", "down"):
            await seen.press(key)
            shown.append(desk.prompt.text)
        assert shown == ["two", "/new", "one", "one", "/new", "two", "draft", "draft"]
        assert not desk.prompt.is_completing

    at_prompt(scenario)


def test_up_goes_through_the_lines_of_a_text_first_and_ctrl_up_does_not() -> None:
    async def scenario(seen: Seen, desk: Desk) -> None:
        desk.prompt.insert("word " * 40)
        assert desk.prompt.document.line_count == 1
        await seen.press("up")
        assert desk.prompt.text.startswith("word")
        await seen.press("up", "up")
        assert desk.prompt.text == "earlier"
        await seen.press("down", "ctrl+up")
        assert desk.prompt.text == "earlier"

    past = PromptHistory(None)
    past.add("earlier")
    at_prompt(scenario, Prompt(history=past))


def test_what_is_sent_is_remembered_for_other_chats(tmp_path: Path) -> None:
    file = tmp_path / "prompts.jsonl"

    async def scenario(seen: Seen, desk: Desk) -> None:
        await type_in(seen, "kept")
        await seen.press("enter")
        assert PromptHistory(file).prompts == ["kept"]

    at_prompt(scenario, Prompt(history=PromptHistory(file)))


@at_both_sizes
def test_a_long_paste_stands_beside_the_text_and_is_sent_with_it(size: tuple[int, int]) -> None:
    async def scenario(seen: Seen, desk: Desk) -> None:
        await paste(seen, desk, LONG)
        assert desk.prompt.text == ""
        assert seen.shows("Pasted text 1 (120 lines, ")
        await type_in(seen, "why?")
        await seen.press("enter")
        (sent,) = desk.sent
        assert (sent.question, [each.text for each in sent.attachments]) == ("why?", [LONG])
        assert not seen.shows("Pasted text 1")
        assert desk.prompt.attachments == ()

    at_prompt(scenario, size=size)


def test_no_two_pastes_of_a_question_have_one_name() -> None:
    async def scenario(seen: Seen, desk: Desk) -> None:
        await paste(seen, desk, LONG)
        await paste(seen, desk, LONG + "!")
        desk.prompt.show_pasted(desk.prompt.attachments[1:])
        await paste(seen, desk, LONG + "?")
        names = [each.name for each in desk.prompt.attachments]
        assert names == ["Pasted text 2", "Pasted text 1"]

    at_prompt(scenario)


def test_backspace_in_an_empty_prompt_takes_the_last_paste_away() -> None:
    async def scenario(seen: Seen, desk: Desk) -> None:
        await paste(seen, desk, LONG)
        await paste(seen, desk, LONG + "!")
        assert seen.shows("Pasted text 2")
        await seen.press("x", "backspace")
        assert len(desk.prompt.attachments) == 2
        await seen.press("backspace")
        assert [each.text for each in desk.prompt.attachments] == [LONG]
        await seen.press("backspace")
        assert not desk.prompt.border_title

    at_prompt(scenario)


def test_a_long_paste_alone_is_the_question() -> None:
    async def scenario(seen: Seen, desk: Desk) -> None:
        await paste(seen, desk, LONG.replace("\n", "\r"))
        await seen.press("enter")
        assert [(each.question, each.attachments) for each in desk.sent] == [(LONG, ())]

    at_prompt(scenario)


@pytest.mark.parametrize(
    ("pasted", "question"),
    [
        ("\n    def f():\n        pass\n", "    def f():\n        pass"),
        ("    /word\n    x", "    /word\n    x"),
        ("   why? ", "why?"),
    ],
)
def test_code_is_asked_about_as_it_is_indented(pasted: str, question: str) -> None:
    async def scenario(seen: Seen, desk: Desk) -> None:
        await paste(seen, desk, pasted)
        await seen.press("enter")
        assert [each.question for each in desk.sent] == [question]
        await seen.press("up")
        assert desk.prompt.text == question

    at_prompt(scenario)


def test_code_that_was_not_sent_comes_back_as_it_is_indented() -> None:
    async def scenario(seen: Seen, desk: Desk) -> None:
        await paste(seen, desk, "  a: 1\n  b: 2\n")
        desk.prompt.discard()
        await seen.press("up")
        assert desk.prompt.text == "  a: 1\n  b: 2"
        desk.prompt.discard()
        await paste(seen, desk, "\tx\n\ty\n")
        await seen.press("ctrl+up")
        assert desk.prompt.text == "  a: 1\n  b: 2"
        await seen.press("enter", "ctrl+up", "ctrl+up")
        assert desk.prompt.text == "\tx\n\ty"

    at_prompt(scenario)


@pytest.mark.parametrize("text", HOSTILE_AT_ONCE.values(), ids=HOSTILE_AT_ONCE.keys())
def test_a_short_paste_is_text_and_harmless(text: str) -> None:
    async def scenario(seen: Seen, desk: Desk) -> None:
        await paste(seen, desk, f"[b]safe[/b] {text}\r\nend")
        assert desk.prompt.text.startswith("[b]safe[/b] ")
        assert desk.prompt.text.endswith("\nend")
        assert not {"\x1b", "\x9b", "\x07", "\u202e"} & set(desk.prompt.text)

    at_prompt(scenario)


def test_files_that_are_named_go_with_the_question(folder: Path) -> None:
    async def scenario(seen: Seen, desk: Desk) -> None:
        await paste(seen, desk, LONG)
        desk.prompt.insert("compare @notes/first.md for @alice")
        await seen.press("enter")
        await seen.until(lambda: bool(desk.sent))
        (sent,) = desk.sent
        assert sent.question == "compare @notes/first.md for @alice"
        assert [each.text for each in sent.attachments] == [LONG, "one\ntwo\n"]

    at_prompt(scenario, Prompt(base=folder))


@at_both_sizes
def test_a_file_that_cannot_be_read_is_a_line_and_nothing_is_sent(
    folder: Path, size: tuple[int, int]
) -> None:
    async def scenario(seen: Seen, desk: Desk) -> None:
        await paste(seen, desk, LONG)
        desk.prompt.insert("see @./gone[b].md")
        await seen.press("enter")
        await seen.until_shown("There is no file ./gone[b].md.")
        assert desk.query_one(Trouble).region.bottom == desk.prompt.region.y
        assert not desk.sent
        assert desk.prompt.text == "see @./gone[b].md"
        assert len(desk.prompt.attachments) == 1
        await seen.press("!")
        await seen.until(lambda: not seen.shows("There is no file"))
        await seen.until(lambda: desk.query_one(Trouble).region.height == 0)

    at_prompt(scenario, Prompt(base=folder), size)


def test_a_file_that_is_slow_to_read_does_not_stop_the_typing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    reading, writing = os.pipe()

    def slow(*_: object) -> list[object]:
        os.read(reading, 1)
        return []

    async def scenario(seen: Seen, desk: Desk) -> None:
        monkeypatch.setattr("app.tui.prompting.enclosing.attached", slow)
        desk.prompt.insert("first @slow.md")
        await seen.press("enter")
        await seen.until(lambda: seen.shows("Reading the files…"))
        await seen.press("n", "e", "x", "t", "enter")
        assert desk.prompt.text == "next"
        assert not desk.sent
        os.write(writing, b".")
        await seen.until(lambda: bool(desk.sent))
        assert desk.prompt.text == "next"
        await seen.press("enter")
        assert [each.question for each in desk.sent] == ["first @slow.md", "next"]
        assert seen.shows("Ask something")

    at_prompt(scenario)


def test_a_command_goes_by_its_proper_name_with_what_follows_and_leaves_the_paste() -> None:
    async def scenario(seen: Seen, desk: Desk) -> None:
        await paste(seen, desk, LONG)
        desk.prompt.insert("/models  some pair")
        await seen.press("enter")
        assert [(each.name, each.argument) for each in desk.commands] == [("model", "some pair")]
        assert not desk.sent
        assert len(desk.prompt.attachments) == 1

    at_prompt(scenario)


def test_a_command_that_does_not_exist_is_a_line_and_stays() -> None:
    async def scenario(seen: Seen, desk: Desk) -> None:
        await type_in(seen, "/retri")
        await seen.press("enter")
        await seen.until_shown("There is no /retri; did you mean /retry?")
        assert desk.prompt.text == "/retri"
        await seen.press("backspace")
        await seen.until(lambda: not seen.shows("There is no"))

    at_prompt(scenario)


@pytest.mark.parametrize(
    ("typed", "question"), [("//help me", "/help me"), ("/etc/hosts says", "/etc/hosts says")]
)
def test_a_message_may_begin_with_a_slash(typed: str, question: str) -> None:
    async def scenario(seen: Seen, desk: Desk) -> None:
        await type_in(seen, typed)
        await seen.press("enter")
        assert [each.question for each in desk.sent] == [question]
        assert not desk.commands

    at_prompt(scenario)


def test_what_is_typed_is_told_at_most_three_times_a_second_and_the_last_of_it() -> None:
    async def scenario(seen: Seen, desk: Desk) -> None:
        await type_in(seen, "a question of many keys, typed fast by somebody in a hurry")
        await seen.until(lambda: bool(desk.typed) and desk.typed[-1][1] == desk.prompt.text)
        times = [at for at, _ in desk.typed]
        assert all(b - a > TYPED_S / 2 for a, b in zip(times, times[2:], strict=False))
        assert len(desk.typed) < len(desk.prompt.text) / 2

    at_prompt(scenario)


@at_both_sizes
def test_the_count_stands_at_the_right_and_the_hint_gives_way(size: tuple[int, int]) -> None:
    async def scenario(seen: Seen, desk: Desk) -> None:
        desk.prompt.show_hint("Enter sends [b]now[/b]")
        desk.prompt.show_count("12 tokens")
        await seen.until_shown("Enter sends [b]now[/b] · 12 tokens")
        desk.prompt.show_hint("x" * size[0])
        await seen.until(lambda: not seen.shows("Enter sends") and seen.shows("12 tokens"))
        desk.prompt.show_count("")
        await seen.until_shown("xxx")
        assert not seen.shows("12 tokens")

    at_prompt(scenario, size=size)
