"""An answer as streaming Markdown, with every word's origin as a style inside the rendered text.

Pieces are queued, and a timer drains the queue 20 times a second, or more rarely where rendering is
slow; so typing stays immediate. (`MarkdownStream` cannot be paced, and cancels whoever stops it too
early.) At the end the whole is rendered once more, for what streaming could not know.
Which colours the origins have is the style sheet's to say.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from time import perf_counter
from typing import ClassVar

from markdown_it import MarkdownIt
from markdown_it.token import Token
from textual.app import ComposeResult
from textual.content import Content
from textual.content import Span as StyleSpan
from textual.widgets import Label, Markdown
from textual.widgets._markdown import MarkdownBlock, MarkdownFence

from app.sanitise import sanitise
from app.tui.origins import Origins, runs, style_of
from app.tui.widgets.tinted import ORIGIN_CLASSES, Tinted
from engine import PLAIN, Span

DRAIN_S = 0.05
LOAD_LIMIT = 4
"""Between two renderings at least this many times the last one's duration passes."""

Run = tuple[int, int, str]


class Fence(MarkdownFence):
    """A code block whose highlighting and origins are both kept; long lines are folded."""

    DEFAULT_CSS = """
    Fence > #code-content { width: 1fr; text-wrap: wrap; }
    """

    origin_runs: Sequence[Run] = ()

    def set_content(self, content: Content) -> None:
        """Show highlighted code, the origins added."""
        super().set_content(tinted(content, self.origin_runs))

    def compose(self) -> ComposeResult:
        """Start with the origins in place."""
        yield Label(
            tinted(self._highlighted_code, self.origin_runs), id="code-content", expand=True
        )

    def _copy_context(self, block: MarkdownBlock) -> None:
        super()._copy_context(block)
        if isinstance(block, Fence):
            self.origin_runs = block.origin_runs


class AnswerText(Markdown, Tinted):
    """The text of one answer."""

    COMPONENT_CLASSES: ClassVar[set[str]] = ORIGIN_CLASSES
    BLOCKS = Markdown.BLOCKS | {"fence": Fence, "code_block": Fence}

    def __init__(self) -> None:
        super().__init__(parser_factory=self._make_parser, open_links=False)
        self._origins = Origins()
        self._pieces: list[str] = []
        self._is_stale = False
        self._fragment_start = 0
        self._rest_until = 0.0

    def on_mount(self) -> None:
        """Start the drain."""
        self._drain_timer = self.set_interval(DRAIN_S, self._tick)

    def feed(self, spans: Iterable[Span]) -> None:
        """Queue more of the answer."""
        for span in spans:
            text = sanitise(span.text)
            self._origins.add(text, span.origin)
            self._pieces.append(text)

    def rewrite(self, spans: Iterable[Span]) -> None:
        """Queue an answer that takes the place of what was fed."""
        self._pieces.clear()
        self._origins = Origins()
        self._is_stale = True
        self.feed(spans)

    def go_on(self) -> None:
        """Take in more after the end."""
        self._drain_timer.stop()
        self._drain_timer = self.set_interval(DRAIN_S, self._tick)

    async def finish(self, text: str) -> None:
        """Show the whole answer, which is `text`; what was fed must be its beginning."""
        self._drain_timer.stop()
        self._pieces.clear()
        self._is_stale = False
        whole = sanitise(text)
        self._origins.add(whole[self._origins.length :], PLAIN)
        if self.is_attached:
            await self.update(whole)

    async def restart(self) -> None:
        """Forget the answer, for another one in its place."""
        self._drain_timer.stop()
        self._pieces.clear()
        self._is_stale = False
        self._origins = Origins()
        await self.update("")
        self.go_on()

    def _tick(self) -> None:
        """Have the queue drained, unless the last time was dear and not long ago.

        Not here: this runs in the timer's task, which is cancelled when the timer stops, and a
        cancelled rendering takes the app with it.
        """
        if (self._pieces or self._is_stale) and perf_counter() >= self._rest_until:
            self.call_later(self._drain)

    async def _drain(self) -> None:
        if not self._pieces and not self._is_stale:
            return
        started = perf_counter()
        text = "".join(self._pieces)
        self._pieces.clear()
        show = self.update if self._is_stale else self.append
        self._is_stale = False
        await show(text)
        now = perf_counter()
        self._rest_until = now + LOAD_LIMIT * (now - started)

    def _make_parser(self) -> MarkdownIt:
        return _Parser(self)

    def parsing(self, fragment: str) -> None:
        """Take note of which end of the source is parsed."""
        self._fragment_start = len(self.source) - len(fragment)

    def _parse_markdown(self, tokens: Iterable[Token]) -> Iterable[MarkdownBlock]:
        lines = self.source[self._fragment_start :].splitlines(keepends=True)
        starts = [self._fragment_start]
        for line in lines:
            starts.append(starts[-1] + len(line))
        for block in super()._parse_markdown(tokens):
            self._tint(block, starts)
            yield block

    def _tint(self, block: MarkdownBlock, starts: list[int]) -> None:
        """Style the origins in a block and in the blocks within it."""
        for inner in block._blocks:
            self._tint(inner, starts)
        token = block._token if isinstance(block, Fence) else block._inline_token
        if token is None or token.map is None:
            return
        first, last = (starts[min(line, len(starts) - 1)] for line in token.map)
        source = self.source[first:last]
        if isinstance(block, Fence):
            code = block._highlighted_code
            block.origin_runs = list(runs(code.plain, source, first, self._origins))
        else:
            content = block._content
            block.set_content(
                tinted(content, list(runs(content.plain, source, first, self._origins)))
            )


class _Parser(MarkdownIt):
    """Markdown as GitHub writes it, HTML shown as the text it is."""

    def __init__(self, reader: AnswerText) -> None:
        super().__init__("gfm-like", {"html": False})
        self._reader = reader

    def parse(self, src: str, env: object = None) -> list[Token]:
        """Parse, and tell the reader what."""
        self._reader.parsing(src)
        return super().parse(src)


def tinted(content: Content, origin_runs: Sequence[Run]) -> Content:
    """Return the content with each run styled by its origin."""
    styles = [StyleSpan(start, end, f".{style_of(origin)}") for start, end, origin in origin_runs]
    return Content(content.plain, [*content.spans, *styles])
