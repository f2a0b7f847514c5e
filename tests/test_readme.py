"""What the README shows is true."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

from engine import drafters
from engine.drafters import Parts
from engine.policy.fixed_length import FixedLength
from tests.engine.fakes import sampler
from tests.engine.in_process import answer, loaded
from tests.engine.running import one_by_one, run
from tests.pair import pair, user

ROOT = Path(__file__).parent.parent
LAB = ROOT / "tests" / "lab"
README = (ROOT / "README.md").read_text("utf-8")


def test_the_drafter_in_one_file_drafts_and_changes_nothing() -> None:
    (code,) = re.findall(r"```python\n(.*?)```", README, re.DOTALL)
    module: dict[str, object] = {}
    exec(code, module)
    drafter = module["build"](Parts())  # type: ignore[operator]
    assert drafter.propose([1, 2], FixedLength(4).allow(9, 2)).tokens, "also by the default policy"
    reader, steps = run(drafter, sampler(0.8))
    assert any(step.draft.drafter == "echo" for step in steps)
    assert reader.tokens == one_by_one(sampler(0.8))


def test_the_drafter_in_one_file_makes_whole_answers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (code,) = re.findall(r"```python\n(.*?)```", README, re.DOTALL)
    (tmp_path / "echo.py").write_text(code)
    monkeypatch.setattr(drafters, "__path__", [*drafters.__path__, str(tmp_path)])
    monkeypatch.delattr(drafters, "echo", raising=False)
    monkeypatch.delitem(sys.modules, "engine.drafters.echo", raising=False)
    asked = [user("What does os.path.join do?")]
    with loaded(pair("echo", draft_tokens=2)) as engine:
        assert engine.ready(1).drafters == ["echo"]
        echoed = answer(engine, asked, drafter="echo")
        plain = answer(engine, asked, drafter="none")
    assert echoed.stats.drafters["echo"].drafted and not echoed.notices
    assert echoed.token_ids == plain.token_ids


def test_every_file_of_the_annotated_tree_exists() -> None:
    (tree,) = re.findall(r"```\n(engine/ .*?)```", README, re.DOTALL)
    folder = ROOT
    for line in tree.splitlines():
        if not line.startswith(" "):
            folder = ROOT / line.split()[0]
            assert folder.exists(), line
        else:
            names = re.findall(r"(?:^|\s{2})([a-z_]+\.py|[a-z_]+/)(?=\s)", line)
            assert names, line
            assert all((folder / name).exists() for name in names), line


@pytest.mark.parametrize("package", ["app", "engine"])
def test_the_annotated_tree_names_every_file_and_folder_of(package: str) -> None:
    house = README.split("## The house")[1]
    (tree,) = re.findall(rf"^{package}/ .*?(?=^\S)", house, re.DOTALL | re.MULTILINE)
    files = {path.name for path in (ROOT / package).glob("*.py")} - {"__init__.py"}
    folders = {f"{path.name}/" for path in (ROOT / package).iterdir() if path.is_dir()}
    assert set(re.findall(r"\s{2}([a-z_]+\.py|[a-z_]+/)(?=\s)", tree)) == files | folders - {
        "__pycache__/"
    }


def anchors(page: Path) -> set[str]:
    """What links may name in a page: its headings as GitHub calls them."""
    text = re.sub(r"```.*?```", "", page.read_text("utf-8"), flags=re.DOTALL)
    headings = re.findall(r"^#+ (.+)$", text, re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", title).lower().replace(" ", "-") for title in headings}


PAGES = ["README.md", "app/README.md", "engine/README.md", "tests/lab/README.md"]


@pytest.mark.parametrize("page", PAGES)
def test_every_link_leads_somewhere(page: str) -> None:
    here = ROOT / page
    for target, anchor in re.findall(r"\]\(([^)#]*)#?([^)]*)\)", here.read_text("utf-8")):
        if not target.startswith("https://"):
            there = here.parent / target if target else here
            assert there.exists(), target
            assert not anchor or anchor in anchors(there), f"{target}#{anchor}"


@pytest.mark.parametrize("page", PAGES[1:])
def test_every_page_is_reached_from_the_first(page: str) -> None:
    assert f"]({page}" in README


def test_the_lab_lists_its_measurements() -> None:
    page = (LAB / "README.md").read_text("utf-8")
    commands = {
        path.stem
        for path in LAB.glob("*.py")
        if '__name__ == "__main__"' in path.read_text("utf-8")
    }
    started_by_others = {"bindings_worker", "scripted_chat"}
    assert commands - started_by_others <= set(re.findall(r"`([a-z_]+)`", page))
