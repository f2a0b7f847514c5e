"""Asks for a file: where to save a chat, or which file to bring chats in from.

What goes wrong is said in the box, which stays, with what was typed.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import ClassVar, Generic, TypeVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.screen import ModalScreen
from textual.widget import Widget
from textual.widgets import Button, Input, RadioButton, RadioSet, Static

from app.history import BroughtIn, History
from app.private_file import replace
from app.terminal.sanitise import one_line
from app.tui.background.starting import start
from app.tui.background.threads import in_thread
from app.tui.chats.chat_files import (
    FORMS,
    Form,
    bring_in,
    exported,
    form_of,
    path_of,
    proposed,
    write_new,
)
from app.tui.failures import error_line
from app.tui.keys.vi_keys import ViKeys
from app.tui.screens.confirm import ConfirmScreen
from app.tui.screens.left_once import LeftOnce
from app.tui.widgets.line_input import LineInput

R = TypeVar("R")
NAMES = {"md": "Markdown: the branch that is shown", "json": "JSON: all that is known of it"}


class FileScreen(ViKeys, ModalScreen[R | None], LeftOnce[R | None], Generic[R]):
    """A path and two answers; its result is what came of it, None for nothing."""

    CSS_PATH = "file_ask.tcss"
    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "cancel", "Cancel", priority=True)]

    def __init__(self, question: str, path: str, yes: str) -> None:
        super().__init__()
        self._question = one_line(question)
        self._path = LineInput(
            path, placeholder="path of a file", select_on_focus=False, compact=True
        )
        self._error = Static(id="error", markup=False)
        self._yes = yes
        self._is_at_it = False

    def compose(self) -> ComposeResult:
        """Question, path, what there is to choose, answers."""
        with Vertical(id="box"):
            yield Static(self._question, id="question", markup=False)
            yield self._path
            yield from self.choices()
            yield self._error
            with Horizontal(id="answers"):
                yield Button("Cancel (Esc)", id="no", compact=True)
                yield Button(f"{self._yes} (Enter)", id="yes", variant="primary", compact=True)

    def on_mount(self) -> None:
        """Let the path be typed at once."""
        self._path.focus()

    def choices(self) -> Iterator[Widget]:
        """Yield what there is to choose beside the path."""
        yield from ()

    async def done(self, path: Path) -> R | None:
        """Do it; None: not after all. Raises what is to be said."""
        raise NotImplementedError

    async def write(self, path: Path, content: bytes) -> bool:
        """Write a file, and ask before another is replaced; return whether it is written."""
        try:
            await in_thread(partial(write_new, path, content))
        except FileExistsError:
            lines = [str(path)]
            ask = ConfirmScreen("This file is there already. Replace it?", lines, "Replace", "Keep")
            if not await self.app.push_screen_wait(ask):
                return False
            await in_thread(partial(replace, path, content))
        return True

    @on(Input.Changed)
    def _on_changed(self) -> None:
        self._error.update("")

    @on(Button.Pressed)
    def _on_pressed(self, event: Button.Pressed) -> None:
        if event.button.id == "yes":
            self.action_save()
        else:
            self.dismiss(None)

    @on(Input.Submitted)
    def _try(self) -> None:
        self.action_save()

    def action_save(self) -> None:
        """Do it, and go if that went well; once more only when that is over."""
        if not self._is_at_it:
            self._is_at_it = True
            start(self, self._attempt)

    async def _attempt(self) -> None:
        self._error.update("")
        try:
            result = await self.done(path_of(self._path.value))
        except Exception as error:
            self._error.update(error_line(error))
            return
        finally:
            self._is_at_it = False
        if result is not None:
            self.dismiss(result)

    def action_cancel(self) -> None:
        """Go, with nothing done."""
        self.dismiss(None)


class _Choice(RadioButton):
    """Says whether it is chosen by its shape, too: colours may be missing."""

    @property
    def BUTTON_INNER(self) -> str:  # type: ignore[override]
        return "●" if self.value else "○"


class _Choices(RadioSet):
    """The arrows choose at once; Enter saves, as the answer below says."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("enter", "screen.save", show=False)]

    def action_next_button(self) -> None:
        """Choose the next one."""
        super().action_next_button()
        self._choose()

    def action_previous_button(self) -> None:
        """Choose the one before."""
        super().action_previous_button()
        self._choose()

    def _choose(self) -> None:
        self.query_one(".-selected", RadioButton).value = True


class ExportScreen(FileScreen[Path]):
    """Saves a chat; its result is where it went."""

    def __init__(self, history: History, chat: int, title: str) -> None:
        super().__init__(f"Export “{one_line(title, 50)}”", proposed(title, "md"), "Save")
        self._history, self._chat = history, chat
        self._form: Form = "md"
        self._buttons = {form: _Choice(NAMES[form], value=form == self._form) for form in FORMS}

    def choices(self) -> Iterator[Widget]:
        """Yield the formats."""
        yield _Choices(*self._buttons.values(), compact=True)

    @on(RadioSet.Changed)
    def _on_form(self, event: RadioSet.Changed) -> None:
        """Let the file's name follow the format."""
        before, self._form = self._form, FORMS[event.index]
        path = self._path.value
        if path.lower().endswith(f".{before}"):
            self._path.value = path[: -len(before)] + self._form
            self._path.cursor_position = len(self._path.value)

    @on(Input.Changed)
    def _on_named(self, event: Input.Changed) -> None:
        """Let the format follow the file's name."""
        for form, button in self._buttons.items():
            if event.value.lower().endswith(f".{form}"):
                button.value = True

    async def done(self, path: Path) -> Path | None:
        """Write the file; ask before another is replaced."""
        form_of(path)  # or refuse a name that stands for another form
        found = await in_thread(partial(exported, self._history, self._chat, self._form))
        if not await self.write(path, found.content):
            return None
        if found.lacks:
            self.notify(found.lacks, severity="warning", markup=False)
        return path


class ImportScreen(FileScreen[BroughtIn]):
    """Brings chats in; its result is what came of it."""

    def __init__(self, history: History) -> None:
        super().__init__("Import chats", "", "Import")
        self._history = history
        self._progress = Static(id="progress", markup=False)

    def choices(self) -> Iterator[Widget]:
        """Yield what can be imported, and how far that is."""
        about = (
            "Chats that were exported here as JSON, ChatGPT's conversations.json, or "
            "conversations in OpenAI's form."
        )
        yield Static(about, classes="about", markup=False)
        yield self._progress

    async def done(self, path: Path) -> BroughtIn:
        """Read the file. If the box goes meanwhile, what was written of it goes, too."""
        self._progress.update("Reading…")
        try:
            return await in_thread(partial(bring_in, self._history, path, self._tell))
        finally:
            self._progress.update("")

    def _tell(self, n_done: int, n_chats: int) -> bool:
        """Show how far it is, from the thread that writes; return whether anybody waits for it."""
        if not self.is_attached:
            return False
        line = f"{n_done} of {n_chats} chats are written; Esc takes them back."
        self.app.call_later(self._progress.update, line)
        return True
