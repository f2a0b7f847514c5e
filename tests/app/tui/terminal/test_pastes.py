"""What is pasted is text, whatever it holds and however it arrives; other keys wait for nothing."""

from __future__ import annotations

from itertools import combinations

import pytest
from textual import events

from app.tui.terminal import pastes
from app.tui.terminal.pastes import BEGIN, END, ESC, STALLED_S, PasteParser, Pastes
from tests.pair import DRAFT, TARGET
from tests.terminal import Terminal, ctrl

COLOURED = f"a {ESC}[31mb\r{ESC}{ESC}[20\x07\x11c{ESC}"
PLAIN = "a [31mb\r[20\x07\x11c"


def told(*read: str) -> list[str]:
    """Return what Textual tells of: pastes, and the names of keys."""
    parser, found = PasteParser(), []
    for part in read:
        found += [*parser.feed(part), *parser.tick()]
    found += parser.feed("")
    return [each.text if isinstance(each, events.Paste) else each.key for each in found]  # type: ignore[attr-defined]


def test_an_escape_sequence_in_a_paste_is_text_however_the_paste_is_cut() -> None:
    sent = f"x{BEGIN}{COLOURED}{END}{ESC}[A"
    whole = ["x", PLAIN, "up"]
    assert told(sent) == whole
    assert told(*sent) == whole
    for first, second in combinations(range(1, len(sent)), 2):
        assert told(sent[:first], sent[first:second], sent[second:]) == whole


def test_keys_and_what_only_resembles_a_paste_are_passed_on_at_once() -> None:
    for key in (ESC, f"{ESC}[A", f"{ESC}[20", f"{ESC}[200", f"{ESC}[201~", f"a{ESC}b", BEGIN):
        assert Pastes().cleaned(key, 0) == key
        assert "".join(Pastes().cleaned(sign, 0) for sign in key) == key


def test_a_sequence_that_textual_gave_up_begins_no_paste() -> None:
    cleaner = Pastes()
    assert cleaner.cleaned(ESC, 0) == ESC
    assert cleaner.cleaned("[200~", 1, is_begun=False) == "[200~"
    assert cleaner.cleaned(f"{ESC}[A", 2, is_begun=False) == f"{ESC}[A"


def test_several_pastes_are_as_many() -> None:
    assert told(f"{BEGIN}a{ESC}{END}{BEGIN}b{END}c", f"{BEGIN}{END}") == ["a", "b", "c", ""]


@pytest.mark.parametrize("key", pastes.STOPPING)
def test_a_paste_whose_end_is_lost_is_ended_by_a_key_that_stops(
    key: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = 0.0
    monkeypatch.setattr(pastes, "monotonic", lambda: now)
    parser = PasteParser()
    assert not [*parser.feed(f"{BEGIN}a{ESC}[2"), *parser.feed(key)], "it goes on"
    now += 2 * STALLED_S
    paste, *keys = [*parser.feed(key), *parser.feed(f"{ESC}[A"), *parser.feed("")]
    assert isinstance(paste, events.Paste) and paste.text.startswith("a")
    names = [each.key for each in keys if isinstance(each, events.Key)]
    assert names in (["escape", "up"], ["ctrl+c", "up"])


@pytest.mark.usefixtures("known_costs")
@pytest.mark.parametrize("mode", [[], ["--inline"]], ids=["whole", "inline"])
def test_a_coloured_listing_that_is_pasted_asks_nothing_and_does_nothing(mode: list[str]) -> None:
    assert TARGET.exists() and DRAFT.exists()
    listing = f"see {ESC}[31mred{ESC}[0m\r/frame none\rrest \x11\r"
    with Terminal("app.cli", ["chat", "--threads", "2", *mode], (80, 24)) as terminal:
        terminal.shows("ready")
        terminal.send(f"{BEGIN}{listing}{END}")
        terminal.shows("see [31mred[0m", "/frame none", "rest", "Help")
        terminal.rests()
        assert "ready" in terminal.text and "Quit" in terminal.text
        terminal.send(ctrl("q"))
        assert terminal.ended() == 0
