"""System prompts by name: some that ship, and the person's own in personas.toml.

    [Reviewer]
    system = "You review code. …"
    temp = 0.2

One of ours is replaced by an own one of the same name, in whatever case. Sampling settings that a
persona leaves out stay what they are. What the person wrote in the file otherwise stays.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, TypeAlias

import msgspec
from pydantic import BaseModel, ConfigDict, Field, StringConstraints, TypeAdapter, ValidationError

from app.errors import SettingsError
from app.private_file import write_private
from app.sanitise import one_line
from app.toml_edit import with_table, without_key
from engine import EngineError, SamplingSettings, check_sampling

FILE = "personas.toml"
LONGEST_SYSTEM = 20_000

Name = Annotated[str, StringConstraints(pattern=r"^\w(?:[\w .'+-]{0,38}[\w.'+-])?$")]


class Persona(BaseModel):
    """A system prompt, and the sampling settings that go with it. system "": none at all."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, allow_inf_nan=False)

    system: str = Field(max_length=LONGEST_SYSTEM)
    temp: float | None = None
    top_k: int | None = None
    top_p: float | None = None
    min_p: float | None = None
    seed: int | None = None


Personas: TypeAlias = Mapping[str, Persona]
_ENTRIES = TypeAdapter(dict[Name, Persona])

BUILT_IN: Personas = {
    "Plain": Persona(system=""),
    "Concise": Persona(
        system="Answer in as few words as the question allows. No preamble, no summary, no offers "
        "of further help. Use a list only where the answer is one.",
    ),
    "Teacher": Persona(
        system="You are a patient teacher. Explain step by step, in plain words, from what the "
        "learner knows to what they do not. Give one small example, then one question that checks "
        "whether it was understood. Say so when you are not sure.",
    ),
    "Reviewer": Persona(
        system="You review code and texts. Name the most serious problem first. For each problem: "
        "where it is, why it matters, and the smallest change that mends it. Do not rewrite what "
        "is good, do not praise, and say so if you find nothing.",
        temp=0.2,
    ),
    "Translator": Persona(
        system="You translate. Put what you are given into English, and English into the language "
        "the person names, or into German if they name none. Keep tone, formatting, code and names "
        "as they are. Answer with the translation alone.",
        temp=0.2,
    ),
}


def load(path: Path) -> dict[str, Persona]:
    """Return ours and the person's own, which need not exist. Raises SettingsError."""
    own = _own(path)
    folded = {name.casefold() for name in own}
    return {**{n: p for n, p in BUILT_IN.items() if n.casefold() not in folded}, **own}


def find(name: str, personas: Personas) -> str:
    """Return a persona's name as it is written, whatever the case. Raises SettingsError."""
    for known in personas:
        if known.casefold() == name.strip().casefold():
            return known
    raise SettingsError(
        f"There is no persona {one_line(name, 40)!r}; there are {', '.join(personas)}."
    )


def save(path: Path, name: str, given: Mapping[str, object]) -> Persona:
    """Write a persona in place of an own one of this name, or below the others, and return it.

    given: its fields, from a form or of another persona. Raises SettingsError.
    """
    own = _own(path)
    former = next((known for known in own if known.casefold() == name.casefold()), None)
    persona = _validated({name: dict(given)}, path)[name]
    values = persona.model_dump(exclude_none=True)
    text = _text(path)
    try:
        if former not in (None, name):
            text = without_key(text, former or "")
        _write(path, with_table(text, name, values))
        return persona
    except ValueError as error:
        raise SettingsError(f"Cannot change {name} in {path}: {error}. Edit it by hand.") from None


def remove(path: Path, name: str) -> bool:
    """Take an own persona out of the file; False if it is none. Raises SettingsError."""
    own = _own(path)
    if name not in own:
        return False
    try:
        _write(path, without_key(_text(path), name))
    except ValueError as error:
        raise SettingsError(f"Cannot change {name} in {path}: {error}. Edit it by hand.") from None
    return True


def _own(path: Path) -> dict[str, Persona]:
    try:
        entries = tomllib.loads(_text(path))
    except ValueError as error:
        raise SettingsError(f"Cannot read {path}: {error}.") from None
    return _validated(entries, path)


def _validated(entries: Mapping[str, object], path: Path) -> dict[str, Persona]:
    """Check entries as a whole; an error names file, entry and field."""
    try:
        personas = _ENTRIES.validate_python(entries)
    except ValidationError as error:
        first = error.errors()[0]
        entry, *fields = [str(part) for part in first["loc"] if part != "[key]"]
        where = ".".join([entry, *fields]) + (" (the name)" if "[key]" in first["loc"] else "")
        found = one_line(repr(first["input"]), 60)
        raise SettingsError(f"{path}: {one_line(where)}: {first['msg']}, found {found}.") from None
    seen: dict[str, str] = {}
    for name, persona in personas.items():
        if seen.setdefault(name.casefold(), name) != name:
            raise SettingsError(f"{path}: {name}: there is {seen[name.casefold()]} already.")
        _check_ranges(name, persona, path)
    return personas


def _check_ranges(name: str, persona: Persona, path: Path) -> None:
    given = persona.model_dump(exclude_none=True, exclude={"system"})
    if "temp" in given:
        given["temperature"] = given.pop("temp")
    try:
        check_sampling(msgspec.structs.replace(SamplingSettings(), **given))
    except EngineError as error:
        field = str(error).replace("temperature", "temp", 1)
        raise SettingsError(f"{path}: {name}: {field}") from None


def _text(path: Path) -> str:
    try:
        return path.read_bytes().decode()
    except FileNotFoundError:
        return ""
    except OSError as error:
        raise SettingsError(f"Cannot read {path}: {error.strerror or error}.") from None


def _write(path: Path, text: str) -> None:
    try:
        write_private(path, text.encode())
    except OSError as error:
        raise SettingsError(f"Cannot write {path}: {error.strerror or error}.") from None
