"""The list of chats beside the chat: in sight when wished, gone to, chosen from, true, and idle."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from textual.events import MouseScrollDown

from app.errors import HistoryError
from app.history import ChatInfo, History, Outcome
from app.paths import Paths
from app.settings.habits import Habits
from app.tui.chats.chat_feed import PAGE
from app.tui.chats.side_rows import Heading
from app.tui.widgets.chat_side import ChatSide
from app.tui.widgets.panel import Panel
from app.tui.widgets.side_list import SideList
from app.tui.widgets.strip import Strip
from app.tui.widgets.welcome import Welcome
from tests.app.tui.branching import NUMBERS
from tests.app.tui.driving import NARROW, WIDE, Chat, Scenario, drive
from tests.app.tui.fakes import Answer, FakeEngine, FakeSettings, words
from tests.app.tui.test_reading_screen import wheel
from tests.patience import PATIENCE_S

MIDDLE = (120, 30)
SHOWN = FakeSettings(habits=Habits(chat_list=True))
LONG = words("One word, then another, and at last the end of it.")
HELD = Answer(LONG, hold_after=4)
TALL = words(
    "\n\n".join(f"paragraph {n} of a long answer that has to be wrapped" for n in range(60))
)
at_both_sizes = pytest.mark.parametrize("size", [MIDDLE, WIDE], ids=["120x30", "160x50"])


def filled(folder: Path, *questions: str) -> History:
    """Return a history with a chat for each question, the last one the newest."""
    history = History.open(folder / "history.db")
    for question in questions:
        chat = history.new_chat(pair="demo")
        asked = history.add(chat, None, "user", question)
        history.finish(history.add(chat, asked, "assistant"), "Yes.", Outcome("stop"))
    assert history.flush(60)
    return history


def play(
    scenario: Scenario,
    history: History | None,
    *answers: Answer,
    size: tuple[int, int] = WIDE,
    settings: FakeSettings = SHOWN,
) -> None:
    drive(scenario, FakeEngine(*(answers or NUMBERS)), size, settings, history=history)


def side(chat: Chat) -> ChatSide:
    return chat.screen.side


def rows(chat: Chat) -> SideList:
    return chat.screen.query_one(SideList)


def shown(chat: Chat) -> list[str]:
    """Return the lines of the list as they are on the screen."""
    region = rows(chat).region
    lines = [line[region.x : region.right].rstrip(" ▁▂▃▄▅▆▇█") for line in chat.lines]
    return [line for line in lines[region.y : region.bottom] if line.strip()]


def chosen(chat: Chat) -> str:
    row = rows(chat).chosen
    return row.info.title if row is not None else ""


def reads(history: History) -> list[int]:
    """Return the limits of all reads of the list from now on."""
    read, found = history.chats, []

    def noting(limit: int = 0, archived: bool = False) -> list[ChatInfo]:
        found.append(limit)
        return read(limit, archived)

    history.chats = noting  # type: ignore[method-assign]
    return found


async def listed(chat: Chat, *lines: str) -> None:
    await chat.until(lambda: shown(chat) == list(lines))


async def until_shown(chat: Chat, is_shown: bool) -> None:
    await chat.until(lambda: side(chat).display == is_shown)


async def until_at(chat: Chat, y: int) -> None:
    await chat.until(lambda: rows(chat).scroll_offset.y == y)


# in sight, or not


def test_it_is_not_there_unless_wished_and_then_nothing_is_read(tmp_path: Path) -> None:
    async def scenario(chat: Chat) -> None:
        await chat.ask("one")
        await chat.answered()
        assert not side(chat).display and not found

    history = filled(tmp_path, "earlier")
    found = reads(history)
    play(scenario, history, settings=FakeSettings())


@at_both_sizes
def test_its_key_shows_it_and_goes_there_and_hides_it_and_that_is_kept(
    tmp_path: Path, size: tuple[int, int]
) -> None:
    def kept() -> str:
        file = Paths().settings_file
        return file.read_text("utf-8") if file.exists() else ""

    async def scenario(chat: Chat) -> None:
        await chat.ready()
        await chat.pilot.press("f6")
        await chat.until(lambda: side(chat).has_focus)
        await listed(chat, "Today", "▌ New chat", "  earlier")
        assert "chat_list = true" in kept()
        await chat.pilot.press("escape")
        assert chat.prompt.has_focus and side(chat).display
        await chat.pilot.press("f6")
        await chat.until(lambda: side(chat).has_focus)
        await chat.pilot.press("f6")
        await chat.until(lambda: not side(chat).display and "chat_list = false" in kept())
        assert chat.prompt.has_focus

    play(scenario, filled(tmp_path, "earlier"), size=size, settings=FakeSettings())


def test_the_command_shows_it_and_hides_it(tmp_path: Path) -> None:
    async def scenario(chat: Chat) -> None:
        await chat.ready()
        await chat.ask("/chat-list")
        await chat.until(lambda: side(chat).has_focus)
        await chat.ask("/sidebar off")
        await chat.until(lambda: not side(chat).display)
        assert chat.prompt.has_focus

    play(scenario, filled(tmp_path, "earlier"), settings=FakeSettings())


def test_the_command_switches_it_off_where_it_has_no_room_either(tmp_path: Path) -> None:
    async def scenario(chat: Chat) -> None:
        await chat.ready()
        await chat.ask("/chat-list on")
        await chat.until(lambda: side(chat).has_focus)
        await chat.pilot.resize_terminal(*NARROW)
        await until_shown(chat, False)
        await chat.ask("/chat-list on")
        await chat.until(lambda: chat.toasts("needs 100 columns; F3 shows all chats."))
        assert chat.screen.session.settings.habits.chat_list
        await chat.ask("/chat-list off")
        await chat.until(lambda: chat.toasts("The list of chats is off."))
        await chat.pilot.resize_terminal(*WIDE)
        await chat.until(lambda: chat.screen.size.width == WIDE[0])
        assert not side(chat).display
        assert "chat_list = false" in Paths().settings_file.read_text("utf-8")

    play(scenario, filled(tmp_path, "earlier"), size=WIDE, settings=FakeSettings())


@pytest.mark.parametrize(
    ("width", "has_list", "has_panel"),
    [
        (80, False, False),
        (99, False, False),
        (100, True, False),
        (139, True, False),
        (140, True, True),
    ],
)
def test_the_list_gives_way_to_the_chat_and_the_panel_to_the_list(
    tmp_path: Path, width: int, has_list: bool, has_panel: bool
) -> None:
    async def scenario(chat: Chat) -> None:
        await chat.ready()
        await chat.until(lambda: side(chat).display == has_list)
        await chat.until(lambda: chat.screen.query_one(Panel).display == has_panel)
        assert chat.screen.query_one(Strip).display != has_panel
        assert chat.transcript.region.width >= 69
        await chat.pilot.press("f6")
        if has_list:
            await chat.until(lambda: side(chat).has_focus)
        else:
            await chat.until(lambda: chat.toasts("needs 100 columns; F3 shows all chats."))
            await chat.pilot.resize_terminal(*WIDE)
            await chat.until(lambda: side(chat).display)

    play(scenario, filled(tmp_path, "earlier"), size=(width, 30))


def test_a_narrower_terminal_takes_it_away_with_the_focus_and_what_is_typed_is_a_question(
    tmp_path: Path,
) -> None:
    async def scenario(chat: Chat) -> None:
        await chat.pilot.press("f6")
        await chat.until(lambda: side(chat).has_focus)
        await chat.pilot.resize_terminal(*NARROW)
        await chat.until(lambda: not side(chat).display)
        await chat.pilot.press(*"joke")
        await chat.until(lambda: chat.prompt.text == "joke")
        assert chat.prompt.has_focus and not side(chat).has_focus

    play(scenario, filled(tmp_path, "earlier"))


@pytest.mark.parametrize("words_in_view", ["the end", "the middle"])
def test_what_is_read_stays_in_its_place_when_it_comes_and_goes(
    tmp_path: Path, words_in_view: str
) -> None:
    def top(chat: Chat) -> str:
        region = chat.transcript.region
        lines = (line[region.x : region.right].strip() for line in chat.lines[region.y :])
        return next(line for line in lines if line)

    async def scenario(chat: Chat) -> None:
        await chat.ask("tall")
        await chat.answered()
        if words_in_view == "the middle":
            chat.transcript.scroll_to(y=41, animate=False)
            await chat.until(lambda: chat.transcript.scroll_y == 41)
        before, is_followed = top(chat), chat.transcript.is_followed
        assert is_followed == (words_in_view == "the end")
        for is_there in (True, False):
            await chat.ask(f"/chat-list {'on' if is_there else 'off'}")
            await until_shown(chat, is_there)
            if is_followed:
                await chat.until(lambda: chat.shows("paragraph 59"))
            else:
                await chat.until(lambda: top(chat) == before)
        assert chat.transcript.is_followed == is_followed

    play(scenario, filled(tmp_path), Answer(TALL), size=(100, 30), settings=FakeSettings())


# going to a chat


@pytest.mark.parametrize("keys", [("down", "down"), ("j", "j"), ("end",), ("pagedown",)], ids=str)
def test_keys_go_to_a_chat_and_enter_opens_it_with_what_was_typed_elsewhere_kept(
    tmp_path: Path, keys: tuple[str, ...]
) -> None:
    async def scenario(chat: Chat) -> None:
        await chat.ask("new one")
        await chat.answered()
        chat.prompt.insert("not sent yet")
        await listed(chat, "Today", "▌ new one", "  second", "  first")
        await chat.pilot.press("f6")
        await chat.until(lambda: side(chat).has_focus)
        await chat.pilot.press(*keys)
        assert chosen(chat) == "first"
        await chat.pilot.press("enter")
        await listed(chat, "Today", "· new one", "  second", "▌ first")
        assert chat.prompt.has_focus and chat.prompt.text == ""
        assert [view.question for view in chat.turns] == ["first"]
        await chat.pilot.press("f6")
        await chat.until(lambda: side(chat).has_focus and chosen(chat) == "first")
        await chat.pilot.press("k", "up", "up", "up", "enter")
        await chat.until(lambda: chat.prompt.text == "not sent yet" and chat.prompt.has_focus)
        assert len(chat.screen.tabs.open) == 2

    play(scenario, filled(tmp_path, "first", "second"))


def test_a_click_opens_and_leaves_the_keys_where_they_are_and_a_heading_is_no_chat(
    tmp_path: Path,
) -> None:
    async def scenario(chat: Chat) -> None:
        await listed(chat, "Today", "▌ New chat", "  second", "  first")
        await chat.pilot.click(SideList, offset=(4, 0))
        await chat.pilot.hover(SideList, offset=(4, 0))
        assert not chat.turns and rows(chat).hovered is None and chat.prompt.has_focus
        await chat.pilot.hover(SideList, offset=(4, 3))
        assert rows(chat).hovered == 3
        await chat.pilot.click(SideList, offset=(4, 3))
        await listed(chat, "Today", "  second", "▌ first")
        assert chat.prompt.has_focus and len(chat.turns) == 1

    play(scenario, filled(tmp_path, "first", "second"))


def test_esc_in_the_list_stops_no_answer_and_outside_it_does(tmp_path: Path) -> None:
    async def scenario(chat: Chat) -> None:
        await chat.ask("slow")
        await chat.until(lambda: chat.shows("One word,"))
        await chat.pilot.press("f6")
        await chat.until(lambda: side(chat).has_focus)
        await chat.pilot.press("escape")
        assert chat.prompt.has_focus and not chat.engine.cancels
        await chat.pilot.press("escape")
        await chat.answered()
        assert chat.engine.cancels

    play(scenario, filled(tmp_path), HELD)


@pytest.mark.parametrize(("key", "searched"), [("s", "s"), ("slash", ""), ("S", "S")])
def test_what_is_typed_there_is_looked_for_in_all_chats(
    tmp_path: Path, key: str, searched: str
) -> None:
    async def scenario(chat: Chat) -> None:
        await chat.pilot.press("f6")
        await chat.until(lambda: side(chat).has_focus)
        await chat.pilot.press(key)
        await chat.until(lambda: not chat.is_on_top and chat.shows("second"))
        assert getattr(chat.app.focused, "value", None) == searched
        await chat.pilot.press("escape")
        await chat.until(lambda: chat.is_on_top)
        assert chat.prompt.text == ""

    play(scenario, filled(tmp_path, "first", "second"))


def test_tab_goes_to_what_an_empty_chat_offers_and_not_to_the_list(tmp_path: Path) -> None:
    async def scenario(chat: Chat) -> None:
        await chat.ready()
        await listed(chat, "Today", "▌ New chat", "  first")
        await chat.pilot.press("tab")
        assert chat.app.focused is not None
        assert any(isinstance(each, Welcome) for each in chat.app.focused.ancestors)

    play(scenario, filled(tmp_path, "first"))


def test_ctrl_n_begins_a_new_chat_there_too(tmp_path: Path) -> None:
    async def scenario(chat: Chat) -> None:
        await chat.ask("one")
        await chat.answered()
        await chat.pilot.press("f6")
        await chat.until(lambda: side(chat).has_focus)
        await chat.pilot.press("ctrl+n")
        await listed(chat, "Today", "▌ New chat", "· one")
        assert chat.prompt.has_focus and not chat.turns

    play(scenario, filled(tmp_path))


# what it says is true


def test_it_follows_what_becomes_of_chats(tmp_path: Path) -> None:
    async def scenario(chat: Chat) -> None:
        await chat.ask("one")
        await listed(chat, "Today", "▌ one", "  first")
        await chat.answered()
        await chat.ask("/rename Numbers")
        await listed(chat, "Today", "▌ Numbers", "  first")
        await chat.pilot.press("ctrl+n")
        await listed(chat, "Today", "▌ New chat", "· Numbers", "  first")
        await chat.pilot.press("f3")
        await chat.until(lambda: not chat.is_on_top and chat.shows("2 chats"))
        await chat.pilot.press("down", "ctrl+p", "escape")
        await listed(chat, "Pinned", "  first", "Today", "▌ New chat", "· Numbers")
        await chat.pilot.press("f3")
        await chat.until(lambda: not chat.is_on_top and chat.shows("2 chats"))
        await chat.pilot.press("ctrl+d", "escape")
        await chat.until(lambda: len(shown(chat)) == 3)
        assert shown(chat) == ["Today", "▌ New chat", "· Numbers"]

    play(scenario, filled(tmp_path, "first"))


def test_an_answer_elsewhere_is_marked_while_it_runs_and_when_it_ended_unseen(
    tmp_path: Path,
) -> None:
    async def scenario(chat: Chat) -> None:
        await chat.ask("slow")
        await chat.until(lambda: chat.shows("One word,"))
        await chat.pilot.press("ctrl+n")
        await chat.until(lambda: any(line.endswith("◌") for line in shown(chat)))
        chat.engine.release()
        await chat.until(lambda: any(line.endswith("●") for line in shown(chat)))
        await chat.pilot.press("f6")
        await chat.until(lambda: side(chat).has_focus)
        await chat.pilot.press("down", "enter")
        await listed(chat, "Today", "▌ slow")
        assert not any(line.endswith("●") for line in shown(chat)), "it has been seen"

    play(scenario, filled(tmp_path), HELD)


def test_nothing_is_read_or_drawn_anew_while_an_answer_grows_and_while_one_types(
    tmp_path: Path,
) -> None:
    async def scenario(chat: Chat) -> None:
        await chat.ask("slow")
        await chat.until(lambda: chat.shows("One word,"))
        await listed(chat, "Today", "▌ slow".ljust(WIDTH_OF_ROW) + "◌", "  first")
        await chat.pilot.pause()
        n_reads, drawn = len(found), rows(chat).rows
        chat.engine.release()
        chat.prompt.insert("typed meanwhile")
        await chat.until(lambda: chat.shows("at last the"))
        grown = len(found)
        await chat.answered()
        await chat.until(lambda: rows(chat).rows is not drawn)
        assert grown <= n_reads + 1 and len(found) <= n_reads + 2, "once for the end"

    WIDTH_OF_ROW = 26
    history = filled(tmp_path, "first")
    found = reads(history)
    play(scenario, history, Answer(LONG, hold_after=4, pace_s=0.02))


def test_a_private_chat_is_listed_while_it_is_open_and_nothing_of_it_is_written(
    own_folders: Path,
) -> None:
    async def scenario(chat: Chat) -> None:
        await chat.ask("a secret")
        await chat.answered()
        await listed(chat, "Not kept", "▌ a secret")
        await chat.pilot.press("ctrl+n")
        await listed(chat, "Not kept", "· a secret", "▌ New chat")
        await chat.pilot.click(SideList, offset=(4, 1))
        await listed(chat, "Not kept", "▌ a secret")
        assert [view.question for view in chat.turns] == ["a secret"]
        files = [file for file in own_folders.rglob("*") if file.is_file()]
        assert not [file for file in files if b"secret" in file.read_bytes()]

    play(scenario, None)


# however many there are


def test_only_as_many_are_read_as_are_looked_at(tmp_path: Path) -> None:
    async def scenario(chat: Chat) -> None:
        await chat.until(lambda: len(shown(chat)) > 20)
        assert set(found) <= {PAGE, 2 * PAGE}
        await chat.pilot.press("f6")
        await chat.until(lambda: side(chat).has_focus)
        await chat.pilot.press("end")
        await chat.until(lambda: chosen(chat) == "question 0")
        await chat.until(lambda: shown(chat)[-1] == "  question 0")
        assert len([row for row in rows(chat).rows if not isinstance(row, Heading)]) == 401
        assert len(rows(chat)._drawn) < 200, "what is not seen is not drawn"

    history = filled(tmp_path, *(f"question {n}" for n in range(400)))
    found = reads(history)
    play(scenario, history, size=MIDDLE)


def test_the_wheel_scrolls_it_over_the_days_and_the_chat_stays(tmp_path: Path) -> None:
    async def scenario(chat: Chat) -> None:
        await chat.until(lambda: len(rows(chat).rows) > 2 * PAGE)
        await chat.pilot.pause()
        at = (5, 10)
        for _ in range(20):
            await wheel(chat, at, MouseScrollDown)
        await chat.until(lambda: bool(shown(chat)) and "Today" not in shown(chat))
        rows(chat).scroll_to(y=4, animate=False)
        for y in (3, 2, 1, 0):
            rows(chat).scroll_to(y=y, animate=False)
            await until_at(chat, y)
        assert shown(chat)[:2] == ["Pinned", "  question 0"] and chat.transcript.scroll_y == 0

    history = filled(tmp_path, *(f"question {n}" for n in range(400)))
    history.pin(history.chats(400)[-1].id)
    play(scenario, history, size=MIDDLE)


def test_the_chat_is_there_and_takes_a_question_before_the_list_is_read(tmp_path: Path) -> None:
    async def scenario(chat: Chat) -> None:
        await chat.ready()
        await chat.ask("one")
        await chat.answered()
        assert side(chat).display and not shown(chat)
        may_read.set()
        await listed(chat, "Today", "▌ one", "  first")

    history, may_read = filled(tmp_path, "first"), threading.Event()
    read: Callable[..., list[ChatInfo]] = history.chats

    def slowly(*args: object, **kwargs: object) -> list[ChatInfo]:
        assert may_read.wait(PATIENCE_S)
        return read(*args, **kwargs)

    history.chats = slowly  # type: ignore[method-assign]
    play(scenario, history)


# what can go wrong


def test_a_list_that_cannot_be_read_is_told_in_one_line_and_the_chat_goes_on(
    tmp_path: Path,
) -> None:
    def broken(*_: object, **__: object) -> list[ChatInfo]:
        raise HistoryError("Chats cannot be read from history.db: disk I/O error.")

    async def scenario(chat: Chat) -> None:
        await chat.until(lambda: chat.toasts("Chats cannot be read"))
        await chat.ask("one")
        await chat.answered()
        assert len(chat.turns) == 1

    history = filled(tmp_path, "first")
    history.chats = broken  # type: ignore[method-assign]
    play(scenario, history)


def test_a_chat_that_somebody_erased_is_told_to_be_gone(tmp_path: Path) -> None:
    async def scenario(chat: Chat) -> None:
        await listed(chat, "Today", "▌ New chat", "  first")
        (info,) = history.chats()
        history.delete(info.id)
        history.erase([info.id])
        assert history.flush()
        await chat.pilot.click(SideList, offset=(4, 2))
        await chat.until(lambda: chat.toasts(f"There is no chat {info.id}"))
        await listed(chat, "Today", "▌ New chat")

    history = filled(tmp_path, "first")
    play(scenario, history)
