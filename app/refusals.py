"""What a check of given values refuses, in our words: what is possible, and what was found.

Contract: no word of pydantic's reaches a person. It knows no source: whoever has a value checked
says where it stands.
"""

from __future__ import annotations

import difflib
import re
import reprlib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import date, time

from pydantic import AfterValidator, ValidationError
from pydantic_core import ErrorDetails, PydanticCustomError

from app.terminal.sanitise import one_line

OURS = "ours"
MISSING = ("missing",)
UNKNOWN = ("extra_forbidden", "unexpected_keyword_argument")
LONGEST_FOUND = 60
NEAR = 0.75
"""How like a known key an unknown one must be to be taken for it, by difflib's ratio."""
FEWEST_SAME = 3
"""Letters that one key must have to be taken for another that only goes on behind them."""

WANTED = {
    "bool_parsing": "should be true or false",
    "bool_type": "should be true or false",
    "dataclass_type": "should be a table",
    "dict_type": "should be a table",
    "finite_number": "should be a finite number",
    "float_parsing": "should be a number",
    "float_type": "should be a number",
    "greater_than": "should be above {gt}",
    "greater_than_equal": "should be {ge} or more",
    "int_from_float": "should be a whole number",
    "int_parsing": "should be a whole number",
    "int_parsing_size": "should be a smaller number",
    "int_type": "should be a whole number",
    "less_than": "should be below {lt}",
    "less_than_equal": "should be at most {le}",
    "list_type": "should be a list",
    "literal_error": "should be {expected}",
    "model_type": "should be a table",
    "string_too_long": "should have at most {max_length} characters",
    "string_too_short": "should not be empty",
    "string_type": "should be text in quotes",
    "string_unicode": "should be text that can be written as UTF-8",
    "too_long": "should have at most {max_length} entries",
    "too_short": "should have {min_length} or more entries",
    "tuple_type": "should be a list",
}
"""What is possible, by pydantic's name for the error; in braces what pydantic tells of it."""


@dataclass(frozen=True, slots=True)
class Refusal:
    """The first thing that is wrong. place: the keys that lead to it; is_key: whether the last of
    them is itself what is wrong; words: without the full stop.
    """

    place: tuple[str, ...]
    is_key: bool
    words: str


def refusal(error: ValidationError, known: Callable[[Sequence[str]], Iterable[str]]) -> Refusal:
    """Return an unknown key, which may be why another is missing, or what was refused first.

    known: returns the keys there are in the place of one.
    """
    first = min(error.errors(include_url=False), key=lambda each: each["type"] not in UNKNOWN)
    place = tuple(str(part) for part in first["loc"] if part != "[key]")
    if first["type"] in UNKNOWN:
        return Refusal(place, True, f"there is no such key; {nearest(place[-1], known(place))}")
    return Refusal(place, "[key]" in first["loc"], words(first))


def words(first: ErrorDetails) -> str:
    """Return what is possible and what was found, of an error that is no unknown key."""
    kind = first["type"]
    if kind in MISSING:
        return "it is missing; add it"
    if kind == "value_error":  # a check of the whole, which names what it found
        return first["msg"].removeprefix("Value error, ")
    return f"{possible(first)}, found {found(first['input'])}"


def possible(first: ErrorDetails) -> str:
    """Return what is possible instead."""
    if first["type"] == OURS:
        return first["msg"]
    ctx = {name: _plain(value) for name, value in first.get("ctx", {}).items()}
    return WANTED.get(first["type"], "cannot be used").format_map(ctx)


def found(value: object) -> str:
    """Write a value that was found as TOML has it, shortly and harmlessly."""
    if value == "":
        return "nothing"
    short = _Toml()
    short.maxstring = short.maxother = LONGEST_FOUND
    return one_line(short.repr(value))


class _Toml(reprlib.Repr):
    """Writes values shortly; what Python writes otherwise than TOML has a method by its type."""

    def repr_bool(self, value: bool, level: int) -> str:
        """Write true or false."""
        return str(value).lower()

    def repr_date(self, value: date | time, level: int) -> str:
        """Write a date, a time, or both."""
        return value.isoformat()

    repr_datetime = repr_time = repr_date

    def repr_dict(self, value: dict[str, object], level: int) -> str:
        """Write a table."""
        if level <= 0 and value:
            return "{...}"
        shown = [f"{key} = {self.repr1(each, level - 1)}" for key, each in value.items()]
        more = ["..."] if len(shown) > self.maxdict else []
        return "{" + ", ".join(shown[: self.maxdict] + more) + "}"


def nearest(name: str, known: Iterable[str]) -> str:
    """Return which known key an unknown one may mean, or that it goes."""
    name, keys = name.lower().replace("-", "_"), list(known)
    begun = [key for key in keys if _goes_on(name, key) or _goes_on(key, name)]
    near = difflib.get_close_matches(name, keys, 1, NEAR) or begun
    return f"the nearest is {near[0]}" if near else "take it out"


def _goes_on(key: str, longer: str) -> bool:
    return len(key) >= FEWEST_SAME and longer.startswith(key)


def wanted(what: str) -> PydanticCustomError:
    """Return the error of a check of our own. what: e.g. "should be red or blue"."""
    return PydanticCustomError(OURS, "{what}", {"what": what})


def matching(pattern: str, what: str) -> AfterValidator:
    """Return the check of a text as a whole. what: as `wanted` has it."""
    form = re.compile(pattern)

    def check(text: str) -> str:
        if form.fullmatch(text) is None:
            raise wanted(what)
        return text

    return AfterValidator(check)


def _plain(value: object) -> object:
    """Write a limit without what only a programmer needs."""
    if isinstance(value, str):  # what a literal may be
        return value.replace("'", "")
    return f"{value:g}" if isinstance(value, float) else value
