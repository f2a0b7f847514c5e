"""Copying from the terminal app: by every way there is, without waiting on the screen's thread."""

from __future__ import annotations

import os
from typing import Any

from textual.app import App

from app.terminal.clipboard import copy
from app.terminal.sanitise import one_line
from app.tui.background.threads import in_thread


def write_to(app: App[Any], text: str) -> None:
    """Write to the terminal, past the screen."""
    driver = app._driver
    if driver is not None:
        driver.write(text)


def copied_now(app: App[Any], text: str) -> str:
    """Copy a text and return what to tell the person; takes up to some seconds."""
    return copy(text, lambda sequence: write_to(app, sequence), os.environ).words


async def copied(app: App[Any], text: str) -> str:
    """Do that in a thread."""
    return await in_thread(lambda: copied_now(app, text))


async def copy_and_tell(app: App[Any], text: str, name: str = "") -> None:
    """Do that, also for pasting within the app, and say truly how it went.

    name: what the text is called, "" where that needs no words.
    """
    App.copy_to_clipboard(app, text)
    words = await copied(app, text)
    app.notify(one_line(f"{words} · {name}" if name else words), markup=False)
