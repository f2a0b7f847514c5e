"""Task sets of the benchmark: named groups of prompts, read from a TOML file and checked.

Contract: what `load` returns is whole and right, or it raises one line that names the file, the
task, the field, what was found and what to do. It knows nothing about models or engines.
"""

from __future__ import annotations

import reprlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, ConfigDict, Field, TypeAdapter, ValidationError
from pydantic_core import ErrorDetails

from app.errors import SettingsError, reason
from app.refusals import matching, words
from app.short_text import parsed_toml, read_short

FOLDER = Path(__file__).parent / "tasks"
LIMIT_BYTES = 16 * 2**20
TEMPERATURES = (0.0, 0.8)

_STRICT = ConfigDict(extra="forbid")
_REMEDIES = {
    "missing": "it is missing; add it",
    "unexpected_keyword_argument": "there is no such field; remove it",
    "too_short": "it is empty; add at least one",
}


def _turns_taken(messages: tuple[tuple[str, str], ...]) -> tuple[tuple[str, str], ...]:
    """Refuse messages which a chat template may refuse, or which leave nothing to answer."""
    for number, (role, _) in enumerate(messages):
        wanted = "assistant" if number % 2 else "user"
        if role != wanted:
            raise ValueError(
                f"message {number + 1} is by {role!r}; begin with 'user' and take turns"
            )
    if messages[-1][0] != "user":
        raise ValueError("the last message is by 'assistant'; end with the user's question")
    return messages


def _named_apart(tasks: tuple[Task, ...]) -> tuple[Task, ...]:
    names = [task.name for task in tasks]
    for name in names:
        if names.count(name) > 1:
            raise ValueError(f"two tasks are named {name!r}; rename one")
    return tasks


Text = Annotated[str, matching(r"(?s).*\S.*", "should not be empty")]
Temperature = Annotated[float, Field(strict=True, ge=0, allow_inf_nan=False)]
Messages = Annotated[
    tuple[tuple[Literal["user", "assistant"], Text], ...],
    Field(min_length=1),
    AfterValidator(_turns_taken),
]


@dataclass(frozen=True, slots=True)
class Item:
    """One prompt: (role, content) by turns, the last one the user's; `predict` caps the answer."""

    __pydantic_config__ = _STRICT

    messages: Messages
    predict: Annotated[int, Field(strict=True, ge=1)]


@dataclass(frozen=True, slots=True)
class Task:
    """Prompts of one kind. copies: most of each answer stands in its prompt."""

    __pydantic_config__ = _STRICT

    name: Annotated[
        str, matching(r"[a-z][a-z0-9-]*", "should be a name of small letters, digits and dashes")
    ]
    about: Text
    items: Annotated[tuple[Item, ...], Field(alias="item", min_length=1)]
    temperatures: Annotated[tuple[Temperature, ...], Field(min_length=1)] = TEMPERATURES
    copies: Annotated[bool, Field(strict=True)] = False


@dataclass(frozen=True, slots=True)
class TaskSet:
    """All tasks of one file, in its order."""

    __pydantic_config__ = _STRICT

    about: Text
    tasks: Annotated[
        tuple[Task, ...], Field(alias="task", min_length=1), AfterValidator(_named_apart)
    ]


_READER = TypeAdapter(TaskSet)


def builtin(name: str) -> TaskSet:
    """Return the set of that name which ships with Slipstream.

    Raises: SettingsError with the names there are.
    """
    known = sorted(path.stem for path in FOLDER.glob("*.toml"))
    if name not in known:
        raise SettingsError(f"There is no task set {name!r}. Choose one of: {', '.join(known)}.")
    return load(FOLDER / f"{name}.toml")


def load(path: Path) -> TaskSet:
    """Read and check one file.

    Raises: SettingsError, whose one line names the file, the task and the field.
    """
    try:
        found = parsed_toml(read_short(path, LIMIT_BYTES, "it should be a TOML file of tasks"))
    except (OSError, ValueError) as error:
        raise SettingsError(
            f"Cannot read the task set {path}: {reason(error)}. Give a TOML file of tasks."
        ) from None
    try:
        return _READER.validate_python(found)
    except ValidationError as error:
        raise SettingsError(f"{path}: {_one_line(error.errors()[0], found)}.") from None


def _one_line(first: ErrorDetails, found: dict[str, Any]) -> str:
    where = _place(first["loc"], found)
    if first["type"] in _REMEDIES:
        return f"{where}: {_REMEDIES[first['type']]}"
    return f"{where}: {words(first)}"


def _place(loc: Sequence[int | str], found: dict[str, Any]) -> str:
    """Say where: the task by its name, an item by its number from 1, then the field."""
    path = list(loc)
    words = []
    for kind in ("task", "item"):
        if len(path) > 1 and path[0] == kind and isinstance(path[1], int):
            words.append(_called(kind, path[1], found))
            path = path[2:]
    fields = [f"[{part + 1}]" if isinstance(part, int) else str(part) for part in path]
    return ", ".join([*words, " ".join(fields)] if fields else words)


def _called(kind: str, index: int, found: dict[str, Any]) -> str:
    """Return `task 'chat'`, or `task 3` where it has no usable name."""
    entry = found["task"][index] if kind == "task" else None
    name = entry.get("name") if isinstance(entry, dict) else None
    return f"{kind} {reprlib.repr(name) if isinstance(name, str) else index + 1}"
