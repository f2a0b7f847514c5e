"""The doctor: what works here, what does not, and the exact line that mends it.

It is painted at once and looks in a thread. While an engine is loaded it starts no second one
unless asked to by a key, and says so.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Container, VerticalScroll
from textual.content import Content
from textual.widgets import OptionList, Static
from textual.widgets.option_list import Option

from app.terminal.sanitise import one_line
from app.tui.background.checkup import Checkup
from app.tui.background.overtaking import overtake
from app.tui.background.threads import in_thread
from app.tui.failures import error_line
from app.tui.keys.keymap import told
from app.tui.keys.offered import Offered
from app.tui.keys.screen_keys import bound
from app.tui.keys.vi_keys import ViKeys
from app.tui.screens.left_once import LeftOnce
from app.tui.tones import DIM
from app.tui.widgets.screen_footer import ScreenFooter

if TYPE_CHECKING:
    from app.doctor.facts import Check

WIDE = 110
MARKS = {"ok": ("✓", "$success"), "warn": ("!", "$warning"), "fail": ("✗", "$error")}
NAMES = 13
LOOKING = "looking at this machine…"
ASKING = "looking, and asking the demo in an engine of its own…"
BESIDE = (
    "Not checked: kernels and speculation. For these the demo is asked in a second engine, beside "
    "the model that is loaded; {doctor-ask} does it."
)
LONGEST = 2000
SOMETIMES = ("copy", "with_engine", "again")
"""Actions that do not always make sense."""


class DoctorScreen(ViKeys, LeftOnce[None]):
    """The checks, and what mends them."""

    CSS_PATH = "doctor.tcss"
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (WIDE, "-wide")]  # noqa: RUF012 (as in the base)
    VERTICAL_BREAKPOINTS = [(0, "-low"), (12, "-high")]  # noqa: RUF012 (as in the base)
    BINDINGS: ClassVar[list[BindingType]] = [
        bound("doctor-copy", "copy"),
        Binding("enter", "copy", "Copy", priority=True, show=False),
        bound("doctor-ask", "with_engine"),
        bound("doctor-again", "again"),
        Binding("escape", "back", "Back", priority=True),
    ]

    def __init__(self, gather: Checkup, copy: Callable[[str], str], is_loaded: bool) -> None:
        """copy: copies a line, called in a thread, and returns the words for the person.
        is_loaded: whether the chat has an engine running.
        """
        super().__init__()
        self._gather = gather
        self._copy = copy
        self._has_asked = not is_loaded
        self._is_looking = False
        self._checks: list[Check] = []
        self._offered = Offered(self, SOMETIMES)
        self._title = Static(id="title", markup=False)
        self._rows = OptionList(markup=False)
        self._note = Static(id="note", markup=False)
        self._found = Static(id="found", markup=False)
        self._mend = Static(id="mend", markup=False)

    def compose(self) -> ComposeResult:
        """Title, checks, details."""
        yield self._title
        with Container(id="body"):
            yield self._rows
            with VerticalScroll(id="details", can_focus=False):
                yield self._found
                yield self._mend
                yield self._note
        yield ScreenFooter()

    def on_mount(self) -> None:
        """Paint first, look then."""
        self._rows.focus()
        self._note.display = self._mend.display = False
        self._tell(LOOKING)
        self.call_after_refresh(self._look)

    def on_resize(self) -> None:
        """Fit the lines to the new width."""
        self.call_after_refresh(self._show)

    # what is shown

    def _look(self) -> None:
        overtake(self, self._learn, group="look")

    async def _learn(self) -> None:
        has_asked = self._has_asked
        self._is_looking = True
        self._tell(ASKING if has_asked else LOOKING)
        self._offered.look()
        try:
            gather = self._gather
            self._checks = await in_thread(
                gather.with_engine if has_asked else gather.without_engine
            )
            self._tell(verdict(self._checks))
        except Exception as error:
            self._tell(error_line(error), "$error")
        finally:
            self._is_looking = False
        self._note.update(Content.styled(told(self, BESIDE), DIM))
        self._note.display = not has_asked
        self._show()

    def _tell(self, status: str, style: str = DIM) -> None:
        self._title.update(
            Content.assemble(("Doctor", "bold $primary"), "  ", (one_line(status), style))
        )

    def _show(self) -> None:
        width = max(1, self._rows.content_size.width - 1)
        lines = [row(check, width) for check in self._checks]
        if len(lines) != self._rows.option_count:
            self._rows.clear_options()
            self._rows.add_options([Option(line) for line in lines])
            faults = [i for i, check in enumerate(self._checks) if check.mend]
            self._rows.highlighted = next(iter(faults), 0) if lines else None
        for index, line in enumerate(lines):
            self._rows.replace_option_prompt_at_index(index, line)
        self._show_details()

    def _show_details(self) -> None:
        check = self._highlighted
        if check is not None:
            name = Content.styled(one_line(check.name), "bold")
            self._found.update(Content.assemble(name, "  ", one_line(check.found, LONGEST)))
            mend = Content(one_line(check.mend, LONGEST))
            self._mend.update(Content.assemble(("mend it: ", DIM), mend))
            self._mend.display = bool(check.mend)
        self._offered.look()

    @property
    def _highlighted(self) -> Check | None:
        index = self._rows.highlighted
        return self._checks[index] if index is not None and index < len(self._checks) else None

    @on(OptionList.OptionHighlighted)
    def _on_highlighted(self) -> None:
        self.query_one("#details").scroll_home(animate=False)
        self._show_details()

    # what the person does

    def action_copy(self) -> None:
        """Copy the line that mends the highlighted fault."""
        check = self._highlighted
        if check is not None and check.mend:
            overtake(self, self._copied, check.mend, group="copy")

    async def _copied(self, line: str) -> None:
        try:
            words = await in_thread(lambda: self._copy(line))
        except Exception as error:
            self.notify(error_line(error), severity="error", markup=False)
            return
        self.notify(one_line(words), markup=False)

    def action_with_engine(self) -> None:
        """Ask the demo, too."""
        self._has_asked = True
        self._look()

    def action_again(self) -> None:
        """Look again, after something was mended."""
        self._look()

    def action_back(self) -> None:
        """Go back to the chat."""
        self.dismiss(None)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Offer only what makes sense now."""
        match action:
            case "copy":
                return self._highlighted is not None and bool(self._highlighted.mend)
            case "with_engine":
                return not self._has_asked and not self._is_looking
            case "again":
                return not self._is_looking
        return True


def row(check: Check, width: int) -> Content:
    """Return a check's line: its state, its name, what was found."""
    mark, style = MARKS[check.status]
    name = one_line(check.name, NAMES)
    line = Content.assemble((mark, f"bold {style}"), " ", name, " " * (NAMES - len(name)))
    return (line + Content(one_line(check.found))).truncate(width, ellipsis=True)


def verdict(checks: Sequence[Check]) -> str:
    """Say in one line how this machine does."""
    faults = [check for check in checks if check.status != "ok"]
    if not faults:
        return "all is well"
    failed = sum(check.status == "fail" for check in faults)
    parts = [f"{failed} broken"] if failed else []
    if len(faults) > failed:
        parts.append(f"{len(faults) - failed} to look at")
    return ", ".join(parts)
