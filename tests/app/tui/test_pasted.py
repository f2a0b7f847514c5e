"""What stands beside the prompt can be seen and put into it; a mention goes as a whole."""

from __future__ import annotations

from pathlib import Path

import pytest

from app.files.attachments import pasted
from app.tui.screens.pasted_source import PastedSource
from app.tui.widgets.prompt import Prompt
from tests.app.files.picture_files import png
from tests.app.tui.alone import Seen
from tests.app.tui.driving import SIZES, Chat, drive
from tests.app.tui.fakes import FakeEngine
from tests.app.tui.prompt_alone import Desk, at_prompt, paste, type_in

LONG = "\n".join(f"line {n}" for n in range(80))
at_both_sizes = pytest.mark.parametrize("size", SIZES, ids=["80x24", "160x50"])


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "notes.md").write_text("one\n")
    return tmp_path


async def looking(chat: Chat) -> None:
    await chat.until(lambda: isinstance(chat.app.screen, PastedSource) and chat.shows("b Into the"))


PATH_ALONE = "Only its path was put in: "


@pytest.mark.parametrize(
    ("written", "how"),
    [
        ("{}", "@ before it, or Alt+A, sends the file along."),
        ("'{}'", "@ before it, or Alt+A, sends the file along."),
        ("file://{}", "Alt+A sends the file along."),
    ],
)
def test_a_text_file_that_is_dropped_says_how_it_goes_along(
    written: str, how: str, folder: Path
) -> None:
    async def scenario(chat: Chat) -> None:
        await chat.ready()
        dropped = written.format(folder / "notes.md")
        chat.prompt.take_in(dropped)
        await chat.until(lambda: chat.toasts(PATH_ALONE + how))
        assert chat.prompt.text == dropped

    drive(scenario, FakeEngine())


@pytest.mark.parametrize("before", ["@", "/export "])
def test_a_path_behind_an_at_or_in_a_command_is_meant_as_it_is(before: str, folder: Path) -> None:
    async def scenario(chat: Chat) -> None:
        await chat.ready()
        chat.prompt.insert(before)
        chat.prompt.take_in(str(folder / "notes.md"))
        await chat.pilot.pause()
        assert not chat.toasts(PATH_ALONE)
        assert chat.prompt.text == f"{before}{folder / 'notes.md'}"

    drive(scenario, FakeEngine())


@at_both_sizes
@pytest.mark.parametrize("way", ["key", "click", "command"])
def test_what_is_pasted_is_shown_and_goes_into_the_box(way: str, size: tuple[int, int]) -> None:
    async def scenario(chat: Chat) -> None:
        await chat.ready()
        chat.prompt.take_in(LONG)
        chat.prompt.insert("so")
        await chat.until(lambda: chat.shows("Pasted text 1 (80 lines, 629 B) · Alt+V shows it"))
        match way:
            case "key":
                await chat.pilot.press("alt+v")
            case "click":
                await chat.pilot.click(Prompt, offset=(6, 0))
            case "command":
                await chat.screen.action_act("pasted", "1")
        await looking(chat)
        assert chat.shows("line 0 line 1 ")
        await chat.pilot.press("b")
        await chat.until(lambda: chat.is_on_top)
        assert (chat.prompt.text, chat.prompt.attachments) == (f"so\n{LONG}", ())
        assert not chat.prompt.border_title
        await chat.pilot.press("!")
        assert chat.prompt.text.endswith("line 79!")

    drive(scenario, FakeEngine(), size)


def test_undoing_brings_what_was_put_into_the_box_back_beside_it_and_redoing_takes_it(
    folder: Path,
) -> None:
    async def scenario(seen: Seen, desk: Desk) -> None:
        prompt = desk.prompt
        for text in (LONG, LONG.replace("line", "word")):
            prompt.take_in(text)
        await type_in(seen, "so")
        both = prompt.attachments
        prompt.unfold(both[0])
        inside = f"so\n{LONG}"
        assert (prompt.text, prompt.attachments) == (inside, both[1:])
        await type_in(seen, "!")
        await seen.press("ctrl+z")
        assert (prompt.text, prompt.attachments) == (inside, both[1:])
        await seen.press("ctrl+z")
        assert (prompt.text, prompt.attachments) == ("so", both)
        await seen.press("ctrl+y")
        assert (prompt.text, prompt.attachments) == (inside, both[1:])
        prompt.text = "so"
        await seen.press("ctrl+z")
        assert (prompt.text, prompt.attachments) == ("so", both[1:])

    at_prompt(scenario, Prompt(base=folder))


def test_each_of_several_is_shown_by_a_click_on_it_and_stays_where_it_is_left() -> None:
    async def scenario(chat: Chat) -> None:
        await chat.ready()
        chat.prompt.take_in(LONG)
        chat.prompt.take_in(LONG.replace("line", "word"))
        await chat.until(lambda: chat.shows("Pasted text 2"))
        row = next(at for at, line in enumerate(chat.lines) if "Pasted text 2" in line)
        for word, shown in (("Pasted text 2", "word 0 word 1"), ("Pasted text 1", "line 0 line 1")):
            await chat.pilot.click(offset=(chat.lines[row].index(word) + 2, row))
            await looking(chat)
            assert chat.shows(shown)
            await chat.pilot.press("escape")
            await chat.until(lambda: chat.is_on_top and chat.shows("Pasted text 2"))
        assert len(chat.prompt.attachments) == 2

    drive(scenario, FakeEngine())


def test_what_is_not_there_is_not_shown_and_a_line_says_so() -> None:
    async def scenario(chat: Chat) -> None:
        await chat.ready()
        await chat.pilot.press("alt+v")
        await chat.until(lambda: chat.toasts("Nothing is pasted beside the box"))
        chat.prompt.attach(pasted(LONG))
        await chat.screen.action_act("pasted", "2")
        await chat.until(lambda: chat.toasts("There is no 2: 1 stands there."))
        assert chat.is_on_top

    drive(scenario, FakeEngine())


def test_undo_brings_back_what_backspace_took_from_beside_the_text() -> None:
    async def scenario(seen: Seen, desk: Desk) -> None:
        await paste(seen, desk, LONG)
        await seen.press("backspace")
        assert desk.prompt.attachments == ()
        await seen.press("ctrl+z")
        assert [each.text for each in desk.prompt.attachments] == [LONG]
        await seen.press("backspace")
        await type_in(seen, "ab")
        await seen.press("enter", "ctrl+z")
        assert desk.prompt.attachments == (), "what is sent is over"

    at_prompt(scenario)


# mentions


def test_undo_brings_back_what_ctrl_c_took_from_beside_the_text_in_its_chat_alone() -> None:
    async def scenario(chat: Chat) -> None:
        await chat.ready()
        for text in (LONG, LONG + "more"):
            chat.prompt.take_in(text)
        await chat.pilot.press("a", "ctrl+c", "ctrl+c")
        assert chat.prompt.attachments == ()
        await chat.pilot.press("ctrl+z")
        assert [each.text for each in chat.prompt.attachments] == [LONG, LONG + "more"]
        await chat.ask("first")
        await chat.answered()
        chat.prompt.take_in(LONG)
        await chat.pilot.press("ctrl+c", "ctrl+n")
        await chat.until(lambda: not chat.turns)
        await chat.pilot.press("ctrl+z")
        assert chat.prompt.attachments == ()

    drive(scenario, FakeEngine())


def test_backspace_right_behind_a_mention_that_was_put_in_takes_all_of_it(folder: Path) -> None:
    async def scenario(seen: Seen, desk: Desk) -> None:
        await type_in(seen, "see @no")
        await seen.until(lambda: desk.prompt.is_completing)
        await seen.press("tab")
        assert desk.prompt.text == "see @notes.md "
        await seen.press("backspace")
        assert desk.prompt.text == "see @notes.md"
        await seen.press("backspace")
        assert desk.prompt.text == "see "
        await seen.press("ctrl+z")
        assert desk.prompt.text == "see @notes.md "
        await seen.press("left", "left", "backspace")
        assert desk.prompt.text == "see @notes.d ", "elsewhere in it, letter by letter"

    at_prompt(scenario, Prompt(base=folder))


def test_a_mention_that_is_typed_goes_letter_by_letter(folder: Path) -> None:
    async def scenario(seen: Seen, desk: Desk) -> None:
        await type_in(seen, "see @notes.mx")
        await seen.press("backspace")
        assert desk.prompt.text == "see @notes.m"

    at_prompt(scenario, Prompt(base=folder))


def test_a_picture_that_was_dropped_goes_as_a_whole_and_text_around_it_stays(
    tmp_path: Path,
) -> None:
    path = tmp_path / "a photo.png"
    path.write_bytes(png(2, 2))

    async def scenario(seen: Seen, desk: Desk) -> None:
        await type_in(seen, "what is ")
        await paste(seen, desk, str(path))
        assert desk.prompt.text == f'what is @"{path}" '
        await seen.press("?", "left", "left", "backspace")
        assert desk.prompt.text == "what is  ?"

    at_prompt(scenario)


@pytest.mark.parametrize(
    ("typed", "text"),
    [
        ("notes.md", "@notes.md "),
        ("my notes.md", '@"my notes.md" '),
        ("'my notes.md'", '@"my notes.md" '),
        ("@notes.md", "@notes.md "),
        ('@"my notes.md" @notes.md', '@"my notes.md" @notes.md '),
    ],
)
def test_attach_takes_a_path_however_it_is_written(typed: str, text: str) -> None:
    async def scenario(chat: Chat) -> None:
        await chat.ready()
        await chat.screen.action_act("attach", typed)
        assert chat.prompt.text == text

    drive(scenario, FakeEngine())


# how tall it is


@pytest.mark.parametrize(
    ("size", "tallest"), [((60, 20), 8), ((80, 24), 8), ((80, 40), 20), ((160, 50), 25)]
)
def test_the_box_grows_to_half_of_a_tall_screen_and_shrinks_again(
    size: tuple[int, int], tallest: int
) -> None:
    async def scenario(chat: Chat) -> None:
        await chat.ready()
        heights = set()
        for n in range(size[1]):
            chat.prompt.insert(f"line {n}\n")
            await chat.pilot.pause()
            heights.add(chat.prompt.outer_size.height)
        assert heights == set(range(4, tallest + 1))
        assert chat.transcript.size.height >= size[1] // 4
        assert f"line {size[1] - 1}" in chat.text, "the end is in sight"
        chat.prompt.text = ""
        await chat.until(lambda: chat.prompt.outer_size.height == 3)
        chat.prompt.insert("one\ntwo")
        await chat.until(lambda: chat.prompt.outer_size.height == 4)
        assert "│ one" in chat.text and "│ two" in chat.text

    drive(scenario, FakeEngine(), size)
