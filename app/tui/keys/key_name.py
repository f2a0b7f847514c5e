"""Reads the name of a key as a person writes it, says which keys cannot do something else, and
writes keys as they stand on a keyboard.

Forgiving: "Ctrl+T", "ctrl-t", "control + t" and "^t" are ctrl+t. What a terminal cannot tell the
app, or what one types and leaves with, is refused with the reason.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from textual.keys import _character_to_key, format_key

from app.errors import SettingsError

WRITTEN = re.compile(r"((?:(?:ctrl|control|alt|option|meta|shift)\s*[+-]\s*)*)(.+)")
MODIFIERS = {"control": "ctrl", "option": "alt", "meta": "alt"}
OTHER_NAMES = {
    "esc": "escape",
    "return": "enter",
    "del": "delete",
    "ins": "insert",
    "pgup": "pageup",
    "pgdn": "pagedown",
    "pgdown": "pagedown",
    "←": "left",
    "→": "right",
    "↑": "up",
    "↓": "down",
}
MOVING = ("up", "down", "left", "right", "home", "end")
EDITING = (*MOVING, "backspace", "delete", "space")
PAGES = ("pageup", "pagedown")
ENTERS = ("enter", "shift+enter", "alt+enter", "ctrl+enter")
LEAVING = (*ENTERS, "escape", "tab", "shift+tab", "ctrl+c")
FUNCTION = tuple(f"f{number}" for number in range(1, 25))
KNOWN = frozenset({*FUNCTION, *EDITING, *PAGES, "insert", "enter", "escape", "tab"})
CONTROLS = ("backslash", "right_square_bracket", "circumflex_accent", "underscore")
"""Signs that a terminal tells with Ctrl."""
SIGNS = ("slash", "minus", "tilde", "full_stop")
"""Others that keys by default are named by."""
SAME: Mapping[str, str] = {
    "ctrl+i": "Tab",
    "ctrl+m": "Enter",
    "ctrl+j": "a new line",
    "ctrl+h": "Backspace",
    "ctrl+left_square_bracket": "Esc",
    "alt+b": "Ctrl+←",
    "alt+f": "Ctrl+→",
    "alt+0": "a sign that is typed",
}
"""What some keys are to many a terminal."""
NAMES = {
    "escape": "Esc",
    "pageup": "Page up",
    "pagedown": "Page down",
    "delete": "Delete",
    "backspace": "Backspace",
    "enter": "Enter",
    "space": "Space",
}
"""How some keys are written, where that is not as Textual names them."""
EXAMPLES = "should be a key such as ctrl+t, alt+k or f7"


def read(written: str) -> str:
    """Return a key as Textual names it. Raises SettingsError for what is none."""
    found = WRITTEN.fullmatch(re.sub(r"^\^(?=.)", "ctrl+", written.strip().lower()))
    if found is None:
        raise SettingsError(EXAMPLES)
    words = re.findall(r"[a-z]+", found[1])
    modifiers = sorted({MODIFIERS.get(word, word) for word in words})
    last = found[2] if len(found[2]) == 1 else re.sub(r"[\s_-]", "", found[2])
    last = OTHER_NAMES.get(last, last)
    if len(last) == 1:
        last = _character_to_key(last)
    elif last not in KNOWN:
        last = _sign(found[2])
    if modifiers == ["shift"] and len(last) == 1:
        return last.upper()
    return "+".join([*modifiers, last])


def _sign(name: str) -> str:
    """Return the name of a sign that is written out, as Textual has it. Raises SettingsError."""
    if name in CONTROLS or name in SIGNS:
        return name
    raise SettingsError(EXAMPLES)


def refuse(key: str, is_typed_at: bool, may_page: bool) -> None:
    """Raise SettingsError where a key cannot do what it is wanted for.

    is_typed_at: where it is pressed, letters are typed. may_page: it may take the page keys.
    """
    *modifiers, last = key.split("+")
    if key in SAME:
        raise SettingsError(f"should be another key: to a terminal this one is {SAME[key]}")
    if key in LEAVING:
        raise SettingsError(
            "should be another key: Enter, Esc, Tab and Ctrl+C, and what breaks a line, stay "
            "what they are"
        )
    if last in MOVING and (not modifiers or "shift" in modifiers):
        raise SettingsError("should be another key: this one moves and selects")
    if not may_page and (last in PAGES or key in ("ctrl+home", "ctrl+end")):
        raise SettingsError("should be another key: this one scrolls there")
    if last in EDITING or not modifiers or modifiers == ["shift"]:
        _refuse_typed(key, is_typed_at)
    elif not _can_be_told(modifiers, last):
        raise SettingsError(
            "should be another key, as no terminal tells this one: Ctrl goes with a letter, Alt "
            "with a letter or a digit, and all of them with F1 to F24"
        )


def _refuse_typed(key: str, is_typed_at: bool) -> None:
    """Raise SettingsError for what one types and edits with."""
    *modifiers, last = key.split("+")
    is_typed = last not in (*FUNCTION, *PAGES, "insert") and not (modifiers and last in MOVING)
    if is_typed and (is_typed_at or modifiers):
        raise SettingsError(
            "should be another key, as one types with this one: take it with Ctrl or Alt, or a "
            "key such as f7"
        )


def _can_be_told(modifiers: list[str], last: str) -> bool:
    if last in (*FUNCTION, *PAGES, *MOVING, "insert"):
        return True
    is_letter = len(last) == 1 and last.isascii() and last.isalpha()
    if modifiers == ["ctrl"]:
        return is_letter or last in CONTROLS
    is_digit = len(last) == 1 and last in "0123456789"
    return (is_letter and modifiers in (["alt"], ["alt", "shift"])) or (
        is_digit and modifiers == ["alt"]
    )


def pretty(key: str) -> str:
    """Write a key as it stands on a keyboard: ctrl+r is Ctrl+R, escape Esc, backslash \\."""
    *modifiers, last = key.split("+")
    shown = NAMES.get(last) or _shown(last)
    is_letter = bool(modifiers) and len(shown) == 1
    return "+".join([*map(str.capitalize, modifiers), shown.upper() if is_letter else shown])


def listed(keys: Iterable[str]) -> str:
    """Write keys side by side, and digits in a row shortly: Alt+1…9."""
    runs: list[list[str]] = []
    for key in map(pretty, keys):
        if runs and _follows(runs[-1][-1], key):
            runs[-1].append(key)
        else:
            runs.append([key])
    return ", ".join(run[0] + (f"…{run[-1][-1]}" if len(run) > 1 else "") for run in runs)


def _follows(before: str, key: str) -> bool:
    is_like = key[:-1] == before[:-1] and key[:-1].endswith("+")
    return is_like and key[-1:].isdecimal() and ord(key[-1]) == ord(before[-1]) + 1


def _shown(key: str) -> str:
    if len(key) == 1:
        return key
    sign = format_key(key)
    return sign if len(sign) == 1 else key.capitalize()
