"""Settings and paths. A flag wins over the environment, that over the settings file, that over the
pair's recommended settings, those over the defaults.

Environment: SLIPSTREAM_<FLAG>, e.g. SLIPSTREAM_TEMP=0.7 or SLIPSTREAM_LOGIT_BIAS=15043+1,29-2.5.
File: settings.toml in the settings folder, where logit_bias is a table: 15043 = 1.0.
"""

from __future__ import annotations

import argparse
import math
import re
import secrets
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

import platformdirs
from pydantic import AfterValidator, BeforeValidator, Field, ValidationError
from pydantic_core import PydanticCustomError
from pydantic_settings import (
    BaseSettings,
    NoDecode,
    PydanticBaseSettingsSource,
    SettingsConfigDict,
    TomlConfigSettingsSource,
)

from app.catalog import DEFAULT_PAIR, PairSpec, load_catalog
from app.errors import SettingsError
from app.flags import DEFAULT_VERIFY, verifier_names
from engine import PairSettings, SamplingSettings, check_sampling

SEED_BITS = 32
BIAS = re.compile(r"([0-9]{1,10})(-inf|[+-](?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)")
BIAS_WANTED = "should be a token's id and a bias, like 15043+1, 15043-1.5 or 15043-inf"
EVERY_LAYER = 9_999
"""More layers than a model has: `auto` for a draft model whose target is not wholly on the GPU."""
BANNED = -1e30
"""What -inf becomes: as good, and JSON can carry it to the engine."""


class Paths:
    """Where things live on this machine; each folder is private to the user."""

    def __init__(self, root: Path | None = None) -> None:
        """root: put everything under this folder instead of the system's usual places."""
        dirs = platformdirs.PlatformDirs("slipstream", appauthor=False)
        self.data_dir = root / "data" if root else Path(dirs.user_data_dir)
        self.config_dir = root / "config" if root else Path(dirs.user_config_dir)
        self.cache_dir = root / "cache" if root else Path(dirs.user_cache_dir)
        self.log_dir = root / "log" if root else Path(dirs.user_log_dir)

    @property
    def models_dir(self) -> Path:
        """Downloaded models."""
        return self.data_dir / "models"

    @property
    def memory_dir(self) -> Path:
        """What is kept of earlier answers to draft from."""
        return self.data_dir / "memory"

    @property
    def costs_dir(self) -> Path:
        """What forwards were measured to cost here."""
        return self.cache_dir / "costs"

    @property
    def settings_file(self) -> Path:
        """The settings file, which need not exist."""
        return self.config_dir / "settings.toml"

    @property
    def engine_log(self) -> Path:
        """What the engine process last said."""
        return self.log_dir / "engine.log"

    def ensure(self) -> Paths:
        """Create the folders, readable by their owner alone, and return self."""
        for folder in (self.data_dir, self.config_dir, self.cache_dir, self.log_dir):
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        return self


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
    drafter: str = "auto"
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
    """What a chat or an answer needs, all sources joined. title: the pair's name on the screen."""

    pair: PairSettings
    sampling: SamplingSettings
    predict: int | None
    system: str | None
    title: str


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
    try:
        settings = Settings(**given)
    except ValidationError as error:
        first = error.errors()[0]
        where = "--" + str(first["loc"][0]).replace("_", "-") if first["loc"] else "settings"
        raise SettingsError(f"{where}: {first['msg']}, found {first['input']!r}.") from None
    except ValueError as error:  # TOML that does not parse
        raise SettingsError(f"Cannot read {Paths().settings_file}: {error}.") from None
    if settings.model_draft is not None and settings.model is None:
        raise SettingsError("--model-draft needs --model: a draft model drafts for one target.")
    return _for_files(settings) if settings.model is not None else _for_pair(settings)


def _for_files(settings: Settings) -> ChatSettings:
    """Settings for GGUF files given by path."""
    target = Path(settings.model or "").expanduser()
    draft = Path(settings.model_draft).expanduser() if settings.model_draft else None
    return _joined(settings, target, draft, target.stem, None)


def _for_pair(settings: Settings) -> ChatSettings:
    """Settings for a pair of the catalogue."""
    spec = load_catalog().pair(settings.pair or DEFAULT_PAIR)
    draft = spec.draft.path if spec.draft else None
    return _joined(settings, spec.target.path, draft, spec.title, spec)


def _joined(
    settings: Settings, target: Path, draft: Path | None, title: str, spec: PairSpec | None
) -> ChatSettings:
    paths = Paths()
    pair = PairSettings(
        target=str(target.absolute()),
        draft=str(draft.absolute()) if draft else None,
        drafter=settings.drafter,
        draft_tokens=None if settings.draft_tokens == "auto" else settings.draft_tokens,
        verify=settings.verify,
        n_ctx=settings.ctx_size,
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
