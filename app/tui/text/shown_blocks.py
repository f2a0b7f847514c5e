"""The blocks of an answer as it is shown: each with what shows it, its Markdown and its code.

Code within a list or a quotation is a block of its own, too, behind that; what several slices go on
with is one block. A line across the page is none.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import accumulate, repeat
from typing import TYPE_CHECKING

from textual.widget import Widget
from textual.widgets._markdown import MarkdownBlock

from app.tui.text.code_blocks import CODE, CodeBlock, language_of
from app.tui.text.markdown import parser
from app.tui.widgets.answer_blocks import Fence
from app.tui.widgets.answer_slice import AnswerSlice

if TYPE_CHECKING:
    from markdown_it.token import Token

KEPT_PIECES = 1000
NAMES = {
    "heading_open": "heading",
    "paragraph_open": "paragraph",
    "bullet_list_open": "list",
    "ordered_list_open": "list",
    "table_open": "table",
    "blockquote_open": "quotation",
    **dict.fromkeys(CODE, "code"),
}


@dataclass(frozen=True, slots=True)
class Piece:
    """A block in the source of a slice. name: what it is called, "" for a line across the page;
    within: the code in it.
    """

    name: str
    source: str
    code: CodeBlock | None = None
    within: tuple[Piece, ...] = ()


@dataclass(frozen=True, slots=True)
class ShownBlock:
    """parts: what shows it, slice by slice: the slice itself where that is put off. source: its
    Markdown.
    """

    parts: tuple[Widget, ...]
    name: str
    source: str
    code: CodeBlock | None

    def going_on(self, part: Widget, piece: Piece) -> ShownBlock:
        """Return it with what the next slice has of it."""
        code = self.code
        if code is not None and piece.code is not None:
            code = replace(code, code=code.code + piece.code.code)
        source = self.source + piece.source
        return ShownBlock((*self.parts, part), self.name, source, code)


def shown_blocks(slices: Iterable[AnswerSlice]) -> list[ShownBlock]:
    """Return the blocks that slices show, as far as they are written."""
    found: list[ShownBlock] = []
    last = 0
    for part in slices:
        blocks = [each for each in part.children if isinstance(each, MarkdownBlock)]
        shown: Iterable[Widget] = repeat(part) if part.is_put_off else blocks
        goes_on = part.has_class("-goes-on") and bool(found)
        for block, piece in zip(shown, pieces(part.prefix, part.shown), strict=False):
            if goes_on:
                found[last] = found[last].going_on(block, piece)
                goes_on = False
            elif piece.name:
                last = len(found)
                found.append(ShownBlock((block,), piece.name, piece.source, piece.code))
            fences: Iterable[Widget] = ()
            if piece.within:
                fences = repeat(part) if part.is_put_off else block.query(Fence)
            for fence, inner in zip(fences, piece.within, strict=False):
                found.append(ShownBlock((fence,), inner.name, inner.source, inner.code))
    return [_trimmed(block) for block in found]


def _trimmed(block: ShownBlock) -> ShownBlock:
    code = block.code
    if code is not None:
        code = replace(code, code=code.code.rstrip("\n"))
    return replace(block, source=block.source.strip("\n"), code=code)


@lru_cache(KEPT_PIECES)
def pieces(prefix: str, text: str) -> tuple[Piece, ...]:
    """Return the blocks in a slice's source. prefix: the line that opens the first one again."""
    lines = (prefix + text).split("\n")
    starts = [*accumulate((len(line) + 1 for line in lines), initial=-len(prefix))]
    found = []
    for token, within in _by_block(parser().parse(prefix + text)):
        first, end = token.map or (0, 0)
        source = text[max(starts[first], 0) : starts[end]]
        codes = [each for each in within if each.type in CODE]
        found.append(Piece(_name(token), source, _code(token), tuple(map(_alone, codes))))
    return tuple(found)


def _by_block(tokens: Sequence[Token]) -> Iterator[tuple[Token, list[Token]]]:
    """Yield the tokens that begin a block, each with those within it."""
    tops = [at for at, token in enumerate(tokens) if token.map and token.level == 0]
    for at, end in zip(tops, [*tops[1:], len(tokens)], strict=False):
        yield tokens[at], list(tokens[at + 1 : end])


def _name(token: Token) -> str:
    return NAMES.get(token.type, "")


def _code(token: Token) -> CodeBlock | None:
    return CodeBlock(token.content, language_of(token.info)) if token.type in CODE else None


def _alone(token: Token) -> Piece:
    """Return code that stands in another block as it would stand by itself."""
    marks = token.markup or "```"
    source = f"{marks}{token.info}\n{token.content}{marks}"
    return Piece(_name(token), source, _code(token))
