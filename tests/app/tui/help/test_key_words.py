"""The help about keys: what is wrong and every name, understood by whoever reads one row."""

from __future__ import annotations

from pathlib import Path

import pytest

from app.tui.help.key_words import changing
from app.tui.keys.keymap import DEFAULT
from tests.app.tui.driving import Chat
from tests.app.tui.test_own_keys import play


def test_the_help_about_keys_begins_with_what_is_wrong_and_the_names(tmp_path: Path) -> None:
    async def scenario(chat: Chat) -> None:
        await chat.ask("/help keys")
        await chat.until(lambda: chat.shows("Other keys wrong /home/settings.toml: keys: edit:"))
        assert chat.shows("[keys] Other keys stand in settings.toml")
        assert chat.shows("retry F9 (by default Ctrl+R)")
        assert not chat.shows("Typing, stopping, quitting")

    play('retry = "f9"\nedit = "x"', scenario, tmp_path)


@pytest.mark.parametrize(
    "name, told",
    [
        ("make-room", "no key: leave out the oldest turns, which makes room in a full context"),
        ("summarise", "no key: summarise the oldest turns, which makes room in a full context"),
        ("send-head", "no key: send the first lines of a file that is too long for the context"),
        ("fold-summary", "no key: show or fold the summary that is sent in the place of turns"),
    ],
)
def test_what_an_action_does_is_understood_from_its_row_alone(name: str, told: str) -> None:
    rows = {entry.word: entry.meaning for entry in changing(DEFAULT).entries}
    assert rows[name] == told
