"""What is typed is coloured with the letter that makes it so, in every theme."""

from __future__ import annotations

from pathlib import Path

import pytest
from rich.style import Style

from app.prompts.prompt_marks import KINDS
from app.tui.preferences.themes import ANSI, CONTRAST, DARK, LIGHT
from app.tui.widgets.prompt import Prompt
from tests.app.tui.alone import Seen
from tests.app.tui.prompt_alone import THEMES, Desk, at_prompt, type_in


def look(desk: Desk, row: int, column: int) -> Style:
    """Return how a sign looks on the screen."""
    strip = desk.prompt.render_line(row)
    [segment] = [each for each in strip.crop(column, column + 1) if each.text]
    assert segment.style is not None
    return segment.style


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "there.md").write_text("x")
    return tmp_path


@pytest.mark.parametrize("theme", [DARK, LIGHT, ANSI, CONTRAST], ids=lambda theme: theme.name)
def test_each_kind_has_a_look_of_its_own_in_every_theme(theme, folder: Path) -> None:  # type: ignore[no-untyped-def]
    text = 'plain `code` **bold** @there.md @"gone.md"\n# title\n```\nfence'
    places = {"plain": (0, 0), "code": (0, 7), "bold": (0, 16), "file": (0, 24), "gone": (0, 36)}

    async def scenario(seen: Seen, desk: Desk) -> None:
        seen.app.theme = theme.name
        desk.prompt.insert(text)
        await seen.until(lambda: bool(look(desk, 0, 36).italic))
        looks = {name: look(desk, *at) for name, at in places.items()}
        looks["title"], looks["fence"] = look(desk, 1, 3), look(desk, 3, 1)
        plain = looks.pop("plain")
        assert all(one != plain for one in looks.values())
        assert looks["bold"].bold and looks["title"].bold and looks["file"].underline
        assert not looks["gone"].underline, "which is which is seen without colours, too"
        assert looks["fence"].color == looks["code"].color != plain.color
        assert looks["file"].color != looks["gone"].color

    at_prompt(scenario, Prompt(THEMES, folder))


def test_a_command_is_coloured_once_it_is_known(folder: Path) -> None:
    async def scenario(seen: Seen, desk: Desk) -> None:
        await type_in(seen, "/hel")
        assert not look(desk, 0, 1).bold
        await type_in(seen, "p")
        assert look(desk, 0, 1).bold
        await type_in(seen, "me")
        assert look(desk, 0, 1).italic

    at_prompt(scenario, Prompt(THEMES, folder))


def test_an_answer_that_is_changed_is_no_command_and_names_no_file(folder: Path) -> None:
    async def scenario(seen: Seen, desk: Desk) -> None:
        desk.prompt.insert("/help @there.md **bold**")
        await seen.until(lambda: bool(look(desk, 0, 8).underline))
        desk.prompt.verbatim = True
        desk.prompt.insert("!")
        await seen.until(lambda: not look(desk, 0, 8).underline)
        assert not look(desk, 0, 1).bold
        assert look(desk, 0, 18).bold

    at_prompt(scenario, Prompt(THEMES, folder))


def test_a_file_that_comes_into_being_is_seen_with_what_is_typed_next(folder: Path) -> None:
    async def scenario(seen: Seen, desk: Desk) -> None:
        desk.prompt.insert("@late.md ")
        await seen.until(lambda: bool(look(desk, 0, 1).italic))
        (folder / "late.md").write_text("x")
        desk.prompt.insert("now")
        await seen.until(lambda: bool(look(desk, 0, 1).underline))
        assert not look(desk, 0, 10).underline

    at_prompt(scenario, Prompt(THEMES, folder))


def test_colours_follow_an_undone_edit(folder: Path) -> None:
    async def scenario(seen: Seen, desk: Desk) -> None:
        desk.prompt.insert("```\nx = 1")
        await seen.until(lambda: desk.prompt.content_size.height == 2)
        await seen.until(lambda: desk.prompt.scroll_offset.y == 0)
        coloured = look(desk, 1, 0)
        desk.prompt.history.checkpoint()
        desk.prompt.replace("***", (0, 0), (0, 3))
        assert look(desk, 1, 0).color != coloured.color
        desk.prompt.action_undo()
        assert look(desk, 1, 0).color == coloured.color

    at_prompt(scenario, Prompt(THEMES, folder))


def test_every_kind_of_mark_has_a_style() -> None:
    css = Prompt.DEFAULT_CSS + "".join(
        base.DEFAULT_CSS
        for base in Prompt.__mro__
        if "marked--" in getattr(base, "DEFAULT_CSS", "")
    )
    assert [kind for kind in KINDS if f"marked--{kind}" not in css] == []
