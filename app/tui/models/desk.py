"""What the app keeps of models while screens come and go."""

from __future__ import annotations

from dataclasses import dataclass, field

from app.tui.models.model_access import Facts, ModelAccess
from app.tui.models.pulls import Pulls


@dataclass(slots=True)
class Desk:
    """models: the models of this machine; pulls: the downloads; facts: what was last known."""

    models: ModelAccess
    pulls: Pulls
    facts: Facts = field(default_factory=Facts)
