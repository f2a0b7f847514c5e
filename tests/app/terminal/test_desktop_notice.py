"""A notification is told in the way that the terminal understands, and harmlessly."""

from __future__ import annotations

import pytest

from app.terminal.desktop_notice import notice, way
from tests.app.terminal.test_sanitise import HOSTILE

TMUX = {"TMUX": "/tmp/tmux-0/default,1,0", "TERM": "tmux-256color", "TERM_PROGRAM": "tmux"}


@pytest.mark.parametrize(
    ("env", "expected"),
    [
        ({"TERM": "xterm-256color", "TERM_PROGRAM": "iTerm.app"}, "OSC 9"),
        ({"TERM": "xterm-256color", "LC_TERMINAL": "iTerm2"}, "OSC 9"),
        ({"TERM": "xterm-256color", "TERM_PROGRAM": "WezTerm"}, "OSC 777"),
        ({"TERM": "xterm-ghostty"}, "OSC 777"),
        ({"TERM": "xterm-kitty", "KITTY_WINDOW_ID": "1"}, "OSC 99"),
        ({"TERM": "foot-extra"}, "OSC 777"),
        ({"TERM": "rxvt-unicode-256color"}, "OSC 777"),
        ({"TERM": "xterm-256color", "WT_SESSION": "guid"}, "OSC 777"),
        ({"TERM": "xterm-256color", "VTE_VERSION": "7600"}, "OSC 777"),
        ({**TMUX, "KITTY_WINDOW_ID": "1"}, "OSC 99"),
        ({**TMUX, "LC_TERMINAL": "iTerm2"}, "OSC 9"),
        (TMUX, None),
        ({"TERM": "xterm-256color", "TERM_PROGRAM": "vscode", "KITTY_WINDOW_ID": "1"}, None),
        ({"TERM": "xterm-256color", "TERM_PROGRAM": "Apple_Terminal"}, None),
        ({"TERM": "linux", "KITTY_WINDOW_ID": "1"}, None),
        ({"TERM": "xterm-256color", "ConEmuANSI": "ON"}, None),
        ({}, None),
    ],
    ids=str,
)
def test_every_terminal_is_told_in_its_own_way_and_an_unknown_one_nothing(
    env: dict[str, str], expected: str | None
) -> None:
    assert way(env) == expected
    assert bool(notice("T", "text", env)) == (expected is not None)


def test_the_three_ways_say_title_and_text() -> None:
    assert notice("T", "done", {"TERM_PROGRAM": "iTerm.app"}) == "\x1b]9;T: done\x07"
    assert notice("T", "done", {"TERM": "foot"}) == "\x1b]777;notify;T;done\x07"
    assert notice("T", "done", {"TERM": "xterm-kitty"}) == (
        "\x1b]99;i=slipstream:d=0;T\x07\x1b]99;i=slipstream:p=body;done\x07"
    )


def test_tmux_and_screen_hand_it_on() -> None:
    env = {**TMUX, "WEZTERM_PANE": "0"}
    assert notice("T", "done", env) == "\x1bPtmux;\x1b\x1b]777;notify;T;done\x07\x1b\\"
    screen = {"STY": "1.pts", "TERM": "screen", "LC_TERMINAL": "iTerm2"}
    assert notice("T", "done", screen) == "\x1bP\x1b]9;T: done\x07\x1b\\"


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE.keys())
@pytest.mark.parametrize("term", ["foot", "xterm-kitty"])
def test_no_text_ends_the_notification_or_adds_a_field_to_it(text: str, term: str) -> None:
    told = notice(text, f"{text};urgent", {"TERM": term})
    plain = notice("T", "x", {"TERM": term})
    for control in ("\x1b", "\x07", "\x9c", "\x9d", ";"):
        assert told.count(control) == plain.count(control)
    assert len(notice("T", "x" * 10_000, {"TERM": term})) < 300
