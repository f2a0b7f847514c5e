"""Files named in a message: `@notes.txt`, `@~/x.md` or `@"with spaces.md"`.

A mention stands at the beginning of a word, outside code and outside quoted lines (`> …`). One that
may as well be a handle, a decorator or a package (`@alice`, `@types/node`) is uncertain: it counts
only if there is such a file. One that can only be a file is certain: quoted, `@./x`, `@/x`, `@~/x`,
or with the ending of a text file, a PDF or a picture. What is in the files: attachments.py.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from app.files.attachable import ending
from app.files.pictures import ENDINGS, OTHER_ENDINGS
from app.terminal.sanitise import sanitise

MOST_SCANNED = 5_000
MOST_OFFERED = 50
_ENDINGS = """
adoc bash bat c cc cfg clj conf cpp cs css csv cu diff env erl ex f90 fish go graphql h
hpp hs html ini ipynb java jl js json jsonl jsx kt kts less lock log lua m md mdx mjs ml
nix org patch php pl proto ps1 py pyi r rb rs rst sass scala scss sh sql srt svg swift tcl
tex tf toml ts tsv tsx txt vim vtt vue xml yaml yml zig zsh
"""
TEXT_ENDINGS = frozenset(_ENDINGS.split())
FILE_ENDINGS = TEXT_ENDINGS | ENDINGS | OTHER_ENDINGS | {"pdf"}
QUOTED_OR_BARE = re.compile(r"""(?<![^\s(\[{])@(?:"([^"\n]+)"|'([^'\n]+)'|([^\s"'@]+)(?!\S))""")
BEING_TYPED = re.compile(r"""(?<![^\s(\[{])@(?:"([^"\n]*)|'([^'\n]*)|([^\s"'@]*))\Z""")
CODE = re.compile(
    r"^[ \t]*(`{3,}+|~{3,}+)[^\n]*\n(?:.*?\n)??[ \t]*\1[`~]*[ \t]*$"  # a fence …
    r"|^[ \t]*(?:`{3,}+|~{3,}+)[^\n]*+\n.*\Z"  # … that may be left open
    r"|(?<!`)(`++)[^\n]+?(?<!`)\2(?!`)"  # in a line
    r"|^[ \t]*>[^\n]*",  # quoted: what an answer names, nobody asked to send
    re.DOTALL | re.MULTILINE,
)
TRAILING = ".,;:!?)]}"


@dataclass(frozen=True, slots=True)
class Mention:
    """A file named in a text, `text[start:end]`. certain: it cannot be meant otherwise."""

    path: str
    start: int
    end: int
    certain: bool


def mentions(text: str) -> list[Mention]:
    """Return what may be files in a text, in order."""
    code = [found.span() for found in CODE.finditer(text)]
    return [
        mention
        for found in QUOTED_OR_BARE.finditer(text)
        if not any(start <= found.start() < end for start, end in code)
        if (mention := _mention(found)) is not None
    ]


def _mention(found: re.Match[str]) -> Mention | None:
    quoted = found[1] or found[2]
    if quoted:
        return Mention(quoted, found.start(), found.end(), certain=True)
    path = found[3].rstrip(TRAILING)
    if not path:
        return None
    is_path = path.startswith(("./", "../", "/", "~/"))
    end = found.end() - len(found[3]) + len(path)
    is_file = ending(path) in FILE_ENDINGS and "(" not in path  # else a call
    return Mention(path, found.start(), end, is_path or is_file)


def being_typed(text: str, cursor: int) -> Mention | None:
    """Return the mention that ends at the cursor and may be completed, if there is one."""
    before = text[:cursor]
    found = BEING_TYPED.search(before)
    if found is None or any(code.end() > found.start() for code in CODE.finditer(before)):
        return None
    path = next((group for group in found.groups() if group is not None), "")
    return Mention(path, found.start(), cursor, certain=found[3] is None)


def complete(beginning: str, base: Path) -> list[str]:
    """Return the paths that begin so, folders ending with /; hidden ones only if asked for.

    Of a huge folder it reads the first entries only, and one that cannot be read has none.
    """
    if beginning == "~":
        return ["~/"]
    folder, slash, name = beginning.rpartition("/")
    try:
        with os.scandir(os.path.join(base, os.path.expanduser(folder + slash))) as entries:
            fitting = [each for each in islice(entries, MOST_SCANNED) if _fits(each.name, name)]
    except (OSError, ValueError):
        return []
    fitting.sort(key=lambda each: (each.name.casefold(), each.name))
    first = fitting[:MOST_OFFERED]
    return [folder + slash + each.name + "/" * is_so(each.is_dir) for each in first]


def is_so(of_entry: Callable[[], bool]) -> bool:
    """Whether an entry's is_dir or is_file holds; not of a link that cannot be followed."""
    try:
        return of_entry()
    except OSError:
        return False


def _fits(name: str, beginning: str) -> bool:
    """Whether a name begins so, is to be shown, and can be written as a mention."""
    is_shown = beginning.startswith(".") or not name.startswith(".")
    return is_shown and is_writable(name) and name.casefold().startswith(beginning.casefold())


def place(path: str, base: Path) -> str:
    """Return where the file is that a mention names."""
    return os.path.join(base, os.path.expanduser(path))


def is_writable(name: str) -> bool:
    """Whether a name can be written as a mention; blanks of all kinds can be within it."""
    is_plain = sanitise(name) == name == name.strip() and not {"\n", "\t"} & set(name)
    return is_plain and not ('"' in name and "'" in name)


def short_path(path: Path, base: Path) -> str:
    """Return how a file is named shortly where relative files are in `base`; both are absolute."""
    if path.is_relative_to(base):
        name = str(path.relative_to(base))
        return f"./{name}" if name.startswith("~") else name
    return from_home(path)


def from_home(path: Path) -> str:
    """Return an absolute path with ~ for the home folder."""
    home = Path(os.path.expanduser("~"))
    return str("~" / path.relative_to(home)) if path.is_relative_to(home) else str(path)


def as_mention(path: str) -> str:
    """Write a path as a mention; the quotes of a folder stay open, for more is to come."""
    if re.fullmatch(r"""[^\s"'@]+""", path) and path[-1] not in TRAILING:
        return "@" + path
    quote = "'" if '"' in path else '"'
    return f"@{quote}{path}{'' if path.endswith('/') else quote}"
