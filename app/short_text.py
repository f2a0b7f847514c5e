"""Reads a short text file of the person's: no more of it than it may have, and only a file, for a
pipe could take for ever; and understands it if it is TOML.
"""

from __future__ import annotations

import stat
import sys
import tomllib
from pathlib import Path
from typing import Any

from app.errors import SettingsError, reason
from app.settings.toml_words import in_words


def read_short(path: Path, limit_bytes: int, what: str) -> str:
    """Return its text. what: says what it is to be, where it is no file.

    Raises FileNotFoundError if there is none, SettingsError if it cannot be used.
    """
    try:
        if not stat.S_ISREG(path.stat().st_mode):
            raise SettingsError(f"{path} is no file: {what}.")
        with path.open("rb") as file:
            content = file.read(limit_bytes + 1)
        check_short(str(path), max(len(content), path.stat().st_size), limit_bytes)
        text = content.decode("utf-8-sig")
    except FileNotFoundError:
        raise
    except UnicodeDecodeError as error:
        n = content.count(b"\n", 0, error.start) + 1
        what = f"line {n} is no UTF-8 text; save the file as UTF-8"
        raise SettingsError(f"Cannot read {path}: {what}.") from None
    except (OSError, ValueError) as error:
        raise SettingsError(f"Cannot read {path}: {reason(error)}.") from None
    if "\x00" in text:
        raise SettingsError(f"Cannot read {path}: it is no text.")
    return text


def parsed_toml(text: str) -> dict[str, Any]:
    """Return what a TOML text says. Raises ValueError, in words for a person."""
    try:
        found = tomllib.loads(text)
        is_huge = _has_huge_number(found)
    except tomllib.TOMLDecodeError as error:
        raise ValueError(in_words(error, text)) from None
    except RecursionError:
        raise ValueError("it nests too deeply") from None
    except ValueError:  # Python itself refuses so many digits
        is_huge = True
    if is_huge:
        raise ValueError("a number in it has hundreds of digits")
    return found


def _has_huge_number(found: object) -> bool:
    """Whether a whole number is among what was found that no float can be."""
    if isinstance(found, dict | list):
        return any(map(_has_huge_number, found.values() if isinstance(found, dict) else found))
    return isinstance(found, int) and found.bit_length() >= sys.float_info.max_exp


def check_short(what: str, n_bytes: int, limit_bytes: int) -> None:
    """Raise SettingsError for what is too large to be read again."""
    if n_bytes > limit_bytes:
        raise SettingsError(f"{what} is too large: {n_bytes} bytes, at most {limit_bytes}.")
