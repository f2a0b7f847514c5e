"""The list over the prompt of how what is typed may go on: commands, earlier prompts, files.

It is an overlay that ends where the prompt begins, so it covers nothing of what is typed; it has no
focus of its own. All that it shows of file names and values is sanitised.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TypeAlias

from textual.content import Content
from textual.message import Message
from textual.widgets import OptionList
from textual.widgets.option_list import Option

from app.files import mentions
from app.prompts import slash
from app.prompts.prompt_history import PromptHistory
from app.terminal.sanitise import one_line
from app.tui.background.overtaking import overtake
from app.tui.background.threads import in_thread
from app.tui.failures import error_line
from app.tui.prompting.completing import Offer, Offers, commands, files, recalled

MOST_ROWS = 8
WIDEST_NAME = 36
NO_CHOICES: Mapping[str, slash.Choices] = {}

Place: TypeAlias = tuple[str, int | None]
"""A text and where the cursor is in it; None: something is selected."""


class Completions(OptionList, can_focus=False):
    """The list over the prompt. accept: called with the offer that is taken.

    choices: what may follow the slash commands, by their names. base: where relative files are.
    past: the earlier prompts.
    """

    DEFAULT_CSS = """
    Completions {
        display: none;
        overlay: screen;
        constrain: none inside;
        width: 100%;
        padding: 0 1;
        border: none;
        background: $panel;
        text-wrap: nowrap;
        text-overflow: ellipsis;
        scrollbar-size-vertical: 1;
        & > .option-list--option { padding: 0 1; }
        & > .option-list--option-highlighted {
            color: $block-cursor-foreground;
            background: $block-cursor-background;
            text-style: bold;
        }
    }
    """

    class Turned(Message):
        """Something else is offered, or highlighted, or nothing any more."""

    def __init__(
        self,
        accept: Callable[[Offer], None],
        choices: Mapping[str, slash.Choices],
        base: Path,
        past: PromptHistory,
    ) -> None:
        super().__init__(markup=False)
        self._accept, self._past = accept, past
        self._choices, self._base = choices, base
        self._offers: tuple[Offer, ...] = ()
        self._place: Place = ("", 0)
        self._offered_at: Place = ("", 0)
        self._settled = ""
        self.display = False

    @property
    def is_open(self) -> bool:
        """Whether it is to be seen."""
        return self.display

    @property
    def is_recalling(self) -> bool:
        """Whether it offers earlier prompts."""
        return any(offer.past for offer in self._offers)

    @property
    def is_taken_by_enter(self) -> bool:
        """Whether Enter puts what is highlighted in, and does nothing else."""
        at = self.highlighted
        return self.is_open and at is not None and self._changes(self._offers[at])

    def look(self, text: str, cursor: int | None, room: int) -> None:
        """Offer how a text goes on at the cursor. None: nowhere; room: rows above the prompt."""
        if (text, cursor) == self._place:
            return
        self._place = (text, cursor)
        if cursor is None or text == self._settled:
            self._close()
            return
        self._settled = ""
        earlier = recalled(text, cursor, self._past)
        found = earlier if earlier.offers else commands(text, cursor, self._choices)
        mention = None if found.offers else mentions.being_typed(text, cursor)
        if mention is None:
            self._offer(found, room)
        else:
            overtake(self, self._look_for_files, mention, room, group="files")

    def settle(self, text: str) -> None:
        """Offer nothing for this text, until another is typed."""
        self._settled = text
        self._close()

    def takes(self, key: str, text: str) -> bool:
        """Do what a key means here, and tell whether it means anything. text: what is typed by now.

        An offer for a text that has changed since is not taken: the next ones are on their way.
        """
        if not self.is_open:
            return False
        is_old = self._offered_at != self._place or text != self._place[0]
        chosen = self._offers[self.highlighted] if self.highlighted is not None else None
        match key:
            case "up" | "down":
                self._move(1 if key == "down" else -1)
            case "tab" if is_old:
                pass
            case "tab":
                self._take(chosen or self._offers[0])
            case "enter" if chosen is not None and not is_old and self._changes(chosen):
                self._take(chosen)
            case "delete" if chosen is not None and chosen.past:
                self._forget(chosen)
            case "escape":
                self.settle(self._place[0])
            case _:
                return False
        return True

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        """Take what is clicked."""
        event.stop()
        if self.is_open and self._offered_at == self._place:
            self._take(self._offers[event.option_index])

    def on_option_list_option_highlighted(self, event: OptionList.OptionHighlighted) -> None:
        """Keep it from whoever owns the screen."""
        event.stop()

    async def _look_for_files(self, mention: mentions.Mention, room: int) -> None:
        place, base = self._place, self._base
        found = await in_thread(lambda: files(mention, base))
        if place == self._place and place[0] != self._settled:
            self._offer(found, room)

    def _offer(self, found: Offers, room: int) -> None:
        self._offered_at = self._place
        height = min(len(found.offers), MOST_ROWS, room)
        if height < 1:
            self._close()
            return
        self._offers = found.offers
        self.set_options(_rows(found.offers))
        self.styles.height = height
        self.styles.offset = (0, -height)
        self.display = True
        self.highlighted = found.chosen
        if found.chosen is None:
            self.scroll_home(animate=False)
        self.post_message(self.Turned())

    def _changes(self, offer: Offer) -> bool:
        """Whether an offer is more than what stands there; a command may be in any case."""
        typed, wanted = self._place[0][offer.start : offer.end].rstrip(), offer.insert.rstrip()
        return typed != wanted if offer.is_file else typed.casefold() != wanted.casefold()

    def _take(self, offer: Offer) -> None:
        """Hand an offer over, and offer nothing for what comes of it unless it goes on."""
        text = self._place[0]
        goes_to = text[: offer.start] + offer.insert + text[offer.end :]
        self.settle("" if offer.goes_on else goes_to)
        self._accept(offer)

    def _forget(self, offer: Offer) -> None:
        """Forget an earlier prompt, and choose the next older one."""
        try:
            self._past.forget(offer.past)
        except OSError as error:
            why = f"It could not be taken out of the file: {error_line(error)}"
            self.app.notify(why, severity="error", markup=False)
        at, text = self.highlighted or 0, self._place[0]
        left = recalled(text, len(text), self._past)
        self._offer(left, self.size.height)
        if left.offers:
            self.highlighted = min(at, len(left.offers) - 1)

    def _close(self) -> None:
        if self.is_open:
            self.display = False
            self._offers = ()
            self.clear_options()
            self.post_message(self.Turned())

    def _move(self, steps: int) -> None:
        """Highlight the offer so many further down, round and round."""
        outside = -1 if steps > 0 else len(self._offers)
        at = outside if self.highlighted is None else self.highlighted
        self.highlighted = (at + steps) % len(self._offers)
        self.post_message(self.Turned())


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
