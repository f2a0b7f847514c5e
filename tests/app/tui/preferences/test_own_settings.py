"""What flags choose for a chat, what a chat of before or a damaged one has, and what is kept."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import msgspec
import pytest

from app.tui.preferences.own_settings import brought_back, taken_up, to_keep
from app.tui.widgets.turn_view import TurnView
from tests.app.tui.driving import Chat
from tests.app.tui.fakes import SAMPLING, FakeSettings
from tests.app.tui.keeping import USUAL, ask, do, kept, play, show, two

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
        {"repeat_penalty": 1.1, "repeat_last_n": 256},
        {},
    ):
        system, settings = to_keep(chosen)
        packed = msgspec.json.decode(msgspec.json.encode(settings), type=dict[str, object])
        assert brought_back(system, packed) == (chosen, [])


def test_what_is_not_a_chats_own_stays_when_another_is_shown() -> None:
    here = {"temp": 1.0, "drafter": "none", "notify": "bell"}
    assert taken_up(here, {"temp": 0.2, "drafter": "lookup"}) == {
        "temp": 0.2,
        "drafter": "none",
        "notify": "bell",
    }
