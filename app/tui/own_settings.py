"""What a chat has for itself of the settings, and the same as changed here (`chosen`). Pure.

How its answers are drawn is the pair's too: it is forgotten once the pair is another.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, TypeVar

from app.tui.orders import SessionSettings
from app.tui.setting_sources import SAMPLING
from engine import SamplingSettings

if TYPE_CHECKING:
    from app.tui.setting_rows import Value

S = TypeVar("S", bound=SessionSettings)

OF_ANSWERS = frozenset({*SAMPLING, "think"})
OF_CHAT = frozenset({"system", "persona"})


def asked_as(settings: S, sampling: SamplingSettings, think: bool | None, system: str | None) -> S:
    """Return settings, a dataclass, with what a chat has for itself."""
    return replace(settings, sampling=sampling, think=think, system=system)  # type: ignore[type-var]


def taken_up(
    here: Mapping[str, Value | None], there: Mapping[str, Value | None], all_of_it: bool
) -> dict[str, Value | None]:
    """Return what is chosen once another chat is shown. all_of_it: also how its answers are drawn,
    which else stays as it is here.
    """
    own = OF_CHAT | OF_ANSWERS if all_of_it else OF_CHAT
    kept = {name: value for name, value in here.items() if name not in own}
    return kept | {name: value for name, value in there.items() if name in own}
