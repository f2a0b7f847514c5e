"""A chat to begin with, as plain Markdown that people write: what a prompt may hold beside a text.

    ## System
    You write release notes.

    ## User
    fix: the list scrolls again

    ## Assistant
    - Long lists can be scrolled again.

    ## User
    {{input}}

The headings are these three, in whatever case, alone in their lines but for a colon or #s, and the
first line that is not blank is one; what stands before it, or without one, is no such chat. The
system prompt comes first and may be missing; questions and answers take turns, and a question that
has no answer, at the end, is for the box. A line of a message that looks like such a heading has a
backslash before it. Pure.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from app.trimmed import trimmed_lines

SYSTEM, USER, ASSISTANT = "System", "User", "Assistant"
HEADING = re.compile(
    rf" {{0,3}}##[ \t]+({SYSTEM}|{USER}|{ASSISTANT})[ \t]*:?[ \t]*#*[ \t]*",
    re.IGNORECASE | re.ASCII,
)
MARKED = re.compile(rf"\\+{HEADING.pattern}", HEADING.flags)


class ExampleError(Exception):
    """A heading stands where it cannot: `str(error)` says which, where, and what to do."""


@dataclass(frozen=True, slots=True)
class ExampleChat:
    """system: "" for none. turns: questions, each with its answer. text: a question without one, ""
    for none.
    """

    system: str = ""
    turns: tuple[tuple[str, str], ...] = ()
    text: str = ""


def parsed(lines: Sequence[str], first: int = 1) -> ExampleChat | None:
    """Return the chat that these lines hold, None if they begin with no heading. first: the number
    of the first line, for what is wrong. Raises ExampleError.
    """
    found = headings(lines)
    if not found or any(line.strip() for line in lines[: found[0][0]]):
        return None
    system, said = "", list[str]()
    ends = [*(at for at, _ in found[1:]), len(lines)]
    for (at, role), end in zip(found, ends, strict=True):
        text = trimmed_lines("\n".join(map(_unmarked, lines[at + 1 : end])))
        if wrong := _wrong(role, text, not (system or said), len(said)):
            raise ExampleError(f"line {first + at}: {wrong}")
        if role == SYSTEM:
            system = text
        else:
            said.append(text)
    last = said.pop() if len(said) % 2 else ""
    return ExampleChat(system, tuple(zip(said[::2], said[1::2], strict=True)), last)


def headings(lines: Sequence[str]) -> list[tuple[int, str]]:
    """Return which lines are headings, each with whose it is."""
    found = ((at, HEADING.fullmatch(line)) for at, line in enumerate(lines))
    return [(at, each[1].capitalize()) for at, each in found if each]


def written(chat: ExampleChat) -> str:
    """Return the Markdown of a chat, which is parsed as the same but for white space around."""
    parts = [(SYSTEM, chat.system)] if chat.system else []
    for question, answer in chat.turns:
        parts += [(USER, question), (ASSISTANT, answer)]
    if chat.text:
        parts.append((USER, chat.text))
    return "\n".join(f"## {role}\n{_marked(trimmed_lines(text))}\n" for role, text in parts)


def _wrong(role: str, text: str, is_first: bool, n_said: int) -> str:
    if role == SYSTEM and not is_first:
        return f"## {SYSTEM} comes first, before every other heading."
    if role == USER and n_said % 2:
        return f"## {USER} follows ## {USER}: an answer, ## {ASSISTANT}, comes between."
    if role == ASSISTANT and n_said % 2 == 0:
        return f"## {ASSISTANT} answers nothing: a question, ## {USER}, comes before it."
    return "" if text else f"## {role} is empty: write its text below it, or take it out."


def _marked(text: str) -> str:
    lines = text.splitlines()
    is_like = (HEADING.fullmatch(line) or MARKED.fullmatch(line) for line in lines)
    return "\n".join("\\" * bool(like) + line for like, line in zip(is_like, lines, strict=True))


def _unmarked(line: str) -> str:
    return line[1:] if MARKED.fullmatch(line) else line
