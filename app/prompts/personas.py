"""System prompts by name: some that ship, and the person's own in personas.toml.

    [Reviewer]
    system = "You review code. …"
    temp = 0.2

One of ours is replaced by an own one of the same name, in whatever case. Sampling settings that a
persona leaves out stay what they are; those of the persona before it go with that. What the person
wrote in the file otherwise stays.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, TypeAlias

from pydantic import ConfigDict, Field, TypeAdapter, ValidationError

from app.errors import SettingsError
from app.refusals import matching, refusal
from app.sampling_fields import SamplingFields, Seed
from app.settings.toml_edit import with_table, without_key
from app.settings.toml_file import TomlFile
from app.terminal.sanitise import one_line

FILE = "personas.toml"
LONGEST_SYSTEM = 20_000

Name = Annotated[
    str,
    matching(
        r"\w(?:[\w .'+-]{0,38}[\w.'+-])?",
        "should be of at most 40 letters, digits, spaces and .'+-",
    ),
]


class Persona(SamplingFields):
    """A system prompt, and the sampling settings that go with it. system "": none at all."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, allow_inf_nan=False)

    system: str = Field(max_length=LONGEST_SYSTEM)
    seed: Seed | None = None

    @property
    def sampling(self) -> dict[str, float]:
        """The sampling settings that it gives, by their names."""
        return self.model_dump(exclude={"system"}, exclude_none=True)


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

    def change(text: str) -> str:
        kept = text if former in (None, name) else without_key(text, former or "")
        return with_table(kept, name, values)

    TomlFile(path).edit(name, change)
    return persona


def remove(path: Path, name: str) -> bool:
    """Take an own persona out of the file; False if it is none. Raises SettingsError."""
    if name not in _own(path):
        return False
    TomlFile(path).edit(name, lambda text: without_key(text, name))
    return True


def _own(path: Path) -> dict[str, Persona]:
    return _validated(TomlFile(path).values(), path)


def _validated(entries: Mapping[str, object], path: Path) -> dict[str, Persona]:
    """Check entries as a whole; an error names file, entry and field."""
    try:
        personas = _ENTRIES.validate_python(entries)
    except ValidationError as error:
        wrong = refusal(error, lambda _: Persona.model_fields)
        name_or_field = " (the name)" if wrong.is_key and len(wrong.place) == 1 else ""
        where = one_line(".".join(wrong.place)) + name_or_field
        raise SettingsError(f"{path}: {where}: {wrong.words}.") from None
    seen: dict[str, str] = {}
    for name in personas:
        if seen.setdefault(name.casefold(), name) != name:
            raise SettingsError(f"{path}: {name}: there is {seen[name.casefold()]} already.")
    return personas
