"""A cursor that steps through the blocks of an answer, over the chat that shows it.

Beyond an answer it goes on in the next one. What is done with a block has keys, and a menu.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import ClassVar

from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.screen import ModalScreen

from app.terminal.sanitise import one_line
from app.tui.keys.screen_keys import bound
from app.tui.keys.vi_keys import ViKeys
from app.tui.screens.choice_box import ChoiceBox
from app.tui.screens.left_once import LeftOnce
from app.tui.screens.save_code import SaveCode
from app.tui.text.copied import copy_and_tell
from app.tui.text.shown_blocks import ShownBlock, shown_blocks
from app.tui.widgets.answer_slice import AnswerSlice
from app.tui.widgets.screen_footer import ScreenFooter
from app.tui.widgets.tinted import GUESSES, show_guesses
from app.tui.widgets.transcript import Transcript
from app.tui.widgets.turn_view import TurnView

AT = "-at"
"""The class of what the cursor is on."""
NO_MORE_CODE = "There is no code block {where}."
MARKDOWN, QUOTE = ("Copy it as Markdown", "copy_source"), ("Quote it in the box", "quote")
CODE = (("Copy the code", "copy"), ("Save the code as a file", "save"))
_BLOCK = Binding.Group("Block")


class BlockCursor(ViKeys, ModalScreen[str | None], LeftOnce[str | None]):
    """Dismissed with the Markdown that is to be quoted, None for none. view: where to begin; it has
    a block.
    """

    DEFAULT_CSS = """
    BlockCursor {
        background: transparent;
        ScreenFooter { background: $background; }
    }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("down", "step(1)", "Next block", key_display="↓", group=_BLOCK),
        Binding("up", "step(-1)", "Block before", key_display="↑", group=_BLOCK),
        bound("blocks-code", "code(1)"),
        bound("blocks-code-before", "code(-1)", show=False),
        Binding("enter", "menu", "Menu"),
        bound("blocks-copy", "copy"),
        Binding("ctrl+c", "copy", "Copy", show=False, priority=True),
        bound("blocks-quote", "quote"),
        bound("blocks-save", "save"),
        Binding("escape", "back", "Back", priority=True),
        Binding("alt+j", "back", "Back", show=False, id="blocks"),
        Binding("home", "end(0)", "First", show=False),
        Binding("end", "end(-1)", "Last", show=False),
        Binding("pageup", "scroll(-1)", "Page up", show=False),
        Binding("pagedown", "scroll(1)", "Page down", show=False),
        Binding("ctrl+u", "scroll(-0.5)", "Half a page up", show=False),
        Binding("ctrl+d", "scroll(0.5)", "Half a page down", show=False),
    ]

    def __init__(self, transcript: Transcript, view: TurnView) -> None:
        super().__init__()
        self._transcript, self._view = transcript, view
        self._at = 0
        self._marked: ShownBlock | None = None
        self._had_guesses = False

    def compose(self) -> ComposeResult:
        """The keys."""
        yield ScreenFooter()

    async def on_mount(self) -> None:
        """Begin with the first block that is in sight; who guessed what would hide the cursor."""
        self._show_guesses(False)
        top = self._transcript.region.y
        seen = (at for at, block in enumerate(self._blocks) if _begins_below(block, top))
        self._at = next(seen, 0)
        if block := self._now():
            await self._go(self._view, self._at, block)

    # where it is

    @property
    def _blocks(self) -> list[ShownBlock]:
        """The blocks of the answer now: it may grow, begin anew, or be gone."""
        return shown_blocks(self._view.parts) if self._view in self._transcript.turns else []

    def _now(self) -> ShownBlock | None:
        """Return what the cursor is on, the last block of an answer that is shorter by now; go back
        to the chat where there is none.
        """
        blocks = self._blocks
        if not blocks:
            self.action_back()
            return None
        self._at = min(self._at, len(blocks) - 1)
        self._mark(blocks[self._at])
        return self._marked

    async def _go(self, view: TurnView, at: int, block: ShownBlock) -> None:
        """Go to a block, both ends of which are rendered then: in between it fills its slices."""
        ends = [part for part in (block.parts[0], block.parts[-1]) if isinstance(part, AnswerSlice)]
        if ends:
            await view.make(ends)
            block = shown_blocks(view.parts)[at]
        self._view, self._at = view, at
        self._mark(block)
        self._transcript.bring(block.parts[0])

    def _mark(self, block: ShownBlock | None) -> None:
        before = self._marked.parts if self._marked is not None else ()
        now = block.parts if block is not None else ()
        self._marked = block
        if now != before:
            for part in before:
                part.remove_class(AT)
            for part in now:
                part.add_class(AT)
            self.refresh_bindings()

    def _show_guesses(self, is_shown: bool) -> None:
        chat = self._transcript.screen
        self._had_guesses = self._had_guesses or chat.has_class(GUESSES)
        show_guesses(chat, is_shown and self._had_guesses)

    def _further(self, way: int) -> Iterator[tuple[TurnView, int, ShownBlock]]:
        """Yield the blocks below the cursor, or above it, the nearest first."""
        views = self._transcript.turns
        here = views.index(self._view)
        for view in views[here:] if way > 0 else views[here::-1]:
            for at, block in list(enumerate(shown_blocks(view.parts)))[::way]:
                if view is not self._view or (at - self._at) * way > 0:
                    yield view, at, block

    # what the person does

    async def action_step(self, way: int) -> None:
        """Go to the next block, or to the one before."""
        found = next(self._further(way), None) if self._now() else None
        if found is not None:
            await self._go(*found)

    async def action_code(self, way: int) -> None:
        """Go to the next code block, or to the one before."""
        if self._now() is None:
            return
        for view, at, block in self._further(way):
            if block.code is not None:
                await self._go(view, at, block)
                return
        self.notify(NO_MORE_CODE.format(where="below" if way > 0 else "above"))

    async def action_end(self, at: int) -> None:
        """Go to the first block of the answer, or the last."""
        self._at = at % max(1, len(self._blocks))
        if block := self._now():
            await self._go(self._view, self._at, block)

    def action_scroll(self, pages: float) -> None:
        """Scroll the chat; the cursor stays where it is."""
        transcript = self._transcript
        transcript.scroll_by(round(pages * transcript.scrollable_content_region.height))

    def on_mouse_scroll_up(self) -> None:
        """Scroll the chat."""
        self._transcript.scroll_by(-self.app.scroll_sensitivity_y)

    def on_mouse_scroll_down(self) -> None:
        """Scroll the chat."""
        self._transcript.scroll_by(self.app.scroll_sensitivity_y)

    async def on_click(self, event: events.Click) -> None:
        """Go to the block that is clicked; a click on nothing leaves."""
        under, _ = self._transcript.screen.get_widget_at(event.screen_x, event.screen_y)
        for view in self._transcript.turns:
            for at, block in reversed(list(enumerate(shown_blocks(view.parts)))):
                if not set(block.parts).isdisjoint(under.ancestors_with_self):
                    await self._go(view, at, block)
                    return
        self.action_back()

    async def action_copy(self) -> None:
        """Copy the code, or the Markdown of what is none, and stay for more."""
        block = self._now()
        if block is not None and block.code is not None:
            language = f", {block.code.language}" if block.code.language else ""
            await copy_and_tell(self.app, block.code.code, f"the code{language}")
        elif block is not None:
            await self.action_copy_source()

    async def action_copy_source(self) -> None:
        """Copy the Markdown."""
        if block := self._now():
            await copy_and_tell(self.app, block.source, f"the {block.name}")

    def action_save(self) -> None:
        """Ask where the code is to be saved."""
        block = self._now()
        if block is not None and block.code is not None:
            self.app.push_screen(SaveCode(block.code), self._on_saved)

    def _on_saved(self, path: Path | None) -> None:
        if path is not None:
            self.notify(one_line(str(path)), title="Saved as", markup=False)

    def action_menu(self) -> None:
        """Show what can be done with the block."""
        block = self._now()
        if block is None:
            return
        offers = (*(CODE if block.code is not None else ()), MARKDOWN, QUOTE)

        async def take(place: int | None) -> None:
            if place is not None:
                await self.run_action(offers[place][1])

        question = f"What to do with this {block.name}?"
        self.app.push_screen(ChoiceBox(question, [Content(words) for words, _ in offers]), take)

    def action_quote(self) -> None:
        """Go back with the Markdown."""
        if block := self._now():
            self._leave(block.source)

    def action_back(self) -> None:
        """Go back to the chat."""
        self._leave(None)

    def _leave(self, quoted: str | None) -> None:
        self._mark(None)
        self._show_guesses(True)
        self.dismiss(quoted)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Only code can be saved."""
        return action != "save" or (self._marked is not None and self._marked.code is not None)


def _begins_below(block: ShownBlock, top: int) -> bool:
    region = block.parts[0].region
    return region.height > 0 and region.y >= top
