"""Joins the settings to what the engine takes. What the person says (app/settings/sources.py) wins
over the persona's sampling, that over the pair's recommended settings, those over the defaults.
"""

from __future__ import annotations

import argparse
import os
import secrets
import shlex
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple

import msgspec

from app.errors import CatalogError, SettingsError, UnknownError
from app.models.catalog import DEFAULT_PAIR, Catalog, ModelSpec, PairSpec, load_catalog
from app.models.names import found_here, is_on_hub, is_repository
from app.models.projector import NONE, beside
from app.models.store import Store
from app.paths import Paths, path_text
from app.prompts.personas import Persona, find, load
from app.settings.fields import Settings
from app.settings.habits import HABITS, USUAL, Habits
from app.settings.rows import SAMPLING
from app.settings.sources import CHOICE, Sources, hub_is_offline
from app.settings.values import DEFAULT_THEME
from app.terminal.sanitise import one_line
from engine import PairSettings, SamplingSettings

SEED_BITS = 32
DEFAULT_DRAFTER = "auto"
EVERY_LAYER = 9_999
"""More layers than a model has: `auto` for a draft model whose target is not wholly on the GPU."""
CHECK = "check the path."


@dataclass(frozen=True, slots=True)
class ChatSettings:
    """What a chat or an answer needs, all sources joined. title: the pair's, on the screen; name:
    its name in the catalogue, "" for files by path; offline: no sockets; force: load what does not
    fit. persona: whose prompt `system` is, "" for nobody's. think: whether the model is to think
    first, None as its chat template has it. lacks: the file that would let the pair see pictures
    and is not here, "" if none is missing.
    """

    pair: PairSettings
    sampling: SamplingSettings
    predict: int | None
    system: str | None
    title: str
    offline: bool = False
    force: bool = False
    name: str = ""
    persona: str = ""
    think: bool | None = None
    theme: str = DEFAULT_THEME
    habits: Habits = USUAL
    lacks: str = ""


def settings_from(
    args: argparse.Namespace, unnamed: Callable[[], Mapping[str, str]] = dict
) -> ChatSettings:
    """Join the flags with the other sources. Raises SettingsError, SettingError or CatalogError.

    unnamed: asked for the choice of a pair or of files where no source makes one.
    """
    sources = sources_of(args)
    settings = sources.joined()
    if settings.pair is None and settings.model is None and settings.model_draft is None:
        chosen = dict(unnamed())
        if settings.mmproj is not None:
            chosen["mmproj"] = settings.mmproj
        settings = settings.model_copy(update=chosen)
    if settings.model_draft is not None and settings.model is None:
        place = sources.place("model_draft")
        raise SettingsError(f"{place} needs --model: a draft model drafts for one target.")
    return _for_files(settings, sources) if settings.model else _for_pair(settings, sources)


def sources_of(args: argparse.Namespace) -> Sources:
    """Return what flags, variables and the settings file give. Raises SettingsError."""
    found = {name: getattr(args, name, None) for name in Settings.model_fields}
    given = {
        name: ",".join(value) if isinstance(value, list) else value  # a flag given repeatedly
        for name, value in found.items()
        if value is not None
    }
    positional = getattr(args, "positional", ())
    return Sources.read(given, os.environ, Paths().settings_file, positional)


def settings_for_pair(args: argparse.Namespace, name: str) -> ChatSettings:
    """Join the sources as at the start, for another pair than the flags chose.

    Raises as `settings_from` does.
    """
    return settings_for(args, {"pair": name})


def settings_for(args: argparse.Namespace, opened: Mapping[str, str]) -> ChatSettings:
    """Join the sources as at the start, for the pair or the files that these settings choose.

    Raises as `settings_from` does.
    """
    return settings_from(choosing(args, opened))


def choosing(args: argparse.Namespace, opened: Mapping[str, str]) -> argparse.Namespace:
    """Return the flags as if they had chosen this pair, or these files."""
    return argparse.Namespace(**{**vars(args), **dict.fromkeys(CHOICE), **opened})


def without_sight(settings: ChatSettings) -> ChatSettings:
    """Return settings for who shows no pictures: the projector would take memory for nothing."""
    pair = msgspec.structs.replace(settings.pair, mmproj=None)
    return replace(settings, pair=pair, lacks="")


def is_offline(args: argparse.Namespace) -> bool:
    """Whether no socket may be opened: by flag, SLIPSTREAM_OFFLINE, file or HF_HUB_OFFLINE.

    Raises SettingsError.
    """
    sources = sources_of(argparse.Namespace(offline=args.offline or None))
    return hub_is_offline(os.environ) or sources.joined().offline


def _for_files(settings: Settings, sources: Sources) -> ChatSettings:
    """Settings for GGUF files given by path, or as OWNER/REPO:FILE that are installed."""
    target = _file(settings.model or "", "model", sources)
    draft = _file(settings.model_draft, "model_draft", sources) if settings.model_draft else None
    files = _Files(target, draft, _given_projector(settings, sources) or beside(target))
    return _joined(settings, sources, files, target.stem, None)


def _given_projector(settings: Settings, sources: Sources) -> Path | None:
    """Return the projector that is given by path, None where none is. Raises CatalogError."""
    if settings.mmproj in (None, NONE):
        return None
    return _file(str(settings.mmproj), "mmproj", sources)


def _file(name: str, setting: str, sources: Sources) -> Path:
    """Return a model's file. Raises CatalogError if it is not there; of a model by path that was
    just given as a flag the engine says so, while a projector is loaded for pictures alone.
    """
    with sources.blamed(setting):
        if is_on_hub(name):
            found = found_here(name, Catalog(), Store(Paths().models_dir))
            return _installed(found.models[0], name)
        path = Path(os.path.expanduser(name))
        is_loaded_now = setting in sources.flags and setting != "mmproj"
        is_told = sources.place(setting) and not is_loaded_now
        if not path.exists() and ((hint := if_no_file(name)) != CHECK or is_told):
            raise UnknownError(f"There is no file {one_line(name)}; {hint}")
        return path


def if_no_file(name: str, opener: str = "the setting `pair`") -> str:
    """Say what to do where there is no file of a name. opener: what opens a pair there.

    Raises CatalogError.
    """
    if name in load_catalog(Paths().own_catalog).pairs:
        return f"the pair of that name is opened by {opener}."
    if is_repository(name):
        return "check the path, or name a file of the Hub as OWNER/REPO:FILE.gguf."
    return CHECK


def _for_pair(settings: Settings, sources: Sources) -> ChatSettings:
    """Settings for a pair of the catalogue."""
    name = settings.pair or DEFAULT_PAIR
    catalog = load_catalog(Paths().own_catalog)
    with sources.blamed("pair"):
        spec = catalog.pair(name)
        target, *drafts = [_installed(model, name) for model in catalog.members(spec)]
        projector = catalog.projector(spec) if settings.mmproj is None else None
        lacks = _missing(projector)
        own = _installed(projector, name) if projector is not None and not lacks else None
    draft = drafts[0] if drafts else None
    files = _Files(target, draft, _given_projector(settings, sources) or own)
    return replace(_joined(settings, sources, files, spec.title, spec), name=name, lacks=lacks)


def _missing(projector: ModelSpec | None) -> str:
    """Return the file of a projector that was not downloaded: a pair does without; else ""."""
    if projector is None or projector.repo is None or Store(Paths().models_dir).find(projector):
        return ""
    return str(projector.file)


def _installed(model: ModelSpec, name: str) -> Path:
    """Return the model's file, the first of a split one's. Raises CatalogError if one has yet to be
    downloaded, or cannot be found.
    """
    store = Store(Paths().models_dir)
    found = [(part, store.find(part)) for part in model.parts]
    for part, installed in found:
        if installed is None and part.repo is None:
            raise CatalogError(f"{name}: {part.own_path} is not there; {_mending(part)}.")
        if installed is None:
            store.check()
            is_there = os.path.isfile(store.path_of(part))
            raise CatalogError(
                f"{name} is not installed: {part.file} is {'damaged' if is_there else 'missing'}. "
                f"`slipstream pull {shlex.quote(name)}` downloads it{' again' * is_there}."
            )
    return next(installed.path for _, installed in found if installed is not None)


def _mending(model: ModelSpec) -> str:
    """Say what to do about a file that nobody can download."""
    if model.embedded is not None:
        return "install Slipstream again"
    return f"put it there, or correct its path in {Paths().own_catalog}"


class _Files(NamedTuple):
    """What a pair is made of."""

    target: Path
    draft: Path | None
    projector: Path | None


def _joined(
    settings: Settings, sources: Sources, files: _Files, title: str, spec: PairSpec | None
) -> ChatSettings:
    paths = Paths()
    projector = None if settings.mmproj == NONE else files.projector
    name, persona = _persona(settings, sources, paths)
    pair = PairSettings(
        target=path_text(files.target),
        draft=path_text(files.draft) if files.draft else None,
        mmproj=path_text(projector) if projector else None,
        drafter=settings.drafter or (spec.drafter if spec else DEFAULT_DRAFTER),
        draft_tokens=None if settings.draft_tokens == "auto" else settings.draft_tokens,
        verify=settings.verify,
        n_ctx=settings.ctx_size or (spec.ctx_size if spec else None),
        threads=settings.threads,
        gpu_layers=None if settings.gpu_layers == "auto" else settings.gpu_layers,
        cache_type=settings.cache_type,
        batch_invariant=settings.batch_invariant,
        draft_threads=settings.threads_draft,
        draft_gpu_layers=_draft_gpu_layers(settings),
        draft_cache_type=settings.cache_type_draft,
        memory=path_text(paths.memory_dir) if settings.memory else None,
        costs=path_text(paths.costs_dir),
    )
    return ChatSettings(
        pair=pair,
        sampling=_sampling(settings, persona, spec),
        predict=settings.predict,
        system=(persona.system or None) if persona else settings.system,
        title=title,
        offline=settings.offline or hub_is_offline(os.environ),
        force=settings.force,
        persona=name,
        think=settings.think,
        theme=settings.theme,
        habits=Habits(**{name: getattr(settings, name) for name in HABITS}),
    )


def _persona(settings: Settings, sources: Sources, paths: Paths) -> tuple[str, Persona | None]:
    """Return the persona whose prompt stands for `system`, and its name; "" if there is none."""
    if settings.persona is None:
        return "", None
    known = load(paths.personas_file)
    with sources.blamed("persona"):
        name = find(settings.persona, known)
    return name, known[name]


def _draft_gpu_layers(settings: Settings) -> int | None:
    """Return the draft model's own layers on the GPU, None for as many as the target's."""
    if settings.gpu_layers_draft != "auto":
        return settings.gpu_layers_draft
    return None if settings.gpu_layers == "auto" else EVERY_LAYER


def _sampling(
    settings: Settings, persona: Persona | None, spec: PairSpec | None
) -> SamplingSettings:
    """Take each sampling setting from the settings, the persona, the pair, or the default."""
    sources = (settings, persona, spec.settings if spec else None)
    given = {}
    for name, field in SAMPLING.items():
        values = (getattr(source, name, None) for source in sources)
        given[field] = next((value for value in values if value is not None), None)
    if given["seed"] is None:
        given["seed"] = secrets.randbits(SEED_BITS)
    said = {field: value for field, value in given.items() if value is not None}
    return SamplingSettings(**said, logit_bias=settings.logit_bias)
