"""What the tests of the models on this machine share: three small models, the pairs of them in a
catalogue of the person's own, and a store to put them into. Nothing is downloaded.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from gguf import GGUFWriter

from app import cli
from app.models.catalog import ModelSpec
from app.models.machine import Machine
from app.models.shelf import Shelf
from app.models.store import Checked, Record, Store
from app.paths import Paths
from tests.app.models.machines import machine

REPO = "someone/models"
LAPTOP = machine(16, 12)
MODELS = ("big", "small", "other")
CATALOG = "".join(
    f'[models.{name}]\nrepo = "{REPO}"\nfile = "{name}.gguf"\nlicence = "MIT"\n' for name in MODELS
)
PAIRS = {"one": ("big", "small"), "alone": ("big",), "two": ("other", "small"), "small": ("small",)}


def write_catalog(more: str = "") -> None:
    """Write the person's own models.toml."""
    text = CATALOG
    for name, (target, *drafts) in PAIRS.items():
        text += f'[pairs.{name}]\ntitle = "The {name}"\nfor_whom = "Tests."\ntarget = "{target}"\n'
        text += "".join(f'draft = "{draft}"\n' for draft in drafts)
    Paths().ensure().own_catalog.write_text(text + more)


def write_gguf(
    path: Path, name: str = "big", layers: int = 2, tokens: Sequence[str] = "abc"
) -> Path:
    """Write a model of which everything is known, but with few weights."""
    path.parent.mkdir(parents=True, exist_ok=True)
    writer = GGUFWriter(path, "llama")
    writer.add_name(name)
    writer.add_file_type(7)
    writer.add_block_count(layers)
    writer.add_head_count(2)
    writer.add_context_length(1024)
    writer.add_embedding_length(64)
    writer.add_token_list(list(tokens))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_ti_data_to_file()
    writer.close()
    return path


def spec(name: str) -> ModelSpec:
    return ModelSpec(repo=REPO, file=f"{name}.gguf")


def store() -> Store:
    return Store(Paths().models_dir)


def path_of(name: str) -> Path:
    return store().path_of(spec(name))


def install(*names: str, checked: Checked = "verified") -> None:
    """Put models into the store as a pull does."""
    for name in names:
        content = write_gguf(path_of(name), name).read_bytes()
        sha256 = hashlib.sha256(content).hexdigest()
        store().add(
            Record(
                repo=REPO,
                file=f"{name}.gguf",
                size=len(content),
                sha256=sha256,
                checked=checked,
                commit="c" * 40,
                licence="MIT",
            )
        )


def flip(path: Path, at: int = -1) -> None:
    """Change one bit."""
    content = bytearray(path.read_bytes())
    content[at] ^= 1
    path.write_bytes(content)


def here() -> set[str]:
    """The names of all files that lie in the store, locks aside."""
    files = (path for path in Paths().models_dir.rglob("*") if path.is_file())
    return {path.name for path in files if path.suffix != ".lock"}


def shelf() -> Shelf:
    return Shelf.open()


def on(there: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the commands find this machine."""
    monkeypatch.setattr("app.models.machine.look", lambda folder: there)
    monkeypatch.setattr("app.fitting.machine_now", lambda folder: there)


def failed(capsys: pytest.CaptureFixture[str], *words: str, code: int = 1) -> str:
    """Run a command that fails; return the one line that it says."""
    assert cli.main(words) == code
    captured = capsys.readouterr()
    (line,) = captured.err.splitlines()
    assert "defect" not in line and "\x1b" not in captured.out + captured.err
    return line


def close(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the system refuse what lies in a folder, as to who may not enter it; root always may."""
    for name in ("stat", "lstat", "scandir", "open"):
        real: Callable[..., Any] = getattr(os, name)

        def refusing(
            path: Any = ".", *given: Any, real: Callable[..., Any] = real, **how: Any
        ) -> Any:
            if not isinstance(path, int):
                there = Path(os.fsdecode(path))
                if folder in there.parents or (there == folder and real.__name__ == "scandir"):
                    raise PermissionError(13, "Permission denied", str(there))
            return real(path, *given, **how)

        monkeypatch.setattr(os, name, refusing)
