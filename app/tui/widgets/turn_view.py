"""A question, what was thought, its answer, and one quiet line about how it went."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

from textual.app import ComposeResult
from textual.containers import Vertical
from textual.widgets import Static

from app.chat.branches import Places
from app.chat.conversation import Turn
from app.chat.summary import NOTHING, reading, summary
from app.files.attachments import Attachment
from app.terminal.sanitise import one_line
from app.tui.keys.keymap import told
from app.tui.widgets.answer_slice import AnswerSlice
from app.tui.widgets.answer_text import AnswerText, GivingWay
from app.tui.widgets.folding import Folding
from app.tui.widgets.laid_out_once import LaidOutOnce
from app.tui.widgets.question import Question
from app.tui.widgets.thinking import Divider, Fresh, Thinking
from engine import Delta, Started

ENDINGS = {
    "cancelled": "stopped",
    "length": "cut off at the longest answer ({settings})",
    "context": "cut off: the context is full",
    "too long": "not answered: it does not fit into the context",
    "edited": "edited by you; {continue} goes on from there",
    "given": "given by a prompt; {retry} has the model answer",
}
GROWING = "being answered in another window"
SAID_NOTHING = "the model said nothing; {retry} asks again"


class TurnView(Vertical, LaidOutOnce, Folding):
    """One turn of the transcript.

    key: names it in the session's messages. attachments: what went with the question.
    asked: the engine has or had it. over: it is answered. is_growing: another window does that.
    """

    DEFAULT_CSS = """
    TurnView {
        height: auto;
        max-width: 108;
        margin-bottom: 1;
        .turn--question {
            padding: 0 1;
            border-left: outer $primary;
            background: $surface;
            margin-bottom: 1;
        }
        .turn--foot { padding: 0 2; color: $foreground-muted; }
        .turn--versions { padding: 0 2; color: $foreground-muted; }
        .-found { background: $warning 25%; }
        &.-left-out { opacity: 60%; }
        &.-selected .turn--question {
            color: $block-cursor-foreground;
            background: $block-cursor-background;
        }
        &.-editing .turn--question { background: $warning 20%; }
        .turn--foot.-failed { color: $error; }
        .turn--foot.-stopped { color: $warning; }
        AnswerText { padding: 0 2; }
        AnswerText .-at {
            color: $block-cursor-foreground;
            background: $block-cursor-background;
        }
    }
    """

    def __init__(self, key: int, question: str, attachments: tuple[Attachment, ...] = ()) -> None:
        super().__init__()
        self.key = key
        self.question = question
        self.attachments = attachments
        self.asked = False
        self.over = self.is_growing = False
        self._reading = False
        self._divider = Divider()
        self._ending = self._figures = self._model = ""

    # made when they are needed: of a long chat most turns are never looked at

    @cached_property
    def _thinking(self) -> Thinking:
        return Thinking()

    @cached_property
    def _text(self) -> AnswerText:
        return AnswerText()

    @cached_property
    def _foot(self) -> Static:
        return Static(classes="turn--foot", markup=False)

    @cached_property
    def _versions(self) -> Static:
        versions = Static(classes="turn--versions", markup=False)
        versions.display = False
        return versions

    @property
    def text(self) -> str:
        """The answer as it is shown, in Markdown, without what was thought."""
        return self._text.source

    @property
    def parts(self) -> list[AnswerSlice]:
        """The slices of the answer."""
        return self._text.parts

    def make_near(self, rows: range, giving_way: GivingWay) -> None:
        """Have more of a long answer rendered, where it is on these rows."""
        self._text.make_near(rows, giving_way)

    async def make(self, parts: Sequence[AnswerSlice]) -> None:
        """Have these slices of the answer rendered, if they are not yet."""
        await self._text.make(parts)

    def compose(self) -> ComposeResult:
        """Question, thinking, answer, foot."""
        yield Question(self.question, self.attachments)
        yield self._thinking
        yield self._text
        yield self._foot
        yield self._versions

    def wait(self, reason: str) -> None:
        """Say why the question is not being answered yet."""
        self._say(reason)

    async def begin(self, keeping: bool = False) -> None:
        """The answer's turn has come; what an earlier attempt left goes, unless that goes on."""
        self.unfold()
        if self.asked and keeping:
            self._divider.go_on()
        elif self.asked:
            self._divider = Divider()
            self._versions.display = False
            self._thinking.restart()
            await self._text.restart()
        self.asked, self._reading = True, True
        self.over = self.is_growing = False
        self._say("reading the question…")

    def prefill(self, started: Started) -> None:
        """Say how much is being read, and how far that is."""
        self._say(reading(started))

    def grow(self, delta: Delta) -> None:
        """Take in more of the answer."""
        self._feed(self._divider.feed(delta.spans))
        self._thinking.grow(self._divider.thinking, self._divider.is_thinking)
        if self._reading:
            self._reading = False
            self._say("")

    async def restore(self, turn: Turn, places: Places) -> None:
        """Show a turn that was over before this view was made."""
        self.asked = True
        self._feed(self._divider.feed(turn.spans))
        await self.end(turn, places)

    async def renew(self, turn: Turn, places: Places) -> None:
        """Show a turn as it is by now, in the place of what was shown of it."""
        self._feed(self._divider.renew(turn.spans))
        await self.end(turn, places)

    def tell_version(self, places: Places) -> None:
        """Say which version it is, and of how many."""
        self.unfold()
        self._versions.update(told(self, versions(places)))
        self._versions.display = max(places.question[1], places.answer[1]) > 1

    async def end(self, turn: Turn, places: Places, nothing: str = NOTHING) -> None:
        """Show the whole answer, how it ended, and which version it is. nothing: said where nothing
        was drafted.
        """
        self._feed(self._divider.finish(turn.answer))
        self._thinking.finish(self._divider.thinking)
        await self._text.finish(self._divider.answer)
        self.over, self.is_growing = True, False
        self.tell_version(places)
        if turn.reason == "failed":
            kept = "\nThe text above is kept; {retry} asks again." if turn.answer else ""
            self._say(one_line(turn.error) + told(self, kept), "-failed")
            return
        is_empty = turn.reason == "stop" and not self._divider.answer.strip()
        self._ending = told(self, SAID_NOTHING if is_empty else ENDINGS.get(turn.reason or "", ""))
        self._figures = summary(turn.stats, nothing) if turn.stats else ""
        self._say(self._told(), "" if turn.reason in ("stop", "edited", "given") else "-stopped")

    def tell_growing(self, is_growing: bool) -> None:
        """Say that another window is answering, or how the answer ended that it does not go on
        with.
        """
        self.is_growing = is_growing
        self._say(self._told(), "" if is_growing else "-stopped")

    def name_model(self, name: str) -> None:
        """Say which model wrote the answer; "" says nothing."""
        if name == self._model:
            return
        self._model = name
        self.unfold()
        if self.over and not self._foot.has_class("-failed"):
            self._foot.update(self._told())
            self._foot.display = True

    def _told(self) -> str:
        if self.is_growing:
            return GROWING
        by = f"by {self._model}" if self._model else ""
        parts = (self._ending, self._figures, by)
        return " · ".join(part for part in parts if part)

    @property
    def has_thoughts(self) -> bool:
        """Whether anything was thought, as far as it is shown."""
        return bool(self._divider.thinking)

    def toggle_thinking(self) -> None:
        """Open or close what was thought, if anything was."""
        self.unfold()
        if self._thinking.display:
            self._thinking.toggle()

    def _feed(self, fresh: Fresh) -> None:
        """Hand on what is answer, or all of it where it is not what it seemed."""
        if fresh.anew:
            self._text.rewrite(fresh.spans)
        else:
            self._text.feed(fresh.spans)

    def _say(self, text: str, style: str = "") -> None:
        self.unfold()
        self._foot.set_class(style == "-failed", "-failed")
        self._foot.set_class(style == "-stopped", "-stopped")
        self._foot.display = bool(text)
        self._foot.update(text)


def versions(places: Places) -> str:
    """Say which version of a question and of its answer is shown, and by which keys others are."""
    named = (("question", places.question), ("answer", places.answer))
    parts = [f"{what} {place[0]} of {place[1]}" for what, place in named if place[1] > 1]
    return ", ".join(parts) + "  ({version-back}, {version-on})"
