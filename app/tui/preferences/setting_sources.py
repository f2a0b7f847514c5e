"""What every setting is now and who says so, for the settings screen; and what a change does.

`settings_now` and `write` read files and import what is slow: call them in a thread. `check` is
quick once `settings_now` has run. `changed` is pure but for the seed that it may draw.
"""

from __future__ import annotations

import argparse
import secrets
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypeVar

import msgspec

from app.settings.habits import HABITS
from app.settings.rows import AUTO, ROWS, SAMPLING, ChatSource, Now, Row, SettingsNow, Value
from app.tui.serving.orders import SessionSettings
from engine import PairSettings

if TYPE_CHECKING:
    from app.settings.config import ChatSettings

LOADING = {
    "drafter": "drafter",
    "draft_tokens": "draft_tokens",
    "verify": "verify",
    "memory": "memory",
    "ctx_size": "n_ctx",
    "cache_type": "cache_type",
    "batch_invariant": "batch_invariant",
    "threads": "threads",
    "gpu_layers": "gpu_layers",
}
AT_LOAD = "takes effect at the next load: choose the pair again in {model}"
"""A name in braces stands for its key (keymap.told)."""
AT_START = "takes effect at the next start, if it is kept"

S = TypeVar("S", bound=SessionSettings)


@dataclass(frozen=True, slots=True)
class Looks:
    """The theme that is seen, and all there are."""

    theme: str
    themes: tuple[str, ...]


def settings_now(
    args: argparse.Namespace,
    opened: Mapping[str, str],
    chosen: Mapping[str, Value | None],
    looks: Looks,
) -> SettingsNow:
    """Return every setting. args: the flags of the start; opened: what chooses the open pair, or
    files; chosen: what was changed in this chat. Raises AppError, EngineError, OSError.
    """
    from app.models.catalog import load_catalog
    from app.paths import Paths
    from app.prompts.personas import load
    from app.settings.config import choosing, settings_from, sources_of

    paths = Paths()
    flags = choosing(args, opened)
    joined, said = settings_from(flags), sources_of(flags)
    spec = load_catalog(paths.own_catalog).pair(joined.name) if joined.name else None
    personas = load(paths.personas_file)
    persona = personas[joined.persona] if joined.persona else None
    sources: dict[str, ChatSource] = {name: said.winner(name, spec, persona) for name in ROWS}
    given = _given(joined, sources)
    choices = _choices(looks, tuple(personas))
    present = {**chosen, "theme": looks.theme}
    return {
        name: Now(
            value=present.get(name, given[name]),
            given=given[name],
            source="chat" if _is_chosen(name, present, given) else sources[name],
            choices=choices.get(name, ()),
        )
        for name in ROWS
    }


def _choices(looks: Looks, personas: tuple[str, ...]) -> dict[str, tuple[str, ...]]:
    from app.settings.values import (
        CACHE_TYPES,
        ENTERS,
        FRAMES,
        NOTICES,
        TITLES,
        drafter_names,
        verifier_names,
    )

    return {
        "drafter": tuple(drafter_names()),
        "verify": tuple(verifier_names()),
        "cache_type": CACHE_TYPES,
        "theme": looks.themes,
        "titles": TITLES,
        "notify": NOTICES,
        "frame": FRAMES,
        "enter": ENTERS,
        "persona": personas,
    }


def _given(joined: ChatSettings, sources: Mapping[str, ChatSource]) -> dict[str, Value | None]:
    """Return what the sources say, by the settings' names."""
    values: dict[str, Value | None] = {
        name: getattr(joined.sampling, field) for name, field in SAMPLING.items()
    }
    values |= loading_of(joined.pair)
    if sources["seed"] == "default":  # it was drawn just now
        values["seed"] = None
    values |= {"system": joined.system, "persona": joined.persona or None, "think": joined.think}
    values |= {name: getattr(joined, name) for name in ("predict", "theme", "offline")}
    values |= {name: getattr(joined.habits, name) for name in HABITS}
    return values


def loading_of(pair: PairSettings) -> dict[str, Value | None]:
    """Return how a pair is loaded, by the settings' names."""
    values: dict[str, Value | None] = {n: getattr(pair, field) for n, field in LOADING.items()}
    for name in ("draft_tokens", "gpu_layers"):
        values[name] = AUTO if values[name] is None else values[name]
    return {**values, "memory": pair.memory is not None}


def _is_chosen(
    name: str, present: Mapping[str, Value | None], given: Mapping[str, Value | None]
) -> bool:
    return name in present and present[name] != given[name]


def changed(settings: S, name: str, value: Value | None) -> tuple[S, str]:
    """Return a chat's settings with one of them changed, and "" or when that takes effect.

    settings: a dataclass. None: as if nobody had said a value.
    """
    if name in SAMPLING:
        if name == "seed" and value is None:
            from app.settings.config import SEED_BITS

            value = secrets.randbits(SEED_BITS)
        sampling = msgspec.structs.replace(settings.sampling, **{SAMPLING[name]: value})
        return _with(settings, "sampling", sampling), ""
    if name in HABITS:
        habits = replace(settings.habits, **{name: value})  # type: ignore[arg-type]
        return _with(settings, "habits", habits), ""
    if name in ("system", "think", "predict"):
        return _with(settings, name, value), ""
    if name not in LOADING:
        return settings, AT_START
    pair = msgspec.structs.replace(settings.pair, **{LOADING[name]: _loaded(name, value)})
    return _with(settings, "pair", pair), AT_LOAD


def with_chosen(settings: S, chosen: Mapping[str, Value | None]) -> S:
    """Return settings, a dataclass, with all of this changed."""
    for name, value in chosen.items():
        settings, _ = changed(settings, name, value)
    return settings


def _with(settings: S, field: str, value: object) -> S:
    return replace(settings, **{field: value})  # type: ignore[type-var]


def _loaded(name: str, value: Value | None) -> Value | None:
    """Return a setting as the engine takes it."""
    if name == "memory":
        from app.paths import Paths

        return str(Paths().memory_dir) if value else None
    return None if value == AUTO and name != "drafter" else value


def check(row: Row, value: Value | None) -> None:
    """Raise SettingsError for a value that the app would refuse."""
    from app.settings.fields import checked

    if value is not None:
        checked(row.name, value)


def write(name: str, value: Value | None) -> None:
    """Write a setting to settings.toml; None takes it out. A persona there, whose prompt would win,
    gives way to a system prompt. Raises SettingsError.
    """
    from app.paths import Paths
    from app.settings.settings_file import SettingsFile

    file = SettingsFile(Paths().settings_file)
    if value is None:
        file.unset(name)
        return
    file.set(name, value)
    if name == "system":
        file.unset("persona")


def keep_theme(name: str, args: argparse.Namespace) -> str:
    """Write a theme to settings.toml, if it says another; return what is stronger, in words.

    Raises SettingsError.
    """
    from app.settings.values import DEFAULT_THEME

    return _keep("theme", name, DEFAULT_THEME, name, args)


def keep_chat_list(is_shown: bool, args: argparse.Namespace) -> str:
    """Write whether the list of chats is shown to settings.toml, if it says otherwise; return what
    is stronger, in words.

    Raises SettingsError.
    """
    said = f"chat_list = {str(is_shown).lower()}"
    return _keep("chat_list", is_shown, False, said, args)


def _keep(name: str, value: Value, default: Value, said: str, args: argparse.Namespace) -> str:
    from app.paths import Paths
    from app.settings.config import sources_of
    from app.settings.settings_file import SettingsFile

    file = SettingsFile(Paths().settings_file)
    values = file.values()
    if values.get(name, default) == value:
        return ""
    file.set(name, value)
    source = sources_of(args).winner(name, None, None)
    no = "no-" if getattr(args, name, None) is False else ""
    flag, variable = f"--{no}{name.replace('_', '-')}", f"SLIPSTREAM_{name.upper()}"
    stronger = {"flag": flag, "environment": variable}.get(source)
    return f"{said} is kept in settings.toml, but {stronger} wins over it" if stronger else ""
