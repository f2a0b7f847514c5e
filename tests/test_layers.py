"""The house rules about imports, read off the code."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator, Mapping
from functools import partial
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
IMPURE = {
    "answer",
    "assemble",
    "costs.calibration",
    "costs.kept",
    "drafting.memory",
    "drafting.recall",
    "llama",
    "loading.models",
    "process",
    "prompt.rendering",
    "prompt.sandbox",
    "prompt.template",
    "proof.answers",
    "proof.equality",
    "proof.prover",
    "proof.replay",
    "system",
}
"""Modules and packages of the engine that touch models, files, processes or foreign code, or are
made of such. All others are pure: numbers and text in, numbers and text out.
"""
PURE_LIBRARIES = {"msgspec", "numpy"}
TOUCHING = {
    "asyncio",
    "ctypes",
    "os",
    "pathlib",
    "shutil",
    "signal",
    "socket",
    "subprocess",
    "sys",
    "tempfile",
    "threading",
}
"""Standard modules that no pure one imports, but for EXCEPTIONS."""
EXCEPTIONS = {("prompt.pictures", "pathlib")}  # it reads the file of a picture
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


def module(path: Path) -> str:
    """Return the dotted name of an engine's module, without the engine's; "" for its door."""
    parts = path.relative_to(ROOT / "engine").with_suffix("").parts
    return ".".join(part for part in parts if part != "__init__")


def is_impure(name: str) -> bool:
    """Whether a name in the engine is that of an impure module, or in one."""
    return any(f"{name}.".startswith(f"{impure}.") for impure in IMPURE)


def impurities(path: Path) -> list[str]:
    """Return what a pure module must not import."""
    found = []
    for name in imports(path):
        top, _, rest = name.partition(".")
        if top == "engine":
            is_fine = not is_impure(rest)
        else:
            is_fine = top in PURE_LIBRARIES or top in sys.stdlib_module_names - TOUCHING
        if not is_fine and (module(path), top) not in EXCEPTIONS:
            found.append(name)
    return found


ENGINE = [path for path in FILES if path.is_relative_to(ROOT / "engine") and module(path)]
PURE = [path for path in ENGINE if not is_impure(module(path))]


@pytest.mark.parametrize("path", PURE, ids=module)
def test_a_pure_module_imports_pure_ones_alone(path: Path) -> None:
    assert impurities(path) == []


@pytest.mark.parametrize("name", sorted(IMPURE))
def test_what_is_called_impure_is(name: str) -> None:
    files = [path for path in ENGINE if f"{module(path)}.".startswith(f"{name}.")]
    assert any(impurities(path) for path in files)


def test_packaging_shadows_no_library() -> None:
    assert not list((ROOT / "packaging").rglob("__init__.py"))


def test_everything_public_is_there() -> None:
    import engine

    assert all(hasattr(engine, name) for name in engine.__all__)


TOGETHER = (
    {
        "app.tui.chat_view",
        "app.tui.chats.opening",
        "app.tui.chats.tabs",
        "app.tui.chats.unsent",
        "app.tui.models.choosing",
        "app.tui.preferences.chat_settings",
    },
    {
        "app.tui.prompting.drafting",
        "app.tui.prompting.enclosing",
        "app.tui.widgets.prompt",
    },
)
"""Modules that may name each other: a whole, and parts of it that know it."""


def test_imports_run_in_no_circle() -> None:
    """Those that are late, or for the types alone, count as well."""
    dotted = {".".join(path.relative_to(ROOT).with_suffix("").parts): path for path in FILES}
    files = {name.removesuffix(".__init__"): path for name, path in dotted.items()}
    wholes = {name: min(group) for group in TOGETHER for name in group}
    graph: dict[str, set[str]] = {}
    for name, path in files.items():
        node = wholes.get(name, name)
        named = {wholes.get(n, n) for n in map(partial(_module_of, files), imports(path)) if n}
        graph.setdefault(node, set()).update(named - {node})
    assert list(TopologicalSorter(graph).static_order())  # raises CycleError


def _module_of(files: Mapping[str, Path], name: str) -> str:
    """Return the module that an imported name is in, "" where that is none of ours."""
    while name and name not in files:
        name = name.rpartition(".")[0]
    return name
