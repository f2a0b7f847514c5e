"""What a setting may be, and what it is where nobody says one: the words and the names of each.

Standard library only: this is imported for `--help`, so the engine's names are read off its files.
"""

from __future__ import annotations

import ast
from pathlib import Path
from typing import Literal, TypeAlias, get_args

ENGINE = Path(__file__).parents[2] / "engine"
DEFAULT_VERIFY = "coupled"
THEMES = ("dark", "light", "ansi", "contrast")
DEFAULT_THEME = THEMES[0]
CacheType: TypeAlias = Literal["f16", "q8_0"]
Titles: TypeAlias = Literal["question", "model"]
Notify: TypeAlias = Literal["desktop", "bell", "off"]
Frame: TypeAlias = Literal["full", "figures", "keys", "none"]
Enter: TypeAlias = Literal["send", "newline"]
CACHE_TYPES: tuple[CacheType, ...] = get_args(CacheType)
TITLES: tuple[Titles, ...] = get_args(Titles)
NOTICES: tuple[Notify, ...] = get_args(Notify)
FRAMES: tuple[Frame, ...] = get_args(Frame)
ENTERS: tuple[Enter, ...] = get_args(Enter)
SAMPLED = {"temp": 0.8, "top_k": 40, "top_p": 0.95, "min_p": 0.05}
MOST_CTX = 8192
NO_SWITCH = "This model's chat template has no switch for thinking; it does as it always does."


def drafter_names() -> list[str]:
    """Return the drafters' names."""
    return _modules("drafters")


def verifier_names() -> list[str]:
    """Return the names of the ways to verify."""
    return _modules("verifiers")


def uses_draft_model(drafter: str) -> bool:
    """Whether the engine loads a draft model for this drafter, as the drafter's file says."""
    file = ENGINE / "drafters" / f"{drafter}.py"
    return file.exists() and any(map(_says_so, ast.parse(file.read_text("utf-8")).body))


def _says_so(statement: ast.stmt) -> bool:
    match statement:
        case ast.Assign([ast.Name("USES_DRAFT_MODEL")], ast.Constant(True)) | ast.AnnAssign(
            ast.Name("USES_DRAFT_MODEL"), value=ast.Constant(True)
        ):
            return True
    return False


def _modules(folder: str) -> list[str]:
    """Return the names in a folder of the engine by its files; importing them would be slow."""
    return sorted(file.stem for file in (ENGINE / folder).glob("[a-z]*.py"))
