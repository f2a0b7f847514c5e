"""Prompts by name in a palette of their own; the one that is chosen goes into the box.

They are found as commands are, by the beginnings of words in their names and in what they are.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from textual.command import DiscoveryHit, Hit, Hits, Provider

from app.paths import Paths
from app.prompts.prompt_library import listed
from app.terminal.sanitise import one_line
from app.tui.background.starting import start
from app.tui.chat_view import ChatView
from app.tui.palettes.entry import Entry


class PromptNames(Provider):
    """The prompts there are."""

    async def discover(self) -> Hits:
        """Offer all."""
        for entry in entries(self.screen):
            yield DiscoveryHit(entry.shown, entry.run, entry.title, entry.about)

    async def search(self, query: str) -> Hits:
        """Offer what is wanted."""
        for entry in entries(self.screen):
            if worth := entry.worth(query):
                yield Hit(worth, entry.shown, entry.run, entry.title, entry.about)


def entries(screen: object) -> Iterator[Entry]:
    """Yield the prompts, where a chat is on the screen."""
    if isinstance(screen, ChatView):
        for name, about in listed(Paths().prompts_dir):
            run = partial(_begin, screen, name)
            yield Entry(one_line(name), one_line(about), run, "prompt")


def _begin(chat: ChatView, name: str) -> None:
    start(chat, chat.action_act, "prompt", name)
