"""The sampling settings that a person can give and a pair can recommend, each in its range."""

from __future__ import annotations

from typing import Annotated

import msgspec
from pydantic import AfterValidator, BaseModel, Field

from app.refusals import wanted
from engine import SamplingSettings, SettingError, check_sampling


def _in_range(field: str) -> AfterValidator:
    """Return the check that the engine makes, too. field: the engine's name of the setting."""

    def check(value: float) -> float:
        try:
            check_sampling(msgspec.structs.replace(SamplingSettings(), **{field: value}))
        except SettingError as error:
            raise wanted(error.wanted) from None
        return value

    return AfterValidator(check)


Temp = Annotated[float, _in_range("temperature")]
TopK = Annotated[int, Field(lt=2**31), _in_range("top_k")]
TypicalP = Annotated[float, _in_range("typical_p")]
TopP = Annotated[float, _in_range("top_p")]
MinP = Annotated[float, _in_range("min_p")]
RepeatPenalty = Annotated[float, _in_range("repeat_penalty")]
PresencePenalty = Annotated[float, _in_range("presence_penalty")]
FrequencyPenalty = Annotated[float, _in_range("frequency_penalty")]
RepeatLastN = Annotated[int, Field(lt=2**31), _in_range("repeat_last_n")]
Seed = Annotated[int, _in_range("seed")]


class SamplingFields(BaseModel):
    """None: not given."""

    temp: Temp | None = None
    top_k: TopK | None = None
    typical_p: TypicalP | None = None
    top_p: TopP | None = None
    min_p: MinP | None = None
    repeat_penalty: RepeatPenalty | None = None
    presence_penalty: PresencePenalty | None = None
    frequency_penalty: FrequencyPenalty | None = None
    repeat_last_n: RepeatLastN | None = None
