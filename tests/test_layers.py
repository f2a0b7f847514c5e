"""The house rules about imports, read off the code."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PURE = {
    "sampling",
    "support",
    "peak",
    "gumbel_max",
    "noise",
    "rollback",
    "policy",
    "budget",
    "experience",
    "purse",
    "fixed_length",
    "sharpness",
    "costs",
    "trust",
    "drafting",
    "automaton",
    "copying",
    "measuring",
    "stream",
    "stats",
    "speculate",
    "session",
    "cache",
    "narrow",
    "pictures",
}
FILES = sorted([*(ROOT / "app").rglob("*.py"), *(ROOT / "engine").rglob("*.py")])


def imports(path: Path) -> Iterator[str]:
    """Yield the dotted names that a file imports, anywhere in it."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import"
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


@pytest.mark.parametrize("path", FILES, ids=lambda p: str(p.relative_to(ROOT)))
def test_imports_stay_in_their_layer(path: Path) -> None:
    place = path.relative_to(ROOT)
    import engine

    for name in imports(path):
        top, *rest = name.split(".")
        if place.parts[0] == "engine":
            assert top != "app", f"{place} imports the app"
            if place.parts[1] != "llama":
                assert top != "llama_cpp", f"{place} imports llama_cpp"
        else:
            assert top != "llama_cpp", f"{place} imports llama_cpp"
            if top == "engine" and rest:
                assert rest[0] in engine.__all__, f"{place} imports {name}, which is not public"
        if place.parts[:2] == ("engine", "drafters"):
            assert rest[:1] not in (["speculate"], ["assemble"], ["verifiers"]), f"{place}: {name}"
        if place.parent == Path("engine") and place.stem in PURE:
            allowed = {"engine", "msgspec", "numpy", *sys.stdlib_module_names}
            assert top in allowed, f"{place} is pure and imports {name}"


def test_packaging_shadows_no_library() -> None:
    assert not list((ROOT / "packaging").rglob("__init__.py"))


def test_everything_public_is_there() -> None:
    import engine

    assert all(hasattr(engine, name) for name in engine.__all__)
