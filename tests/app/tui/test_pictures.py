"""The README's pictures: the tour takes each of them, and they show what was on the screen."""

from __future__ import annotations

import asyncio
import html
import importlib.util
import io
import re
from pathlib import Path
from types import ModuleType

import pytest
from rich.console import Console

from app.tui import demo_script
from app.tui.demo_script import read
from tests.pair import ROOT
from tests.patience import PATIENCE_S

FOLDER = ROOT / "packaging" / "pictures"


def take() -> ModuleType:
    """Return packaging/pictures/take.py, which is in no package."""
    spec = importlib.util.spec_from_file_location("take", FOLDER / "take.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def texts(svg: str) -> list[tuple[str, str, str]]:
    """Return every text of a picture and where it stands."""
    found = re.findall(r'<text [^>]*x="([\d.]+)" y="([\d.]+)"[^>]*>([^<]*)</text>', svg)
    return [(x, y, html.unescape(text)) for x, y, text in found]


def test_the_tour_takes_every_picture_of_the_pages() -> None:
    pages = [(ROOT / page).read_text("utf-8") for page in ("README.md", "app/README.md")]
    shown = re.findall(r"\]\((?:\.\./)?packaging/pictures/(\w+\.svg)\)", "".join(pages))
    taken = [one.rest for one in read(take().TOUR) if one.word == "picture"]
    assert sorted(taken) == sorted(set(shown)) == sorted(file.name for file in FOLDER.glob("*.svg"))
    assert shown[0] == "chat.svg"


def test_the_tour_comes_to_its_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, known_costs: None
) -> None:
    monkeypatch.setattr(demo_script, "LONGEST_WAIT_S", PATIENCE_S)
    asyncio.run(take().take(tmp_path))
    assert {file.name for file in tmp_path.glob("*.svg")} == {
        file.name for file in FOLDER.glob("*.svg")
    }


def test_a_picture_made_small_shows_the_same() -> None:
    console = Console(file=io.StringIO(), record=True, width=80, force_terminal=True)
    console.print(*["[bold red]loud[/] and [on blue]quiet[/] <tags> & signs"] * 20, sep="\n")
    svg = console.export_svg(title="a title")
    small = take().small(svg)
    assert texts(small) == texts(svg) != []
    assert len(small) < 0.8 * len(svg)
    defined = set(re.findall(r'(?:id|class)="([\w-]+)"', small)) | set(
        re.findall(r"\.(t[\w-]+) \{", small)
    )
    assert set(re.findall(r"url\(#([\w-]+)\)", small)) <= defined
