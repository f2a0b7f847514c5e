"""Prompts by name: some that ship, and the person's own, one file each in the folder `prompts`.

    # What a release changes            the very first line, if it is a heading: said where prompts
    Write release notes in plain        are chosen, and not sent
    English from these commits:

    {{input}}                           what is typed behind the name; without this, it goes below

A prompt may also be a chat to begin with (app/chat/example_chat.py): its last question is the text
then.

A file's name without .md or .txt is the prompt's, in whatever case; one of ours is replaced by an
own one of its name. Files are read when they are used, so a change holds at once. What they hold is
not harmless to a screen.
"""

from __future__ import annotations

import os
import re
import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from app.chat.example_chat import HEADING, ExampleChat, ExampleError, headings, parsed, written
from app.errors import SettingsError, reason
from app.private_file import write_new
from app.short_text import check_short, read_short
from app.terminal.sanitise import one_line
from app.trimmed import trimmed_lines

INPUT = "{{input}}"
ENDINGS = (".md", ".txt")
LIMIT_BYTES, CHAT_LIMIT_BYTES = 20_000, 200_000
"""What a text for the box, and a file that holds a chat, may have."""
MOST_FILES = 500
"""Of a folder that holds something else, too, the first entries are looked at."""
NO_CHAT = " (a text, no chat: something stands before its first heading)"

LONGEST_NAME = 40
_NAME = re.compile(r"\w[\w.+-]*")


@dataclass(frozen=True, slots=True)
class Prompt:
    """text: with INPUT where what is typed belongs, if that is not the end. about: one line.
    system, turns: of the chat to begin with, "" and none where it is a text alone.
    """

    text: str
    about: str = ""
    system: str = ""
    turns: tuple[tuple[str, str], ...] = ()

    @property
    def begins_chat(self) -> bool:
        """Whether there is more to it than a text."""
        return bool(self.system or self.turns)

    def filled(self, typed: str) -> str:
        """Return the text with what is typed."""
        if INPUT in self.text:
            return self.text.replace(INPUT, typed)
        return "\n\n".join(part for part in (self.text, typed) if part)


BUILT_IN: Mapping[str, Prompt] = {
    "explain": Prompt(
        "Explain this to somebody who is new to it: first what it is for, in one sentence, then "
        "how it works, step by step. Say what is surprising or easy to get wrong.",
        "what something is for, and how it works",
    ),
    "improve": Prompt(
        "Improve this text: mend mistakes, shorten what is long, make plain what is unclear. Keep "
        "its meaning, tone, language and formatting. Answer with the improved text alone.",
        "a text, corrected and clearer",
    ),
    "summarise": Prompt(
        "Summarise this in at most five short points, the most important first, in the language it "
        "is written in. Keep names and numbers as they are, and add nothing.",
        "at most five short points",
    ),
    "translate": Prompt(
        "Translate into English, or into the language that is named first. Keep tone, formatting, "
        "code and names as they are. Answer with the translation alone.",
        "into English, or another language named first",
    ),
}


def listed(folder: Path) -> list[tuple[str, str]]:
    """Return the names, sorted, and what each is; of a file that cannot be used, why."""
    found = [(name, _about(path)) for name, path in _own(folder).items()]
    own = {_key(name) for name, _ in found}
    found += [(name, ours.about) for name, ours in BUILT_IN.items() if _key(name) not in own]
    return sorted(found, key=lambda each: _key(each[0]))


def load(folder: Path, name: str) -> Prompt:
    """Return the prompt of a name, read now. Raises SettingsError."""
    own = _own(folder)
    path = own.get(name) or _by_key(own).get(_key(name))
    if path is not None:
        return _read(path)
    if _key(name) in BUILT_IN:
        return BUILT_IN[_key(name)]
    there = one_line(", ".join(sorted({*own, *BUILT_IN}, key=_key)), 300)
    raise SettingsError(f"There is no prompt {one_line(name, 40)!r}; there are {there}.")


def asked(folder: Path, typed: str) -> tuple[Prompt, str]:
    """Return the prompt that a text begins with the name of, and what is typed behind that.

    Names may hold spaces; the longest that fits is meant. Raises SettingsError.
    """
    name, _, behind = typed.partition(" ")
    for known in sorted({*_own(folder), *BUILT_IN}, key=len, reverse=True):
        rest = typed[len(known) :]
        if _key(typed[: len(known)]) == _key(known) and (not rest or rest[0].isspace()):
            name, behind = known, rest
            break
    return load(folder, name), trimmed_lines(behind.lstrip(" \t"))


def save(folder: Path, name: str, text: str) -> Path:
    """Keep a text as a prompt and return its file. Raises SettingsError, also if there is one."""
    if not text.strip():
        _check_name(name)
        raise SettingsError(f"There is nothing to keep as {name}: type the prompt behind its name.")
    return _keep(folder, name, _content(text), LIMIT_BYTES)


def save_chat(folder: Path, name: str, chat: ExampleChat, about: str) -> Path:
    """Keep a chat to begin with, and return its file. Raises as `save`."""
    _check_input(f"The prompt {name}", chat)
    heading = f"# {one_line(about, 120)}\n\n" if about.strip() else "\n"
    return _keep(folder, name, heading + written(chat), CHAT_LIMIT_BYTES)


def _check_name(name: str) -> None:
    if len(name) > LONGEST_NAME or _NAME.fullmatch(name) is None:
        wanted = f"one word of at most {LONGEST_NAME} letters, digits and .+-_"
        raise SettingsError(f"A prompt's name is {wanted}; found {one_line(name, 60)!r}.")


def _keep(folder: Path, name: str, text: str, limit_bytes: int) -> Path:
    """Write a new prompt's file and return it."""
    _check_name(name)
    path = folder / f"{name}{ENDINGS[0]}"
    path = _by_key(_own(folder)).get(_key(name), path)
    try:
        content = text.encode()
        check_short(f"The prompt {name}", len(content), limit_bytes)
        write_new(path, content)
    except FileExistsError:
        if not folder.is_dir():
            raise SettingsError(f"Cannot write {path}: {folder} is no folder.") from None
        what = f"There is a prompt {name} already: give another name, or change {path}."
        raise SettingsError(what) from None
    except (OSError, ValueError) as error:
        raise SettingsError(f"Cannot write {path}: {reason(error)}.") from None
    return path


def _content(text: str) -> str:
    """Return the file of a text: a heading in its first line is not to be taken for `about`, or for
    one of a chat.
    """
    text = trimmed_lines(text)
    if HEADING.fullmatch(text.splitlines()[0]):
        return "\n" + written(ExampleChat(text=text))
    return "\n" * text.startswith("#") + text + "\n"


def _own(folder: Path) -> dict[str, Path]:
    """Return the person's own by their names, which can be typed and shown; .md before .txt.

    Some systems write é as two characters.
    """
    found: dict[str, Path] = {}
    try:
        with os.scandir(folder) as entries:
            paths = sorted(Path(each.path) for each in islice(entries, MOST_FILES))
    except (OSError, ValueError):
        return {}
    for path in paths:
        name = unicodedata.normalize("NFC", path.stem)
        is_plain = one_line(name, LONGEST_NAME) == name and not name.startswith(".")
        if path.suffix.lower() in ENDINGS and is_plain:
            found.setdefault(name, path)
    return found


def _by_key(own: Mapping[str, Path]) -> dict[str, Path]:
    return {_key(name): path for name, path in own.items()}


def _key(name: str) -> str:
    return unicodedata.normalize("NFC", name).casefold()


def _about(path: Path) -> str:
    try:
        found = _read(path)
        return f"begins a chat: {found.about}" if found.begins_chat else found.about
    except SettingsError as error:
        return str(error).replace(str(path), path.name)


def _read(path: Path) -> Prompt:
    """Read a prompt. Raises SettingsError."""
    try:
        text = read_short(path, CHAT_LIMIT_BYTES, "a prompt is a text file")
    except FileNotFoundError as error:
        raise SettingsError(f"Cannot read {path}: {reason(error)}.") from None
    found = _parsed(text.splitlines(), path)
    if not found.begins_chat:
        check_short(str(path), len(text.encode()), LIMIT_BYTES)
    return found


def _parsed(lines: Iterable[str], path: Path) -> Prompt:
    first, *rest = [*lines, ""]
    heading = re.fullmatch(r"#\s+(\S.*)", first)
    body = rest if heading else [first, *rest]
    try:
        chat = parsed(body, 2 if heading else 1)
    except ExampleError as error:
        raise SettingsError(f"{path}, {error}") from None
    note = NO_CHAT if chat is None and headings(body) else ""
    chat = chat or ExampleChat(text=trimmed_lines("\n".join(body)))
    _check_input(str(path), chat)
    said = chat.text or (chat.turns[0][0] if chat.turns else chat.system)
    if not said:
        raise SettingsError(f"{path} is empty: write the prompt into it.")
    about = one_line(heading[1] if heading else said.splitlines()[0], 120)
    return Prompt(chat.text, about + note, chat.system, chat.turns)


def _check_input(what: str, chat: ExampleChat) -> None:
    """Raise SettingsError where INPUT would be sent as it stands."""
    if INPUT in "".join((chat.system, *map("".join, chat.turns))):
        raise SettingsError(f"{what}: {INPUT} belongs in the last question alone.")
