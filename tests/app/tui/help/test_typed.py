"""The help about typing: what a terminal may not tell is not promised, and Macs are told of Alt."""

from __future__ import annotations

from app.tui.help.typed import typing
from app.tui.help.words import narrowed
from app.tui.keys.keymap import Keys


def test_who_asks_for_a_macs_keys_is_told_how_option_becomes_alt() -> None:
    (found,) = narrowed([typing(Keys(), "send")], "mac option")
    (entry,) = found.entries
    assert entry.word == "Alt"
    assert "Use Option as Meta key" in entry.meaning and "Left Option: Esc+" in entry.meaning
    assert "Without that, Ctrl+P finds every command" in entry.meaning


def test_where_one_types_is_called_the_box() -> None:
    meanings = [entry.meaning for entry in typing(Keys(), "send").entries]
    assert any("over the box" in meaning for meaning in meanings)
    assert not [meaning for meaning in meanings if "the prompt" in meaning]
