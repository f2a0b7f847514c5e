"""Walk Python's standard library and write down what its docstrings say, one object a line.

    python collect.py

Contract: `collect()` imports every public module of this interpreter's standard library and returns
the documented objects a newcomer is most likely to ask about, ranked, under the name a person
would type (`os.path.join`, `str.join`). The same interpreter gives the same list.

It knows nothing about questions, tokens or models.
"""

from __future__ import annotations

import contextlib
import importlib
import inspect
import io
import json
import pkgutil
import sys
import warnings
from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

from docstrings import first_sentence, signature
from ranking import FAMILIAR, FOREIGN, SKIPPED, rank
from recipe import OBJECTS

MOST_OBJECTS = 2800
MOST_NAMES_PER_SENTENCE = 4
KINDS = ("module", "class", "function", "method", "property")


@dataclass(frozen=True, slots=True)
class Documented:
    """One object of the standard library and the first sentence of its docstring."""

    name: str
    kind: str
    module: str
    sentence: str
    signature: str | None

    @property
    def member(self) -> str:
        """The name within its module, as `Counter.most_common`."""
        prefix = "" if self.module == "builtins" else self.module + "."
        return self.name.removeprefix(prefix)


def module_names() -> list[str]:
    """Name every public module of the standard library, packages' modules included."""
    names = {"os.path"}
    for top in sorted(sys.stdlib_module_names):
        if top.startswith("_") or top in SKIPPED:
            continue
        names.add(top)
        path = getattr(_load(top), "__path__", None)
        found = pkgutil.walk_packages(path, top + ".", onerror=lambda _: None) if path else ()
        names.update(info.name for info in found if _is_public(info.name))
    return sorted(names)


def _is_public(dotted: str) -> bool:
    hidden = ("test", "tests", "lib2to3")
    return not any(part.startswith("_") or part in hidden for part in dotted.split("."))


def _load(name: str) -> ModuleType | None:
    """Import a module in silence; None where this platform does not have it."""
    with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()):
        warnings.simplefilter("ignore")
        try:
            return importlib.import_module(name)
        except (ImportError, OSError, SystemExit):
            return None


def _public_members(module: ModuleType, name: str) -> Iterator[tuple[str, Any]]:
    """Yield what a module offers: its `__all__`, else what it defines itself."""
    offered = getattr(module, "__all__", None)
    for member in sorted(offered or vars(module)):
        thing = getattr(module, member, None)
        home = getattr(thing, "__module__", None) or name
        ours = offered is not None or home == name or inspect.isbuiltin(thing)
        if (
            ours
            and not member.startswith("_")
            and member not in FOREIGN
            and (inspect.isclass(thing) or callable(thing))
        ):
            yield member, thing


def _methods(cls: type) -> Iterator[tuple[str, str, Any, bool]]:
    """Yield name, kind, object and whether it is bound, of every public member of a class."""
    own = {**vars(cls.__mro__[1]), **vars(cls)} if cls.__module__ == "pathlib" else vars(cls)
    for name in sorted(own):
        raw = own[name]
        if name.startswith("_") or inspect.isclass(raw):
            continue
        if isinstance(raw, (classmethod, staticmethod)):
            yield name, "method", getattr(cls, name), False
        elif inspect.isroutine(raw) and not inspect.isgetsetdescriptor(raw):
            yield name, "method", raw, True
        elif isinstance(raw, property) or inspect.isdatadescriptor(raw):
            yield name, "property", raw, False


def _describe(name: str, kind: str, module: str, thing: Any, bound: bool) -> Documented | None:
    doc = (
        inspect.getattr_static(thing, "__doc__", None) if inspect.isclass(thing) else thing.__doc__
    )
    sentence = first_sentence(doc if isinstance(doc, str) else None)
    if sentence is None:
        return None
    callable_kind = kind in ("function", "method", "class")
    shown = signature(name, thing, bound=bound) if callable_kind else None
    return Documented(name, kind, module, sentence, shown)


def _of_member(module: str, member: str, thing: Any) -> Iterator[Documented | None]:
    """Yield one member of a module and, of a class, its methods and properties."""
    name = member if module == "builtins" else f"{module}.{member}"
    kind = "class" if inspect.isclass(thing) else "function"
    yield _describe(name, kind, module, thing, False)
    if kind == "class":
        for method, method_kind, raw, bound in _methods(thing):
            yield _describe(f"{name}.{method}", method_kind, module, raw, bound)


def _homes(modules: dict[str, ModuleType]) -> dict[tuple[str, int], tuple[str, str]]:
    """Give each object the one place under which a person would look for it."""
    homes: dict[tuple[str, int], tuple[str, str]] = {}
    for module, loaded in modules.items():
        for member, thing in _public_members(loaded, module):
            key = (str(getattr(thing, "__name__", member)), id(thing))
            place = (module, member)
            if key not in homes or _familiarity(place) < _familiarity(homes[key]):
                homes[key] = place
    return homes


def _familiarity(place: tuple[str, str]) -> tuple[bool, int, int, str, str]:
    module, member = place
    known = FAMILIAR.index(module) if module in FAMILIAR else len(FAMILIAR)
    return (module != "builtins", module.count("."), known, module, member)


def _everything() -> Iterator[Documented | None]:
    modules = {name: loaded for name in module_names() if (loaded := _load(name))}
    for name, loaded in modules.items():
        yield _describe(name, "module", name, loaded, False)
    for module, member in sorted(set(_homes(modules).values())):
        yield from _of_member(module, member, getattr(modules[module], member))


def collect(most: int = MOST_OBJECTS) -> list[Documented]:
    """Return the `most` best-ranked documented objects; boilerplate sentences are left out."""
    found = {item.name: item for item in _everything() if item is not None}
    shared = Counter(item.sentence for item in found.values())
    kept = [item for item in found.values() if shared[item.sentence] <= MOST_NAMES_PER_SENTENCE]
    kept.sort(key=_order)
    return kept[:most]


def _order(item: Documented) -> tuple[int, int, int, str, str]:
    if item.kind == "module":
        return (-1, *rank(item.module, ""))
    late = item.kind == "property" and item.module != "builtins"
    return (0, *rank(item.module, item.member + "." * late))


def write(items: list[Documented], path: Path) -> None:
    """Write one JSON object a line."""
    lines = [json.dumps(asdict(item), sort_keys=True) for item in items]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def read(path: Path) -> list[Documented]:
    """Read what `write` wrote."""
    return [Documented(**json.loads(line)) for line in path.read_text("utf-8").splitlines()]


def main() -> None:
    """Collect into the build folder."""
    items = collect()
    OBJECTS.parent.mkdir(exist_ok=True)
    write(items, OBJECTS)
    kinds = Counter(item.kind for item in items)
    counts = ", ".join(f"{kinds[kind]} of kind {kind}" for kind in KINDS)
    print(f"collected {len(items)} documented objects of Python {sys.version.split()[0]}: {counts}")


if __name__ == "__main__":
    main()
