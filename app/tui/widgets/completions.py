"""How what is typed may go on: slash commands and files, and the list over the prompt for them.

Finding is pure but for the folder that `files` reads, which may be slow: call it in a thread. The
list is an overlay that ends where the prompt begins, so it covers nothing of what is typed; it has
no focus of its own. All that it shows of file names and values is sanitised.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from textual.content import Content
from textual.widgets import OptionList
from textual.widgets.option_list import Option

from app import mentions, slash
from app.sanitise import one_line

MOST_ROWS = 8
WIDEST_NAME = 36
NO_CHOICES: Mapping[str, slash.Choices] = {}


@dataclass(frozen=True, slots=True)
class Offer:
    """text[start:end] may become `insert`. goes_on: more may follow, so it is completed again."""

    insert: str
    start: int
    end: int
    display: str
    help: str = ""
    goes_on: bool = False


@dataclass(frozen=True, slots=True)
class Offers:
    """What is offered at one place. chosen: the one that Enter takes, None if there is none yet."""

    offers: tuple[Offer, ...] = ()
    chosen: int | None = None


def commands(text: str, cursor: int, choices: Mapping[str, slash.Choices]) -> Offers:
    """Return how a slash command may go on, if the cursor is at its end."""
    if cursor != len(text):
        return Offers()
    offers = tuple(
        Offer(each.insert, 0, cursor, each.display, each.help, each.insert.endswith(" "))
        for each in slash.complete(text, choices)
    )
    return _chosen(offers, is_begun=not text.endswith(" "))


def files(mention: mentions.Mention, base: Path) -> Offers:
    """Return the files and folders that a mention may become."""
    offers = tuple(
        Offer(
            mentions.as_mention(path) + " " * (not path.endswith("/")),
            mention.start,
            mention.end,
            path,
            goes_on=path.endswith("/"),
        )
        for path in mentions.complete(mention.path, base)
    )
    return _chosen(offers, is_begun=bool(mention.path) and not mention.path.endswith("/"))


def _chosen(offers: tuple[Offer, ...], is_begun: bool) -> Offers:
    """Choose the first one only if something of it is typed: Enter shall not send a surprise."""
    return Offers(offers, 0 if offers and is_begun else None)


class Completions(OptionList, can_focus=False):
    """The list over the prompt. accept: called with what is clicked."""

    DEFAULT_CSS = """
    Completions {
        display: none;
        overlay: screen;
        constrain: none inside;
        width: auto;
        max-width: 100%;
        margin: 0 2;
        padding: 0;
        border: none;
        background: $panel;
        text-wrap: nowrap;
        text-overflow: ellipsis;
        scrollbar-size-vertical: 1;
        & > .option-list--option { padding: 0 1; }
        & > .option-list--option-highlighted {
            color: $foreground;
            background: $primary 30%;
            text-style: bold;
        }
        & > .option-list--option-hover { background: $primary 15%; }
    }
    """

    def __init__(self, accept: Callable[[Offer], None]) -> None:
        super().__init__(markup=False)
        self._accept = accept
        self._offers: tuple[Offer, ...] = ()
        self.display = False

    @property
    def is_open(self) -> bool:
        """Whether it is to be seen."""
        return self.display

    @property
    def chosen(self) -> Offer | None:
        """The one that is highlighted."""
        return self._offers[self.highlighted] if self.highlighted is not None else None

    @property
    def first(self) -> Offer:
        """The one that is meant where none is highlighted; only while it is open."""
        return self.chosen or self._offers[0]

    def show(self, found: Offers, room: int) -> None:
        """Offer these, none of which closes it. room: the rows above the prompt."""
        height = min(len(found.offers), MOST_ROWS, room)
        if height < 1:
            self.close()
            return
        self._offers = found.offers
        self.set_options(_rows(found.offers))
        self.styles.height = height
        self.styles.offset = (0, -height)
        self.display = True
        self.highlighted = found.chosen
        if found.chosen is None:
            self.scroll_home(animate=False)

    def close(self) -> None:
        """Offer nothing."""
        self.display = False
        self._offers = ()
        self.clear_options()

    def move(self, steps: int) -> None:
        """Highlight the offer so many further down, round and round."""
        count = len(self._offers)
        at = self.highlighted
        if at is None:
            at = -1 if steps > 0 else count
        self.highlighted = (at + steps) % count

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        """Take what is clicked."""
        event.stop()
        if event.option_index < len(self._offers):
            self._accept(self._offers[event.option_index])

    def on_option_list_option_highlighted(self, event: OptionList.OptionHighlighted) -> None:
        """Keep it from whoever owns the screen."""
        event.stop()


def _rows(offers: Sequence[Offer]) -> list[Option]:
    """Make a row of each: its name, and what it is, one below the other."""
    names = [one_line(offer.display) for offer in offers]
    width = min(max(len(name) for name in names), WIDEST_NAME)
    return [
        Option(Content.assemble(name.ljust(width), (f"  {one_line(offer.help)}", "dim")))
        if offer.help
        else Option(Content(name))
        for name, offer in zip(names, offers, strict=True)
    ]
