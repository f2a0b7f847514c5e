"""Begins downloads from a screen; of what does not fit this machine only if the person agrees."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from textual.app import App

from app.tui.models.pulls import Pulls
from app.tui.screens.confirm import ConfirmScreen


def download(app: App[Any], pulls: Pulls, name: str, title: str, why: Sequence[str]) -> None:
    """Begin a download, or go on with one. why: lines on why it does not fit, none where nothing
    is known of that; a try that was refused for it has told, too.
    """

    def begin(is_wanted: bool | None) -> None:
        if is_wanted:
            pulls.start(name, force=True)

    refusal = pulls.misfit(name)
    lines = why or [refusal] * bool(refusal)
    if not lines:
        pulls.start(name)
        return
    question = f"{title} does not fit this machine. Download it all the same?"
    app.push_screen(ConfirmScreen(question, lines, "Download", "Leave it"), begin)
