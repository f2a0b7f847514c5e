"""The command palette: what can be done now, found by whatever a person calls it.

A command is known by its title, its slash command's names and other words; its key is shown. What
is wanted and makes no sense now is said to, and why.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import partial

from textual.command import DiscoveryHit, Hit, Hits, Provider
from textual.content import Content

from app.prompts.slash import SLASHES
from app.terminal.sanitise import one_line
from app.tui.actions import ACTIONS, Action
from app.tui.background.starting import start
from app.tui.chat_view import ChatView
from app.tui.keys.key_name import pretty
from app.tui.keys.keymap import keys_of, told
from app.tui.palettes.entry import WEIGHTS, Entry

ALIASES = {slash.name: slash.aliases for slash in SLASHES}
LEFT_OUT = frozenset({"Keys", "Maximize"})
"""Of Textual's own commands: F1 tells more of the keys than the panel would, and the prompt alone,
the chat hidden, helps nobody.
"""
MAY_BE_TYPED = "Say what you want to do: copy, export, theme, faster, quit… Enter shows all."
NOT_IN_CHAT = "Here are the app's own commands; a chat's are in the chat, behind Esc."


class Commands(Provider):
    """The actions of a chat, where one is on the screen, and the app's own commands."""

    async def discover(self) -> Hits:
        """Offer all, by their titles."""
        for entry in sorted(self._entries(), key=lambda entry: entry.title):
            yield DiscoveryHit(entry.shown, entry.run, entry.title, entry.about)

    async def search(self, query: str) -> Hits:
        """Offer what is wanted; where that is nothing, say so, and what may be typed."""
        from app.tui.palettes.prompt_names import entries

        prompts = (replace(each, title=f"Prompt: {each.title}") for each in entries(self.screen))
        found = [(entry.worth(query), entry) for entry in (*self._entries(), *prompts)]
        best = max((worth for worth, _ in found), default=0.0)
        least = max(best, WEIGHTS[-1]) if best else 0.0
        for worth, entry in self._not_now(query):
            if worth > least:
                found.append((worth, entry))
        for worth, entry in found:
            if worth > 0:
                yield Hit(worth, entry.shown, entry.run, entry.title, entry.about)
        if not any(worth for worth, _ in found):
            nothing = Content(f"Nothing is called “{one_line(query, 40)}”")
            help = MAY_BE_TYPED if isinstance(self.screen, ChatView) else NOT_IN_CHAT
            yield Hit(1.0, nothing, self.app.action_command_palette, nothing.plain, help)

    def _not_now(self, query: str) -> Iterator[tuple[float, Entry]]:
        """Yield what makes no sense in the chat now, with the reason."""
        chat = self.screen
        for action in ACTIONS.values():
            if isinstance(chat, ChatView) and not action.makes_sense(chat):
                entry = _entry(chat, action)
                why = told(chat, action.why_not(chat))
                yield entry.worth(query), replace(entry, about=why, is_now=False)

    def _entries(self) -> Iterable[Entry]:
        chat = self.screen
        own = list(offered(chat)) if isinstance(chat, ChatView) else []
        titles = {entry.title for entry in own}
        yield from own
        for title, about, run, _ in self.app.get_system_commands(self.screen):
            if title not in titles and title not in LEFT_OUT:
                yield Entry(title, about, run)


def offered(chat: ChatView) -> Iterator[Entry]:
    """Yield what makes sense in a chat now."""
    for action in ACTIONS.values():
        if action.makes_sense(chat):
            entry = _entry(chat, action)
            yield replace(entry, title=action.now(chat)) if action.now is not None else entry


def _entry(chat: ChatView, action: Action[ChatView]) -> Entry:
    about = action.about[:1].upper() + action.about[1:]
    keys = keys_of(chat).of_action(action)
    return Entry(
        action.title,
        "" if about == action.title else about,
        partial(_begin, chat, action),
        " ".join((action.name, *ALIASES.get(action.name, ()), action.also)),
        pretty(keys[0]) if keys else "",
    )


def _begin(chat: ChatView, action: Action[ChatView]) -> None:
    """Begin an action: nobody awaits a command of the palette."""
    start(chat, chat.action_act, action.name)
