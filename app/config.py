"""Settings and paths. A flag wins over the environment, that over the settings file, that over the
pair's recommended settings, those over the defaults.

Environment: SLIPSTREAM_<FLAG>, e.g. SLIPSTREAM_TEMP=0.7 or SLIPSTREAM_LOGIT_BIAS=15043+1,29-2.5.
File: settings.toml in the settings folder, where logit_bias is a table: 15043 = 1.0.
"""

from __future__ import annotations

import argparse
import math
import os
import re
import secrets
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BeforeValidator, Field, ValidationError
from pydantic_core import PydanticCustomError
from pydantic_settings import (
    BaseSettings,
    NoDecode,
    PydanticBaseSettingsSource,
    SettingsConfigDict,
    TomlConfigSettingsSource,
)

from app.errors import CatalogError, SettingsError
from app.flags import DEFAULT_VERIFY, verifier_names
from app.models.catalog import DEFAULT_PAIR, ModelSpec, PairSpec, load_catalog
from app.models.names import is_on_hub, spec_of
from app.models.store import Store
from app.paths import Paths
from engine import PairSettings, SamplingSettings, check_sampling

SEED_BITS = 32
DEFAULT_DRAFTER = "auto"
TRUE = {"1", "ON", "YES", "TRUE"}
BIAS = re.compile(r"([0-9]{1,10})(-inf|[+-](?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)")
BIAS_WANTED = "should be a token's id and a bias, like 15043+1, 15043-1.5 or 15043-inf"
EVERY_LAYER = 9_999
"""More layers than a model has: `auto` for a draft model whose target is not wholly on the GPU."""
BANNED = -1e30
"""What -inf becomes: as good, and JSON can carry it to the engine."""


def _known_verifier(name: str) -> str:
    known = verifier_names()
    if name not in known:
        raise PydanticCustomError("verify", "should be {known}", {"known": " or ".join(known)})
    return name


def _biases(value: object) -> object:
    """Parse words like the flag's, or several in one text separated by commas. A token's biases add
    up, as in llama.cpp.

    Only the file gives a table, so no two sources are mixed: pydantic would merge tables.
    """
    if isinstance(value, list):
        value = ",".join(map(str, value))
    if isinstance(value, dict):
        return {token: BANNED if bias == -math.inf else bias for token, bias in value.items()}
    if not isinstance(value, str):
        return value
    biases: dict[int, float] = {}
    for word in filter(None, value.split(",")):
        parts = BIAS.fullmatch(word.strip())
        if parts is None:
            raise PydanticCustomError("bias", BIAS_WANTED)
        token, bias = int(parts[1]), max(float(parts[2]), BANNED)
        biases[token] = biases.get(token, 0.0) + bias
    return biases


TokenId = Annotated[int, Field(ge=0, lt=2**31)]
CacheType = Literal["f16", "q8_0"]
Verify = Annotated[str, AfterValidator(_known_verifier)]
LogitBias = Annotated[dict[TokenId, float], NoDecode, BeforeValidator(_biases)]


class Settings(BaseSettings):
    """Every setting that a flag, the environment or the file can give; None: not given."""

    model_config = SettingsConfigDict(env_prefix="SLIPSTREAM_", extra="forbid", allow_inf_nan=False)

    pair: str | None = None
    model: str | None = None
    model_draft: str | None = None
    drafter: str | None = None
    draft_tokens: Literal["auto"] | int = "auto"
    verify: Verify = DEFAULT_VERIFY
    memory: bool = True
    temp: float | None = None
    top_k: int | None = None
    typical_p: float | None = None
    top_p: float | None = None
    min_p: float | None = None
    repeat_penalty: float | None = None
    presence_penalty: float | None = None
    frequency_penalty: float | None = None
    repeat_last_n: int | None = None
    logit_bias: LogitBias = {}
    seed: int | None = Field(default=None, ge=0, lt=2**64)
    predict: int | None = Field(default=None, ge=1)
    ctx_size: int | None = Field(default=None, ge=1, lt=2**31)
    threads: int | None = Field(default=None, ge=1)
    gpu_layers: Literal["auto"] | int = "auto"
    cache_type: CacheType = "f16"
    threads_draft: int | None = Field(default=None, ge=1)
    gpu_layers_draft: Literal["auto"] | int | None = None
    cache_type_draft: CacheType | None = None
    offline: bool = False
    force: bool = False
    system: str | None = None

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """Flags, then the environment, then the file."""
        file = TomlConfigSettingsSource(settings_cls, Paths().settings_file)
        return init_settings, env_settings, file


@dataclass(frozen=True, slots=True)
class ChatSettings:
    """What a chat or an answer needs, all sources joined. title: the pair's, on the screen; name:
    its name in the catalogue, "" for files by path; offline: no sockets; force: load what does not
    fit.
    """

    pair: PairSettings
    sampling: SamplingSettings
    predict: int | None
    system: str | None
    title: str
    offline: bool = False
    force: bool = False
    name: str = ""


def settings_from(args: argparse.Namespace) -> ChatSettings:
    """Join the flags with the other sources. Raises SettingsError, SettingError or CatalogError."""
    given = {
        name: value
        for name in Settings.model_fields
        if (value := getattr(args, name, None)) is not None
    }
    if "pair" in given and "model" in given:
        raise SettingsError("Give a pair or --model, not both.")
    if "pair" in given or "model" in given:  # a choice made by flags is made whole by flags
        given = {"pair": None, "model": None, "model_draft": None, **given}
    settings = _settings(given)
    if settings.model_draft is not None and settings.model is None:
        raise SettingsError("--model-draft needs --model: a draft model drafts for one target.")
    return _for_files(settings) if settings.model is not None else _for_pair(settings)


def settings_for_pair(args: argparse.Namespace, name: str) -> ChatSettings:
    """Join the sources as at the start, for another pair than the flags chose.

    Raises as `settings_from` does.
    """
    return settings_from(
        argparse.Namespace(**{**vars(args), "pair": name, "model": None, "model_draft": None})
    )


def is_offline(args: argparse.Namespace) -> bool:
    """Whether no socket may be opened: by flag, SLIPSTREAM_OFFLINE, file or HF_HUB_OFFLINE.

    Raises SettingsError.
    """
    given = {"offline": args.offline} if args.offline else {}
    return _hub_is_offline() or _settings(given).offline


def _hub_is_offline() -> bool:
    return os.environ.get("HF_HUB_OFFLINE", "").strip().upper() in TRUE


def _settings(given: dict[str, Any]) -> Settings:
    """Join what is given with environment and file. Raises SettingsError."""
    try:
        return Settings(**given)
    except ValidationError as error:
        first = error.errors()[0]
        where = "--" + str(first["loc"][0]).replace("_", "-") if first["loc"] else "settings"
        raise SettingsError(f"{where}: {first['msg']}, found {first['input']!r}.") from None
    except ValueError as error:  # TOML that does not parse
        raise SettingsError(f"Cannot read {Paths().settings_file}: {error}.") from None


def _for_files(settings: Settings) -> ChatSettings:
    """Settings for GGUF files given by path, or as OWNER/REPO:FILE that are installed."""
    target = _file(settings.model or "")
    draft = _file(settings.model_draft) if settings.model_draft else None
    return _joined(settings, target, draft, target.stem, None)


def _file(name: str) -> Path:
    if not is_on_hub(name):
        return Path(name).expanduser()
    return _installed(spec_of(name), name)


def _for_pair(settings: Settings) -> ChatSettings:
    """Settings for a pair of the catalogue."""
    name = settings.pair or DEFAULT_PAIR
    catalog = load_catalog(Paths().own_catalog)
    spec = catalog.pair(name)
    target, *drafts = [_installed(model, name) for model in catalog.members(spec)]
    joined = _joined(settings, target, drafts[0] if drafts else None, spec.title, spec)
    return replace(joined, name=name)


def _installed(model: ModelSpec, name: str) -> Path:
    """Return the model's file. Raises CatalogError if it has yet to be downloaded."""
    found = Store(Paths().models_dir).find(model)
    if found is not None:
        return found.path
    if model.repo is None:
        raise CatalogError(f"{name}: {model.own_path} is not there.")
    raise CatalogError(
        f"{name} is not installed: {model.file} is missing. `slipstream pull {name}` downloads it."
    )


def _joined(
    settings: Settings, target: Path, draft: Path | None, title: str, spec: PairSpec | None
) -> ChatSettings:
    paths = Paths()
    pair = PairSettings(
        target=str(target.absolute()),
        draft=str(draft.absolute()) if draft else None,
        drafter=settings.drafter or (spec.drafter if spec else DEFAULT_DRAFTER),
        draft_tokens=None if settings.draft_tokens == "auto" else settings.draft_tokens,
        verify=settings.verify,
        n_ctx=settings.ctx_size or (spec.ctx_size if spec else None),
        threads=settings.threads,
        gpu_layers=None if settings.gpu_layers == "auto" else settings.gpu_layers,
        cache_type=settings.cache_type,
        draft_threads=settings.threads_draft,
        draft_gpu_layers=_draft_gpu_layers(settings),
        draft_cache_type=settings.cache_type_draft,
        memory=str(paths.memory_dir) if settings.memory else None,
        costs=str(paths.costs_dir),
    )
    return ChatSettings(
        pair=pair,
        sampling=_sampling(settings, spec),
        predict=settings.predict,
        system=settings.system,
        title=title,
        offline=settings.offline or _hub_is_offline(),
        force=settings.force,
    )


def _draft_gpu_layers(settings: Settings) -> int | None:
    """Return the draft model's own layers on the GPU, None for as many as the target's."""
    if settings.gpu_layers_draft != "auto":
        return settings.gpu_layers_draft
    return None if settings.gpu_layers == "auto" else EVERY_LAYER


def _sampling(settings: Settings, spec: PairSpec | None) -> SamplingSettings:
    """Take each sampling setting from the settings, else the pair, else the default."""
    default = SamplingSettings()
    recommended = spec.settings if spec else None

    def pick(name: str, fallback: float) -> float:
        for source in (settings, recommended):
            value = getattr(source, name, None)
            if value is not None:
                return float(value)
        return fallback

    sampling = SamplingSettings(
        temperature=pick("temp", default.temperature),
        top_k=int(pick("top_k", default.top_k)),
        typical_p=pick("typical_p", default.typical_p),
        top_p=pick("top_p", default.top_p),
        min_p=pick("min_p", default.min_p),
        repeat_penalty=pick("repeat_penalty", default.repeat_penalty),
        presence_penalty=pick("presence_penalty", default.presence_penalty),
        frequency_penalty=pick("frequency_penalty", default.frequency_penalty),
        repeat_last_n=int(pick("repeat_last_n", default.repeat_last_n)),
        logit_bias=settings.logit_bias,
        seed=secrets.randbits(SEED_BITS) if settings.seed is None else settings.seed,
    )
    check_sampling(sampling)  # before anything is loaded
    return sampling
