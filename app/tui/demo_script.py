"""Replays keys from a file in the real chat: for recordings, and for pictures of it.

A demo script is plain text, one instruction a line; blank lines and lines that begin with # count
for nothing. There are these:

    wait ready                    until the model is loaded
    type What is a hash table?    type this, about as fast and as evenly as a person
    speed 16                      type about so many characters a second from here on
    key enter                     press a key: enter, f3, ctrl+o, alt+left, …
    wait answer                   until the answers that were asked for have ended
    see Inspector                 until these words are on the screen, white space aside
    pause 1.5                     do nothing for so many seconds
    picture chat.svg              write what is on the screen to a file

Behind the last line the chat is the person's; `key ctrl+q` as the last line ends it. The same
script types in the same rhythm each time. It presses keys and looks: nothing else of the chat is
touched.
"""

from __future__ import annotations

import asyncio
import html
import math
import re
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any

from app.errors import AppError, SettingsError
from app.short_text import read_short

if TYPE_CHECKING:
    from textual.app import App
    from textual.events import Key
    from textual.pilot import Pilot

    from app.chat.conversation import Turn
    from app.tui.screens.chat import ChatScreen

LIMIT_BYTES = 2**20
SPEED = 16.0
FASTEST = 1000.0
LONGEST_PAUSE_S = 3600.0
AFTER_KEY_S = 0.3
"""What a key does is on the screen by then."""
POLL_S = 0.1
QUIET_S = 1.0
"""A question that is not asked by then will not be."""
LONGEST_WAIT_S = 600.0
UNEVEN = (0.5, 1.5)
LINGERS = {" ": 1.3, ",": 2.0, ".": 3.0, "?": 3.0, "!": 3.0}
"""How much longer a person takes behind these."""
MODIFIERS = {"ctrl", "alt", "shift", "meta", "super", "hyper"}
CHARACTERS = {"space": " ", "enter": "\r", "tab": "\t"}

Nap = Callable[[float], Awaitable[object]]


@dataclass(frozen=True, slots=True)
class Instruction:
    """One line. place: file and line, for messages; rest: what stands behind the word, checked."""

    place: str
    word: str
    rest: str


def read(path: Path) -> list[Instruction]:
    """Return a file's instructions. Raises SettingsError, which names the first wrong line."""
    try:
        text = read_short(path, LIMIT_BYTES, "a demo script is a text file")
    except FileNotFoundError:
        raise SettingsError(f"--demo-script: there is no file {path}; check the path.") from None
    lines = [(n, line.strip()) for n, line in enumerate(text.split("\n"), 1)]
    return [_instruction(f"{path}:{n}", line) for n, line in lines if line and line[0] != "#"]


def _instruction(place: str, line: str) -> Instruction:
    word, _, rest = line.partition(" ")
    if word not in WANTED:
        raise SettingsError(f"{place}: no instruction {word!r}; there are {', '.join(WANTED)}.")
    is_right, wanted = WANTED[word]
    rest = rest.strip()
    if not is_right(rest):
        raise SettingsError(f"{place}: {word} takes {wanted}, found {rest!r}.")
    return Instruction(place, word, rest)


def _is_key(name: str) -> bool:
    from textual.keys import Keys

    *modifiers, key = name.split("+") if name != "+" else [name]
    is_character = len(key) == 1 and (key.isalnum() or (not modifiers and key.isprintable()))
    is_named = key in {known.value for known in Keys} | CHARACTERS.keys()
    return set(modifiers) <= MODIFIERS and (is_character or is_named)


def _is_number(text: str, most: float) -> bool:
    try:
        number = float(text)
    except ValueError:
        return False
    return math.isfinite(number) and 0 <= number <= most


WANTED: dict[str, tuple[Callable[[str], bool], str]] = {
    "type": (bool, "what to type"),
    "key": (_is_key, "a key, such as enter, f3 or ctrl+o"),
    "wait": (lambda what: what in ("ready", "answer"), "ready or answer"),
    "see": (bool, "the words to wait for"),
    "pause": (lambda text: _is_number(text, LONGEST_PAUSE_S), "seconds, an hour at most"),
    "speed": (
        lambda text: _is_number(text, FASTEST) and float(text) >= 1,
        f"characters a second, from 1 to {FASTEST:.0f}",
    ),
    "picture": (lambda name: name.endswith(".svg"), "a file's name that ends in .svg"),
}
"""Each instruction: what is right behind it, and how to say so."""


class Player:
    """Plays a script once. folder: where pictures go; nap: waits so many seconds."""

    def __init__(
        self, script: list[Instruction], folder: Path = Path(), nap: Nap = asyncio.sleep
    ) -> None:
        self._script, self._folder, self._nap = script, folder, nap
        self._speed = SPEED
        self._rhythm = Random(0)
        self._before: Turn | None = None

    async def play(self, pilot: Pilot[Any]) -> None:
        """Play it in the pilot's app until its end, or until the app is left.

        Raises AppError for a wait that does not end.
        """
        from textual.worker import WorkerCancelled, WorkerFailed

        worker = pilot.app.run_worker(self._follow(pilot.app), exit_on_error=False)
        try:
            await worker.wait()
        except WorkerCancelled:
            return
        except WorkerFailed as failure:
            raise failure.error from None

    async def _follow(self, app: App[Any]) -> None:
        from app.tui.app import SlipstreamApp

        for instruction in self._script:
            await _until(instruction, lambda: isinstance(app, SlipstreamApp) and app.is_open)
            await self._do(app, instruction)

    async def _do(self, app: App[Any], one: Instruction) -> None:
        match one.word:
            case "type":
                await self._type(app, one.rest)
            case "key":
                await self._press(app, one.rest)
            case "wait" if one.rest == "ready":
                await _until(one, lambda: _chat(app).state == "ready")
            case "wait":
                await self._answered(app, one)
            case "see":
                words = "".join(one.rest.split())
                await _until(one, lambda: words in _seen(app))
            case "pause":
                await self._nap(float(one.rest))
            case "speed":
                self._speed = float(one.rest)
            case "picture":
                await self._nap(AFTER_KEY_S)
                picture = app.export_screenshot(title=app.title, simplify=True)
                (self._folder / one.rest).write_text(picture, "utf-8")

    async def _type(self, app: App[Any], text: str) -> None:
        for character in text:
            app.post_message(_key(character))
            pace = self._rhythm.uniform(*UNEVEN) / self._speed
            await self._nap(pace * LINGERS.get(character, 1.0))

    async def _press(self, app: App[Any], key: str) -> None:
        self._before = _chat(app).session.conversation.current
        app.post_message(_key(key))
        await self._nap(AFTER_KEY_S)

    async def _answered(self, app: App[Any], one: Instruction) -> None:
        """Wait until nothing is asked or answered; right behind a key, the question may be on its
        way still.
        """
        session = _chat(app).session
        quiet_s = 0.0

        def is_over() -> bool:
            nonlocal quiet_s
            is_quiet = session.state == "ready" and session.is_idle
            quiet_s = quiet_s + POLL_S if is_quiet else 0.0
            is_new = session.conversation.current is not self._before
            return is_quiet and (is_new or quiet_s > QUIET_S)

        await _until(one, is_over)
        await self._nap(AFTER_KEY_S)


async def _until(one: Instruction, is_so: Callable[[], bool]) -> None:
    try:
        async with asyncio.timeout(LONGEST_WAIT_S):
            while not is_so():
                await asyncio.sleep(POLL_S)
    except TimeoutError:
        about = f"{one.word} {one.rest}"
        raise AppError(f"{one.place}: '{about}' waited {LONGEST_WAIT_S:.0f} s in vain.") from None


def _chat(app: App[Any]) -> ChatScreen:
    """Return the chat, also where another screen lies over it."""
    from app.tui.screens.chat import ChatScreen

    return next(screen for screen in app.screen_stack if isinstance(screen, ChatScreen))


def _seen(app: App[Any]) -> str:
    """Return what is on the screen without its white space, which a picture leaves out in part."""
    pieces = re.findall(r"<text [^>]*>([^<]*)</text>", app.export_screenshot())
    return "".join(html.unescape("".join(pieces)).split())


def _key(name: str) -> Key:
    """Return the event that a terminal's driver makes of a key."""
    from textual.events import Key
    from textual.keys import _character_to_key

    if len(name) == 1:
        return Key(_character_to_key(name), name)
    return Key(name, CHARACTERS.get(name))
