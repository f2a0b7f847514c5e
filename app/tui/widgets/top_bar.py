"""The first line: the app, the pair, what is being downloaded, and what is going on."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.content import Content
from textual.reactive import reactive
from textual.signal import Signal
from textual.widgets import Static

from app.sanitise import one_line
from app.tui.actions.thinking import thinks
from app.tui.mouse import set_free
from app.tui.pulls import States, words_of

if TYPE_CHECKING:
    from app.tui.screens.chat import ChatScreen

STATES = {
    "loading": ("◌ loading", "$warning"),
    "ready": ("● ready", "$success"),
    "answering": ("● answering", "$primary"),
    "stopping": ("● stopping", "$warning"),
    "down": ("● engine stopped", "$error"),
    "unloaded": ("○ unloaded", "$foreground-muted"),
}
MOUSE_IS_FREE = "mouse is the terminal's (F4)"
NO_THOUGHT = "thinking off"


class TopBar(Static):
    """One line; the pair's title gives way where it is too long."""

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

    def show(self, chat: ChatScreen) -> None:
        """Show what a chat's engine does, and how it is asked."""
        self.state = chat.state
        self.thinks = thinks(chat) is not False

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

    def watch_mouse_is_free(self, was_free: bool, is_free: bool) -> None:
        """Give the mouse away or take it back, and show who has it."""
        if was_free != is_free:
            set_free(self.app, is_free)
            self._write()

    def on_resize(self) -> None:
        """Fit the title to the new width."""
        self._write()

    def _write(self) -> None:
        words = Content.styled(*STATES[self.state])
        if not self.thinks:
            words = Content.assemble((NO_THOUGHT, "$accent"), "  ", words)
        if self.pulling:
            words = Content.assemble((one_line(self.pulling), "$accent"), "  ", words)
        if self.mouse_is_free:
            words = Content.assemble((MOUSE_IS_FREE, "$warning"), "  ", words)
        name = Content.styled("Slipstream", "bold $primary")
        room = self.content_size.width - name.cell_length - words.cell_length - 4
        title = Content.styled(one_line(self.title), "$foreground-muted")
        title = title.truncate(max(0, room), ellipsis=True)
        gap = " " * max(1, room + 2 - title.cell_length)
        self.update(Content.assemble(name, "  ", title, gap, words))
