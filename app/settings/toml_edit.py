"""Changes a key or a table of a TOML text and leaves every other line as the person wrote it.

The text is cut into statements by the real parser: lines are taken together until they parse. Every
result is parsed again and compared with what was meant, so the worst outcome is a refusal
(ValueError), never a damaged file. It knows keys and tables at the top level, not nested ones, and
no files.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TypeAlias

Scalar: TypeAlias = str | bool | int | float
Value: TypeAlias = Scalar | Mapping[str, Scalar]

LONG_MARKS = ('"""', "'''")
INSIDE = ("Unterminated string", "Expected \"'''\"")
"""What the parser says of a text that ends inside a string of several lines: until its mark comes
there is no need to ask again, which takes longer with every line.
"""
BARE = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-")


@dataclass(frozen=True, slots=True)
class _Statement:
    """text: whole lines. table: the one it stands in or opens, None above all tables. names: the
    top-level names that it gives, none for comments and blank lines.
    """

    text: str
    table: str | None
    opens: bool
    names: frozenset[str]


def with_value(text: str, name: str, value: Value) -> str:
    """Return the text with `name = value` in its old place, or below the other plain keys.

    Raises ValueError.
    """
    line = f"{_key(name)} = {_inline(value)}"
    statements = list(_statements(text))
    at = next((i for i, s in enumerate(statements) if _is_plain(s, name)), None)
    if at is None:
        kept = _with_line(
            [s for s in statements if name not in s.names], line + _newline(text), _newline(text)
        )
    else:
        kept = [s.text for s in statements]
        indent = kept[at][: len(kept[at]) - len(kept[at].lstrip())]
        kept[at] = indent + line + _tail(kept[at])
    meant = dict(value) if isinstance(value, Mapping) else value
    return _checked("".join(kept), {**tomllib.loads(text), name: meant})


def without_key(text: str, name: str) -> str:
    """Return the text without a key or table; unchanged if there is none. Raises ValueError."""
    kept = "".join(s.text for s in _statements(text) if name not in s.names)
    return _checked(kept, {k: v for k, v in tomllib.loads(text).items() if k != name})


def with_table(text: str, name: str, values: Mapping[str, Scalar]) -> str:
    """Return the text with `[name]` and these values in its old place, or at the end; comments
    inside the old table go with it. Raises ValueError.
    """
    newline = _newline(text)
    lines = [f"[{_key(name)}]", *(f"{_key(k)} = {_long(v, newline)}" for k, v in values.items())]
    block = newline.join(lines) + newline
    statements = list(_statements(text))
    at = next((i for i, s in enumerate(statements) if s.opens and s.table == name), None)
    if at is None:
        before = without_key(text, name).rstrip()
        result = before + 2 * newline + block if before else block
    else:
        head = [s.text for s in statements[:at]]
        rest = statements[at:]
        last = max(i for i, s in enumerate(rest) if name in s.names)
        result = "".join([*head, block, *(s.text for s in rest[last + 1 :])])
    return _checked(result, {**tomllib.loads(text), name: dict(values)})


def _statements(text: str) -> Iterator[_Statement]:
    """Cut a text that parses into its statements. Raises ValueError if it does not."""
    tomllib.loads(text)
    table: str | None = None
    pending, is_inside = "", False
    for line in _lines(text):
        pending += line
        if is_inside and not any(mark in line for mark in LONG_MARKS):
            continue
        try:
            found = tomllib.loads(pending)
        except tomllib.TOMLDecodeError as error:
            is_inside = any(words in str(error) for words in INSIDE)
            continue
        is_inside = False
        opens = pending.lstrip().startswith("[")
        if opens:
            table = next(iter(found))
        names = frozenset(found) if table is None or opens else frozenset({table})
        yield _Statement(pending, table, opens, names if found else frozenset())
        pending = ""


def _lines(text: str) -> list[str]:
    """Cut at line feeds alone: Unicode's other line breaks may stand in a text."""
    return re.findall(r"[^\n]*\n|[^\n]+", text)


def _is_plain(statement: _Statement, name: str) -> bool:
    """Whether a statement is `name = …`, and not `name.part = …`."""
    if statement.table is not None or name not in statement.names:
        return False
    before = statement.text.partition("=")[0].strip()
    return before in (name, f'"{name}"', f"'{name}'")


def _below_plain_keys(statements: list[_Statement]) -> int:
    """Return where a key above all tables is inserted: the comment above a table stays there."""
    top = next((i for i, s in enumerate(statements) if s.opens), len(statements))
    keys = [i for i in range(top) if statements[i].names]
    if keys:
        return keys[-1] + 1
    if top == len(statements):
        return top
    while top and statements[top - 1].text.strip():
        top -= 1
    return top


def _with_line(statements: list[_Statement], line: str, newline: str) -> list[str]:
    """Insert a line below the plain keys, and end the line above it."""
    at = _below_plain_keys(statements)
    above = [s.text for s in statements[:at]]
    if above and not above[-1].endswith("\n"):
        above[-1] += newline
    return [*above, line, *(s.text for s in statements[at:])]


def _tail(statement: str) -> str:
    """Return a statement's comment, if it has one behind the value, and its line ending."""
    meant = tomllib.loads(statement)
    ending = statement[len(statement.rstrip("\r\n")) :]
    at = statement.find("#")
    while at >= 0:
        try:
            if tomllib.loads(statement[:at]) == meant:
                blank = len(statement[:at]) - len(statement[:at].rstrip())
                return statement[at - blank :]
        except tomllib.TOMLDecodeError:  # it stands inside a string
            pass
        at = statement.find("#", at + 1)
    return ending


def _checked(text: str, meant: Mapping[str, object]) -> str:
    if tomllib.loads(text) != meant:
        raise ValueError("it is written in a way that only a person can change")
    return text


def _newline(text: str) -> str:
    return "\r\n" if "\r\n" in text else "\n"


def _key(name: str) -> str:
    return name if name and BARE.issuperset(name) else _string(name)


def _string(text: str) -> str:
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def _inline(value: Value) -> str:
    """Write a value on one line."""
    if isinstance(value, Mapping):
        return "{ " + ", ".join(f"{_key(k)} = {_inline(v)}" for k, v in value.items()) + " }"
    if isinstance(value, str):
        return _string(value)
    return str(value).lower() if isinstance(value, bool) else repr(value)


def _long(value: Scalar, newline: str) -> str:
    """Write a value, a text of several lines as such."""
    if not isinstance(value, str) or "\n" not in value:
        return _inline(value)
    lines = [_string(line)[1:-1] for line in value.split("\n")]
    return '"""' + newline + newline.join(lines) + '"""'
