"""The settings that a person sees: names, kinds, explanations, and what a value looks like.

Knows no screen and no file. Names are those of settings.toml and the flags.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias

from app.errors import SettingsError
from app.settings.values import MOST_CTX
from app.terminal.sanitise import one_line, sanitise
from engine import SamplingSettings

Value: TypeAlias = str | bool | int | float
Kind = Literal["number", "whole", "auto or whole", "choice", "switch", "text"]
ChatSource = Literal["chat", "flag", "environment", "persona", "file", "pair", "default"]

SOURCES: Mapping[ChatSource, str] = {
    "chat": "this chat",
    "flag": "flag",
    "environment": "environment",
    "persona": "persona",
    "file": "settings.toml",
    "pair": "pair",
    "default": "default",
}
STRONGER = ("flag", "environment")
"""Sources that win over the file."""
SAMPLING: Mapping[str, str] = {
    "temp" if field == "temperature" else field: field
    for field in SamplingSettings.__struct_fields__
    if field != "logit_bias"
}
"""The settings that are one number each, and what the engine calls them."""
MODELS_CTX = f"the model's, up to {MOST_CTX}"
AUTO = "auto"
ON, OFF = "on", "off"


@dataclass(frozen=True, slots=True)
class Row:
    """One setting. about: a sentence; nothing: what holds while nobody says a value, "" where
    there always is one.
    """

    name: str
    label: str
    kind: Kind
    about: str
    nothing: str = ""


@dataclass(frozen=True, slots=True)
class Now:
    """A setting as it is. given: what holds without this chat's own choice; value, given: None
    where nobody says one. choices: of a choice.
    """

    value: Value | None
    given: Value | None
    source: ChatSource
    choices: tuple[str, ...] = ()


SettingsNow: TypeAlias = Mapping[str, Now]

GROUPS: Mapping[str, tuple[Row, ...]] = {
    "Sampling": (
        Row("temp", "temperature", "number", "How daring words are chosen; 0: the likeliest."),
        Row("top_k", "top-k", "whole", "Choose among the K likeliest words; 0: all."),
        Row("top_p", "top-p", "number", "Choose among words with this much probability; 1: all."),
        Row("min_p", "min-p", "number", "Drop words under P times the best one's chance; 0: none."),
        Row(
            "typical_p",
            "typical-p",
            "number",
            "Choose among this much probability, the most typical first; 1: all.",
        ),
        Row("repeat_penalty", "repeat penalty", "number", "Makes words said before rarer; 1: off."),
        Row(
            "presence_penalty",
            "presence penalty",
            "number",
            "Taken off words that were said at all; 0: off.",
        ),
        Row(
            "frequency_penalty",
            "frequency penalty",
            "number",
            "Taken off a word for each time it was said; 0: off.",
        ),
        Row(
            "repeat_last_n",
            "penalty window",
            "whole",
            "How many of the last tokens these penalties look at; -1: all, 0: none.",
        ),
        Row("seed", "seed", "whole", "The same seed gives the same answer.", "random"),
    ),
    "Drafting": (
        Row("drafter", "drafter", "choice", "What guesses ahead; none: the model writes alone."),
        Row(
            "draft_tokens",
            "draft tokens",
            "auto or whole",
            "How many tokens are guessed ahead; auto: as many as pay.",
        ),
        Row(
            "verify",
            "verify",
            "choice",
            "How guesses are tested; coupled: a seed gives the same answer with any drafter.",
        ),
        Row("memory", "memory", "switch", "Keep answers on this machine, to guess from later."),
    ),
    "Machine": (
        Row("ctx_size", "context", "whole", "Tokens the model keeps in mind.", MODELS_CTX),
        Row("cache_type", "cache type", "choice", "q8_0 halves the memory of the context."),
        Row(
            "batch_invariant",
            "batch-invariant",
            "switch",
            "Slower kernels with which guesses change no word, near-ties included.",
        ),
        Row(
            "threads",
            "threads",
            "whole",
            "Processor threads; a small model leaves a core to the screen.",
            "one per fast core",
        ),
        Row("gpu_layers", "GPU layers", "auto or whole", "Layers on the GPU; auto: what fits."),
        Row("offline", "offline", "switch", "Open no network connection, whatever is asked for."),
    ),
    "Words and looks": (
        Row("system", "system prompt", "text", "What the model is told before every chat.", "none"),
        Row("persona", "persona", "choice", "A system prompt by name, with its sampling.", "none"),
        Row(
            "think",
            "think first",
            "switch",
            "Whether to think before answering, where a model has a switch for that.",
            "auto",
        ),
        Row(
            "predict",
            "longest answer",
            "whole",
            "Tokens that an answer may have; /continue goes on with one that was cut off.",
            "no limit",
        ),
        Row("theme", "theme", "choice", "The colours; kept when chosen."),
        Row(
            "titles",
            "titles",
            "choice",
            "question: its first words name a chat; model: the model does, when it is idle.",
        ),
        Row(
            "notify",
            "notify",
            "choice",
            "How a long answer's end is told when you look elsewhere: by a desktop notification "
            "where the terminal can, and the bell; by the bell; not at all.",
        ),
        Row(
            "frame",
            "around the chat",
            "choice",
            "What is shown there: the figures and the row of keys, one of them, or neither.",
        ),
        Row(
            "enter",
            "Enter",
            "choice",
            "send: Enter sends and Ctrl+J makes a new line; newline: the other way round.",
        ),
        Row("chat_list", "list of chats", "switch", "Beside the chat, where there is room."),
        Row(
            "copy_on_select",
            "copy on select",
            "switch",
            "What the mouse selects in a chat is copied at once.",
        ),
    ),
}
ROWS = {row.name: row for rows in GROUPS.values() for row in rows}

WANTED: Mapping[Kind, str] = {
    "number": "a number",
    "whole": "a whole number",
    "auto or whole": "auto or a whole number of at least 0",
}


def shown(row: Row, value: Value | None) -> str:
    """Write a value on one line, harmlessly."""
    if value is None:
        return row.nothing or "not set"
    if isinstance(value, bool):
        return ON if value else OFF
    return one_line(f"{value:g}" if isinstance(value, float) else str(value))


def typed(row: Row, value: Value | None) -> str:
    """Write a value as one would type it, harmlessly."""
    if isinstance(value, str):
        return sanitise(value)
    return "" if value is None else shown(row, value)


def turned(row: Row, value: Value | None, step: int) -> Value | None:
    """Return what a switch is when it is turned over once, this way or that."""
    positions: list[Value | None] = [*([None] if row.nothing else []), True, False]
    return positions[(positions.index(value) + step) % len(positions)]


def parsed(row: Row, text: str, choices: tuple[str, ...] = ()) -> Value | None:
    """Return what a text means; None for nothing, where that is a value. Raises SettingsError."""
    word = text.strip()
    if row.nothing and word.casefold() in ("", row.nothing):
        return None
    match row.kind:
        case "text":
            return text
        case "switch":
            return _one_of(row, word, (ON, OFF)) == ON
        case "choice":
            return _one_of(row, word, choices)
        case "auto or whole":
            return AUTO if word.casefold() == AUTO else _number(row, word, int, word.isdecimal())
        case "whole":
            return _number(row, word, int, word.removeprefix("-").isdecimal())
        case "number":
            return _number(row, word, float, True)


def _one_of(row: Row, word: str, choices: tuple[str, ...]) -> str:
    if word in choices:
        return word
    raise SettingsError(f"{row.label}: one of {', '.join(choices)}, found {one_line(word, 40)!r}.")


def _number(row: Row, word: str, number: type[int] | type[float], is_one: bool) -> int | float:
    wanted = WANTED[row.kind] + (f", or nothing ({row.nothing})" if row.nothing else "")
    try:
        if is_one:
            return number(word.replace(",", ".") if number is float else word)
    except ValueError:  # also of whole numbers beyond what Python reads
        pass
    raise SettingsError(f"{row.label}: {wanted}, found {one_line(word, 40)!r}.")
