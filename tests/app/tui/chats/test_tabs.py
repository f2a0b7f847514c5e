"""Several chats are open at once: each stays as it is, and one engine serves them in turn."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from app.history import History
from app.tui.chats.open_chats import MOST
from app.tui.chats.opening import open_chat
from app.tui.widgets.chat_tabs import NEWS, RUNS, ChatTabs
from app.tui.widgets.transcript import Transcript
from app.tui.widgets.turn_view import TurnView
from tests.app.tui.branching import NUMBERS, check
from tests.app.tui.chats.test_resuming import start
from tests.app.tui.driving import NARROW, SIZES, Chat, Scenario, drive
from tests.app.tui.fakes import Answer, FakeEngine, FakeSettings, whole, words

LONG = words("One word, then another, and at last the end of it.")
OTHER = words("Another answer.")
HELD = Answer(LONG, hold_after=4)
at_both_sizes = pytest.mark.parametrize("size", SIZES, ids=["80x24", "160x50"])


def play(
    tmp_path: Path, scenario: Scenario, *answers: Answer, size: tuple[int, int] = NARROW
) -> None:
    history = History.open(tmp_path / "history.db")
    engine = FakeEngine(*(answers or NUMBERS))
    drive(scenario, engine, size, settings=FakeSettings(), history=history)


def line(chat: Chat) -> str:
    """Return the line of open chats, "" where there is none."""
    return chat.lines[1].rstrip() if chat.screen.query_one(ChatTabs).display else ""


def questions(chat: Chat) -> list[str]:
    return [view.question for view in chat.turns]


async def press(chat: Chat, key: str, *shown: str) -> None:
    """Press a key and wait until a chat with these questions is shown."""
    await chat.pilot.press(key)
    await chat.until(lambda: questions(chat) == list(shown))


async def three(chat: Chat) -> None:
    """Have three chats open, one question in each."""
    await chat.ready()
    for name in ("one", "two", "three"):
        await chat.ask(name)
        await chat.answered(1)
        if name != "three":
            await press(chat, "ctrl+n")


async def running(chat: Chat) -> None:
    """Have an answer hold in one chat, and another chat in sight."""
    await chat.ready()
    await chat.ask("slow")
    await chat.until(lambda: chat.shows("One word,"))
    await press(chat, "ctrl+n")


def kept(chat: Chat) -> list[str]:
    """Return the answers that are on the disk, those of the newest chat first."""
    history = chat.screen.history
    assert history is not None and history.flush()
    chats = [history.chat(info.id) for info in history.chats()]
    return [one.content for each in chats for one in each.path() if one.role == "assistant"]


# what is open


@at_both_sizes
def test_one_chat_takes_no_line_and_each_other_has_its_place(
    tmp_path: Path, size: tuple[int, int]
) -> None:
    async def scenario(chat: Chat) -> None:
        await chat.ready()
        await chat.ask("one")
        await chat.answered(1)
        assert line(chat) == "" and chat.transcript.region.y == 1
        await press(chat, "ctrl+n")
        await chat.until(lambda: line(chat).startswith(" 1 one [2 New chat]"))
        assert chat.transcript.region.y == 2
        await chat.ask("two")
        await chat.until(lambda: line(chat).startswith(" 1 one [2 two]"))

    play(tmp_path, scenario, size=size)


def hold_turns(monkeypatch: pytest.MonkeyPatch) -> asyncio.Event:
    """Have no turn be shown until that is set."""
    go_on, show = asyncio.Event(), Transcript.show

    async def held(self: Transcript, *given: Any) -> None:
        await go_on.wait()
        await show(self, *given)

    monkeypatch.setattr(Transcript, "show", held)
    return go_on


def test_a_chat_that_is_opened_has_its_title_before_its_turns_are_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def scenario(chat: Chat) -> None:
        await three(chat)
        number = chat.screen.tabs.open.current.number
        assert number is not None
        await chat.screen.tabs.close(chat.screen.tabs.open.current)
        await chat.until(lambda: "three" not in line(chat))
        go_on = hold_turns(monkeypatch)
        opening = asyncio.create_task(open_chat(chat.screen, number))
        await chat.until(lambda: "three]" in line(chat))
        assert not chat.turns and not opening.done()
        go_on.set()
        await opening

    play(tmp_path, scenario)


def test_the_last_chat_has_its_title_at_the_start_before_its_turns_are_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def again(chat: Chat) -> None:
        await chat.until(lambda: "three]" in line(chat))
        assert not chat.turns
        go_on.set()
        await chat.until(lambda: questions(chat) == ["three"])

    start(tmp_path, three)
    go_on = hold_turns(monkeypatch)
    start(tmp_path, again, waits=False)


def test_a_chat_that_is_left_empty_is_not_open_any_more(tmp_path: Path) -> None:
    async def scenario(chat: Chat) -> None:
        await chat.ready()
        await chat.ask("one")
        await chat.answered(1)
        await press(chat, "ctrl+n")
        await chat.pilot.press("ctrl+n", "ctrl+n")
        assert len(chat.screen.tabs.open) == 2, "an empty chat is as new as another"
        await press(chat, "alt+p", "one")
        await chat.until(lambda: line(chat) == "")

    play(tmp_path, scenario)


@pytest.mark.parametrize(
    ("key", "shown"), [("alt+n", "one"), ("alt+p", "two"), ("alt+1", "one"), ("alt+2", "two")]
)
def test_keys_go_to_another_chat_as_it_was(tmp_path: Path, key: str, shown: str) -> None:
    async def scenario(chat: Chat) -> None:
        await three(chat)
        await press(chat, key, shown)
        assert chat.prompt.has_focus
        check(chat)
        await chat.ask("more")
        await chat.answered(2)
        assert [message.content for message in chat.engine.asked[-1]][::2] == [shown, "more"]

    play(tmp_path, scenario)


def test_a_click_and_a_command_go_to_another_chat(tmp_path: Path) -> None:
    async def scenario(chat: Chat) -> None:
        await three(chat)
        await chat.until(lambda: line(chat).startswith(" 1 one  2 two [3 three]"))
        await chat.pilot.click(ChatTabs, offset=(9, 0))
        await chat.until(lambda: questions(chat) == ["two"])
        await chat.ask("/chat 1")
        await chat.until(lambda: questions(chat) == ["one"])
        await chat.ask("/chat 7")
        await chat.until(lambda: chat.toasts("There is no chat 7: 3 are open."))
        assert line(chat).startswith("[1 one] 2 two  3 three")

    play(tmp_path, scenario)


def test_with_many_chats_the_one_in_sight_is_in_the_line(tmp_path: Path) -> None:
    async def scenario(chat: Chat) -> None:
        await chat.ready()
        for number in range(MOST):
            await chat.ask(f"a question of some length, number {number}")
            await chat.answered(1)
            await press(chat, "ctrl+n")
        for at in range(1, MOST):
            await chat.pilot.press("alt+n")
            await chat.until(lambda at=at: f"[{at} a ques" in line(chat))  # type: ignore[misc]
            assert len(chat.lines[1]) == 80

    play(tmp_path, scenario, Answer(OTHER))


# one engine


@at_both_sizes
def test_an_answer_goes_on_unseen_is_kept_and_is_there_whole(
    tmp_path: Path, size: tuple[int, int]
) -> None:
    async def scenario(chat: Chat) -> None:
        await running(chat)
        await chat.until(lambda: chat.shows("busy in another chat"))
        await chat.until(lambda: f"1 slow {RUNS}" in line(chat))
        assert chat.screen.figures.stats is None, "the figures are the other chat's"
        await chat.until(lambda: kept(chat) == [whole(LONG[:4])])
        chat.engine.release()
        await chat.until(lambda: f"1 slow {NEWS}" in line(chat))
        await chat.until(lambda: kept(chat) == [whole(LONG)])
        chat.screen._answers.show_newest()
        assert chat.screen.figures.stats is None and not chat.shows("41.3")
        await press(chat, "alt+1", "slow")
        await chat.until(lambda: chat.shows(whole(LONG)))
        await chat.until(lambda: line(chat) == "")
        assert chat.screen.figures.stats is not None and not chat.engine.cancels
        check(chat)

    play(tmp_path, scenario, HELD, size=size)


def test_who_comes_back_while_it_runs_sees_it_go_on(tmp_path: Path) -> None:
    async def scenario(chat: Chat) -> None:
        await running(chat)
        await press(chat, "alt+p", "slow")
        await chat.until(lambda: chat.shows("One word,") and chat.shows("● answering"))
        chat.engine.release()
        await chat.answered(1)
        await chat.until(lambda: chat.shows(whole(LONG)))
        assert questions(chat) == ["slow"] and RUNS not in line(chat)

    play(tmp_path, scenario, HELD)


def test_a_question_waits_for_another_chat_and_says_so(tmp_path: Path) -> None:
    async def scenario(chat: Chat) -> None:
        await running(chat)
        await chat.ask("quick")
        await chat.until(lambda: chat.shows("waits: another chat is being answered first"))
        await chat.until(lambda: chat.shows("1 question waits for another chat"))
        assert len(chat.engine.asked) == 1
        chat.engine.release()
        await chat.answered(1)
        assert [message.content for message in chat.engine.asked[-1]] == ["quick"]
        await press(chat, "alt+1", "slow")
        check(chat)

    play(tmp_path, scenario, HELD, Answer(OTHER))


def test_esc_stops_the_answer_in_sight_and_no_other(tmp_path: Path) -> None:
    async def scenario(chat: Chat) -> None:
        await running(chat)
        await chat.ask("quick")
        await chat.until(lambda: chat.screen.session.waiting == 1)
        await chat.pilot.press("escape")
        await chat.until(lambda: chat.prompt.text == "quick" and not chat.turns)
        await chat.pilot.press("escape", "ctrl+c")
        assert chat.state == "answering" and not chat.engine.cancels
        await press(chat, "alt+p", "slow")
        await chat.pilot.press("escape")
        await chat.answered(1)
        assert chat.engine.cancels and chat.shows("stopped")

    play(tmp_path, scenario, HELD)


def test_what_needs_the_whole_engine_waits_for_the_other_chat(tmp_path: Path) -> None:
    async def scenario(chat: Chat) -> None:
        await running(chat)
        await chat.screen.action_act("bench")
        await chat.until(lambda: chat.toasts("Not while another chat is being answered."))
        assert chat.state == "answering" and chat.is_on_top

    play(tmp_path, scenario, HELD)


# what each keeps


def test_what_was_typed_is_there_again_in_its_chat_alone(tmp_path: Path) -> None:
    async def scenario(chat: Chat) -> None:
        await three(chat)
        chat.prompt.insert("of three")
        await press(chat, "alt+1", "one")
        assert chat.prompt.text == ""
        chat.prompt.insert("of one")
        await press(chat, "alt+3", "three")
        assert chat.prompt.text == "of three"
        await press(chat, "alt+1", "one")
        assert chat.prompt.text == "of one"

    play(tmp_path, scenario)


def test_the_place_that_was_read_stays(tmp_path: Path) -> None:
    async def scenario(chat: Chat) -> None:
        await chat.ready()
        for number in range(1, 9):
            await chat.ask(f"question {number}")
            await chat.answered(number)
        await chat.pilot.pause()
        chat.transcript.scroll_to(y=3, animate=False)
        await chat.until(lambda: chat.transcript.scroll_y == 3)
        await press(chat, "ctrl+n")
        await chat.ask("other")
        await chat.answered(1)
        await chat.pilot.press("alt+1")
        await chat.until(lambda: len(chat.turns) == 8 and chat.shows("question 2"))
        await chat.pilot.pause()
        assert chat.transcript.scroll_y == 3

    play(tmp_path, scenario)


def test_each_chat_is_answered_with_its_own_settings(tmp_path: Path) -> None:
    async def scenario(chat: Chat) -> None:
        await three(chat)
        for command in ("/system Be brief.", "/temp 0.25"):
            await chat.ask(command)
        await chat.until(lambda: chat.toasts("0.25"))
        await press(chat, "alt+1", "one")
        await chat.ask("plainly")
        await chat.answered(2)
        assert all(message.role != "system" for message in chat.engine.asked[-1])
        assert chat.engine.samplings[-1].temperature == FakeSettings().sampling.temperature
        assert "system" not in chat.screen.chosen
        await press(chat, "alt+3", "three")
        await chat.ask("briefly")
        await chat.answered(2)
        assert chat.engine.asked[-1][0].content == "Be brief."
        assert chat.engine.samplings[-1].temperature == 0.25
        assert chat.screen.chosen["system"] == "Be brief."

    play(tmp_path, scenario)


# closing


def test_a_closed_chat_is_kept_and_the_next_one_is_in_sight(tmp_path: Path) -> None:
    async def scenario(chat: Chat) -> None:
        await three(chat)
        await press(chat, "alt+1", "one")
        await press(chat, "alt+w", "two")
        await chat.until(lambda: line(chat).startswith("[1 two] 2 three"))
        assert chat.toasts("“one” is closed. F3 opens it again.")
        assert len(kept(chat)) == 3
        await press(chat, "alt+w", "three")
        await press(chat, "alt+w")
        await chat.pilot.press("alt+w")
        await chat.until(lambda: chat.toasts("There is nothing to close"))
        assert len(chat.screen.query(TurnView)) == 0, "nothing is left of what is closed"

    play(tmp_path, scenario)


def test_closing_stops_the_answer_keeps_it_and_lets_the_others_ask(tmp_path: Path) -> None:
    async def scenario(chat: Chat) -> None:
        await running(chat)
        await chat.ask("quick")
        await chat.until(lambda: chat.screen.session.waiting == 1)
        await press(chat, "alt+p", "slow")
        await press(chat, "alt+w", "quick")
        await chat.answered(1)
        assert chat.engine.cancels and chat.toasts("its answer stopped")
        assert sorted(kept(chat)) == sorted([whole(OTHER), whole(LONG[:4])])

    play(tmp_path, scenario, HELD, Answer(OTHER))


def test_a_chat_in_which_a_question_waits_is_not_closed(tmp_path: Path) -> None:
    async def scenario(chat: Chat) -> None:
        await running(chat)
        await chat.ask("quick")
        await chat.until(lambda: chat.screen.session.waiting == 1)
        await chat.pilot.press("alt+w")
        await chat.until(lambda: chat.toasts("Not while a question waits: Esc takes it back."))
        assert questions(chat) == ["quick"]

    play(tmp_path, scenario, HELD)


def test_the_way_to_take_a_question_back_is_none_that_stops_the_answer(tmp_path: Path) -> None:
    async def scenario(chat: Chat) -> None:
        await chat.ask("long")
        await chat.until(lambda: chat.state == "answering")
        await chat.ask("quick")
        await chat.until(lambda: chat.screen.session.waiting == 1)
        await chat.pilot.press("alt+w")
        said = "Not while a question waits: Up in the empty box takes it back."
        await chat.until(lambda: chat.toasts(said))
        await chat.pilot.press("up")
        await chat.until(lambda: chat.screen.session.waiting == 0 and chat.prompt.text == "quick")
        assert chat.state == "answering"

    play(tmp_path, scenario, HELD)


@pytest.mark.parametrize("n_down", [0, 2], ids=["in sight", "another"])
def test_a_chat_that_is_deleted_is_not_open_any_more(tmp_path: Path, n_down: int) -> None:
    async def scenario(chat: Chat) -> None:
        await three(chat)
        await chat.pilot.press("f3")
        await chat.until(lambda: not chat.is_on_top and chat.shows("3 chats"))
        await chat.pilot.press(*["down"] * n_down, "ctrl+d")
        await chat.until(lambda: chat.shows("2 chats"))
        await chat.pilot.press("escape")
        await chat.until(lambda: len(chat.screen.tabs.open) == 2)
        left = ["one", "two"] if n_down == 0 else ["two", "three"]
        assert [chat.screen.tabs.title(one) for one in chat.screen.tabs.open] == left
        assert questions(chat) == [left[-1]]

    play(tmp_path, scenario)


def test_an_answer_that_runs_in_a_deleted_chat_is_stopped(tmp_path: Path) -> None:
    async def scenario(chat: Chat) -> None:
        await running(chat)
        await chat.pilot.press("f3")
        await chat.until(lambda: not chat.is_on_top and chat.shows("1 chat"))
        await chat.pilot.press("ctrl+d", "escape")
        await chat.until(lambda: chat.is_on_top and chat.state == "ready")
        assert chat.engine.cancels and len(chat.screen.tabs.open) == 1
        assert chat.toasts("“slow” is closed, its answer stopped.")

    play(tmp_path, scenario, HELD)


def test_what_waits_in_a_deleted_chat_is_not_lost(tmp_path: Path) -> None:
    async def scenario(chat: Chat) -> None:
        await running(chat)
        await press(chat, "alt+p", "slow")
        await chat.ask("quick")
        await chat.until(lambda: chat.screen.session.waiting == 1)
        await chat.pilot.press("f3")
        await chat.until(lambda: not chat.is_on_top and chat.shows("1 chat"))
        await chat.pilot.press("ctrl+d", "escape")
        told = "closed, its answer stopped and what waited there not asked: Up brings it."
        await chat.until(lambda: chat.is_on_top and chat.toasts(told))
        await chat.pilot.press("up")
        assert chat.prompt.text == "quick" and not chat.screen.session.jobs

    play(tmp_path, scenario, HELD)


def test_a_chat_that_is_renamed_is_called_so(tmp_path: Path) -> None:
    async def scenario(chat: Chat) -> None:
        await three(chat)
        await chat.pilot.press("f3")
        await chat.until(lambda: not chat.is_on_top and chat.shows("3 chats"))
        await chat.pilot.press("f2", "ctrl+u", *"Names", "enter", "escape")
        await chat.until(lambda: chat.is_on_top and "[3 Names]" in line(chat))
        assert questions(chat) == ["three"]

    play(tmp_path, scenario)


def test_chats_do_not_pile_up_and_what_is_still_needed_stays(tmp_path: Path) -> None:
    async def scenario(chat: Chat) -> None:
        await chat.ready()
        for at in range(1, MOST + 3):
            await chat.ask(f"question {at}")
            await chat.answered(1)
            if at == 1:
                chat.prompt.text = "not sent yet"
            if at < MOST + 2:
                await press(chat, "ctrl+n")
        titles = [chat.screen.tabs.title(one) for one in chat.screen.tabs.open]
        assert titles == ["question 1", *(f"question {at}" for at in range(4, MOST + 3))]
        assert len(kept(chat)) == MOST + 2

    play(tmp_path, scenario, *[Answer(words("Yes."))] * (MOST + 2))


def test_of_chats_that_are_kept_nowhere_none_closes_by_itself() -> None:
    async def scenario(chat: Chat) -> None:
        await chat.ready()
        for at in range(1, MOST + 2):
            await chat.ask(f"question {at}")
            await chat.answered(1)
            if at <= MOST:
                await press(chat, "ctrl+n")
        assert titles(chat) == [f"question {at}" for at in range(1, MOST + 2)]
        await chat.pilot.press("alt+w")
        await chat.until(lambda: chat.toasts(f"“question {MOST + 1}” is closed. Nothing of it is"))
        await chat.until(lambda: len(titles(chat)) == MOST)

    drive(scenario, FakeEngine(*[Answer(words("Yes."))] * (MOST + 1)))


def test_a_chat_that_is_open_is_not_opened_twice(tmp_path: Path) -> None:
    async def scenario(chat: Chat) -> None:
        await three(chat)
        await chat.pilot.press("f3")
        await chat.until(lambda: not chat.is_on_top and chat.shows("3 chats"))
        await chat.pilot.press("down", "enter")
        await chat.until(lambda: chat.is_on_top and questions(chat) == ["two"])
        assert len(chat.screen.tabs.open) == 3

    play(tmp_path, scenario)


# the next start


def reading(history: History) -> list[int]:
    """Return the chats that are read of this history from now on."""
    read, found = history.chat, []

    def noting(number: int) -> object:
        found.append(number)
        return read(number)

    history.chat = noting  # type: ignore[method-assign,assignment]
    return found


def titles(chat: Chat) -> Iterable[str]:
    return [chat.screen.tabs.title(one) for one in chat.screen.tabs.open]


@at_both_sizes
def test_open_chats_come_back_in_their_order_and_only_the_shown_one_is_read(
    tmp_path: Path, size: tuple[int, int]
) -> None:
    async def talks(chat: Chat) -> None:
        await three(chat)
        await press(chat, "alt+2", "two")
        await chat.pilot.pause()

    start(tmp_path, talks, size)
    history = History.open(tmp_path / "history.db")
    read = reading(history)

    async def again(chat: Chat) -> None:
        await chat.until(lambda: questions(chat) == ["two"])
        assert titles(chat) == ["one", "two", "three"] and len(read) == 1
        await press(chat, "alt+3", "three")
        await chat.ready()
        await chat.ask("more")
        await chat.answered(2)
        assert len(read) == 2 and len(chat.engine.asked[-1]) == 3
        check(chat)

    start(tmp_path, again, size, history=history)


def test_closed_and_deleted_chats_do_not_come_back_and_others_stay_beside_a_new_one(
    tmp_path: Path,
) -> None:
    deleted: list[int | None] = []

    async def talks(chat: Chat) -> None:
        await three(chat)
        deleted.append(chat.screen.tabs.open.current.number)
        await press(chat, "alt+1", "one")
        await press(chat, "alt+w", "two")

    async def new(chat: Chat) -> None:
        await chat.ready()
        assert titles(chat) == ["two", "three", "New chat"] and not chat.turns

    async def again(chat: Chat) -> None:
        await chat.until(lambda: questions(chat) == ["two"])
        assert titles(chat) == ["two"] and line(chat) == ""

    start(tmp_path, talks)
    start(tmp_path, new, is_new=True)
    history = History.open(tmp_path / "history.db")
    assert deleted[0] is not None
    history.delete(deleted[0])
    assert history.flush()
    start(tmp_path, again, history=history)
