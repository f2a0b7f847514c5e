"""The blocks of an answer's Markdown, and how they grow in place.

What a block becomes with more text is parsed as a new block; the one on the screen then takes over
what is new of it, where Textual's own would be taken away and built again.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import partial

from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.content import Span as StyleSpan
from textual.highlight import (
    ANSIDarkHighlightTheme,
    ANSILightHighlightTheme,
    HighlightTheme,
    highlight,
)
from textual.widget import Widget
from textual.widgets import Label
from textual.widgets._markdown import (
    MarkdownBlock,
    MarkdownBlockQuote,
    MarkdownBullet,
    MarkdownBulletList,
    MarkdownFence,
    MarkdownList,
    MarkdownListItem,
    MarkdownOrderedList,
    MarkdownParagraph,
    MarkdownTable,
    MarkdownTableContent,
)

from app.tui.background.threads import in_thread
from app.tui.text.code_blocks import language_of
from app.tui.text.origins import style_of
from app.tui.widgets.copy_code import CopyCode
from app.tui.widgets.laid_out_once import LaidOutOnce
from app.tui.widgets.tinted import Tintable

OPENING = re.compile(r"^[ >]*(?:`{3,}|~{3,}) *([^\s`]+)", re.MULTILINE)
"""The line that opens a code block, with its language."""
Run = tuple[int, int, str]
"""From where to where in a block's text, and who proposed it."""
LANGUAGE = re.compile(r"\w[\w+#-]*")
"""How a language is called at the beginning of `rust,ignore`, `{python}`, `python:app.py`."""
NO_LANGUAGE = "text"
NUMBER = 4
"""So much room the number of an item takes."""


def tinted(content: Content, origin_runs: Sequence[Run]) -> Content:
    """Return the content with each run styled by its origin."""
    styles = [StyleSpan(start, end, f".{style_of(origin)}") for start, end, origin in origin_runs]
    return Content(content.plain, [*content.spans, *styles])


async def compile_lexers(markdown: str) -> None:
    """Compile what highlights the languages of the text, beside the app: the first code block in a
    language would hold up the keys.
    """
    for language in set(OPENING.findall(markdown)) - _compiled:
        _compiled.add(language)
        await in_thread(partial(Fence.highlight, "", language))


_compiled: set[str] = set()


class Paragraph(MarkdownParagraph, Tintable, LaidOutOnce):
    """A paragraph."""

    @property
    def source(self) -> str:
        """Its Markdown."""
        return self._inline_token.content if self._inline_token is not None else ""

    def _copy_context(self, block: MarkdownBlock) -> None:
        super()._copy_context(block)
        self._inline_token = block._inline_token


class OrderedList(MarkdownOrderedList):
    """A list with numbers, which all take the same room up to 99: none moves when there are ten."""

    def compose(self) -> ComposeResult:
        """Start with the items in place."""
        for item in self._blocks:
            if isinstance(item, MarkdownListItem):
                bullet = MarkdownBullet()
                bullet.symbol = f"{item.bullet}. ".rjust(NUMBER)
                yield Horizontal(bullet, Vertical(*item._blocks))
        self._blocks.clear()


class Code(Label, Tintable, LaidOutOnce):
    """The text of a code block."""


class Fence(MarkdownFence, LaidOutOnce):
    """A code block whose highlighting and origins are both kept; long lines are folded."""

    DEFAULT_CSS = """
    Fence > #code-content { width: 1fr; text-wrap: wrap; }
    Fence, Fence:light { background: $surface; }
    Fence > Label, Fence:ansi > Label { padding: 0 2 1 2; }
    """

    origin_runs: Sequence[Run] = ()

    @classmethod
    def highlight(cls, code: str, language: str, ansi: bool = False, dark: bool = False) -> Content:
        """Highlight; code without a language is left as it is, for guessing tries every lexer.

        language: all that the line which opens the block says. Tabs stay: where Textual's own has
        them widened, every colour behind one is shifted.
        """
        own = ANSIDarkHighlightTheme if dark else ANSILightHighlightTheme
        named = LANGUAGE.search(language)
        return highlight(
            code,
            language=named[0] if named else NO_LANGUAGE,
            theme=own if ansi else HighlightTheme,
            tab_size=0,
        )

    def set_content(self, content: Content) -> None:
        """Show highlighted code, the origins added."""
        super().set_content(tinted(content, self.origin_runs))

    def recolour(self, content: Content) -> None:
        """Show the same code as it is highlighted in its context."""
        if content.spans != self._highlighted_code.spans:
            self._highlighted_code = content
            self.set_content(content)

    def compose(self) -> ComposeResult:
        """Start with the origins in place."""
        yield CopyCode(language_of(self.lexer))
        yield Code(tinted(self._highlighted_code, self.origin_runs), id="code-content", expand=True)

    def notify_style_update(self) -> None:
        """Highlight again only for a terminal's own colours; the others follow the theme."""
        if self.app.native_ansi_color:
            super().notify_style_update()
        else:
            super(MarkdownFence, self).notify_style_update()

    def _copy_context(self, block: MarkdownBlock) -> None:
        super()._copy_context(block)
        if isinstance(block, Fence):
            self.origin_runs = block.origin_runs
            for over in self.query_children(CopyCode):
                over.name_language(language_of(self.lexer))


async def grow(parent: Widget, last: MarkdownBlock | None, blocks: Sequence[MarkdownBlock]) -> None:
    """Let `last`, the parent's last block, become the first of these; the others come behind it.

    A parent that is not in the app, since that is being taken down, gets none.
    """
    fresh = list(blocks)
    if last is not None and fresh and await _became(last, fresh[0]):
        del fresh[0]
    elif last is not None:
        await last.remove()
    if fresh and parent.is_attached:
        await parent.mount_all(fresh)


async def _became(old: MarkdownBlock, new: MarkdownBlock) -> bool:
    """Let a block take over what is new; False if another must be put in its place."""
    if type(old) is not type(new):
        return False
    match old:
        case MarkdownParagraph():
            old._copy_context(new)
            old.set_content(new._content)
        case MarkdownFence():
            await old._update_from_block(new)
        case MarkdownBulletList() | MarkdownOrderedList():
            return await _list_became(old, new)
        case MarkdownBlockQuote():
            return await _grow_within(old, new._blocks)
        case MarkdownTable() if any(table.rows for table in old.query(MarkdownTableContent)):
            await old._update_from_block(new)
        case _:
            return False
    return True


async def _list_became(old: MarkdownList, new: MarkdownBlock) -> bool:
    """Let the last item grow, and add those behind it."""
    items = [block for block in new._blocks if isinstance(block, MarkdownListItem)]
    rows = list(old.children)
    if not rows or len(items) < len(rows):
        return False
    contents = rows[-1].children[-1]
    assert isinstance(contents, Widget)
    if not await _grow_within(contents, items[len(rows) - 1]._blocks):
        return False
    new._blocks[:] = items[len(rows) :]
    if new._blocks:
        await old.mount_all(new.compose())
    return True


async def _grow_within(parent: Widget, blocks: Sequence[MarkdownBlock]) -> bool:
    """Let the last block within a parent grow, and add those behind it."""
    old = [child for child in parent.children if isinstance(child, MarkdownBlock)]
    if len(blocks) < len(old):
        return False
    await grow(parent, old[-1] if old else None, blocks[max(0, len(old) - 1) :])
    return True
