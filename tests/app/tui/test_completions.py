"""Commands and files are completed as they are typed, over the chat and never in its way."""

from __future__ import annotations

from pathlib import Path

import pytest

from app.tui.widgets.completions import Completions
from app.tui.widgets.prompt import Prompt
from tests.app.tui import driving
from tests.app.tui.alone import Seen
from tests.app.tui.driving import SIZES, Chat
from tests.app.tui.fakes import Answer, FakeEngine, words
from tests.app.tui.prompt_alone import Desk, at_prompt, type_in

at_both_sizes = pytest.mark.parametrize("size", SIZES, ids=["80x24", "160x50"])


def popup(desk: Desk) -> Completions:
    return desk.query_one(Completions)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "first.md").write_text("one\ntwo\n")
    (tmp_path / "with spaces.md").write_text("three\n")
    (tmp_path / "[bold]loud[bold].md").write_text("four\n")
    return tmp_path


@at_both_sizes
def test_a_slash_offers_commands_above_the_prompt_and_moves_nothing(size: tuple[int, int]) -> None:
    async def scenario(seen: Seen, desk: Desk) -> None:
        wall, typed = desk.query_one("#wall").region, desk.prompt.region
        await type_in(seen, "/")
        await seen.until_shown("/help [COMMAND]")
        assert seen.shows("what there is to type and to press")
        assert popup(desk).region.bottom == desk.prompt.region.y
        assert desk.region.contains_region(popup(desk).region)
        assert (desk.query_one("#wall").region, desk.prompt.region) == (wall, typed)
        assert desk.prompt.has_focus

    at_prompt(scenario, size=size)


def test_tab_takes_the_first_and_offers_what_may_follow() -> None:
    async def scenario(seen: Seen, desk: Desk) -> None:
        await type_in(seen, "/the")
        await seen.press("tab")
        assert desk.prompt.text == "/theme "
        await seen.until_shown("for the night")
        await seen.press("down", "tab")
        assert desk.prompt.text == "/theme dark"
        assert not desk.prompt.is_completing
        assert desk.prompt.has_focus

    at_prompt(scenario)


def test_enter_takes_what_is_highlighted_and_sends_the_next_time() -> None:
    async def scenario(seen: Seen, desk: Desk) -> None:
        await type_in(seen, "/ret")
        await seen.press("enter")
        assert desk.prompt.text == "/retry"
        assert not desk.commands
        await seen.press("enter")
        assert [(each.name, each.argument) for each in desk.commands] == [("retry", "")]
        assert desk.prompt.text == ""

    at_prompt(scenario)


def test_enter_sends_a_command_that_is_whole_though_more_might_follow() -> None:
    async def scenario(seen: Seen, desk: Desk) -> None:
        await type_in(seen, "/theme")
        await seen.press("enter")
        await type_in(seen, "/theme ")
        await seen.until_shown("for the night")
        await seen.press("enter")
        assert [(each.name, each.argument) for each in desk.commands] == [("theme", "")] * 2

    at_prompt(scenario)


def test_enter_sends_what_differs_from_an_offer_only_in_case() -> None:
    async def scenario(seen: Seen, desk: Desk) -> None:
        await type_in(seen, "/theme DARK")
        await seen.until(lambda: desk.prompt.is_completing)
        await seen.press("enter")
        await seen.until(lambda: bool(desk.commands))
        assert [(sent.name, sent.argument) for sent in desk.commands] == [("theme", "DARK")]

    at_prompt(scenario)


def test_enter_takes_a_file_whose_case_is_another(folder: Path) -> None:
    async def scenario(seen: Seen, desk: Desk) -> None:
        await type_in(seen, "@notes/FIRST.md")
        await seen.until(lambda: desk.prompt.is_completing)
        await seen.press("enter")
        assert desk.prompt.text == "@notes/first.md " and not desk.sent

    at_prompt(scenario, Prompt(base=folder))


def test_a_file_below_is_found_by_its_name_alone(folder: Path) -> None:
    async def scenario(seen: Seen, desk: Desk) -> None:
        await type_in(seen, "see @fir")
        await seen.until_shown("notes/first.md")
        await seen.press("enter")
        assert desk.prompt.text == "see @notes/first.md " and not desk.sent

    at_prompt(scenario, Prompt(base=folder))


def test_enter_sends_what_a_name_below_only_contains(folder: Path) -> None:
    async def scenario(seen: Seen, desk: Desk) -> None:
        await type_in(seen, "@irst")
        await seen.until_shown("notes/first.md")
        await seen.press("enter")
        await seen.until(lambda: bool(desk.sent))
        assert [sent.question for sent in desk.sent] == ["@irst"]
        await type_in(seen, "@irst")
        await seen.until_shown("notes/first.md")
        await seen.press("tab")
        assert desk.prompt.text == "@notes/first.md "

    at_prompt(scenario, Prompt(base=folder))


def test_up_and_down_move_round_the_offers_and_not_through_the_history() -> None:
    async def scenario(seen: Seen, desk: Desk) -> None:
        await type_in(seen, "earlier")
        await seen.press("enter")
        await type_in(seen, "/theme ")
        await seen.press("up", "tab")
        assert desk.prompt.text == "/theme light"

    at_prompt(scenario)


def test_escape_closes_the_offers_alone_and_typing_goes_on() -> None:
    async def scenario(seen: Seen, desk: Desk) -> None:
        await type_in(seen, "/re")
        assert desk.prompt.is_completing
        await seen.press("escape")
        assert not desk.prompt.is_completing
        assert desk.prompt.text == "/re"
        await seen.press("left", "right")
        assert not desk.prompt.is_completing
        await type_in(seen, "t")
        assert desk.prompt.is_completing
        assert desk.prompt.text == "/ret"

    at_prompt(scenario)


def test_a_text_that_nobody_typed_is_not_completed() -> None:
    async def scenario(seen: Seen, desk: Desk) -> None:
        desk.prompt.take("/re")
        await seen.pilot.pause()
        assert not desk.prompt.is_completing

    at_prompt(scenario)


def test_an_offer_is_taken_by_a_click() -> None:
    async def scenario(seen: Seen, desk: Desk) -> None:
        await type_in(seen, "/theme ")
        await seen.until_shown("for the day")
        await seen.pilot.click(Completions, offset=(2, 1))
        assert desk.prompt.text == "/theme light"
        assert desk.prompt.has_focus

    at_prompt(scenario)


def test_files_are_completed_through_folders_in_the_middle_of_a_text(folder: Path) -> None:
    async def scenario(seen: Seen, desk: Desk) -> None:
        await type_in(seen, "see @no and more")
        await seen.press(*["left"] * len(" and more"))
        await seen.until(lambda: desk.prompt.is_completing)
        await seen.press("tab")
        await seen.until_shown("notes/first.md")
        await seen.press("tab")
        assert desk.prompt.text.startswith("see @notes/first.md ")
        assert desk.prompt.text.endswith(" and more")
        assert not desk.prompt.is_completing

    at_prompt(scenario, Prompt(base=folder))


def test_a_file_name_with_spaces_is_quoted(folder: Path) -> None:
    async def scenario(seen: Seen, desk: Desk) -> None:
        await type_in(seen, "@wi")
        await seen.until(lambda: desk.prompt.is_completing)
        await seen.press("enter")
        assert desk.prompt.text == '@"with spaces.md" '
        assert not desk.sent

    at_prompt(scenario, Prompt(base=folder))


def test_markup_in_a_file_name_is_shown_and_not_obeyed(folder: Path) -> None:
    async def scenario(seen: Seen, desk: Desk) -> None:
        await type_in(seen, "@")
        await seen.until_shown("[bold]loud[bold].md")
        await seen.press("escape")
        await type_in(seen, "[")
        await seen.until(lambda: desk.prompt.is_completing)
        await seen.press("tab")
        assert desk.prompt.text == "@[bold]loud[bold].md "

    at_prompt(scenario, Prompt(base=folder))


@at_both_sizes
def test_the_offers_lie_over_the_chat_while_it_answers(size: tuple[int, int]) -> None:
    async def scenario(chat: Chat) -> None:
        await chat.ask("question")
        await chat.until(lambda: chat.shows("It joins"))
        before = chat.transcript.region
        await chat.pilot.press("/", "r")
        await chat.until(lambda: chat.shows("ask the last question again"))
        offered = chat.screen.query_one(Completions).region
        assert offered.bottom == chat.prompt.region.y
        assert chat.transcript.region == before
        chat.engine.release()
        await chat.answered()
        await chat.pilot.press("escape")
        assert not chat.prompt.is_completing
        assert chat.prompt.text == "/r"

    driving.drive(scenario, FakeEngine(Answer(words("It joins paths."), hold_after=2)), size)


def test_where_the_offers_are_closed_the_footer_says_again_how_the_answer_is_stopped() -> None:
    async def scenario(chat: Chat) -> None:
        await chat.ask("question")
        await chat.until(lambda: chat.shows("It joins") and chat.shows("esc Stop"))
        await chat.pilot.press("/", "r")
        await chat.until(lambda: chat.shows("ask the last question again"))
        await chat.until(lambda: not chat.shows("esc Stop"))
        await chat.pilot.press("escape")
        await chat.until(lambda: chat.shows("esc Stop"))
        assert chat.state == "answering" and chat.prompt.text == "/r"
        chat.engine.release()
        await chat.answered()

    driving.drive(scenario, FakeEngine(Answer(words("It joins paths."), hold_after=2)))


@pytest.mark.parametrize("size", SIZES, ids=["80x24", "160x50"])
def test_a_list_with_a_scrollbar_goes_from_the_screen_when_it_is_closed(
    size: tuple[int, int],
) -> None:
    async def scenario(chat: Chat) -> None:
        await chat.ready()
        await chat.pilot.pause(0.2)
        offers, above = chat.screen.query_one(Completions), chat.prompt.region.y
        before = chat.lines[:above]
        await chat.pilot.press("/")
        await chat.until(lambda: offers.show_vertical_scrollbar and chat.lines[:above] != before)
        await chat.pilot.pause(0.3)
        await chat.pilot.press("escape")
        await chat.pilot.pause(0.3)
        assert chat.lines[:above] == before

    driving.drive(scenario, FakeEngine(), size)


@pytest.mark.parametrize("size", SIZES, ids=["80x24", "160x50"])
def test_nothing_of_the_line_beneath_is_seen_beside_an_offer(size: tuple[int, int]) -> None:
    async def scenario(chat: Chat) -> None:
        await chat.ask("question")
        await chat.answered()
        await chat.pilot.press("/", "c", "o")
        await chat.until(lambda: chat.shows("/copy [N|code|question|answer|all]"))
        talk = chat.screen.query_one("#talk").region
        offered = chat.screen.query_one(Completions).region
        assert (offered.x, offered.width) == (talk.x, talk.width)
        line = next(line for line in chat.lines if "/copy" in line)[: talk.width]
        assert line.strip().startswith("/copy [N|code|question|answer|all]")
        assert line.strip().endswith(("whole chat", "…"))

    driving.drive(scenario, FakeEngine(Answer(words("It joins paths."))), size)


def test_enter_before_the_files_are_found_does_not_take_an_older_offer(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def scenario(seen: Seen, desk: Desk) -> None:
        await type_in(seen, "@n")
        await seen.until(lambda: desk.prompt.is_completing)
        monkeypatch.setattr(Completions, "_offer", lambda *_: None)
        await seen.press("o", "tab")
        assert desk.prompt.text == "@no"
        assert desk.prompt.has_focus

    at_prompt(scenario, Prompt(base=folder))


def test_a_key_behind_a_text_that_was_not_looked_at_yet_takes_no_older_offer() -> None:
    async def scenario(seen: Seen, desk: Desk) -> None:
        await type_in(seen, "/s")
        await seen.until(lambda: desk.prompt.is_completing)
        await seen.press("down")
        completions = desk.prompt.completions
        assert completions.takes("enter", "/system Be brief.") is False
        assert desk.prompt.text == "/s"
        assert completions.takes("enter", "/s") is True

    at_prompt(scenario, Prompt({"system": lambda _: []}))
