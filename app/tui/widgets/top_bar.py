"""The first line: the app, the pair, what is being downloaded, and what is going on."""

from __future__ import annotations

from textual.content import Content
from textual.reactive import reactive
from textual.signal import Signal
from textual.widgets import Static

from app.sanitise import one_line
from app.tui.mouse import set_free
from app.tui.pulls import States, words_of

STATES = {
    "loading": ("◌ loading", "$warning"),
    "ready": ("● ready", "$success"),
    "answering": ("● answering", "$primary"),
    "summarising": ("● summarising", "$primary"),
    "stopping": ("● stopping", "$warning"),
    "elsewhere": ("◌ busy in another chat", "$warning"),
    "down": ("● engine stopped", "$error"),
    "unloaded": ("○ unloaded", "$foreground-muted"),
}
MOUSE_IS_FREE = " mouse selects text · F4 ends it "
MOUSE_IN_SHORT = " mouse free F4 "
MOUSE_LOOK = "bold reverse $warning"
NO_THOUGHT = "thinking off"
NOT_KEPT = "not kept"
KNOWS = "knows about you"
GAPS = 3
"""Columns behind the name and before the words at least."""


class TopBar(Static):
    """One line. Where it is too long, the pair's title gives way, then what is least important; the
    state stays, and that nothing is kept.
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

    knows: reactive[bool] = reactive(False)
    """Whether the chat is told what the person wrote about themselves."""

    def __init__(self, title: str, pulls: Signal[States] | None = None) -> None:
        """pulls: publishes the downloads; None where there are none."""
        super().__init__()
        self.set_reactive(TopBar.title, title)
        self._pulls = pulls

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

    def watch_knows(self) -> None:
        """Show that the chat knows about the user, or stop showing it."""
        self._write()

    def watch_mouse_is_free(self, was_free: bool, is_free: bool) -> None:
        """Give the mouse away or take it back, and show who has it."""
        if was_free != is_free:
            set_free(self.app, is_free)
            self._write()

    def on_resize(self) -> None:
        """Fit the title to the new width."""
        self._write()

    def _write(self) -> None:
        name = Content.styled("Slipstream", "bold $primary")
        words = self._words(self.content_size.width - name.cell_length - GAPS)
        room = self.content_size.width - name.cell_length - words.cell_length - 4
        title = Content.styled(one_line(self.title), "$foreground-muted")
        title = title.truncate(max(0, room), ellipsis=True)
        gap = " " * max(1, room + 2 - title.cell_length)
        self.update(Content.assemble(name, "  ", title, gap, words))

    def _words(self, room: int) -> Content:
        """Return what is said beside the title, as much of it as there is room for."""
        mouse, short = (MOUSE_IS_FREE, MOUSE_IN_SHORT) if self.mouse_is_free else ("", "")
        pulling, thought = one_line(self.pulling), "" if self.thinks else NO_THOUGHT
        knows = KNOWS if self.knows else ""
        shorter = ((short, pulling, thought), (short, "", thought), (short, "", ""))
        parted = [(*parts, knows) for parts in ((mouse, pulling, thought), *shorter)]
        for parts in (*parted, (short, "", "", "")):
            styled = zip(parts, (MOUSE_LOOK, "$accent", "$accent", "$accent"), strict=True)
            told = [Content.styled(text, style) for text, style in styled if text]
            kept = [] if self.is_kept else [Content.styled(NOT_KEPT, "bold $accent")]
            words = Content("  ").join([*told, *kept, Content.styled(*STATES[self.state])])
            if words.cell_length <= room:
                break
        return words
