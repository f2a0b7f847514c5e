"""A chat keeps what was chosen for it: beside other chats, closed and opened, after a restart."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Mapping
from pathlib import Path

import msgspec
import pytest

from app.history import Chat as Kept
from app.history import History
from app.last import read_last
from app.tui.furniture import Furniture
from app.tui.own_settings import brought_back, taken_up, to_keep
from app.tui.setting_rows import Value
from app.tui.widgets.turn_view import TurnView
from tests.app.tui.branching import NUMBERS
from tests.app.tui.driving import NARROW, Chat, Scenario, furnished, opened
from tests.app.tui.fakes import SAMPLING, FakeEngine, FakeSettings, wait_until
from tests.app.tui.test_resuming import Watched

USUAL = SAMPLING.temperature


def play(
    folder: Path,
    scenario: Scenario,
    settings: FakeSettings | None = None,
    said: Mapping[str, Value | None] | None = None,
) -> None:
    """Start the app with what it kept in this folder, and play. said: by flags of this start."""
    history = History.open(folder / "history.db")
    path = folder / "last.json"
    engine = FakeEngine(*NUMBERS)

    async def run() -> None:
        resuming = Watched(path, read_last(path))
        furniture = Furniture(
            engine, settings or FakeSettings(), history=history, resuming=resuming, said=said or {}
        )
        app = furnished(furniture)
        async with app.run_test(size=NARROW) as pilot:
            chat = await opened(app, pilot, engine)
            await wait_until(pilot, lambda: resuming.is_over)
            await chat.ready()
            await scenario(chat)
            engine.release()

    asyncio.run(run())


def questions(chat: Chat) -> list[str]:
    return [view.question for view in chat.turns]


async def do(chat: Chat, *commands: str) -> None:
    for command in commands:
        name, _, argument = command.removeprefix("/").partition(" ")
        await chat.screen.action_act(name, argument)


async def ask(chat: Chat, question: str) -> tuple[str, float]:
    """Ask, and return the system prompt and the temperature that the engine got."""
    n = len(chat.turns)
    await chat.ask(question)
    await chat.answered(n + 1)
    first = chat.engine.asked[-1][0]
    system = first.content if first.role == "system" else ""
    return system, chat.engine.samplings[-1].temperature


async def show(chat: Chat, key: str, *shown: str) -> None:
    await chat.pilot.press(key)
    await chat.until(lambda: questions(chat) == list(shown))


async def from_list(chat: Chat, question: str) -> None:
    """Open a chat from F3 by what it is called."""
    await chat.pilot.press("f3")
    await chat.until(lambda: not chat.is_on_top and chat.shows("chats"))
    await chat.pilot.press(*question)
    await chat.until(lambda: chat.shows("1 found") or chat.shows("1 chat"))
    await chat.pilot.press("enter")
    await chat.until(lambda: chat.is_on_top and questions(chat)[:1] == [question])


async def two(chat: Chat) -> None:
    """Have chats A and B open, each with what was chosen for it."""
    await do(chat, "/system A", "/temp 0.3")
    assert await ask(chat, "alpha") == ("A", 0.3)
    await do(chat, "/system A, changed")
    await show(chat, "ctrl+n")
    await do(chat, "/system B", "/temp 1.1")
    assert await ask(chat, "beta") == ("B", 1.1)


def kept(chat: Chat) -> Kept:
    """Return what is on the disk of the chat that is shown."""
    history, number = chat.screen.history, chat.screen.tabs.open.current.number
    assert history is not None and number is not None and history.flush()
    return history.chat(number)


# the sequence


def test_two_open_chats_are_each_asked_with_what_was_chosen_there(tmp_path: Path) -> None:
    async def scenario(chat: Chat) -> None:
        await two(chat)
        await show(chat, "alt+1", "alpha")
        assert await ask(chat, "again") == ("A, changed", 0.3)
        await do(chat, "/temp 0.5")
        assert await ask(chat, "cooler") == ("A, changed", 0.5)
        await show(chat, "alt+2", "beta")
        assert await ask(chat, "and B") == ("B", 1.1)

    play(tmp_path, scenario)


def test_a_chat_that_is_opened_from_the_list_is_asked_as_before(tmp_path: Path) -> None:
    async def scenario(chat: Chat) -> None:
        await two(chat)
        await show(chat, "alt+1", "alpha")
        await show(chat, "alt+w", "beta")
        await from_list(chat, "alpha")
        assert chat.screen.chosen["temp"] == 0.3
        assert await ask(chat, "again") == ("A, changed", 0.3)
        await do(chat, "/temp 0.5")
        assert await ask(chat, "cooler") == ("A, changed", 0.5)

    play(tmp_path, scenario)


def test_a_chat_that_comes_back_is_asked_as_before_and_so_is_the_one_beside_it(
    tmp_path: Path,
) -> None:
    async def talks(chat: Chat) -> None:
        await two(chat)
        await show(chat, "alt+1", "alpha")

    async def again(chat: Chat) -> None:
        await chat.until(lambda: questions(chat) == ["alpha"])
        assert await ask(chat, "again") == ("A, changed", 0.3)
        await show(chat, "alt+2", "beta")
        assert await ask(chat, "and B") == ("B", 1.1)

    play(tmp_path, talks)
    play(tmp_path, again)


def test_a_new_chat_begins_with_the_usual_settings_and_says_so(tmp_path: Path) -> None:
    async def scenario(chat: Chat) -> None:
        await two(chat)
        await show(chat, "ctrl+n")
        await chat.until(lambda: chat.toasts("A new chat begins with your usual settings"))
        assert not chat.screen.chosen
        assert await ask(chat, "gamma") == ("Usual.", USUAL)

    play(tmp_path, scenario, FakeSettings(system="Usual."))


def test_of_a_chat_with_nothing_of_its_own_a_new_one_says_nothing(tmp_path: Path) -> None:
    async def scenario(chat: Chat) -> None:
        await ask(chat, "alpha")
        await show(chat, "ctrl+n")
        assert not chat.toasts("usual settings")

    play(tmp_path, scenario)


# what is kept


def test_only_what_was_chosen_is_kept_and_else_the_start_says(tmp_path: Path) -> None:
    async def talks(chat: Chat) -> None:
        await do(chat, "/temp 0.3")
        assert await ask(chat, "alpha") == ("Usual.", 0.3)
        assert (kept(chat).system, kept(chat).settings) == ("", {"temp": 0.3})

    async def again(chat: Chat) -> None:
        assert await ask(chat, "again") == ("Another.", 0.3)
        assert chat.engine.samplings[-1].top_k == 7

    play(tmp_path, talks, FakeSettings(system="Usual."))
    sampling = msgspec.structs.replace(SAMPLING, temperature=0.9, top_k=7)
    play(tmp_path, again, FakeSettings(system="Another.", sampling=sampling))


def test_no_prompt_at_all_is_a_choice_that_is_kept(tmp_path: Path) -> None:
    from app.tui.actions.tuning import apply

    usual = FakeSettings(system="Usual.", think=False)

    async def talks(chat: Chat) -> None:
        apply(chat.screen, "system", None)
        apply(chat.screen, "think", None)
        assert (await ask(chat, "alpha"))[0] == ""

    async def again(chat: Chat) -> None:
        assert (await ask(chat, "again"))[0] == "" and chat.engine.thinks == [None]

    play(tmp_path, talks, usual)
    play(tmp_path, again, usual)


def test_a_seed_that_was_given_is_kept_and_one_that_was_drawn_is_not(tmp_path: Path) -> None:
    async def talks(chat: Chat) -> None:
        await do(chat, "/seed 41")
        await ask(chat, "alpha")
        assert kept(chat).settings == {"seed": 41}
        await do(chat, "/seed random")
        await ask(chat, "beta")
        assert chat.engine.samplings[-1].seed != 41
        assert kept(chat).settings == {"seed": None}

    async def again(chat: Chat) -> None:
        await ask(chat, "gamma")
        assert chat.engine.samplings[-1].seed not in (41, SAMPLING.seed), "it is drawn anew"

    play(tmp_path, talks)
    play(tmp_path, again)


def test_the_longest_answer_and_thinking_are_the_chats_own_too(tmp_path: Path) -> None:
    from app.tui.actions.tuning import apply

    async def talks(chat: Chat) -> None:
        apply(chat.screen, "predict", 12)
        apply(chat.screen, "think", False)
        await ask(chat, "alpha")
        await show(chat, "ctrl+n")
        await ask(chat, "beta")
        assert chat.engine.predicts == [12, None] and chat.engine.thinks == [False, None]
        await show(chat, "alt+1", "alpha")

    async def again(chat: Chat) -> None:
        await ask(chat, "gamma")
        assert chat.engine.predicts == [12] and chat.engine.thinks == [False]

    play(tmp_path, talks)
    play(tmp_path, again)


def test_a_persona_is_kept_with_its_sampling_by_one_write(tmp_path: Path) -> None:
    async def talks(chat: Chat) -> None:
        history = chat.screen.history
        assert history is not None
        await ask(chat, "alpha")
        configure, n = history.configure, []
        history.configure = lambda *given: (n.append(given), configure(*given))[1]  # type: ignore[method-assign,func-returns-value]
        await do(chat, "/persona translator")
        assert len(n) == 1
        await do(chat, "/persona translator", "/temp")
        assert len(n) == 1, "nothing has changed"

    async def again(chat: Chat) -> None:
        system, temperature = await ask(chat, "again")
        assert "ranslat" in system and temperature == chat.screen.chosen.get("temp", USUAL)
        assert chat.screen.chosen["persona"] == "Translator"

    play(tmp_path, talks)
    play(tmp_path, again)


def test_the_pair_that_answered_last_is_still_named_after_a_change(tmp_path: Path) -> None:
    async def talks(chat: Chat) -> None:
        await ask(chat, "alpha")

    async def changes(chat: Chat) -> None:
        await do(chat, "/temp 0.3")
        assert kept(chat).info.pair == "Slipstream demo"

    play(tmp_path, talks)
    play(tmp_path, changes, FakeSettings(title="Other"))


def test_another_pair_leaves_each_chat_its_own_and_brings_its_recommendation_to_the_others(
    tmp_path: Path,
) -> None:
    async def scenario(chat: Chat) -> None:
        await two(chat)
        await show(chat, "ctrl+n")
        await ask(chat, "gamma")
        hot = msgspec.structs.replace(SAMPLING, temperature=1.7, top_k=7)
        await chat.screen.session.switch(FakeSettings(sampling=hot, title="Hot"))
        await chat.until(lambda: len(chat.engine.loaded) == 2 and chat.state == "ready")
        assert await ask(chat, "delta") == ("", 1.7)
        await show(chat, "alt+1", "alpha")
        assert await ask(chat, "again") == ("A, changed", 0.3)
        assert chat.engine.samplings[-1].top_k == 7, "which was not chosen here"

    play(tmp_path, scenario)


def test_a_full_chats_question_takes_its_settings_to_the_new_chat(tmp_path: Path) -> None:
    async def scenario(chat: Chat) -> None:
        await two(chat)
        await chat.screen.tabs.new_alike()
        assert await ask(chat, "moved") == ("B", 1.1)
        assert kept(chat).system == "B" and kept(chat).settings["temp"] == 1.1

    play(tmp_path, scenario)


def test_an_export_that_is_brought_in_is_asked_as_the_chat_was(tmp_path: Path) -> None:
    async def talks(chat: Chat) -> None:
        await do(chat, "/system A", "/temp 0.3")
        await ask(chat, "alpha")
        (tmp_path / "there").mkdir()
        history, number = chat.screen.history, chat.screen.tabs.open.current.number
        assert history is not None and number is not None and history.flush()
        elsewhere = History.open(tmp_path / "there" / "history.db")
        elsewhere.import_json(history.export_json([number]))
        assert elsewhere.close()

    async def there(chat: Chat) -> None:
        await ask(chat, "other")
        await from_list(chat, "alpha")
        assert await ask(chat, "again") == ("A", 0.3)

    play(tmp_path, talks)
    play(tmp_path / "there", there)


# flags


def test_what_flags_say_is_kept_with_the_chat_that_is_begun_with_them(tmp_path: Path) -> None:
    sampling = msgspec.structs.replace(SAMPLING, temperature=0.2)

    async def talks(chat: Chat) -> None:
        assert await ask(chat, "alpha") == ("Flag.", 0.2)

    async def again(chat: Chat) -> None:
        assert await ask(chat, "again") == ("Flag.", 0.2)

    flags = {"system": "Flag.", "persona": None, "temp": 0.2}
    play(tmp_path, talks, FakeSettings(system="Flag.", sampling=sampling), flags)
    play(tmp_path, again)


def test_a_flag_wins_in_the_chat_that_comes_back_for_now_and_says_so(tmp_path: Path) -> None:
    sampling = msgspec.structs.replace(SAMPLING, temperature=0.9)

    async def with_flag(chat: Chat) -> None:
        await chat.until(lambda: chat.shows("temperature 0.9 (this chat's own: 0.3)"))
        assert await ask(chat, "flagged") == ("A, changed", 0.9)
        await do(chat, "/system A, anew")
        assert kept(chat).settings["temp"] == 0.3
        await show(chat, "alt+2", "beta")
        assert await ask(chat, "and B") == ("B", 1.1), "only the chat that came back in sight"
        await show(chat, "alt+1", "alpha", "flagged")

    async def without(chat: Chat) -> None:
        assert not chat.shows("this chat's own")
        assert await ask(chat, "again") == ("A, anew", 0.3)

    async def talks(chat: Chat) -> None:
        await two(chat)
        await show(chat, "alt+1", "alpha")

    play(tmp_path, talks)
    play(tmp_path, with_flag, FakeSettings(sampling=sampling), {"temp": 0.9})
    play(tmp_path, without)


def test_what_is_typed_wins_over_a_flag_and_is_kept(tmp_path: Path) -> None:
    sampling = msgspec.structs.replace(SAMPLING, temperature=0.9)

    async def talks(chat: Chat) -> None:
        await do(chat, "/temp 0.3")
        await ask(chat, "alpha")

    async def with_flag(chat: Chat) -> None:
        await do(chat, "/temp 0.9")
        await chat.pilot.pause()
        assert kept(chat).settings == {"temp": 0.9}

    play(tmp_path, talks)
    play(tmp_path, with_flag, FakeSettings(sampling=sampling), {"temp": 0.9})


# chats from before, from elsewhere, and damaged ones


def old(folder: Path, system: str, settings: str) -> None:
    """Keep a chat with these words in the file, and have it come back at the next start."""

    async def talks(chat: Chat) -> None:
        await ask(chat, "alpha")

    play(folder, talks)
    with sqlite3.connect(folder / "history.db") as file:
        file.execute("UPDATE chats SET system = ?, settings = ?", (system, settings))
    file.close()


def test_a_chat_from_before_keeps_its_system_prompt_and_has_nothing_else(tmp_path: Path) -> None:
    async def again(chat: Chat) -> None:
        assert await ask(chat, "again") == ("Old.", USUAL)

    old(tmp_path, "Old.", "{}")
    play(tmp_path, again, FakeSettings(system="Usual."))


@pytest.mark.parametrize("settings", ["", "{", "[1]", "7", '{"model": "x", "temperature": 9}'])
def test_foreign_and_damaged_settings_are_as_good_as_none(tmp_path: Path, settings: str) -> None:
    async def again(chat: Chat) -> None:
        assert not chat.screen.chosen and not chat.shows("Not taken")
        assert await ask(chat, "again") == ("", USUAL)

    old(tmp_path, "", settings)
    play(tmp_path, again)


def test_values_that_cannot_be_are_left_out_with_one_line(tmp_path: Path) -> None:
    async def again(chat: Chat) -> None:
        await chat.until(lambda: chat.shows("Not taken from what was kept with this chat:"))
        assert chat.screen.chosen == {"top_p": 0.5}
        assert await ask(chat, "again") == ("", USUAL)
        assert chat.engine.samplings[-1].top_p == 0.5
        assert chat.engine.samplings[-1].top_k == SAMPLING.top_k
        assert len(chat.screen.query(TurnView)) == 2

    settings = '{"temp": -1, "top_p": 0.5, "top_k": null, "think": "perhaps", "seed": [3]}'
    old(tmp_path, "", settings)
    play(tmp_path, again)


# pure


def test_what_is_kept_comes_back_as_it_was_chosen() -> None:
    for chosen in (
        {"system": "Be brief.", "persona": None, "temp": 0.3},
        {"system": None, "think": None, "seed": None},
        {"system": "x", "persona": "Teacher", "predict": 9, "think": False},
        {},
    ):
        system, settings = to_keep(chosen)
        packed = msgspec.json.decode(msgspec.json.encode(settings), type=dict[str, object])
        assert brought_back(system, packed) == (chosen, [])


def test_what_is_not_a_chats_own_stays_when_another_is_shown() -> None:
    here = {"temp": 1.0, "drafter": "none", "bell": False}
    assert taken_up(here, {"temp": 0.2, "drafter": "lookup"}) == {
        "temp": 0.2,
        "drafter": "none",
        "bell": False,
    }
