"""What is said in the chats that are open, one of them in sight, and what becomes of the engine."""

from __future__ import annotations

from dataclasses import replace

import msgspec
from textual.app import ComposeResult
from textual.containers import Vertical

from app.tui.keys.keymap import told
from app.tui.models.model_access import FirstOffer
from app.tui.serving.messages import (
    EngineDown,
    EngineLoading,
    EngineLost,
    EngineNews,
    EngineNoticed,
    EngineReady,
    EngineUnloaded,
    PairChanged,
    SwitchFailed,
)
from app.tui.widgets.load_bar import LoadBar
from app.tui.widgets.new_below import NewBelow
from app.tui.widgets.transcript import Transcript
from engine import Ready

AGAIN = (
    "Ask again, or use {retry}, to start the engine again, {model} to choose another model; "
    "`slipstream doctor` checks this machine."
)

UNDONE = "; what was changed for the next load is as before."


class Talk(Vertical):
    """The transcripts over what is said below them. transcript: that in sight."""

    DEFAULT_CSS = """
    Talk { height: 1fr; }
    """

    def __init__(self, title: str) -> None:
        super().__init__()
        self.transcript = Transcript(title)
        self._transcripts = [self.transcript]
        self._title = title
        self._about: EngineNews | None = None
        self._offer: FirstOffer | None = None
        self._new_below, self._load_bar = NewBelow(), LoadBar()
        self._noted: set[str] = set()

    def compose(self) -> ComposeResult:
        """Transcript, whether there is more below it, the bar of a pair that is being loaded."""
        yield self.transcript
        yield self._new_below
        yield self._load_bar

    def on_mount(self) -> None:
        """Say what is new below."""
        self._watch_for_new(self.transcript)

    def on_new_below_chosen(self, event: NewBelow.Chosen) -> None:
        """Go there."""
        event.stop()
        self.transcript.follow()

    def _watch_for_new(self, transcript: Transcript) -> None:
        self.watch(transcript, "has_unseen", self._say_new, init=False)

    def _say_new(self) -> None:
        self._new_below.display = self.transcript.has_unseen

    async def add(self) -> Transcript:
        """Return the transcript of another chat, empty and out of sight."""
        transcript = Transcript(self._title)
        transcript.display = False
        await self.mount(transcript, before=self._new_below)
        self._transcripts.append(transcript)
        self._watch_for_new(transcript)
        self._greet(transcript)
        if self._offer is not None:
            transcript.welcome.suggest(self._offer)
        return transcript

    def show(self, transcript: Transcript) -> None:
        """Show this one in place of another."""
        self.transcript.display = False
        self.transcript = transcript
        transcript.display = True
        self._say_new()

    async def drop(self, transcript: Transcript) -> None:
        """Forget one that is out of sight."""
        self._transcripts.remove(transcript)
        await transcript.remove()

    def suggest(self, offer: FirstOffer) -> None:
        """Offer a pair to who has only the demo, where an empty chat can."""
        self._offer = offer
        for transcript in self._transcripts:
            transcript.welcome.suggest(offer)

    def tell_drafters(self, names: list[str]) -> None:
        """Say who drafts from now on, where an empty chat says it."""
        if isinstance(self._about, EngineReady):
            ready = msgspec.structs.replace(self._about.ready, drafters=names)
            self._about = replace(self._about, ready=ready)
            for each in self._transcripts:
                self._greet(each)

    def _greet(self, transcript: Transcript) -> None:
        """Say what is loaded, or why nothing is, where an empty chat says it."""
        match self._about:
            case EngineReady(ready):
                transcript.welcome.show_ready(ready)
            case EngineDown():
                transcript.welcome.show_idle("No model is loaded.")
            case EngineUnloaded():
                transcript.welcome.show_idle("Unloaded; the next question loads it again.")
            case PairChanged(title):
                transcript.welcome.show_pair(title)

    async def tell(self, news: EngineNews) -> None:
        """Show what has become of the engine."""
        if isinstance(news, EngineLoading):
            self._load_bar.loading_at(news.progress)
            return
        if isinstance(news, EngineLost):
            why = _sentence(news.error)
            await self.transcript.note(f"{why} It starts again; /log shows what it said.")
            return
        if isinstance(news, EngineNoticed):
            for notice in news.notices:
                await self.note_once(notice)
            return
        self._load_bar.done()
        if not isinstance(news, SwitchFailed):
            self._about = news
            for each in self._transcripts:
                self._greet(each)
        transcript = self.transcript
        match news:
            case EngineReady(ready, again):
                await self._note_ready(ready, again)
            case EngineDown(error):
                await transcript.note(error, "error")
                await transcript.note(told(self, AGAIN))
            case PairChanged(title):
                self._title, self._offer = title, None
                self._noted.clear()
            case SwitchFailed(title, former, error, is_undone):
                why = f"{title} was not loaded: {error}" if error else f"Gave up loading {title}"
                line = f"{_sentence(why)} Back to {former}{UNDONE if is_undone else '.'}"
                await transcript.note(line, "error" if error else "dim")

    async def _note_ready(self, ready: Ready, again: bool) -> None:
        """Say what there is to say of a loaded pair, each thing once."""
        if again:
            await self.transcript.note("The engine runs again.")
        for notice in ready.notices:
            await self.note_once(notice)

    async def note_once(self, notice: str) -> None:
        """Say in the chat in sight what is said once of a pair."""
        if notice not in self._noted:
            self._noted.add(notice)
            await self.transcript.note(notice)


def _sentence(text: str) -> str:
    """Return a text that ends as a sentence does, for another one to follow."""
    return text if text.endswith((".", "!", "?", "…")) else f"{text}."
