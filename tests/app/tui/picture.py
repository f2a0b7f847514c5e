"""Reads what the screen shows."""

from __future__ import annotations

from typing import Any

from textual._context import visible_screen_stack
from textual.app import App
from textual.strip import Strip


def picture(app: App[Any]) -> list[Strip]:
    """Return the rows of the screen, with what is seen through a dialog: a dialog that is rendered
    without what lies under it keeps empty rows, and shows them until something below changes.
    """
    visible_screen_stack.set(app._background_screens)
    return app.screen._compositor.render_strips()
