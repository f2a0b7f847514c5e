r"""Formulas in answers, as LaTeX writes them: `$x_1$`, `$$…$$`, `\(…\)` and `\[…\]`.

To Markdown a backslash in one escapes what follows, and `*` and `_` emphasise: they would be
missing. Here a formula is shown as it was written, and one that begins a line, which goes on to its
end or to a blank line, is a paragraph with its lines kept. Dollars are money where a space, a
letter or a digit is on the wrong side of one (as Pandoc's `tex_math_dollars` has it), and `\[1\]`
names a source. Pure.
"""

from __future__ import annotations

import re

from markdown_it import MarkdownIt
from markdown_it.rules_block import StateBlock
from markdown_it.rules_inline import StateInline

LONGEST = 4000
"""In characters; so much at most is looked through for the end of each beginning."""
ENDS = {"$$": "$$", r"\[": r"\]"}
"""What may begin a line, with what ends it."""
DISPLAYED = re.compile(r"\$\$|\\\[(?!\d*\\\]|\d+$)")
FORMULA = re.compile(
    r"""  \$\$ (?! \$ ) (?: \\. | [^\\$] | \$(?!\$) )++ \$\$
        | (?<! [\w$] ) \$ (?! [\s$] ) (?: \\. | [^\\$`\n] )++ (?<! \s ) \$ (?! [\w$] )
        | \\\( (?: \\[^()] | [^\\] )++ \\\)
        | \\\[ (?! \d* \\\] ) (?: \\[^\[\]] | [^\\] )++ \\\]
    """,
    re.VERBOSE | re.DOTALL,
)
"""None holds the beginning of another of its kind: a text may be all beginnings."""


def read_formulas(parser: MarkdownIt) -> None:
    """Have a parser leave formulas as they are."""
    read_displayed(parser)
    parser.inline.ruler.before("escape", "formula", _formula)


def read_displayed(parser: MarkdownIt) -> None:
    """Have a parser see which blocks are formulas."""
    ends = {"alt": ["paragraph", "reference", "blockquote", "list"]}
    parser.block.ruler.before("fence", "displayed formula", _displayed, ends)  # type: ignore[arg-type]


def _displayed(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """Read a formula that begins a line."""
    if state.is_code_block(start):
        return False
    begin = state.bMarks[start] + state.tShift[start]
    found = DISPLAYED.match(state.src, begin, state.eMarks[start])
    if found is None or silent:
        return found is not None
    closing, line = ENDS[found[0]], start
    from_ = found.end()
    while closing not in state.src[from_ : state.eMarks[line]]:
        if line + 1 >= end or state.isEmpty(line + 1) or state.sCount[line + 1] < state.blkIndent:
            break
        line += 1
        from_ = state.bMarks[line] + state.tShift[line]
    state.line = line + 1
    opened = state.push("paragraph_open", "p", 1)
    opened.map = [start, state.line]
    inline = state.push("inline", "", 0)
    inline.content = state.getLines(start, state.line, state.blkIndent, False).strip()
    inline.map, inline.children = [start, state.line], []
    state.push("paragraph_close", "p", -1)
    return True


def _formula(state: StateInline, silent: bool) -> bool:
    """Read a formula, or the beginning of one that begins the text and is not over yet."""
    found = FORMULA.match(state.src, state.pos, min(state.posMax, state.pos + LONGEST))
    if found is not None:
        end = found.end()
    elif not state.pos and DISPLAYED.match(state.src):
        end = state.posMax
    else:
        return False
    if not silent:
        _push(state, state.src[state.pos : end])
    state.pos = end
    return True


def _push(state: StateInline, formula: str) -> None:
    """Add a formula's lines, which end where they did if it stands by itself."""
    break_ = "hardbreak" if DISPLAYED.match(formula) else "softbreak"
    for number, line in enumerate(formula.split("\n")):
        if number:
            state.push(break_, "br", 0)
        written = state.push("text_special", "", 0)
        written.content = line.strip()
