"""The quick benchmark: the loaded pair, plain against every drafter, with table and plots.

It needs the machine alone, so the chat's engine is unloaded meanwhile; it says so before it begins.
Painted at once; measured in a thread.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import ClassVar, Literal

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.content import Content
from textual.widgets import ProgressBar, Static

from app.terminal.sanitise import one_line
from app.tui.background.benching import Bench, Outcome, Stopped
from app.tui.background.overtaking import overtake
from app.tui.background.threads import in_thread
from app.tui.failures import error_line
from app.tui.keys.vi_keys import ViKeys
from app.tui.screens.confirm import ConfirmScreen
from app.tui.screens.left_once import LeftOnce
from app.tui.tones import DIM
from app.tui.widgets.screen_footer import ScreenFooter

WIDEST = 110
PROGRESS_S = 0.1
INTRO = (
    "Measures {title}: plain against every drafter, task by task, in under a minute.\n\n"
    "It needs the machine alone: the chat's model is unloaded meanwhile and loaded again "
    "afterwards. The chat stays as it is. The result is kept, and a later one is compared with it."
)
NOTHING = "Nothing has been measured yet."

Stage = Literal["before", "running", "stopping", "over"]
Step = Callable[[], Awaitable[object]]


class BenchScreen(ViKeys, LeftOnce[None]):
    """A benchmark that is begun by a key."""

    CSS_PATH = "bench.tcss"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "begin", "Begin", priority=True),
        Binding("escape", "stop", "Stop", priority=True),
        Binding("escape", "back", "Back", priority=True),
    ]

    def __init__(self, title: str, start: Callable[[], Bench], before: Step, after: Step) -> None:
        """title: the pair's. start: returns a benchmark, not begun. before: ends the chat's engine;
        after: has it loaded again, and returns without waiting for that.
        """
        super().__init__()
        self._pair = one_line(title, 60)
        self._start, self._before, self._after = start, before, after
        self._stage: Stage = "before"
        self._bench: Bench | None = None
        self._progress = ("", 0.0)
        self._outcome: Outcome | None = None
        self._is_leaving = False
        self._title = Static(id="title", markup=False)
        self._about = Static(id="about", markup=False)
        self._bar = ProgressBar(total=1.0, show_eta=False)
        self._result = VerticalScroll(id="result")

    def compose(self) -> ComposeResult:
        """Title, what it is doing, result."""
        yield self._title
        yield self._about
        yield self._bar
        yield self._result
        yield ScreenFooter()

    def on_mount(self) -> None:
        """Say what it will do."""
        self._bar.display = False
        self._tell("")
        self._about.update(Content(INTRO.format(title=self._pair)))
        self.set_interval(PROGRESS_S, self._show_progress)

    async def on_resize(self) -> None:
        """Draw the result for the new width."""
        await self._show_result()

    # what is shown

    def _tell(self, status: str, style: str = DIM) -> None:
        title = Content.assemble(("Benchmark", "bold $primary"), "  ", (one_line(status), style))
        self._title.update(title)

    def _show_progress(self) -> None:
        """Show how far it is, as often as a person can read it."""
        if self._stage == "running":
            what, done = self._progress
            self._about.update(Content.styled(one_line(what), DIM))
            self._bar.update(progress=done)

    async def _show_result(self) -> None:
        if self._outcome is None:
            return
        from app.bench.table import parts

        width = min(WIDEST, self._result.scrollable_content_region.width)
        await self._result.remove_children()
        drawn = [Static(part, markup=False) for part in parts(*self._outcome, max(20, width))]
        for part in drawn:
            part.styles.max_width = WIDEST
        await self._result.mount_all(drawn)

    def _turn(self, stage: Stage) -> None:
        self._stage = stage
        self._bar.display = stage == "running"
        self.refresh_bindings()

    # what it does

    async def _measure(self) -> None:
        bench = self._bench = self._start()
        try:
            await self._before()
            self._outcome = await in_thread(lambda: bench.run(self._note))
            self._tell(f"{self._pair}; kept on this machine")
            self._about.display = False
        except asyncio.CancelledError:  # the app ends: nothing is loaded again
            bench.stop()
            raise
        except Stopped:
            self._tell("stopped")
            self._about.update(bench.left or NOTHING)
        except Exception as error:
            self._tell("failed", "$error")
            self._about.update(Content.styled(error_line(error), "$error"))
        self._turn("over")
        await self._show_result()
        try:
            await self._after()
        except Exception as error:
            self.notify(error_line(error), severity="error", markup=False)
        if self._is_leaving:
            self.dismiss(None)

    def _note(self, what: str, done: float) -> None:
        """Remember how far it is; called in the benchmark's thread."""
        self._progress = (what, done)

    # what the person does

    async def action_begin(self) -> None:
        """Begin, or measure again."""
        self._outcome = None
        self._progress = ("unloading the chat's model", 0.0)
        await self._result.remove_children()
        self._about.display = True
        self._tell(f"{self._pair}; the chat's model is unloaded meanwhile")
        self._turn("running")
        self._result.focus()
        overtake(self, self._measure, group="measure")

    def action_stop(self) -> None:
        """Ask, and stop."""

        def answered(is_wanted: bool | None) -> None:
            if is_wanted and self._stage == "running" and self._bench is not None:
                self._is_leaving = True
                self._turn("stopping")
                self._tell("stopping…")
                self._bench.stop()

        left = (self._bench.left if self._bench is not None else "") or NOTHING
        question = ConfirmScreen("Stop the benchmark?", [left], "Stop", "Go on")
        self.app.push_screen(question, answered)

    def action_back(self) -> None:
        """Go back to the chat."""
        self.dismiss(None)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Offer only what makes sense now."""
        match action:
            case "begin" | "back":
                return self._stage in ("before", "over")
            case "stop":
                return self._stage == "running"
        return True
