"""Picks files to go with a question: a tree of folders, in which a part of a name finds files, too.

It reads folders in threads, so a slow or a huge one holds nothing up. Its result are the paths of
the files, in the order in which they were marked; None for none. What is in them is read when the
question is sent.
"""

from __future__ import annotations

import asyncio
import os
from functools import partial
from pathlib import Path
from typing import ClassVar

from textual import on, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.widgets import Input, Static

from app.files.file_search import FEWEST_LETTERS, below
from app.files.folder import Entry, Folder, file_at, look
from app.files.mentions import place
from app.terminal.sanitise import one_line
from app.tui.background.threads import in_thread
from app.tui.keys.screen_keys import bound
from app.tui.keys.vi_keys import ViKeys
from app.tui.screens.left_once import LeftOnce
from app.tui.widgets.file_list import FileList
from app.tui.widgets.file_rows import FileRow, FileTree, cut, heading, marked, much
from app.tui.widgets.line_input import LineInput
from app.tui.widgets.row_list import RowList
from app.tui.widgets.screen_footer import ScreenFooter

EMPTY = "There is nothing here; “Hidden” shows what is hidden or ignored."
EMPTY_ALL = "This folder is empty."
NOTHING = "No file below has such a name."
FEW_LETTERS = f"{FEWEST_LETTERS} letters at least."
NO_MORE = "There is no folder above this one."
MOST_FOUND = 200
OF_THE_TREE = ("fold", "unfold", "mark", "up", "home", "hidden", "filter")


class FilePicker(ViKeys, LeftOnce[tuple[str, ...] | None]):
    """base: the folder to begin with, an absolute path."""

    CSS_PATH = "file_picker.tcss"
    AUTO_FOCUS = "Rows"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "take", "Attach", priority=True),
        bound("files-mark", "mark"),
        bound("files-filter", "filter"),
        bound("files-up", "up"),
        bound("files-home", "home"),
        bound("files-hidden", "hidden"),
        Binding("left", "fold", "Fold", show=False),
        Binding("right", "unfold", "Unfold", show=False),
        bound("files-fold", "fold"),
        bound("files-unfold", "unfold"),
        Binding("down", "move(1)", "Down", show=False),
        Binding("up", "move(-1)", "Up", show=False),
        Binding("escape", "back", "Back", priority=True),
    ]

    def __init__(self, base: Path) -> None:
        super().__init__()
        self._base = base
        self._tree = FileTree(str(base))
        self._marked: dict[str, Entry] = {}
        self._shows_all = False
        self._found, self._wanted = "", ""
        self._reached: str | None = None
        """The name for which a row was gone to, while what is shown may be another's."""
        self._head, self._about = Static(id="head", markup=False), Static(id="about", markup=False)
        self._filter = LineInput(placeholder="a part of a file's name", id="filter", compact=True)
        self._list = FileList()

    def compose(self) -> ComposeResult:
        """Where one is, the field for a name, files, what there is to say of them."""
        yield self._head
        yield self._filter
        yield self._list
        yield self._about
        yield ScreenFooter()

    def on_mount(self) -> None:
        """Read the folder once all is painted."""
        self.call_after_refresh(self._go, self._tree.root)

    # what is shown

    def _go(self, folder: str, at: str = "") -> None:
        """Show another folder, with this path highlighted."""
        self._end_filter()
        self._tree.root = folder
        self._read([folder], at)

    @work(group="read")
    async def _read(self, folders: list[str], at: str = "") -> None:
        """Read folders, and show what came of it."""
        root, shows_all = self._tree.root, self._shows_all
        reading = [
            in_thread(partial(look, folder, root, self._base, shows_all)) for folder in folders
        ]
        found = await asyncio.gather(*reading)
        if (root, shows_all) != (self._tree.root, self._shows_all):
            return  # one has gone elsewhere meanwhile
        self._tree.known.update(zip(folders, found, strict=True))
        self._show(at)
        self._tell()

    def _show(self, at: str = "") -> None:
        """Show the tree. at: the path to go to, "" to stay."""
        chosen = self._list.highlighted
        at = at or (chosen.entry.path if chosen is not None else "")
        self._head.update(heading(self._tree, self._shows_all, self.size.width))
        self._list.show(self._tree.rows(), self._marked, at)

    def on_resize(self) -> None:
        """Say where one is as far as there is room."""
        self._head.update(heading(self._tree, self._shows_all, self.size.width))

    def _say(self, text: str, is_wrong: bool = False) -> None:
        self._about.update(one_line(text))
        self._about.set_class(is_wrong, "-wrong")

    @on(RowList.Highlighted)
    def _tell(self) -> None:
        """Say what is marked, else what there is to know of the highlighted row."""
        row, entries = self._list.highlighted, list(self._marked.values())
        if row is None:
            here = self._tree.known.get(self._tree.root, Folder())
            self._say(here.trouble or (EMPTY_ALL if self._shows_all else EMPTY))
        elif row.entry.is_folder:
            known = self._tree.known.get(row.entry.path, Folder())
            about = known.trouble or cut(known) or marked(entries)
            self._say(about, is_wrong=bool(known.trouble))
        elif entries:
            self._say(marked(entries))
        else:
            self._say(row.entry.why_not or f"{row.entry.name}: {much([row.entry])}")

    @property
    def is_filtering(self) -> bool:
        """Whether files are sought by name."""
        return self.has_class("-filtering")

    @on(Input.Changed)
    def _on_typed(self) -> None:
        typed = self._filter.value.strip()
        if typed not in (self._wanted, self._reached):
            self._wanted, self._reached = "", None
        self._find(typed)

    @work(exclusive=True, group="find")
    async def _find(self, typed: str) -> None:
        """Show the files below with such a name."""
        root, shows_all = Path(self._tree.root), self._shows_all
        if not self.is_filtering or not typed:
            self._found = typed
            self._show()
            return

        def find() -> list[FileRow]:
            found = below(typed, root, MOST_FOUND, shows_all=shows_all)
            return [FileRow(file_at(place(path, root), self._base)) for path in found]

        rows = await in_thread(find)
        if typed != self._filter.value.strip() or not self.is_filtering:
            return
        self._list.show(rows, self._marked, "", str(root))
        self._found, is_wanted = typed, self._wanted == typed
        if not rows:
            self._say(FEW_LETTERS if len(typed) < FEWEST_LETTERS else NOTHING)
        elif is_wanted:
            self.action_take()

    # what the person does

    def action_take(self) -> None:
        """Take what is chosen; where a search is still under way and no row was gone to, what that
        finds first.
        """
        typed, is_typing = self._filter.value.strip(), self.focused is self._filter
        is_sought = self.is_filtering and is_typing and typed not in (self._found, self._reached)
        self._wanted = typed if is_sought else ""
        if not is_sought:
            self._take()

    @on(RowList.Chosen)
    def _take(self) -> None:
        """Take what is marked, else the highlighted file; unfold a folder. One that was found by
        its name goes with those that are marked.
        """
        row = self._list.highlighted
        if self._marked and not self.is_filtering:
            self.dismiss(tuple(self._marked))
        elif row is not None and row.entry.is_folder:
            self._turn(row)
        elif row is not None and self._can_be_taken(row.entry):
            self.dismiss(tuple({**self._marked, row.entry.path: row.entry}))

    def action_mark(self) -> None:
        """Mark a file, or not any more, and go on to the next row."""
        row = self._list.highlighted
        if row is None:
            return
        path = row.entry.path
        if row.entry.is_folder:
            self._say(f"{row.entry.name} is a folder: its files are attached one by one.", True)
        elif path in self._marked or self._can_be_taken(row.entry):
            before = dict(self._marked)
            if self._marked.pop(path, None) is None:
                self._marked[path] = row.entry
            self._list.mark(before, self._marked)
            self._tell()
            self.action_move(1)

    def _can_be_taken(self, entry: Entry) -> bool:
        """Whether a file can be attached; says why not."""
        if entry.why_not:
            self._say(entry.why_not, is_wrong=True)
        return not entry.why_not

    def action_unfold(self) -> None:
        """Unfold a folder; go into one that is unfolded."""
        row = self._list.highlighted
        if row is not None and row.is_open:
            self.action_move(1)
        elif row is not None and row.entry.is_folder:
            self._turn(row)

    def action_fold(self) -> None:
        """Fold a folder; go to the folder of anything else."""
        row = self._list.highlighted
        if row is not None and row.is_open:
            self._turn(row)
        elif row is not None and row.depth:
            self._show(os.path.dirname(row.entry.path))

    def _turn(self, row: FileRow) -> None:
        """Unfold a folder, or fold it."""
        path = row.entry.path
        if row.is_open:
            self._tree.unfolded.discard(path)
            self._show()
            return
        self._tree.unfolded.add(path)
        self._read([path])

    def action_up(self) -> None:
        """Show the folder above."""
        here = self._tree.root
        if os.path.dirname(here) == here:
            self._say(NO_MORE, is_wrong=True)
        else:
            self._go(os.path.dirname(here), here)

    def action_home(self) -> None:
        """Show one's home folder."""
        self._go(os.path.expanduser("~"))

    def action_hidden(self) -> None:
        """Show what is hidden or ignored, or not any more."""
        self._shows_all = not self._shows_all
        self._read(self._tree.wanted)

    def action_filter(self) -> None:
        """Have a part of a name typed."""
        self._found = self._wanted = ""
        self._reached = None
        self.add_class("-filtering")
        self._filter.focus()

    def action_move(self, rows: int) -> None:
        """Go up or down the rows."""
        listed = self._list.rows
        if listed.highlighted is not None:
            self._wanted, self._reached = "", self._filter.value.strip()
            last = len(self._list.shown) - 1
            listed.highlighted = max(0, min(last, listed.highlighted + rows))

    def action_back(self) -> None:
        """End the search for a name; else go back, with nothing."""
        if self.is_filtering:
            self._end_filter()
        else:
            self.dismiss(None)

    def _end_filter(self) -> None:
        self.remove_class("-filtering")
        self._filter.clear()
        self._list.rows.focus()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Leave the letters to the field where a name is typed."""
        return not (action in OF_THE_TREE and self.focused is self._filter)
