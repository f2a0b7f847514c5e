"""Changes settings.toml for a settings screen, and says which source of a setting wins.

What the person wrote there stays as it is: comments, order, and keys that are not ours. Nothing is
written that the app would refuse at its next start. It writes the file alone: what flags and
variables say is `app.config`'s to join.
"""

from __future__ import annotations

import argparse
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal, TypeAlias

import msgspec
from pydantic import ValidationError
from pydantic_settings import BaseSettings, PydanticBaseSettingsSource

from app.config import TRUE
from app.errors import SettingsError
from app.models.catalog import PairSpec
from app.personas import Persona
from app.private_file import write_private
from app.settings import Settings
from app.toml_edit import Value, with_value, without_key
from engine import EngineError, SamplingSettings, check_sampling

Source: TypeAlias = Literal["flag", "environment", "persona", "file", "pair", "default"]

CHOICE = ("pair", "model", "model_draft")
"""One choice: flags make it whole, so one of them given hides all three of every other source."""

PROMPT = ("persona", "system")
"""One choice, too: flags and the environment give one of them in place of what is weaker."""

PREFIX = str(Settings.model_config["env_prefix"]).lower()


class _Given(Settings):
    """Settings of what is handed in alone, to check it."""

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """Neither the environment nor the file."""
        return (init_settings,)


class SettingsFile:
    """The settings file at a path, which need not exist. Every method raises SettingsError."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def values(self) -> dict[str, Any]:
        """Return all that the file says, also what is not ours."""
        try:
            return tomllib.loads(self._text())
        except ValueError as error:
            raise SettingsError(f"Cannot read {self._path}: {error}.") from None

    def set(self, name: str, value: Value) -> None:
        """Write a setting, if it is one and can have this value."""
        checked(name, value)
        self.values()  # a file that is damaged already is said to be so
        try:
            self._write(with_value(self._text(), name, value))
        except ValueError as error:
            raise self._by_hand(name, error) from None

    def unset(self, name: str) -> None:
        """Take a setting out of the file, if it is there."""
        if name not in self.values():
            return
        try:
            self._write(without_key(self._text(), name))
        except ValueError as error:
            raise self._by_hand(name, error) from None

    def _text(self) -> str:
        try:
            return self._path.read_bytes().decode()
        except FileNotFoundError:
            return ""
        except OSError as error:
            raise SettingsError(f"Cannot read {self._path}: {error.strerror or error}.") from None

    def _write(self, text: str) -> None:
        try:
            write_private(self._path, text.encode())
        except OSError as error:
            reason = error.strerror or str(error)
            raise SettingsError(f"Cannot write {self._path}: {reason}.") from None

    def _by_hand(self, name: str, error: ValueError) -> SettingsError:
        return SettingsError(f"Cannot change {name} in {self._path}: {error}. Edit it by hand.")


def checked(name: str, value: object) -> object:
    """Return a setting's value as the app will understand it. Raises SettingsError."""
    if name not in Settings.model_fields:
        raise SettingsError(f"There is no setting {name!r}.")
    try:
        understood = getattr(_Given.model_validate({name: value}), name)
    except ValidationError as error:
        first = error.errors()[0]
        raise SettingsError(f"{name}: {first['msg']}, found {first['input']!r}.") from None
    _check_range(name, understood)
    return understood


def _check_range(name: str, value: object) -> None:
    """Refuse what the engine would refuse of a sampling setting."""
    field = "temperature" if name == "temp" else name
    if value is None or field not in SamplingSettings.__struct_fields__:
        return
    try:
        check_sampling(msgspec.structs.replace(SamplingSettings(), **{field: value}))
    except EngineError as error:
        raise SettingsError(str(error).replace(field, name, 1)) from None


def where(
    name: str,
    flags: argparse.Namespace,
    env: Mapping[str, str],
    file: Mapping[str, object],
    pair: PairSpec | None,
    persona: Persona | None = None,
) -> Source:
    """Return which source of a setting wins now.

    file: what `SettingsFile.values` returns; pair: the open one's entry, None for files by path;
    persona: the one that the sources choose.
    """
    together = next((each for each in (CHOICE, PROMPT) if name in each), (name,))
    if persona is not None and name == "system":
        return "persona"
    if any(getattr(flags, each, None) is not None for each in together):
        return "flag"
    of_environment = PROMPT if name in PROMPT else (name,)
    if any(key.lower() == PREFIX + each for key in env for each in of_environment):
        return "environment"
    hub_is_offline = env.get("HF_HUB_OFFLINE", "").strip().upper() in TRUE
    if name == "offline" and hub_is_offline:
        return "environment"
    if name in file:
        return "file"
    if persona is not None and getattr(persona, name, None) is not None:
        return "persona"
    return "pair" if pair is not None and _is_of_pair(name, pair) else "default"


def _is_of_pair(name: str, pair: PairSpec) -> bool:
    if name in ("drafter", "ctx_size"):
        return name in pair.model_fields_set and getattr(pair, name) is not None
    return getattr(pair.settings, name, None) is not None
