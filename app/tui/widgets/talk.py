"""What is said in a chat, and what becomes of the engine meanwhile."""

from __future__ import annotations

from textual.app import ComposeResult
from textual.containers import Vertical

from app.tui.messages import (
    EngineDown,
    EngineLoading,
    EngineNews,
    EngineReady,
    EngineUnloaded,
    PairChanged,
    SwitchFailed,
)
from app.tui.widgets.load_bar import LoadBar
from app.tui.widgets.transcript import Transcript
from engine import Ready

AGAIN = (
    "Ask again, or press Ctrl+R, to start the engine again; "
    "`slipstream doctor` checks this machine."
)


class Talk(Vertical):
    """The transcript over the bar that shows a pair being loaded."""

    DEFAULT_CSS = """
    Talk { height: 1fr; }
    """

    def __init__(self, title: str) -> None:
        super().__init__()
        self.transcript = Transcript(title)
        self._load_bar = LoadBar()
        self._noted: set[str] = set()

    def compose(self) -> ComposeResult:
        """Transcript, bar."""
        yield self.transcript
        yield self._load_bar

    async def tell(self, news: EngineNews) -> None:
        """Show what has become of the engine."""
        if isinstance(news, EngineLoading):
            self._load_bar.loading_at(news.progress)
            return
        self._load_bar.done()
        transcript = self.transcript
        match news:
            case EngineReady(ready, again):
                transcript.show_ready(ready)
                await self._note_ready(ready, again)
            case EngineDown(error):
                transcript.show_idle("No model is loaded.")
                await transcript.note(error, "error")
                await transcript.note(AGAIN)
            case EngineUnloaded():
                transcript.show_idle("Unloaded; the next question loads it again.")
            case PairChanged(title):
                self._noted.clear()
                transcript.show_pair(title)
            case SwitchFailed(title, former, error):
                why = f"{title} was not loaded: {error}" if error else f"Gave up loading {title}."
                await transcript.note(f"{why} Back to {former}.", "error" if error else "dim")

    async def _note_ready(self, ready: Ready, again: bool) -> None:
        """Say what there is to say of a loaded pair, each thing once."""
        if again:
            await self.transcript.note("The engine runs again.")
        for notice in ready.notices:
            if notice not in self._noted:
                self._noted.add(notice)
                await self.transcript.note(notice)
