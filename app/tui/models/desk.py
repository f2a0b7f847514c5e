"""What the app keeps of models while screens come and go."""

from __future__ import annotations

from dataclasses import dataclass, field

from app.tui.models.pulls import Pulls
from app.tui.models.room import Facts, ModelsRoom


@dataclass(slots=True)
class Desk:
    """room: the models of this machine; pulls: the downloads; facts: what was last known."""

    room: ModelsRoom
    pulls: Pulls
    facts: Facts = field(default_factory=Facts)
