"""The first line: the app, the pair, the chat, what is being downloaded, what is going on."""

from __future__ import annotations

from textual import events
from textual.content import Content
from textual.reactive import reactive
from textual.signal import Signal
from textual.widgets import Static

from app.terminal.sanitise import one_line
from app.tui.keys.keymap import told
from app.tui.models.pulls import States, words_of
from app.tui.terminal.mouse import set_free
from app.tui.tones import DIM

STATES = {
    "loading": ("◌ loading", "$warning"),
    "ready": ("● ready", "$success"),
    "answering": ("● answering", "$primary"),
    "summarising": ("● summarising", "$primary"),
    "stopping": ("● stopping", "$warning"),
    "elsewhere": ("◌ busy in another chat", "$warning"),
    "down": ("● engine stopped", "$error"),
    "unloaded": ("○ unloaded", DIM),
}
MOUSE_IS_FREE = " mouse selects text · {mouse} ends it "
MOUSE_IN_SHORT = " mouse free {mouse} "
MOUSE_LOOK = "bold reverse $warning"
NO_THOUGHT = "thinking off"
NOT_KEPT = "not kept"
NOT_SAVED = "not saved"
KNOWS = "knows about you"
JOINT = " · "
LONGEST_OWN = 40
SHORTEST = 12
"""Columns of a title of which less would say nothing."""
LEAST_PAIR = 4
LEAST_OFF = len("speculation off…")
CLICKS = {
    "model": "A click shows the models, to go on with another one.",
    "rename": "The title of this chat; a click changes it.",
}


class TopBar(Static):
    """One line. Where it is too long, the chat's title gives way, then the app's name, the pair's
    title, and what is least important; the state stays, that nothing is kept or saved, and that
    speculation is off.
    """

    DEFAULT_CSS = """
    TopBar { height: 1; padding: 0 1; background: $surface; }
    """

    state: reactive[str] = reactive("loading")
    """One of STATES."""
    title: reactive[str] = reactive("")
    """The pair's."""
    pulling: reactive[str] = reactive("")
    """What is being downloaded and how far it is, "" if nothing is."""

    mouse_is_free: reactive[bool] = reactive(False)
    """Whether the terminal has the mouse."""
    thinks: reactive[bool] = reactive(True)
    """Whether nothing keeps the model from thinking first."""
    is_kept: reactive[bool] = reactive(True)
    """Whether the chat is written to the disk."""

    is_saved: reactive[bool] = reactive(True)
    """Whether it can be written there, as far as is known."""

    knows: reactive[bool] = reactive(False)
    """Whether the chat is told what the person wrote about themselves."""

    own: reactive[str] = reactive("")
    """What the chat has for itself of the settings, in short; "" for nothing."""

    chat: reactive[str] = reactive("")
    """What the chat is called, "" where that is said elsewhere, or it has no title."""

    off: reactive[str] = reactive("")
    """Why speculation is off, "" if it is not, or that is said elsewhere."""

    def __init__(self, title: str, pulls: Signal[States] | None = None) -> None:
        """pulls: publishes the downloads; None where there are none."""
        super().__init__()
        self.set_reactive(TopBar.title, title)
        self._pulls = pulls
        self._spans: list[tuple[int, int, str]] = []

    def on_mount(self) -> None:
        """Follow the downloads."""
        if self._pulls is not None:
            self._pulls.subscribe(self, self._on_pulls)
        self.app.app_resume_signal.subscribe(self, self._on_resume)

    def _on_resume(self, _: object) -> None:
        """Let go again of the mouse, which Textual has taken with the terminal."""
        if self.mouse_is_free:
            set_free(self.app, True)

    def _on_pulls(self, states: States) -> None:
        self.pulling = words_of(states)

    def watch_state(self) -> None:
        """Show another state."""
        self._write()

    def watch_title(self) -> None:
        """Show another pair."""
        self._write()

    def watch_pulling(self) -> None:
        """Show how far the downloads are."""
        self._write()

    def watch_thinks(self) -> None:
        """Show that the model does not think first, or stop showing it."""
        self._write()

    def watch_is_kept(self) -> None:
        """Show that nothing is kept."""
        self._write()

    def watch_is_saved(self) -> None:
        """Show that the chat cannot be written, or stop showing it."""
        self._write()

    def watch_knows(self) -> None:
        """Show that the chat knows about the user, or stop showing it."""
        self._write()

    def watch_own(self) -> None:
        """Show what is the chat's own."""
        self._write()

    def watch_chat(self) -> None:
        """Show another title of the chat."""
        self._write()

    def watch_off(self) -> None:
        """Show that speculation is off, or stop showing it."""
        self._write()

    def watch_mouse_is_free(self, was_free: bool, is_free: bool) -> None:
        """Give the mouse away or take it back, and show who has it."""
        if was_free != is_free:
            set_free(self.app, is_free)
            self._write()

    def on_resize(self) -> None:
        """Fit the title to the new width."""
        self._write()

    async def on_click(self, event: events.Click) -> None:
        """Show the models where the pair's title was clicked, let the chat's be changed there."""
        action = self._at(event.x)
        if action:
            await self.run_action(f"screen.act('{action}')")

    def on_mouse_move(self, event: events.MouseMove) -> None:
        """Say what a click there does."""
        self.tooltip = CLICKS.get(self._at(event.x))

    def _at(self, column: int) -> str:
        """Return the action that a click on this column means, "" for none."""
        inside = column - self.gutter.left
        return next((action for first, end, action in self._spans if first <= inside < end), "")

    def _write(self) -> None:
        width = self.content_size.width
        name = Content.assemble(("Slipstream", "bold $primary"), "  ")
        words = self._words(width - name.cell_length - 1)
        room = width - words.cell_length - 2
        if room - name.cell_length < min(SHORTEST, len(self.title)):
            name = Content()
        pair, chat = self._titles(room - name.cell_length)
        middle = Content(JOINT).join([part for part in (pair, chat) if part])
        first = name.cell_length
        last = first + middle.cell_length
        self._spans = [(first, first + pair.cell_length, "model")]
        self._spans.append((last - chat.cell_length, last, "rename"))
        gap = " " * max(1, width - last - words.cell_length)
        self.update(Content.assemble(name, middle, gap, words))

    def _titles(self, room: int) -> tuple[Content, Content]:
        """Return the pair's title and the chat's; that of the chat is cut first, and left out where
        little of it would be seen.
        """
        if room < LEAST_PAIR:
            return Content(), Content()
        pair = Content.styled(one_line(self.title), DIM)
        chat = Content(one_line(self.chat))
        rest = room - pair.cell_length - len(JOINT)
        if rest < min(SHORTEST, chat.cell_length):
            chat = Content()
        chat = chat.truncate(max(0, rest), ellipsis=True)
        return pair.truncate(room, ellipsis=True), chat

    def _words(self, room: int) -> Content:
        """Return what is said beside the titles; of why speculation is off as much as has room."""
        if not self.off:
            return self._news(room)
        off = Content.styled(one_line(self.off), "$warning")
        least = min(off.cell_length, LEAST_OFF)
        news = self._news(room - least - 2)
        off = off.truncate(max(least, room - news.cell_length - 2), ellipsis=True)
        return Content("  ").join([off, news])

    def _news(self, room: int) -> Content:
        """Return what else is said there, as much of it as there is room for."""
        free = (MOUSE_IS_FREE, MOUSE_IN_SHORT) if self.mouse_is_free else ("", "")
        mouse, short = (told(self, each) for each in free)
        pulling, thought = one_line(self.pulling), "" if self.thinks else NO_THOUGHT
        knows = KNOWS if self.knows else ""
        shorter = ((short, pulling, thought), (short, "", thought), (short, "", ""))
        own = one_line(self.own, LONGEST_OWN)
        parted = [(*parts, knows, "") for parts in ((mouse, pulling, thought), *shorter)]
        for parts in ((mouse, pulling, thought, knows, own), *parted, (short, "", "", "", "")):
            styled = zip(parts, (MOUSE_LOOK, *["$accent"] * 4), strict=True)
            shown = [Content.styled(text, style) for text, style in styled if text]
            kept = [] if self.is_kept else [Content.styled(NOT_KEPT, "bold $accent")]
            kept += [] if self.is_saved else [Content.styled(NOT_SAVED, "bold $error")]
            words = Content("  ").join([*shown, *kept, Content.styled(*STATES[self.state])])
            if words.cell_length <= room:
                break
        return words
