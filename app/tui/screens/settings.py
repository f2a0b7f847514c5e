"""The settings: what each is, who says so, and what it does; to change now, keep or forget.

A change is checked while it is typed and holds at once. `s` writes a value to settings.toml,
`delete` takes it out there and lets the other sources speak again. It is painted at once; what
takes time comes from threads.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Container, Vertical, VerticalScroll
from textual.content import Content
from textual.widgets import Static

from app.settings.rows import STRONGER, Now, Row, SettingsNow, Value, shown, turned
from app.terminal.sanitise import one_line
from app.tui.background.overtaking import overtake
from app.tui.background.threads import in_thread
from app.tui.failures import error_line
from app.tui.keys.keymap import told
from app.tui.keys.offered import Offered
from app.tui.keys.screen_keys import bound
from app.tui.keys.vi_keys import ViKeys
from app.tui.preferences.own_settings import OWN
from app.tui.preferences.setting_sources import check, write
from app.tui.screens.left_once import LeftOnce
from app.tui.tones import DIM
from app.tui.widgets.screen_footer import ScreenFooter
from app.tui.widgets.setting_editor import SettingEditor
from app.tui.widgets.setting_list import SettingList

WIDE = 110
LONGEST_TOLD = 60
"""Characters of a value, in a line that says what becomes of it."""
TITLE = "most changes hold now; {settings-keep} keeps one · keys: /help keys"
CHOSEN = "chosen for this chat and kept with it; {settings-keep} keeps it for every chat"
SOMETIMES = ("change", "step", "keep", "forget", "back")
"""Actions that do not always make sense."""

Apply = Callable[[str, Value | None], str]
"""Make a setting hold: name, value, None as if nobody had said one. Returns "" or when it takes
effect, keys by their names in braces. Raises AppError or EngineError.
"""


class SettingsScreen(ViKeys, LeftOnce[None]):
    """Every setting."""

    CSS_PATH = "settings.tcss"
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (WIDE, "-wide")]  # noqa: RUF012 (as in the base)
    VERTICAL_BREAKPOINTS = [(0, "-low"), (12, "-high")]  # noqa: RUF012 (as in the base)
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "change", "Change", priority=True),
        Binding("left", "step(-1)", "Step", key_display="←→", priority=True),
        Binding("right", "step(1)", "Step", priority=True, show=False),
        bound("settings-keep", "keep"),
        bound("settings-unset", "forget"),
        Binding("escape", "back", "Back", priority=True),
    ]

    def __init__(
        self, settings_now: Callable[[], SettingsNow], apply: Apply, give_back: Apply
    ) -> None:
        """settings_now: called in threads; raises AppError, EngineError or OSError. give_back:
        makes a setting hold that is none of this chat any more.
        """
        super().__init__()
        self._settings_now, self._apply, self._give_back = settings_now, apply, give_back
        self._settings: SettingsNow = {}
        self._wrong = ""
        """Why they could not be read last."""
        self._offered = Offered(self, SOMETIMES)
        self._title = Static(id="title", markup=False)
        self._list = SettingList()
        self._about = Static(id="about", markup=False)
        self._told = Static(id="told", markup=False)
        self._editor = SettingEditor(check)

    def compose(self) -> ComposeResult:
        """Title, table, details."""
        yield self._title
        with Container(id="body"):
            yield self._list
            with VerticalScroll(id="details", can_focus=False), Vertical():
                yield self._about
                yield self._editor
                yield self._told
        yield ScreenFooter()

    def on_mount(self) -> None:
        """Paint first, read then; a key changes the theme from anywhere."""
        self.app.theme_changed_signal.subscribe(self, lambda _: self._learn_anew())
        self._show_title("reading…")
        self.call_after_refresh(self._learn_anew)

    def on_unmount(self) -> None:
        """Be forgotten: a signal keeps who hears of it until it is given the next time."""
        self.app.theme_changed_signal.unsubscribe(self)

    # what is shown

    async def _learn(self) -> None:
        """Read all values anew, in a thread."""
        try:
            self._settings = await in_thread(lambda: _read(self._settings_now))
        except Exception as error:
            self._show_title("")
            self._wrong = error_line(error)
            self._tell("")
            return
        if self._wrong:
            self._wrong = ""
            self._tell("")
        self._show_title(told(self, TITLE))
        self._list.show(self._settings)
        self._show_about()

    def _learn_anew(self) -> None:
        overtake(self, self._learn, group="learn")

    def _show_title(self, status: str) -> None:
        title = Content.assemble(("Settings", "bold $primary"), "  ", (status, DIM))
        self._title.update(title)

    def _show_about(self) -> None:
        found = self._found()
        if found is None:
            return
        row, now = found
        lines = [
            Content.assemble((row.label, "bold"), "  ", shown(row, now.value)),
            Content(row.about),
            Content.styled(told(self, _origin(row, now)), DIM),
        ]
        self._about.update(Content("\n").join(lines))
        self._offered.look()

    def _tell(self, line: str, style: str = "$success") -> None:
        """Say a line; where there is none, what is wrong as long as it is."""
        line, style = (line, style) if line else (self._wrong, "$error")
        self._told.update(Content.styled(one_line(line), style))

    def _fail(self, error: Exception) -> None:
        self._tell(error_line(error), "$error")

    def _found(self) -> tuple[Row, Now] | None:
        """Return the highlighted setting, if it is known by now."""
        row = self._list.highlighted
        now = self._settings.get(row.name) if row else None
        return (row, now) if row and now else None

    @on(SettingList.Highlighted)
    def _on_highlighted(self) -> None:
        self._tell("")
        self._editor.close()
        self._show_about()

    # what the person does

    @on(SettingList.Chosen)
    def action_change(self) -> None:
        """Change the highlighted setting; a switch is turned over."""
        found = self._found()
        if found is None:
            return
        row, now = found
        self._tell("")
        if row.kind == "switch":
            self._take(row, turned(row, now.value, 1))
        else:
            self._editor.open(row, now)
            self._offered.look()

    def action_step(self, step: int) -> None:
        """Take the next choice, or the one before."""
        found = self._found()
        if found is None:
            return
        row, now = found
        if row.kind == "switch":
            self._take(row, turned(row, now.value, step))
            return
        choices: list[Value | None] = [*([None] if row.nothing else []), *now.choices]
        at = choices.index(now.value) if now.value in choices else -step
        self._take(row, choices[(at + step) % len(choices)])

    @on(SettingEditor.Taken)
    def _on_taken(self, event: SettingEditor.Taken) -> None:
        self._list.focus_rows()
        self._take(event.row, event.value)

    @on(SettingEditor.Left)
    def _on_left(self) -> None:
        self._list.focus_rows()
        self._offered.look()

    def _take(self, row: Row, value: Value | None) -> None:
        try:
            effect = told(self, self._apply(row.name, value))
        except Exception as error:
            self._fail(error)
            return
        self._tell(_named(row, value) + (f": {effect}" if effect else ""))
        self._learn_anew()

    def action_keep(self) -> None:
        """Write the value to settings.toml."""
        found = self._found()
        if found is not None:
            overtake(self, self._keep, *found, group="write")

    async def _keep(self, row: Row, now: Now) -> None:
        try:
            await in_thread(lambda: write(row.name, now.value))
            await self._learn()
            if row.name in OWN and self._settings[row.name].source == "file":
                self._give_back(row.name, now.value)
        except Exception as error:
            self._fail(error)
            return
        kept = f"{_named(row, now.value)} is kept in settings.toml"
        if self._settings[row.name].source in STRONGER:
            stronger = told(self, _origin(row, self._settings[row.name]))
            self._tell(f"{kept}, but {stronger} and wins over it", "$warning")
        else:
            self._tell(kept)

    def action_forget(self) -> None:
        """Take the value out of settings.toml, and back in this chat."""
        found = self._found()
        if found is not None:
            overtake(self, self._forget, *found, group="write")

    async def _forget(self, row: Row, now: Now) -> None:
        try:
            await in_thread(lambda: write(row.name, None))
            now = (await in_thread(lambda: _read(self._settings_now)))[row.name]
            effect = told(self, self._give_back(row.name, now.given))
            await self._learn()
        except Exception as error:
            self._fail(error)
            return
        value = one_line(shown(row, now.given), LONGEST_TOLD)
        line = f"{row.label} is not set any more: {value}"
        if now.source in STRONGER:
            line = f"{row.label} stays {value}: {told(self, _origin(row, now))}"
        self._tell(line + (f"; {effect}" if effect else ""))

    def action_back(self) -> None:
        """Go back to the list from a setting that Tab led away from, else to the chat."""
        if self._editor.is_open:
            self._editor.action_leave()
        else:
            self.dismiss(None)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Offer only what makes sense for the setting that is highlighted."""
        if action not in SOMETIMES:
            return True
        if action == "back":
            return not (self._editor.is_open and self._editor.has_focus_within)
        found = self._found()
        if found is None or self._editor.is_open:
            return False
        row, now = found
        if action == "step":
            return row.kind == "switch" or bool(now.choices)
        if action == "forget":
            return now.source in ("chat", "file", *STRONGER)
        return True


def _named(row: Row, value: Value | None) -> str:
    """Name a setting with its value in a line that goes on."""
    return f"{row.label} {one_line(shown(row, value), LONGEST_TOLD)}"


def _origin(row: Row, now: Now) -> str:
    """Say in words where a value comes from."""
    flag = "--" + row.name.replace("_", "-")
    return {
        "chat": CHOSEN if row.name in OWN else "changed here; {settings-keep} keeps it",
        "flag": f"{flag} says so",
        "environment": f"the environment says so (SLIPSTREAM_{row.name.upper()})",
        "persona": "this persona's own setting",
        "file": "settings.toml says so",
        "pair": "this pair's own setting",
        "default": "the default",
    }[now.source]


def _read(settings_now: Callable[[], SettingsNow]) -> SettingsNow:
    import app.settings.settings_file  # noqa: F401 (what checks a value while it is typed must be there)

    return settings_now()
