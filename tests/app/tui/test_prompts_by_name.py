"""A prompt goes into the box with what is typed, is seen before it is sent, and can be kept."""

from __future__ import annotations

from pathlib import Path

import pytest
from textual.command import CommandPalette

from app.paths import Paths
from tests.app.files.pdfs import pdf
from tests.app.tui.driving import NARROW, WIDE, Chat, Scenario, drive
from tests.app.tui.fakes import Answer, FakeEngine, words


@pytest.fixture
def folder() -> Path:
    path = Paths().prompts_dir
    path.mkdir(parents=True)
    return path


def play(scenario: Scenario, size: tuple[int, int] = NARROW) -> None:
    async def ready(chat: Chat) -> None:
        await chat.ready()
        await scenario(chat)

    drive(ready, FakeEngine(Answer(words("So it is."))), size)


async def put_in(chat: Chat, command: str, text: str) -> None:
    """Send a command and wait for what the box holds then."""
    await chat.ask(command)
    await chat.until(lambda: chat.prompt.text == text)


def test_it_is_seen_before_it_is_sent(folder: Path) -> None:
    (folder / "why.md").write_text("# Reasons\nWhy is {{input}} so?")

    async def scenario(chat: Chat) -> None:
        await put_in(chat, "/prompt why the sky", "Why is the sky so?")
        assert chat.prompt.has_focus and not chat.turns
        await chat.pilot.press("exclamation_mark", "enter")
        await chat.answered()
        assert chat.turns[0].question == "Why is the sky so?!"

    play(scenario)


def test_without_a_text_the_cursor_stands_where_it_belongs(folder: Path) -> None:
    (folder / "inside.md").write_text("First\n- {{input}} -\nlast")
    (folder / "below.md").write_text("Look:")

    async def scenario(chat: Chat) -> None:
        await put_in(chat, "/prompt inside", "First\n-  -\nlast")
        await chat.pilot.press("x")
        assert chat.prompt.text == "First\n- x -\nlast"
        chat.prompt.text = ""
        await put_in(chat, "/prompt below", "Look:\n\n")
        await chat.pilot.press("x")
        assert chat.prompt.text == "Look:\n\nx"

    play(scenario)


def test_a_prompt_is_a_message_and_harmless_to_the_screen(folder: Path) -> None:
    (folder / "evil.md").write_text("/quit\x1b \x9b2Jnow")

    async def scenario(chat: Chat) -> None:
        await put_in(chat, "/prompt evil", "//quit 2Jnow\n\n")
        await chat.pilot.press("enter")
        await chat.answered()
        assert chat.turns[0].question == "/quit 2Jnow"

    play(scenario)


def test_files_that_it_names_go_along_as_typed_ones_do(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "paper.pdf").write_bytes(pdf(["What we found"]))
    (folder / "sum.md").write_text("Sum up @paper.pdf in {{input}} words")

    async def scenario(chat: Chat) -> None:
        await put_in(chat, "/prompt sum 9", "Sum up @paper.pdf in 9 words")
        await chat.pilot.press("enter")
        await chat.answered()
        (turn,) = chat.screen.session.conversation.turns
        assert [each.text for each in turn.attachments] == ["[page 1]\nWhat we found"]
        await chat.until(lambda: chat.shows("paper.pdf (1 page,"))

    play(scenario)


def test_what_cannot_be_used_is_one_line_and_what_was_typed_stays_in_the_box(folder: Path) -> None:
    (folder / "bad.md").write_bytes(b"\xff\xfe")

    async def scenario(chat: Chat) -> None:
        await chat.ask("/prompt bad x")
        await chat.until(lambda: chat.toasts("bad.md: line 1 is no UTF-8 text;"))
        await chat.until(lambda: chat.prompt.text == "/prompt bad x")
        chat.prompt.text = ""
        await chat.ask("/prompt nothing x")
        await chat.until(lambda: chat.toasts("There is no prompt 'nothing'; there are bad,"))
        await chat.until(lambda: chat.prompt.text == "/prompt nothing x")
        chat.prompt.text = "mine"
        await chat.screen.action_act("prompt", "bad")
        assert chat.prompt.text == "mine"

    play(scenario)


def test_names_complete_and_tell_what_they_are(folder: Path) -> None:
    (folder / "why.md").write_text("# Reasons and causes\nWhy?")

    async def scenario(chat: Chat) -> None:
        chat.prompt.insert("/prompt w")
        await chat.until(lambda: chat.shows("why Reasons and causes"))
        await chat.pilot.press("tab")
        await chat.until(lambda: chat.prompt.text == "/prompt why")
        (folder / "why.md").write_text("Really?")
        await chat.pilot.press("enter")
        await chat.until(lambda: chat.prompt.text == "Really?\n\n")
        assert chat.turns == []

    play(scenario)


@pytest.mark.parametrize("size", [NARROW, WIDE])
def test_alone_it_offers_all_for_what_the_box_holds(folder: Path, size: tuple[int, int]) -> None:
    (folder / "why.md").write_text("# Reasons\nWhy?")

    async def scenario(chat: Chat) -> None:
        await chat.ask("/prompt")
        await chat.until(lambda: isinstance(chat.app.screen, CommandPalette))
        await chat.until(lambda: chat.shows("why Reasons") and chat.shows("summarise"))
        await chat.pilot.press("escape")
        await chat.until(lambda: chat.is_on_top)
        chat.prompt.text = "  it:\n    rains"
        await chat.screen.action_act("prompt")
        await chat.until(lambda: isinstance(chat.app.screen, CommandPalette))
        await chat.pilot.press(*"reas")
        await chat.until(lambda: chat.shows("why Reasons") and not chat.shows("summarise"))
        await chat.pilot.press("enter")
        await chat.until(lambda: chat.prompt.text == "Why?\n\n  it:\n    rains")
        assert chat.prompt.has_focus

    play(scenario, size)


def test_the_palette_finds_a_prompt_by_its_name() -> None:
    async def scenario(chat: Chat) -> None:
        chat.prompt.text = "A long text."
        await chat.pilot.press("ctrl+p")
        await chat.until(lambda: isinstance(chat.app.screen, CommandPalette))
        await chat.pilot.press(*"summ")
        await chat.until(lambda: chat.shows("Prompt: summarise"))
        await chat.pilot.press("enter")
        await chat.until(lambda: chat.prompt.text.startswith("Summarise this"))
        assert chat.prompt.text.endswith("\n\nA long text.")

    play(scenario)


def test_the_last_question_or_a_text_is_kept_and_nothing_is_written_over() -> None:
    folder = Paths().prompts_dir

    async def scenario(chat: Chat) -> None:
        await chat.ask("/prompt-save early")
        await chat.until(lambda: chat.toasts("Nothing is asked yet"))
        await chat.ask("Why is it so?")
        await chat.answered()
        await chat.ask("/prompt-save why")
        await chat.until(lambda: chat.toasts("/prompt why puts it into the box"))
        await chat.ask("/prompt-save list List {{input}},\nbriefly")
        await put_in(chat, "/prompt why", "Why is it so?\n\n")
        chat.prompt.text = ""
        await put_in(chat, "/prompt list this", "List this,\nbriefly")
        await chat.screen.action_act("prompt-save", "why Other")
        await chat.until(lambda: chat.toasts("There is a prompt why already"))
        assert (folder / "why.md").read_text() == "Why is it so?\n"

    play(scenario)


def test_what_the_box_holds_is_kept_from_the_palette() -> None:
    async def scenario(chat: Chat) -> None:
        chat.prompt.text = "Say it in rhyme."
        await chat.screen.action_act("prompt-save")
        await chat.until(lambda: chat.toasts("Type a name for the prompt"))
        await chat.pilot.press(*"rhyme", "enter")
        await chat.until(lambda: chat.toasts("/prompt rhyme puts it"))
        assert (Paths().prompts_dir / "rhyme.md").read_text() == "Say it in rhyme.\n"

    play(scenario)


async def draft_behind(chat: Chat) -> None:
    """Have an earlier prompt in the box, and a draft behind it."""
    await chat.ask("first")
    await chat.answered()
    await chat.pilot.press(*"a draft", "up")
    assert chat.prompt.text == "first"


def test_what_is_put_in_has_what_the_box_shows_and_up_brings_the_draft(folder: Path) -> None:
    (folder / "why.md").write_text("Why?")

    async def scenario(chat: Chat) -> None:
        await draft_behind(chat)
        await chat.screen.action_act("prompt", "why")
        assert chat.prompt.text == "Why?\n\nfirst"
        assert chat.prompt.past.prompts[-1] == "a draft"

    play(scenario)


def test_what_is_put_in_has_the_draft_in_whose_place_a_command_was_begun(folder: Path) -> None:
    (folder / "why.md").write_text("Why?")

    async def scenario(chat: Chat) -> None:
        await chat.ask("first")
        await chat.answered()
        await chat.pilot.press(*"a draft")
        await chat.screen.action_act("rename")
        await chat.screen.action_act("prompt", "why")
        assert chat.prompt.text == "Why?\n\na draft"

    play(scenario)


def test_once_an_earlier_prompt_is_kept_the_draft_behind_it_is_there_again() -> None:
    async def scenario(chat: Chat) -> None:
        await draft_behind(chat)
        await chat.screen.action_act("prompt-save")
        assert chat.prompt.text == "/prompt-save  first"
        await chat.pilot.press(*"mine", "enter")
        await chat.until(lambda: chat.toasts("/prompt mine puts it"))
        assert (Paths().prompts_dir / "mine.md").read_text() == "first\n"
        assert chat.prompt.text == "a draft"

    play(scenario)
