"""One slice of an answer (app/tui/text/slices.py) as Markdown, with every word's origin as a style.

It grows at its end; how much is parsed and rendered again is bounded by its last block's size.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate

from markdown_it.token import Token
from textual.geometry import Size
from textual.widgets import Markdown
from textual.widgets._markdown import MarkdownBlock, MarkdownHorizontalRule

from app.tui.text.markdown import FIRST_NUMBER, next_number, parser
from app.tui.text.origins import Origins, runs
from app.tui.text.room import about_rows
from app.tui.widgets.answer_blocks import Fence, OrderedList, Paragraph, grow, tinted
from app.tui.widgets.answer_table import Table
from app.tui.widgets.folding import Folding
from app.tui.widgets.laid_out_once import LaidOutOnce

RULE = "rule"
"""What the token of a line across the page is called here."""


class AnswerSlice(Markdown, LaidOutOnce, Folding):
    """A part of an answer.

    start: where it begins in the answer. prefix: what its source begins with that is not in the
    answer. goes_on: it goes on with the last block of the slice before it, whose next item has this
    number, if that is a list with numbers.
    """

    DEFAULT_CSS = """
    AnswerSlice {
        padding: 0;
        /* Margins do not overlap across slices. All sides are named: Textual takes those that are
           not for nought. */
        &.-follows {
            & > MarkdownH1:first-child, & > MarkdownH2:first-child { margin: 1 0 1 0; }
            & > Fence:first-child, & > MarkdownBlockQuote:first-child { margin: 0 0 1 0; }
            & > MarkdownH3:first-child, & > MarkdownH4:first-child { margin: 0 0 1 0; }
            & > MarkdownH5:first-child, & > MarkdownH6:first-child { margin: 0 0 1 0; }
        }
        &.-goes-on > Fence:first-child > CopyCode { display: none; }
        &.-cut {
            & > MarkdownList:last-child { margin: 0; }
            & > Paragraph:last-child { margin: 0; }
            & > Fence:last-child { margin: 1 0 0 0; }
            & > Fence:last-child > Label { padding: 0 2; }
        }
        &.-cut.-follows > Fence:first-child:last-child { margin: 0; }
    }
    """
    BLOCKS = Markdown.BLOCKS | {
        "fence": Fence,
        "code_block": Fence,
        "paragraph_open": Paragraph,
        "ordered_list_open": OrderedList,
        "table_open": Table,
    }

    def __init__(
        self, origins: Origins, start: int, prefix: str, goes_on: bool, number: int | None = None
    ) -> None:
        super().__init__(open_links=False)
        self.shown = ""
        """Of the answer."""
        self._origins = origins
        self.prefix = prefix
        self._start = start
        self._number = self.next_number = number
        self.is_put_off = False
        """Whether nothing of it is rendered yet; it takes about the room that it will need."""
        self._tail = prefix
        """The source from the beginning of the last block on."""
        self._tail_start = start - len(prefix)
        self.set_class(start > 0, "-follows")
        self.set_class(goes_on, "-goes-on")

    def put_off(self, text: str, references: dict[str, object]) -> None:
        """Have this text, and render it when `render_again` is called. references: of links that
        are named; is added to.
        """
        self.is_put_off, self.shown = True, text
        env = {"references": references, FIRST_NUMBER: self._number}
        self.next_number = next_number(parser().parse(self.prefix + text, env))

    async def add(self, text: str, references: dict[str, object]) -> None:
        """Show more. references: what is known of links that are named, and is added to."""
        self.unfold()
        self.shown += text
        self._tail += text
        self._markdown = self.prefix + self.shown
        is_first = self._tail_start == self._start - len(self.prefix)
        number = self._number if is_first else None
        found = parser().parse(self._tail, {"references": references, FIRST_NUMBER: number})
        self.next_number = next_number(found)
        blocks = list(self._parse_markdown(found))
        children = self.children
        last = children[-1] if children else None
        with self.app.batch_update():
            await grow(self, last if isinstance(last, MarkdownBlock) else None, blocks)
        tops = [token.map[0] for token in found if token.map and token.level == 0]
        if tops and tops[-1]:
            cut = sum(map(len, self._tail.splitlines(keepends=True)[: tops[-1]]))
            self._tail, self._tail_start = self._tail[cut:], self._tail_start + cut

    def learn_last(self, references: dict[str, object]) -> None:
        """Nothing more will come: add what the last line names, which seemed not to be over."""
        if "]:" in self._tail:
            parser().parse(f"{self._tail}\n", {"references": references})

    async def render_again(self, references: dict[str, object]) -> None:
        """Render all of it, now that more is known of links."""
        shown, self.shown = self.shown, ""
        self.is_put_off = False
        self._tail, self._tail_start = self.prefix, self._start - len(self.prefix)
        with self.app.batch_update():
            await self.query_children(MarkdownBlock).remove()
            await self.add(shown, references)

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        """Return the height, of what is put off about how many rows it will have."""
        if self.is_put_off:
            return about_rows(self.shown, width)
        return super().get_content_height(container, viewport, width)

    def _parse_markdown(self, tokens: Iterable[Token]) -> Iterable[MarkdownBlock]:
        lines = self._tail.splitlines(keepends=True)
        starts = list(accumulate(map(len, lines), initial=self._tail_start))
        for block in super()._parse_markdown(_with_rules_in_place(tokens)):
            self._tint(block, starts)
            yield block

    def unhandled_token(self, token: Token) -> MarkdownBlock | None:
        """Return what shows a line across the page."""
        return MarkdownHorizontalRule(self, token) if token.type == RULE else None

    def _tint(self, block: MarkdownBlock, starts: Sequence[int]) -> None:
        """Style the origins in a block and in the blocks within it."""
        for inner in block._blocks:
            self._tint(inner, starts)
        token = block._token if isinstance(block, Fence) else block._inline_token
        if token is None or token.map is None:
            return
        first, last = (starts[min(line, len(starts) - 1)] for line in token.map)
        source = self._tail[first - self._tail_start : last - self._tail_start]
        content = block._highlighted_code if isinstance(block, Fence) else block._content
        found = list(runs(content.plain, source, first, self._origins))
        if isinstance(block, Fence):
            block.origin_runs = found
        else:
            block.set_content(tinted(content, found))


def _with_rules_in_place(tokens: Iterable[Token]) -> Iterator[Token]:
    """Name the lines across the page otherwise: Textual takes its own out of the list or quotation
    that they stand in, and a block that grows would have one more each time.
    """
    for token in tokens:
        if token.type == "hr":
            token.type = RULE
        yield token
