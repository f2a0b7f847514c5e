"""Every setting by its name: what it may be, and where it may come from.

A flag wins over the environment, that over the settings file. What they amount to, app/config.py
joins.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import AfterValidator, Field
from pydantic_core import PydanticCustomError
from pydantic_settings import (
    BaseSettings,
    PydanticBaseSettingsSource,
    SettingsConfigDict,
    TomlConfigSettingsSource,
)

from app.flags import DEFAULT_THEME, DEFAULT_VERIFY, THEMES, verifier_names
from app.logit_bias import LogitBias
from app.models.catalog import SamplingFields
from app.paths import Paths


def _known_verifier(name: str) -> str:
    known = verifier_names()
    if name not in known:
        raise PydanticCustomError("verify", "should be {known}", {"known": " or ".join(known)})
    return name


def _known_theme(name: str) -> str:
    if name in THEMES:
        return name
    from textual.theme import BUILTIN_THEMES  # slow, and few ask for one of these

    if name in BUILTIN_THEMES:
        return name
    known = ", ".join(sorted([*THEMES, *BUILTIN_THEMES]))
    raise PydanticCustomError("theme", "should be one of {known}", {"known": known})


CacheType = Literal["f16", "q8_0"]
Verify = Annotated[str, AfterValidator(_known_verifier)]
Theme = Annotated[str, AfterValidator(_known_theme)]


class Settings(BaseSettings, SamplingFields):
    """Every setting that a flag, the environment or the file can give; None: not given."""

    model_config = SettingsConfigDict(env_prefix="SLIPSTREAM_", extra="forbid", allow_inf_nan=False)

    pair: str | None = None
    model: str | None = None
    model_draft: str | None = None
    drafter: str | None = None
    draft_tokens: Literal["auto"] | int = "auto"
    verify: Verify = DEFAULT_VERIFY
    memory: bool = True
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
    persona: str | None = None
    think: bool | None = None
    theme: Theme = DEFAULT_THEME
    bell: bool = True

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
