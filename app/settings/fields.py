"""Every setting by its name, and what it may be. Knows no source: those join in sources.py."""

from __future__ import annotations

from typing import Annotated, Literal, TypeAlias

from pydantic import (
    AfterValidator,
    BeforeValidator,
    ConfigDict,
    Field,
    ValidationError,
    field_validator,
)

from app.errors import SettingsError
from app.refusals import matching, refusal, wanted
from app.sampling_fields import SamplingFields, Seed
from app.settings.habits import USUAL
from app.settings.logit_bias import LogitBias
from app.settings.values import (
    DEFAULT_THEME,
    DEFAULT_VERIFY,
    THEMES,
    CacheType,
    Enter,
    Frame,
    Notify,
    Titles,
    drafter_names,
    verifier_names,
)
from engine import MAX_DRAFT_TOKENS, MIN_CTX

MOST_LAYERS = 99_999
MOST_THREADS = 512
"""What ggml takes."""


def _known_verifier(name: str) -> str:
    return _one_of(name, verifier_names())


def _known_drafter(name: str) -> str:
    return _one_of(name.replace("-", "_"), drafter_names())


def _one_of(name: str, known: list[str]) -> str:
    if name not in known:
        raise wanted(f"should be {' or '.join(known)}")
    return name


def _known_theme(name: str) -> str:
    if name in THEMES:
        return name
    from textual.theme import BUILTIN_THEMES  # slow, and few ask for one of these

    if name in BUILTIN_THEMES:
        return name
    raise wanted(f"should be {', '.join(THEMES)} or another that /theme offers in the chat")


def _auto_or_count(most: int) -> BeforeValidator:
    """Return the check of what is auto or a count. Pydantic's own refuses in two errors."""

    def check(value: object) -> object:
        is_whole = isinstance(value, int) and not isinstance(value, bool)
        if isinstance(value, str) and value.isdecimal() and len(value) <= len(str(most)):
            value, is_whole = int(value), True
        if value == "auto" or (isinstance(value, int) and is_whole and 0 <= value <= most):
            return value
        raise wanted(f"should be auto or a whole number from 0 to {most}")

    return BeforeValidator(check)


Name = Annotated[str, matching(r"[^\0]*[^\s\0][^\0]*", "should be a name or a path")]
Verify = Annotated[str, AfterValidator(_known_verifier)]
Drafter = Annotated[str, AfterValidator(_known_drafter)]
Theme = Annotated[str, AfterValidator(_known_theme)]
DraftTokens = Annotated[Literal["auto"] | int, _auto_or_count(MAX_DRAFT_TOKENS)]
Layers = Annotated[Literal["auto"] | int, _auto_or_count(MOST_LAYERS)]
Threads: TypeAlias = Annotated[int, Field(ge=1, le=MOST_THREADS)]
NUMBERS = (*SamplingFields.model_fields, "seed", "predict", "ctx_size", "threads", "threads_draft")


class Settings(SamplingFields):
    """Every setting that a flag, the environment or the file can give; None: not given."""

    model_config = ConfigDict(extra="forbid", allow_inf_nan=False)

    pair: Name | None = None
    model: Name | None = None
    model_draft: Name | None = None
    mmproj: Name | None = None
    drafter: Drafter | None = None
    draft_tokens: DraftTokens = "auto"
    verify: Verify = DEFAULT_VERIFY
    memory: bool = True
    logit_bias: LogitBias = Field(default={})
    seed: Seed | None = None
    predict: int | None = Field(default=None, ge=1, lt=2**31)
    ctx_size: int | None = Field(default=None, ge=MIN_CTX, lt=2**31)
    threads: Threads | None = None
    gpu_layers: Layers = "auto"
    cache_type: CacheType = "f16"
    batch_invariant: bool = False
    threads_draft: Threads | None = None
    gpu_layers_draft: Layers | None = None
    cache_type_draft: CacheType | None = None
    offline: bool = False
    force: bool = False
    system: str | None = None
    persona: str | None = None
    think: bool | None = None
    theme: Theme = DEFAULT_THEME
    titles: Titles = USUAL.titles
    notify: Notify = USUAL.notify
    frame: Frame = USUAL.frame
    enter: Enter = USUAL.enter
    chat_list: bool = USUAL.chat_list
    copy_on_select: bool = USUAL.copy_on_select

    @field_validator(*NUMBERS, mode="before")
    @classmethod
    def _is_no_boolean(cls, value: object) -> object:
        """Refuse what pydantic takes for 1 or 0."""
        if isinstance(value, bool):
            raise wanted("should be a number")
        return value


def checked(name: str, value: object) -> object:
    """Return a setting's value as the app will understand it. Raises SettingsError."""
    if name not in Settings.model_fields:
        raise SettingsError(f"There is no setting {name!r}.")
    try:
        return getattr(Settings.model_validate({name: value}), name)
    except ValidationError as error:
        wrong = refusal(error, lambda _: ())
        raise SettingsError(f"{': '.join([*wrong.place, wrong.words])}.") from None
