"""An answer as streaming Markdown, with every word's origin as a style inside the rendered text.

Pieces are queued, and a timer drains the queue 16 times a second, or more rarely where rendering is
slow, and while somebody types just behind a letter; so typing stays immediate. One drain costs the
same however long the answer already is: it takes a bounded piece of the queue, and only the last
slice is rendered (app/tui/text/slices.py says which blocks make one grow). While the reader has
scrolled up nothing is drained. At the end what streaming could not know is mended: links named
further down, code that was highlighted in parts. Of a long answer that is there at once the end is
rendered, and more where it is read.
Which colours the origins have is the style sheet's to say.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import accumulate, dropwhile, takewhile
from time import perf_counter
from typing import ClassVar, TypeAlias, cast

from textual.containers import Vertical
from textual.timer import Timer
from textual.widget import Widget
from textual.widgets._markdown import MarkdownBlock

from app.terminal.sanitise import sanitise
from app.tui.background.starting import start
from app.tui.background.threads import in_thread
from app.tui.text.copied import copy_and_tell
from app.tui.text.origins import Origins
from app.tui.text.slices import Slicer
from app.tui.widgets.answer_blocks import Fence, compile_lexers
from app.tui.widgets.answer_slice import AnswerSlice
from app.tui.widgets.copy_code import CopyCode, whole_code
from app.tui.widgets.laid_out_once import LaidOutOnce
from app.tui.widgets.quick_text_area import QuickTextArea
from app.tui.widgets.tinted import ORIGIN_CLASSES, Tinted
from engine import PLAIN, Span

GivingWay: TypeAlias = Callable[[Widget, Widget | None], None]
"""Told of what takes another height now, and what stands below it."""
DRAIN_S = 1 / 16
LOOK_S = 1 / 64
"""How often it is looked whether a drain is due."""
LOAD_LIMIT = 2
"""Between two renderings at least this many times the last one's duration passes, painted."""
UNSEEN_S = 0.25
"""How long the next drain waits for this one to be painted."""
JUST_S, TYPING_S = 0.025, 0.4
"""After a letter: how long no other is expected, and how long one is."""
LATEST_S, LATEST_LOAD = 0.3, 4
"""How long a drain waits at most for a letter, in seconds and in durations of the last drain."""
AT_ONCE = 8
"""So many slices of an answer that is long are rendered at once, from its end: some screenfuls."""
PIECE, MOST_PIECES = 400, 5
"""How many characters are cut into slices at once, and how often in one drain: enough to keep up
with an answer that comes faster than it is painted.
"""


class AnswerText(Vertical, Tinted, LaidOutOnce):
    """The text of one answer."""

    COMPONENT_CLASSES: ClassVar[set[str]] = ORIGIN_CLASSES
    DEFAULT_CSS = """
    AnswerText { height: auto; }
    """

    def __init__(self) -> None:
        super().__init__(classes="said")
        self._begin()
        self._drain_timer: Timer | None = None
        """It runs while there may be more to come: from what is fed first to the end."""
        self._is_stale = self._is_making = False
        self._rest_until = self._spent_s = 0.0

    def _begin(self) -> None:
        self._origins = Origins()
        self._queue = ""
        self._slicer = Slicer()
        self._references: dict[str, object] = {}
        self._last_references: dict[str, object] = {}
        """Those that it was rendered with when it was over, before it went on."""

    @property
    def source(self) -> str:
        """The Markdown of what is shown."""
        cuts = zip(self.parts, self._slicer.slices, strict=False)
        return "".join(cut.text[: len(part.shown)] for part, cut in cuts)

    @property
    def parts(self) -> list[AnswerSlice]:
        """The slices that are shown."""
        return [child for child in self.children if isinstance(child, AnswerSlice)]

    def feed(self, spans: Iterable[Span]) -> None:
        """Queue more of the answer."""
        if self._drain_timer is None:
            self._drain_timer = self.set_interval(LOOK_S, self._tick)
        for span in spans:
            text = sanitise(span.text)
            self._origins.add(text, span.origin)
            self._queue += text

    def rewrite(self, spans: Iterable[Span]) -> None:
        """Queue an answer that takes the place of what was fed."""
        self._begin()
        self._is_stale = True
        self.feed(spans)

    async def finish(self, text: str) -> None:
        """Show the whole answer, which is `text`; what was fed must be its beginning."""
        self._stop_drain()
        whole = sanitise(text)
        rest = whole[self._origins.length :]
        self._origins.add(rest, PLAIN)
        self._queue += rest
        async with self.lock:
            await self._clear_stale()
            while self._queue:
                self._cut(is_last=True)
            await self._show()
            await self._mend()

    async def restart(self) -> None:
        """Forget the answer, for another one in its place."""
        self._stop_drain()
        self._begin()
        self._is_stale = True
        async with self.lock:
            await self._clear_stale()

    def make_near(self, rows: range, giving_way: GivingWay) -> None:
        """Have what was put off rendered where it is on these rows, up to what is not."""
        is_due = {part: part.is_put_off and part.is_on(rows) for part in self.parts}
        due = [*takewhile(is_due.get, dropwhile(lambda part: not is_due[part], is_due))]
        if due and not self._is_making:
            self._is_making = True
            start(self.app, self._make_near, due, giving_way)

    async def _make_near(self, due: Sequence[AnswerSlice], giving_way: GivingWay) -> None:
        with self.app.batch_update():  # laid out once
            await self.make(due)
            if due[-1] in (parts := self.parts):
                below = parts[parts.index(due[-1]) + 1 :]
                giving_way(due[0], next(iter(below), None))
        self._is_making = False

    async def make(self, due: Sequence[AnswerSlice]) -> None:
        """Render what was put off of these slices."""
        async with self.lock:
            for part in due:
                if part.is_put_off and part.is_attached:
                    await part.render_again(dict(self._last_references))
            await self._mend_code()

    async def on_copy_code_wanted(self, event: CopyCode.Wanted) -> None:
        """Copy a code block, also what of it was put off."""
        event.stop()
        _, *behind = dropwhile(lambda part: part not in event.fence.ancestors, self.parts)
        await self.make([*takewhile(lambda part: part.has_class("-goes-on"), behind)])
        await copy_and_tell(self.app, whole_code(event.fence))

    def _stop_drain(self) -> None:
        if self._drain_timer is not None:
            self._drain_timer.stop()
            self._drain_timer = None

    def _tick(self) -> None:
        """Have the queue drained, unless the last time was dear and not long ago.

        Not here: this runs in the timer's task, which is cancelled when the timer stops, and a
        cancelled rendering takes the app with it.
        """
        is_due = (self._slicer.telling(self._queue) and self._is_followed) or self._is_stale
        if is_due and self.is_attached and self._is_time(perf_counter()):
            # in the parent's turn: in its own, its mounting ends with one more layout
            cast("Widget", self.parent).call_later(self._drain)

    def _is_time(self, now: float) -> bool:
        """Whether the last drain is long enough ago and no letter is to be expected meanwhile."""
        latest = self._rest_until + max(LATEST_S, LATEST_LOAD * self._spent_s)
        return now >= self._rest_until and not (self._is_typed(now) and now < latest)

    def _is_typed(self, now: float) -> bool:
        """Whether somebody types, and the next letter may come at any time."""
        field = self.screen.focused
        since = now - field.typed_at if isinstance(field, QuickTextArea) else TYPING_S
        return JUST_S < since < TYPING_S

    @property
    def _is_seen(self) -> bool:
        return self.is_attached and self.screen is self.app.screen

    @property
    def _is_followed(self) -> bool:
        """Whether the reader is at the end of the chat, or of as much of it as is shown."""
        anchored = (each for each in self.ancestors if isinstance(each, Widget))
        return not any(each.is_anchored and each._anchor_released for each in anchored)

    async def _drain(self) -> None:
        started = perf_counter()
        if started < self._rest_until and not self._is_stale:
            return  # asked for while the last one ran
        async with self.lock:
            await compile_lexers(self._queue[: MOST_PIECES * PIECE])
            with self.app.batch_update():  # laid out and painted once, however many slices grow
                await self._clear_stale()
                for _ in range(MOST_PIECES):
                    self._cut()
                await self._show()
                started += await self._behind_a_letter()
        self._rest_until = perf_counter() + UNSEEN_S  # of a chat that is covered nothing is painted
        self.call_after_refresh(self._rest, started)

    async def _behind_a_letter(self) -> float:
        """Wait for a key, if one is expected, since a layout takes long; return the seconds."""
        begun = now = perf_counter()
        while self._is_seen and self._is_typed(now) and now < begun + LATEST_S:
            await asyncio.sleep(LOOK_S)
            now = perf_counter()
        return now - begun

    def _rest(self, started: float) -> None:
        """Leave time for the keys: what was begun then is laid out and painted."""
        now = perf_counter()
        self._spent_s = now - started
        self._rest_until = max(started + DRAIN_S, now + LOAD_LIMIT * self._spent_s)

    async def _clear_stale(self) -> None:
        """Take out of sight what no longer counts."""
        if self._is_stale:
            self._is_stale = False
            await self.remove_children()

    def _cut(self, is_last: bool = False) -> None:
        """Cut the next piece of the queue. is_last: there is nothing to come."""
        piece = self._queue[:PIECE]
        n = self._slicer.telling(piece) or len(piece) * is_last
        self._slicer.feed(piece[:n])
        self._queue = self._queue[n:]

    async def _show(self) -> None:
        """Show what was cut and is not shown; of a long answer that is there at once, the end."""
        parts, slices = self.parts, self._slicer.slices
        n_later = 0 if parts else len(slices) - AT_ONCE
        for at in range(max(0, len(parts) - 1), len(slices)):
            if not self.is_attached:
                return
            cut = slices[at]
            if at == len(parts):
                number = parts[-1].next_number if cut.goes_on else None
                part = AnswerSlice(self._origins, cut.start, cut.prefix, cut.goes_on, number)
                parts.append(part)
                if cut.goes_on:
                    parts[at - 1].add_class("-cut")
                await self.mount(part)
            if at < n_later:
                part.put_off(cut.text, self._references)
                continue
            parts[at].shown = parts[at].shown[: len(cut.text)]  # blank lines may have moved on
            more = cut.text[len(parts[at].shown) :]
            if more:
                await parts[at].add(more, self._references)

    async def _mend(self) -> None:
        """Render again what streaming could not know."""
        references = dict(self._references)
        for part in self.parts[-1:]:
            part.learn_last(references)  # for now: the answer may go on, and the line with it
        for part in self.parts:
            if (references or self._last_references) and "[" in part.shown and not part.is_put_off:
                await part.render_again(references)
        self._last_references = references
        await self._mend_code()

    async def _mend_code(self) -> None:
        """Highlight as a whole the code that goes on over several slices, once all are rendered."""
        if any(part.is_put_off for part in self.parts):
            return
        for fences in [found for found in self._fences() if len(found) > 1]:
            code = "\n".join(fence.code for fence in fences)
            ansi, dark = self.app.native_ansi_color, self.app.current_theme.dark
            whole = await in_thread(partial(Fence.highlight, code, fences[0].lexer, ansi, dark))
            ends = accumulate(len(fence.code) + 1 for fence in fences[:-1])
            for fence, part in zip(fences, whole.divide(list(ends)), strict=True):
                fence.recolour(part[: len(fence.code)])

    def _fences(self) -> Iterator[Sequence[Fence]]:
        """Yield what may be code blocks, each as its parts in several slices."""
        chain: list[Fence] = []
        for part in self.parts:
            blocks = [child for child in part.children if isinstance(child, MarkdownBlock)]
            if part.prefix and blocks and isinstance(blocks[0], Fence):
                chain.append(blocks[0])
            if not part.prefix or len(blocks) > 1:
                yield chain
                chain = [blocks[-1]] if blocks and isinstance(blocks[-1], Fence) else []
        yield chain
