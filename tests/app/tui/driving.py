"""Drives the app in tests: a chat on a scripted engine, read off the screen as a person would."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

from rich.segment import Segment
from textual.pilot import Pilot
from textual.widget import Widget

from app.history import History
from app.tui.app import SlipstreamApp
from app.tui.chat_parts import ChatParts
from app.tui.models.model_access import ModelAccess
from app.tui.screens.chat import ChatScreen
from app.tui.screens.models import ModelsScreen
from app.tui.serving.orders import SessionSettings
from app.tui.widgets.pair_list import PairList
from app.tui.widgets.prompt import Prompt
from app.tui.widgets.transcript import Transcript
from app.tui.widgets.turn_view import TurnView
from tests.app.tui.fakes import FakeEngine, FakeSettings, wait_until
from tests.app.tui.picture import picture
from tests.app.tui.toasted import remembered

NARROW = (80, 24)
WIDE = (160, 50)
SIZES = (NARROW, WIDE)


class Chat:
    """One running app."""

    def __init__(self, app: SlipstreamApp, pilot: Pilot[None], engine: FakeEngine) -> None:
        self.app = app
        self.pilot = pilot
        self.engine = engine
        self.toasted = remembered(app)

    @property
    def screen(self) -> ChatScreen:
        """The chat, also where another screen lies over it."""
        return next(one for one in self.app.screen_stack if isinstance(one, ChatScreen))

    @property
    def is_on_top(self) -> bool:
        return self.app.screen is self.screen

    @property
    def models(self) -> ModelsScreen:
        screen = self.app.screen
        assert isinstance(screen, ModelsScreen)
        return screen

    @property
    def state(self) -> str:
        return self.screen.state

    @property
    def prompt(self) -> Prompt:
        return self.screen.query_one(Prompt)

    @property
    def transcript(self) -> Transcript:
        return self.screen.talk.transcript

    @property
    def turns(self) -> list[TurnView]:
        return list(self.transcript.query(TurnView))

    def segments(self) -> list[list[Segment]]:
        """Return the picture on the screen, line by line."""
        return [list(strip) for strip in picture(self.app)]

    @property
    def lines(self) -> list[str]:
        return ["".join(segment.text for segment in line) for line in self.segments()]

    @property
    def text(self) -> str:
        return "\n".join(self.lines)

    def shows(self, text: str) -> bool:
        return text in " ".join(self.text.split())

    async def until(self, predicate: Callable[[], bool]) -> None:
        await wait_until(predicate)

    def toasts(self, text: str) -> bool:
        """Whether a toast says so."""
        return self.toasted.says(text)

    async def open_models(self, name: str = "") -> None:
        """Open the models with Ctrl+O, wait until they are known, and go to a pair."""
        await self.pilot.press("ctrl+o")
        await self.until(lambda: isinstance(self.app.screen, ModelsScreen))
        pairs = self.models.query_one(PairList)
        await self.until(lambda: bool(pairs.views and pairs.views[0].offer.verdict))
        if name:
            names = [view.offer.name for view in pairs.views]
            await self.pilot.press("home", *["down"] * names.index(name))
            await self.until(lambda: highlighted(pairs) == name)
        await self.pilot.pause()

    async def use(self, name: str) -> None:
        """Go on with a pair that is installed."""
        await self.open_models(name)
        await self.pilot.press("enter")
        await self.until(lambda: self.is_on_top)

    async def ready(self) -> None:
        await self.until(lambda: self.state == "ready")

    async def ask(self, question: str) -> None:
        """Type a question and send it."""
        self.prompt.focus()
        self.prompt.insert(question)
        await self.pilot.press("enter")

    async def answered(self, turns: int = 1) -> None:
        """Wait until that many questions are answered and shown."""
        await self.until(
            lambda: self.state == "ready" and len([t for t in self.turns if t.over]) == turns
        )
        await self.pilot.pause()


Scenario = Callable[[Chat], Awaitable[None]]


def beyond(container: Widget) -> list[Widget]:
    """Return the shown widgets that reach out of what they are in, unless one can scroll to them.

    Of the screen that is all of it that nobody ever sees.
    """
    found: list[Widget] = []
    for widget in container.displayed_children:
        if not container.region.contains_region(widget.region):
            found.append(widget)
        elif not widget.allow_vertical_scroll:
            found += beyond(widget)
    return found


def highlighted(pairs: PairList) -> str:
    """Return the name of the pair that keys act on, "" while there is none."""
    return pairs.highlighted.offer.name if pairs.highlighted else ""


def app_of(parts: ChatParts) -> SlipstreamApp:
    """Return the app that finds this when its first picture is painted."""
    return SlipstreamApp(lambda _: parts, parts.theme)


async def opened(app: SlipstreamApp, pilot: Pilot[None], engine: FakeEngine) -> Chat:
    """Return the chat, once it has taken the first picture's place."""
    await wait_until(lambda: app.is_open)
    return Chat(app, pilot, engine)


def drive(
    scenario: Scenario,
    engine: FakeEngine,
    size: tuple[int, int] = NARROW,
    settings: SessionSettings | None = None,
    models: ModelAccess | None = None,
    history: History | None = None,
) -> None:
    """Run the app on the engine at this size and play the scenario; it closes the history."""

    async def run() -> None:
        app = app_of(ChatParts(engine, settings or FakeSettings(), models, history))
        async with app.run_test(size=size) as pilot:
            await scenario(await opened(app, pilot, engine))
            engine.release()

    asyncio.run(run())
