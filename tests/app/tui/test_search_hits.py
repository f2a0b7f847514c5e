"""A chat that a search found opens at what was found; /search WORDS searches at once."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from textual.widget import Widget

from app.history import Outcome
from app.tui.screens.chats import ChatsScreen
from app.tui.widgets.filling import AT_ONCE, UNASKED
from app.tui.widgets.reaching import MARKED_S, Reaching
from app.tui.widgets.search import Search
from tests.app.tui.branching import answers, check, play, talk
from tests.app.tui.driving import SIZES, Chat
from tests.app.tui.fakes import Answer, words

LONG = "\n\n".join(f"Paragraph {n} of much text." for n in range(90))
HIT = "\n\n".join([LONG, "Here is the needle at last.", LONG])
at_both_sizes = pytest.mark.parametrize("size", SIZES, ids=["80x24", "160x50"])


async def search(chat: Chat, typed: str) -> ChatsScreen:
    await chat.ask(typed)
    await chat.until(lambda: isinstance(chat.app.screen, ChatsScreen))
    screen = chat.app.screen
    assert isinstance(screen, ChatsScreen)
    return screen


async def open_first(chat: Chat, screen: ChatsScreen, words: str) -> None:
    browser = screen.query_one("ChatBrowser")
    await chat.until(
        lambda: browser._found is not None and browser._found.words == words  # type: ignore[attr-defined]
    )
    await chat.pilot.press("enter")
    await chat.until(lambda: chat.is_on_top)


def marked(chat: Chat) -> list[Widget]:
    return list(chat.screen.query(".-found"))


@at_both_sizes
def test_words_behind_the_command_are_searched_at_once(
    tmp_path: Path, size: tuple[int, int]
) -> None:
    async def scenario(chat: Chat) -> None:
        await talk(chat, "about needles")
        await chat.pilot.press("ctrl+n")
        await chat.until(lambda: not chat.turns)
        await chat.ask("about hay")
        await chat.answered(1)
        screen = await search(chat, "/search needles")
        assert screen.query_one(Search).value == "needles"
        await chat.until(lambda: chat.shows("1 found"))
        assert chat.shows("about needles") and not chat.shows("about hay")
        await chat.pilot.press("x")
        await chat.until(lambda: chat.shows("0 found")), "what is typed then goes on behind it"

    play(tmp_path, scenario, size=size)


@at_both_sizes
def test_a_hit_opens_at_the_place_that_was_found(
    tmp_path: Path, size: tuple[int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    ends: list[Callable[[], object]] = []  # of marks: a slow machine may let one pass unseen
    set_timer = Reaching.set_timer

    def held(pump: Reaching, delay: float, callback: Callable[[], object]) -> object:
        return ends.append(callback) if delay == MARKED_S else set_timer(pump, delay, callback)

    monkeypatch.setattr(Reaching, "set_timer", held)

    async def scenario(chat: Chat) -> None:
        await talk(chat, "first", "second", "third")
        screen = await search(chat, "/search needle")
        await open_first(chat, screen, "needle")
        await chat.until(lambda: len(chat.turns) == 3 and all(view.over for view in chat.turns))
        await chat.until(lambda: chat.shows("Here is the needle at last.") and bool(marked(chat)))
        assert chat.transcript.selected is None, "keys go on meaning the last turn"
        check(chat)
        for end in ends:
            end()
        assert not marked(chat)

    answers = (Answer(words("No.")), Answer(words(HIT)), Answer(words(LONG)))
    play(tmp_path, scenario, *answers, size=size)


def test_a_hit_on_another_branch_shows_that_branch(tmp_path: Path) -> None:
    async def scenario(chat: Chat) -> None:
        await talk(chat, "with a needle", "below")
        await chat.pilot.press("alt+up", "alt+up", "ctrl+e")
        chat.prompt.text = "with hay"
        await chat.pilot.press("enter")
        await chat.answered(1)
        assert answers(chat) == ["2"]
        screen = await search(chat, "/search needle")
        await open_first(chat, screen, "needle")
        await chat.until(lambda: answers(chat) == ["0", "1"])
        await chat.until(lambda: bool(marked(chat)))
        assert marked(chat)[0].parent is chat.turns[0]
        recorder, history = chat.screen.asking.recorder, chat.screen.history
        assert recorder is not None and recorder.chat is not None
        assert history is not None and history.flush()
        shown = [message.content for message in history.chat(recorder.chat).path()]
        assert shown[0] == "with a needle", "it is the shown branch from now on"
        check(chat)

    play(tmp_path, scenario)


def test_a_hit_in_a_turn_that_is_not_made_has_that_made(tmp_path: Path) -> None:
    n = UNASKED + 3 * AT_ONCE

    async def scenario(chat: Chat) -> None:
        await chat.ready()
        history, last = chat.screen.history, None
        assert history is not None
        number = history.new_chat()
        for at in range(n):
            last = history.add(number, last, "user", f"question {at}")
            last = history.add(number, last, "assistant")
            history.finish(last, HIT if at == 1 else "No.", Outcome("stop"))
        screen = await search(chat, "/search needle")
        await open_first(chat, screen, "needle")
        await chat.until(lambda: chat.shows("Here is the needle at last.") and bool(marked(chat)))
        assert len(chat.transcript.turns) == n and chat.transcript.turns[1].over
        await chat.until(lambda: not marked(chat))

    play(tmp_path, scenario)
