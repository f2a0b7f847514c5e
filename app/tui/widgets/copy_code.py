"""The word over a code block that copies it, as far as it is written, and the code's language.

They stand in the line that would be empty there, so that nothing moves for its sake.
"""

from __future__ import annotations

from textual import events
from textual.content import Content
from textual.dom import DOMNode
from textual.message import Message
from textual.style import Style
from textual.widgets import Static
from textual.widgets._markdown import MarkdownFence

WORD = "copy"
META = "copies"


class CopyCode(Static):
    """A click on the word copies the code block that it stands in."""

    DEFAULT_CSS = """
    CopyCode {
        height: 1;
        padding: 0 2;
        text-align: right;
        color: $foreground-muted;
        &:hover { color: $primary; text-style: underline; }
    }
    """

    class Wanted(Message):
        """All of a code block is to be copied. fence: its beginning."""

        def __init__(self, fence: MarkdownFence) -> None:
            super().__init__()
            self.fence = fence

    def __init__(self, language: str) -> None:
        super().__init__(_words(language), markup=False)

    def name_language(self, language: str) -> None:
        """Say which it is, now that more of its name is written."""
        self.update(_words(language), layout=False)

    def on_click(self, event: events.Click) -> None:
        """Copy, if it was the word."""
        if event.style.meta.get(META) and isinstance(self.parent, MarkdownFence):
            event.stop()
            self.post_message(self.Wanted(self.parent))


def _words(language: str) -> Content:
    word = Content(WORD).stylize(Style.from_meta({META: True}))
    return Content.assemble((f"{language}  ", "dim not underline"), word) if language else word


def whole_code(fence: MarkdownFence) -> str:
    """Return the code of a block, also where the next slices of the answer go on with it."""
    parts = [fence.code]
    part: DOMNode = fence
    while (following := _goes_on_in(part)) is not None:
        parts.append(following.code)
        part = following
    return "\n".join(parts)


def _goes_on_in(part: DOMNode) -> MarkdownFence | None:
    """Return the part behind this one, at the beginning of the next slice."""
    here = part.parent
    if here is None or here.parent is None or here.children[-1] is not part:
        return None
    beside = list(here.parent.children)
    behind = beside[beside.index(here) + 1 :]  # type: ignore[arg-type]
    if not behind or not behind[0].has_class("-goes-on") or not behind[0].children:
        return None
    first = behind[0].children[0]
    return first if isinstance(first, MarkdownFence) else None
