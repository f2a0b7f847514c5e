"""Drives one screen in an app of its own, read off the terminal as a person would."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

from textual.pilot import Pilot
from textual.screen import Screen

from app.tui.preferences.themes import DARK, THEMES, origins
from app.tui.terminal.key_order import KeyOrder
from tests.app.tui.fakes import wait_until
from tests.app.tui.picture import picture
from tests.app.tui.toasted import remembered


class Alone(KeyOrder):
    """An app with nothing but a screen over an empty one."""

    def __init__(self, screen: Screen[None]) -> None:
        super().__init__()
        self.shown = screen
        for theme in THEMES:
            self.register_theme(theme)
        self.theme = DARK.name

    def get_theme_variable_defaults(self) -> dict[str, str]:
        return origins(self.current_theme)

    def on_mount(self) -> None:
        self.push_screen(self.shown)


class Seen:
    """The screen as it is seen."""

    def __init__(self, app: Alone, pilot: Pilot[None]) -> None:
        self.app = app
        self.pilot = pilot
        self.toasted = remembered(app)

    @property
    def lines(self) -> list[str]:
        strips = picture(self.app)
        return ["".join(segment.text for segment in line) for line in strips]

    @property
    def footer(self) -> str:
        return self.lines[-1]

    @property
    def is_open(self) -> bool:
        return self.app.shown in self.app.screen_stack

    def shows(self, text: str) -> bool:
        return text in " ".join(" ".join(self.lines).split())

    def toasts(self, text: str) -> bool:
        return self.toasted.says(text)

    def widget(self, kind: type[Any]) -> Any:
        return self.app.shown.query_one(kind)

    async def until(self, predicate: Callable[[], bool]) -> None:
        await wait_until(predicate)

    async def until_shown(self, text: str) -> None:
        await self.until(lambda: self.shows(text))

    async def press(self, *keys: str) -> None:
        await self.pilot.press(*keys)


Scenario = Callable[[Seen], Awaitable[None]]


def drive(screen: Screen[None], scenario: Scenario, size: tuple[int, int] = (80, 24)) -> None:
    """Open the screen at this size and play the scenario."""

    async def run() -> None:
        app = Alone(screen)
        async with app.run_test(size=size) as pilot:
            await wait_until(lambda: app.screen is screen)
            await scenario(Seen(app, pilot))

    asyncio.run(run())
