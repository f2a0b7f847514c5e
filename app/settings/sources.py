"""Where settings come from: a flag wins over the environment, that over the settings file.

Contract: a value that cannot be is refused in one line which begins with the place where the person
finds it: the flag, the variable, or the file and the key.

Environment: SLIPSTREAM_<FLAG>, e.g. SLIPSTREAM_TEMP=0.7 or SLIPSTREAM_LOGIT_BIAS=15043+1,29-2.5.
File: settings.toml in the settings folder, where logit_bias is a table: 15043 = 1.0; its table of
keys is for the chat alone to read.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TypeAlias

from pydantic import ValidationError

from app.errors import AppError, SettingsError
from app.models.catalog import PairSpec
from app.prompts.personas import Persona
from app.refusals import refusal
from app.settings.fields import Settings
from app.settings.settings_file import BELL, KEYS, NOTIFY, SettingsFile

Source: TypeAlias = Literal["flag", "environment", "persona", "file", "pair", "default"]

CHOICE = ("pair", "model", "model_draft", "mmproj")
DECIDING = ("pair", "model")
"""One choice: flags and the environment make it whole, so one of these two given there hides all of
every weaker source.
"""

FLAGS_ALONE = {
    **dict.fromkeys(("ask", "inline", "new", "private"), "chat"),
    **dict.fromkeys(("image", "json", "prompt", "stop"), "ask"),
}
"""Flags that say what one start is to do, which no file says, and the command of each."""

PREFIX = "slipstream_"
TRUE = {"1", "ON", "YES", "TRUE"}
FALSE = {"0", "OFF", "NO", "FALSE"}


@dataclass(frozen=True, slots=True)
class Sources:
    """What is given by the settings' names; None: what a flag or a variable hides of all that is
    weaker. env: the variables by their own names; path: of the file; positional: what stands on the
    command line without its flag.
    """

    flags: Mapping[str, object]
    environment: Mapping[str, object]
    file: Mapping[str, object]
    env: Mapping[str, str]
    path: Path
    positional: Collection[str] = ()

    @staticmethod
    def read(
        flags: Mapping[str, object],
        env: Mapping[str, str],
        path: Path,
        positional: Collection[str] = (),
    ) -> Sources:
        """Read the file and make whole what flags and variables choose: a pair or files, a persona
        or a prompt.

        Raises SettingsError.
        """
        env, file = renewed(env, SettingsFile(path).values())
        names = variables(env)
        if "pair" in flags and "model" in flags:
            raise SettingsError("Give a pair or --model, not both.")
        if "persona" in flags and "system" in flags:
            raise SettingsError("Give --persona or --system, not both.")
        if not flags.keys() & DECIDING and names.keys() >= set(DECIDING):
            both = " or ".join(names[name] for name in DECIDING)
            raise SettingsError(f"Give {both}, not both.")
        environment = {name: _text(key, env[key]) for name, key in names.items()}
        return Sources(_whole(flags), _whole(environment), file, env, path, positional)

    def joined(self) -> Settings:
        """Return every setting. Raises SettingsError."""
        of_file = {name: value for name, value in self.file.items() if name != KEYS}
        try:
            return Settings.model_validate({**of_file, **self.environment, **self.flags})
        except ValidationError as error:
            wrong = refusal(error, lambda _: Settings.model_fields)
            name, *below = wrong.place
            told = wrong.words
            if wrong.is_key and name in FLAGS_ALONE:
                told = f"is for one start alone: slipstream {FLAGS_ALONE[name]} --{name}"
            raise SettingsError(f"{': '.join([self.place(name), *below, told])}.") from None

    def place(self, name: str) -> str:
        """Return where the value of a setting stands, "" if nobody gives one."""
        if name in self.flags:
            return name if name in self.positional else "--" + name.replace("_", "-")
        if name in variables(self.env):
            return variables(self.env)[name]
        return f"{self.path}: {name}" if name in self.file else ""

    def winner(self, name: str, pair: PairSpec | None, persona: Persona | None) -> Source:
        """Return which source of a setting wins.

        pair: the open one's entry, None for files by path; persona: the one that is chosen.
        """
        if persona is not None and name == "system":
            return "persona"
        if name in self.flags:
            return "flag"
        if name in self.environment or (name == "offline" and hub_is_offline(self.env)):
            return "environment"
        if name in self.file:
            return "file"
        if persona is not None and getattr(persona, name, None) is not None:
            return "persona"
        return "pair" if pair is not None and _is_of_pair(name, pair) else "default"

    @contextmanager
    def blamed(self, name: str) -> Iterator[None]:
        """Begin an error inside with where the setting stands, unless the person just typed it."""
        try:
            yield
        except AppError as error:
            place = "" if name in self.flags else self.place(name)
            raise type(error)(f"{place}: {error}" if place else str(error)) from None


def _text(key: str, value: str) -> str:
    """Return what a variable holds. Raises SettingsError if that is no text."""
    try:
        value.encode()
    except UnicodeEncodeError:
        raise SettingsError(f"{key}: it is no UTF-8 text.") from None
    return value


def _whole(given: Mapping[str, object]) -> Mapping[str, object]:
    """Return what one source gives, with all that this hides of weaker ones."""
    if given.keys() & DECIDING:
        given = {**dict.fromkeys(CHOICE), **given}
    if "system" in given and "persona" not in given:
        given = {**given, "persona": None}
    return given


def renewed(
    env: Mapping[str, str], file: Mapping[str, object]
) -> tuple[Mapping[str, str], Mapping[str, object]]:
    """Return both with what `bell` says, which notify was once called, unless notify is given."""
    is_given = NOTIFY in variables(env) or NOTIFY in file
    said = next((env[key] for key in env if key.lower() == PREFIX + BELL), "").strip().upper()
    if said in TRUE | FALSE and not is_given:
        env = {**env, (PREFIX + NOTIFY).upper(): "bell" if said in TRUE else "off"}
    if isinstance(rings := file.get(BELL), bool):
        rest = {name: value for name, value in file.items() if name != BELL}
        file = rest if is_given else {**rest, NOTIFY: "bell" if rings else "off"}
    return env, file


def variables(env: Mapping[str, str]) -> dict[str, str]:
    """Return the variables that give a setting, in whatever case, by the settings' names."""
    found = {key.lower().removeprefix(PREFIX): key for key in env if key.lower().startswith(PREFIX)}
    return {name: key for name, key in found.items() if name in Settings.model_fields}


def hub_is_offline(env: Mapping[str, str]) -> bool:
    """Whether one of huggingface_hub's own variables says that no socket may be opened."""
    said = env.get("HF_HUB_OFFLINE") or env.get("TRANSFORMERS_OFFLINE") or ""
    return said.strip().upper() in TRUE


def _is_of_pair(name: str, pair: PairSpec) -> bool:
    if name in ("drafter", "ctx_size"):
        return name in pair.model_fields_set and getattr(pair, name) is not None
    return getattr(pair.settings, name, None) is not None
