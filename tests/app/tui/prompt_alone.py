"""Drives a prompt on a screen of its own."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from time import monotonic

from textual import events, on
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.screen import Screen
from textual.widgets import Static

from app.tui.widgets.prompt import Prompt
from tests.app.tui.alone import Seen, drive

THEMES = {"theme": lambda _: [("dark", "for the night"), ("light", "for the day")]}


class Desk(Screen[None]):
    """A prompt below a wall, and what it told."""

    def __init__(self, prompt: Prompt) -> None:
        super().__init__()
        self.prompt = prompt
        self.sent: list[Prompt.Submitted] = []
        self.commands: list[Prompt.Commanded] = []
        self.typed: list[tuple[float, str]] = []

    def compose(self) -> ComposeResult:
        with Vertical():
            wall = Static("the wall", id="wall")
            wall.styles.height = "1fr"
            yield wall
            yield self.prompt

    def on_mount(self) -> None:
        self.prompt.focus()

    @on(Prompt.Submitted)
    def _on_sent(self, event: Prompt.Submitted) -> None:
        self.sent.append(event)

    @on(Prompt.Commanded)
    def _on_command(self, event: Prompt.Commanded) -> None:
        self.commands.append(event)

    @on(Prompt.Typed)
    def _on_typed(self, event: Prompt.Typed) -> None:
        self.typed.append((monotonic(), event.text))


Scenario = Callable[[Seen, Desk], Awaitable[None]]


def at_prompt(
    scenario: Scenario, prompt: Prompt | None = None, size: tuple[int, int] = (80, 24)
) -> None:
    """Play a scenario at a prompt of its own."""
    desk = Desk(prompt or Prompt(THEMES))

    async def play(seen: Seen) -> None:
        await seen.until(lambda: desk.prompt.has_focus)
        await scenario(seen, desk)

    drive(desk, play, size)


async def type_in(seen: Seen, text: str) -> None:
    await seen.press(*["space" if character == " " else character for character in text])


async def paste(seen: Seen, desk: Desk, text: str) -> None:
    desk.prompt.post_message(events.Paste(text))
    await seen.pilot.pause()
