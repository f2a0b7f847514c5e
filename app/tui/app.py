"""The terminal app: themes, the first picture, the chat that takes its place, and a clean end.

The first picture is painted, and takes keys, before the chat is imported, a setting is read or
anything of the engine runs; so this module imports nothing of them.
"""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from textual import events
from textual.binding import Binding, BindingType
from textual.command import Provider
from textual.dom import DOMNode
from textual.filter import LineFilter, Monochrome

from app.errors import AppError
from app.terminal.sanitise import one_line
from app.tui.first_picture import FirstPicture
from app.tui.keys.keymap import KeyedApp, told
from app.tui.palettes.picker import PickingApp
from app.tui.preferences.themes import ANSI, DARK, THEMES, fitted, origins, other_side
from app.tui.terminal import alt_digits, quick_escape
from app.tui.terminal.key_order import KeyOrder
from app.tui.terminal.key_watch import KeyWatch
from app.tui.terminal.least_room import RoomyApp
from app.tui.terminal.painting import Colourless, Grounds
from app.tui.terminal.style_sheet import StyledApp, StyleSheet
from app.tui.toasts import ToastingApp

if TYPE_CHECKING:
    from app.tui.chat_parts import ChatParts, KeepTheme
    from app.tui.screens.chat import ChatScreen

LONGEST_BACK_S = 1.0
"""How long what was typed waits for the last chat, which it is meant for."""
WARNED_S = 5.0
"""For so long a second Ctrl+Q leaves, though something is not saved."""
QUIT = "ctrl+q"
GROUNDS = Grounds()
COLOURLESS = (GROUNDS, Colourless())
ENDING_SIGNALS = (signal.SIGTERM, signal.SIGHUP) if hasattr(signal, "SIGHUP") else ()


def _commands() -> type[Provider]:
    from app.tui.palettes.commands import Commands

    return Commands


class SlipstreamApp(KeyedApp, RoomyApp, StyledApp, ToastingApp, PickingApp, KeyOrder, KeyWatch):
    """Slipstream in a terminal. It owns what it is made of, and ends it.

    gather: called in a thread once the first picture is painted; what it raises ends the app and
    is its `failure`. theme: that of the first picture.
    """

    TITLE = "Slipstream"
    DEFAULT_MODE = "first"
    MODES: ClassVar = {"first": FirstPicture}
    CSS = """
    .-theme-contrast TurnView { opacity: 100%; }
    Screen:inline { height: 100%; border: none; }
    /* away from where one types, and from the answers of a box */
    ToastRack { dock: top; align: right top; margin: 1 0 0 0; }
    AnswerSource ToastRack, ChatsScreen ToastRack, HelpScreen ToastRack, CommandPalette ToastRack {
        dock: bottom;
        align: right bottom;
        margin: 0 0 1 0;
    }
    Toast { width: auto; max-width: 48; margin: 0; padding: 0 1; }
    """
    COMMANDS: ClassVar[set[type[Provider] | Callable[[], type[Provider]]]] = {_commands}
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding(QUIT, "quit", "Quit", priority=True, id="quit"),
        Binding("ctrl+t", "light", "Light or dark", show=False, priority=True, id="light"),
        Binding("ctrl+p", "command_palette", "Palette", show=False, priority=True, id="palette"),
    ]

    def __init__(
        self, gather: Callable[[SlipstreamApp], ChatParts], theme: str = DARK.name
    ) -> None:
        is_colourless = bool(os.environ.get("NO_COLOR"))
        super().__init__(ansi_color=True if is_colourless else None)
        self.stylesheet = StyleSheet(variables=self.get_css_variables())
        self.no_color = is_colourless  # to Textual, an empty NO_COLOR is one
        self.failure: Exception | None = None
        self._ended: ChatParts | None = None
        self._gather = gather
        self._gathering: asyncio.Task[ChatParts] | None = None
        self._opening: asyncio.Task[None] | None = None
        self._keep_theme: KeepTheme | None = None
        self._is_trying = self._is_warned = False
        self._way_back: dict[str, str] = {}
        self.chat: ChatScreen | None = None
        """The chat, once it has taken the first picture's place."""
        self._typed: list[events.Key | events.Paste] | None = []
        for own in THEMES:
            self.register_theme(own)
        self.theme = theme if theme in self.available_themes else DARK.name

    @property
    def is_open(self) -> bool:
        """Whether the chat is there, and has what was typed before."""
        return self._typed is None

    @property
    def is_all_saved(self) -> bool:
        """Whether the chats are on the disk, once the app has ended."""
        return self._ended is None or self._ended.is_saved

    def get_css_variables(self) -> dict[str, str]:
        """Return the theme's colours; without colours, what says the same is the ANSI theme's."""
        variables = super().get_css_variables()
        ours = ANSI.to_color_system().generate() if self.no_color else {}
        self.theme_variables = variables | (ours or fitted(self.current_theme, variables))
        return self.theme_variables

    def get_theme_variable_defaults(self) -> dict[str, str]:
        """Give every other theme of Textual's the origins' colours too."""
        return origins(self.current_theme)

    def get_line_filters(self) -> Sequence[LineFilter]:
        """Return what changes each line before it is painted."""
        if self.no_color:
            return COLOURLESS
        filters = [each for each in super().get_line_filters() if not isinstance(each, Monochrome)]
        return [*filters, GROUNDS] if self.native_ansi_color else filters

    def try_theme(self, name: str) -> None:
        """Show a theme, and keep nothing of it."""
        self._is_trying = True
        self.theme = name
        self._is_trying = False

    def watch_theme(self, before: str, now: str) -> None:
        """Keep a theme that is chosen, by whatever way."""
        if self._keep_theme is None or self._is_trying or before == now or not self.is_running:
            return
        try:
            told = self._keep_theme(now)
        except (AppError, OSError) as error:
            self.notify(one_line(str(error)), severity="error", markup=False)
            return
        if self.no_color:
            told = "NO_COLOR is set: there are no colours to see."
        if told:
            self.notify(one_line(told), markup=False)

    def on_mount(self) -> None:
        """End well also when asked to by a signal."""
        alt_digits.are_keys()
        quick_escape.is_a_key()
        for number in ENDING_SIGNALS:
            asyncio.get_running_loop().add_signal_handler(number, self.exit)
        self.call_after_refresh(self._begin)

    def _begin(self) -> None:
        self._gathering = asyncio.create_task(asyncio.to_thread(self._gather, self))
        self._opening = asyncio.create_task(self._open(self._gathering))

    async def _open(self, gathering: asyncio.Task[ChatParts]) -> None:
        """Put the chat in the place of the first picture, with what was typed meanwhile."""
        try:
            await self._put_up(await asyncio.shield(gathering))
        except Exception as error:  # told by whoever runs the app
            self.failure = error
            self.exit(return_code=1)

    async def _put_up(self, parts: ChatParts) -> None:
        if self.return_code is not None:  # it is being left
            return
        self.theme = parts.theme
        self._keep_theme, self.own_keys = parts.keep_theme, parts.keys
        self.set_keymap(parts.keys.for_textual)
        chat = self.chat = parts.screen(self)
        self.add_mode("chat", lambda: chat)
        await self.switch_mode("chat")
        if parts.resuming is not None:
            with suppress(TimeoutError):
                async with asyncio.timeout(LONGEST_BACK_S):
                    await parts.resuming.is_back.wait()
        chat.prompt.focus()
        self.call_later(self._hand_over)
        if parts.keys.notice:
            self.notify(one_line(parts.keys.notice), title="Keys", severity="warning", markup=False)
        if parts.history is not None:
            self.tell_of_history(parts.history.notice, parts.history.lasts)
            parts.history.purge()

    async def on_event(self, event: events.Event) -> None:
        """Keep what is typed until there is a prompt: nothing of it is lost, and all in order."""
        if (
            self._typed is None
            or not isinstance(event, events.Key | events.Paste)
            or event.is_forwarded
            or (isinstance(event, events.Key) and event.key == QUIT)
        ):
            await super().on_event(event)
            return
        self._typed.append(event)
        if isinstance(self.screen, FirstPicture):
            self.screen.show(event)

    async def _hand_over(self) -> None:
        """Type into the prompt what was typed before it was there, one key behind the other.

        A key that is bound rises from the prompt to the app before it does something: the next one
        must not overtake it.
        """
        if not self._typed:
            self._typed = None
            return
        await super().on_event(self._typed.pop(0))
        above = self.focused.ancestors_with_self if self.focused is not None else [self]
        _through([*above], lambda: self.call_later(self._hand_over))

    def tell_of_history(self, line: str, is_saved: bool | None = None) -> None:
        """Say what is amiss with the chats on disk; "": nothing is. is_saved: whether they are
        written all the same; None: if nothing is amiss.
        """
        from app.tui.widgets.top_bar import TopBar

        if self.chat is not None and self.chat.is_mounted:
            self.chat.query_one(TopBar).is_saved = not line if is_saved is None else is_saved
        if line:
            self.notify(one_line(line), title="Chats", severity="warning", markup=False)

    async def on_unmount(self) -> None:
        """End the engine and pause the downloads with the app, however that comes."""
        if self._gathering is None or self._opening is None:
            return
        self._opening.cancel()
        for found in await asyncio.gather(self._gathering, return_exceptions=True):
            if not isinstance(found, BaseException):
                self._ended = found
                await found.close()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Leave Ctrl+P to the screen of all chats, where it pins."""
        return action != "command_palette" or not self.screen.has_class("-own-ctrl-p")

    async def action_quit(self) -> None:
        """Leave; where something said is not on the disk, when asked for a second time."""
        found = self._gathering.result() if self.is_open and self._gathering else None
        if found is None or not found.is_unsaved or self._is_warned:
            self.exit()
            return
        self._is_warned = True
        self.set_timer(WARNED_S, self._forget_warning)
        line = told(self, "What was said last is not saved: {quit} again quits, and loses it.")
        self.notify(line, title="Chats", severity="warning", markup=False, timeout=WARNED_S)

    def _forget_warning(self) -> None:
        self._is_warned = False

    def copy_to_clipboard(self, text: str) -> None:
        """Copy what Textual copies by itself by every way there is, and say how it went."""
        from app.tui.text import copied

        self.run_worker(copied.copy_and_tell(self, text))

    def deliver_screenshot(
        self, filename: str | None = None, path: str | None = None, time_format: str | None = None
    ) -> None:
        """Write a picture of the screen to the current folder; say where, or why not."""
        from app.tui.chats.chat_files import proposed, write_beside
        from app.tui.failures import error_line

        picture = self.export_screenshot().encode()
        try:
            written = write_beside(Path(filename or proposed(self.title, "svg")), picture)
        except (AppError, OSError) as error:
            self.notify(error_line(error), title="Screenshot", severity="error", markup=False)
        else:
            self.notify(one_line(str(written)), title="Screenshot", markup=False)

    def action_help_quit(self) -> None:
        """Leave the screen as Esc does, where Ctrl+C has nothing to copy."""
        self.simulate_key("escape")

    def action_light(self) -> None:
        """Change between the light and the dark theme, or back to the one that was chosen."""
        before, chosen = self.theme, self._way_back.get(self.theme)
        self.theme = chosen or other_side(self.current_theme)
        self._way_back = {self.theme: before}


def _through(pumps: list[DOMNode], then: Callable[[], object]) -> None:
    """Call once each of these, one behind the other, has done what it has to do now."""
    if pumps:
        pumps[0].call_later(_through, pumps[1:], then)
    else:
        then()
