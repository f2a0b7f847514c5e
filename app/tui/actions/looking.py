"""What is seen: colours of guessed words, the inspector, light and dark."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from app.errors import AppError
from app.prompts.slash import SlashError
from app.terminal.sanitise import one_line
from app.tui.actions import Action, not_now
from app.tui.asked import has_question, has_turn
from app.tui.keys.keymap import told

if TYPE_CHECKING:
    from app.tui.chat_view import ChatView
    from app.tui.widgets.turn_view import TurnView

ORDER = 3
NOT_THE_MODELS = {"edited": "You wrote this answer", "given": "A prompt gave this answer"}
"""Who else wrote an answer, by the reason why it ended."""
NO_THOUGHTS = "Nothing was thought before this answer."


def xray(chat: ChatView, _: str) -> None:
    """Colour the words by who proposed them, or stop colouring."""
    from app.tui.figures.legend import HIDDEN, SHOWN

    chat.guesses = not chat.guesses
    chat.say(told(chat, SHOWN) if chat.guesses else HIDDEN)


def theme(chat: ChatView, name: str) -> None:
    """Change the colours for good, or show what there is to choose."""
    from app.tui.preferences.theme_choice import ThemePalette

    if not name:
        chat.app.push_screen(ThemePalette())
    elif name.lower() in chat.app.available_themes:
        chat.app.theme = name.lower()
    else:
        raise SlashError(f"There is no theme {one_line(name, 40)!r}; /theme shows them.")


def themes(chat: ChatView, _: str) -> Iterable[tuple[str, str]]:
    """Offer all themes."""
    from app.tui.preferences.themes import ABOUT, names

    return [(name, ABOUT.get(name, "")) for name in names(chat.app)]


async def light(chat: ChatView, _: str) -> None:
    """Change between the light and the dark theme, as everywhere in the app."""
    await chat.app.run_action("light")


def inspect(chat: ChatView, _: str) -> None:
    """Step through an answer: what was drafted, what was accepted, what it cost."""
    from app.chat.summary import NOTHING
    from app.tui.screens.inspector import Inspector

    turn, recorder = chat.asking.meant(), chat.asking.recorder
    steps = turn.steps if recorder is None else recorder.steps(turn)
    if not steps and turn.reason in NOT_THE_MODELS:
        raise AppError(f"{NOT_THE_MODELS[turn.reason]}: it has no steps to look at.")
    is_of_figures = turn.stats is not None and turn.stats == chat.figures.stats
    nothing = chat.figures.nothing if is_of_figures else NOTHING
    chat.app.push_screen(Inspector(steps, turn.question, nothing))


def thinking(chat: ChatView, _: str) -> None:
    """Open or close what the model thought before it answered."""
    view = _meant(chat)
    if view is not None:
        view.toggle_thinking()


def has_thoughts(chat: ChatView) -> bool:
    """Whether anything was thought before the answer that is meant."""
    view = _meant(chat)
    return view is not None and view.has_thoughts


def no_thoughts(chat: ChatView) -> str:
    """Say why none are shown."""
    return NO_THOUGHTS if has_question(chat) else not_now(chat)


def _meant(chat: ChatView) -> TurnView | None:
    """Return the chosen turn, or the last one."""
    return chat.talk.transcript.selected or chat.talk.transcript.last_turn


def can_inspect(chat: ChatView) -> bool:
    return chat.session.is_idle and has_turn(chat)


ACTIONS = (
    Action(
        "inspect",
        "Why so fast",
        inspect,
        "see step by step what was guessed, what was right, and the time that saved",
        ("ctrl+x",),
        True,
        can_inspect,
        also="inspect inspector speed slow trace tokens x-ray",
    ),
    Action(
        "xray",
        "Colours",
        xray,
        "colours on or off: each word by who guessed it, which makes it fast",
        ("ctrl+g",),
        True,
        also="colors x-ray background highlight speed why",
    ),
    Action(
        "thinking",
        "Thinking",
        thinking,
        "show what the model thought",
        ("alt+t",),
        makes_sense=has_thoughts,
        why_not=no_thoughts,
    ),
    Action("theme", "Theme", theme, choices=themes, also="colors look"),
    Action(
        "light", "Light or dark", light, "change between light and dark", ("ctrl+t",), also="mode"
    ),
)
