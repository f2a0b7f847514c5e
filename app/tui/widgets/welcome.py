"""What an empty chat shows: what is loaded, that it is local, what to ask, which keys matter."""

from __future__ import annotations

from dataclasses import dataclass

from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.message import Message
from textual.widgets import OptionList, Static

from app.sizes import size
from app.terminal.sanitise import one_line
from app.tui.keys.keymap import told, way_to
from app.tui.models.model_access import FirstOffer
from app.tui.text.origins import label
from app.tui.widgets.offer_list import OfferList, offered
from engine import Ready

DEMO = "Slipstream demo"
"""The title of the pair that ships, which knows little but Python's library."""
DEMO_EXAMPLES = (
    "What does os.path.join do?",
    "What is in the module bisect?",
    "What can you do?",
)
EXAMPLES = (
    "Why is the sky blue? Answer in three sentences.",
    "Write a Python function that finds palindromes.",
    "What can you help me with?",
)
"""For any other pair."""
KEYS = (
    ("/", "commands"),
    ("{help}", "help"),
    ("{model}", "models"),
    ("{quit}", "quit"),
)


class Welcome(Vertical):
    """The empty chat."""

    DEFAULT_CSS = """
    Welcome {
        height: auto;
        max-width: 76;
        padding: 1 2;
        .welcome--title { text-style: bold; color: $primary; }
        .welcome--about { min-height: 2; margin-bottom: 1; }
        .welcome--offer { display: none; margin-top: 1; }
        .welcome--dim { color: $foreground-muted; }
        OfferList { margin-bottom: 1; }
    }
    """

    @dataclass
    class Chosen(Message):
        """An example was chosen."""

        question: str

    def __init__(self, title: str) -> None:
        super().__init__()
        self._title = one_line(title)

    def compose(self) -> ComposeResult:
        """Lay it out."""
        yield Static(self._title, classes="welcome--title", markup=False)
        yield Static("Loading…", classes="welcome--about", markup=False)
        yield Static("Try one of these: click it, or press Tab and Enter.", classes="welcome--dim")
        yield OfferList(*map(offered, examples(self._title)))
        keys = [Content.assemble((told(self, key), "bold"), f" {what}") for key, what in KEYS]
        yield Static(Content(" · ").join(keys), classes="welcome--dim")
        yield Static(classes="welcome--offer", markup=False)  # last: it comes later, and moves none

    def show_ready(self, ready: Ready) -> None:
        """Say what is loaded."""
        if ready.drafters:
            who = " and ".join(label(name) for name in ready.drafters)
            guess = "guess" if len(ready.drafters) > 1 else "guesses"
            drafting = f"{who} {guess} ahead; the model decides every word."
        else:
            drafting = "Nothing guesses ahead."
        about = (
            f"Runs on this machine alone ({ready.device}, threads: {ready.threads}); "
            f"nothing leaves it.\n{drafting}"
        )
        self.query_one(".welcome--about", Static).update(Content(one_line_each(about)))

    def show_idle(self, why: str) -> None:
        """Say why nothing is loaded."""
        self.query_one(".welcome--about", Static).update(why)

    def show_pair(self, title: str) -> None:
        """Name another pair, which is being loaded."""
        self._title = one_line(title)
        self.query_one(".welcome--title", Static).update(self._title)
        offers = self.query_one(OfferList).set_options(map(offered, examples(self._title)))
        offers.action_first()  # Enter chooses what is marked
        self.query_one(".welcome--offer", Static).display = False
        self.show_idle("Loading…")

    def suggest(self, offer: FirstOffer) -> None:
        """Offer a pair to who has only the demo."""
        known = f" ({size(offer.size)})" if offer.size is not None else ""
        line = self.query_one(".welcome--offer", Static)
        line.update(
            Content.assemble(
                "For real work: ",
                (one_line(offer.name), "bold $accent"),
                f"{known} fits this machine: ★ in ",
                (way_to(self, "model"), "bold"),
                ".",
            )
        )
        line.display = True

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        """Hand the chosen example on."""
        event.stop()
        self.post_message(self.Chosen(examples(self._title)[event.option_index]))


def examples(title: str) -> tuple[str, ...]:
    """Return questions that a pair can answer."""
    return DEMO_EXAMPLES if title == DEMO else EXAMPLES


def one_line_each(text: str) -> str:
    """Sanitise line by line."""
    return "\n".join(one_line(line) for line in text.splitlines())
