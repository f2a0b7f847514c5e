"""A private chat is written nowhere; it says so, and it is a chat all the same."""

from __future__ import annotations

import argparse
import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from app.commands.chat import add_arguments, chat_app
from app.errors import AppError
from app.paths import Paths
from app.tui.actions.tuning import apply
from app.tui.screens.chat import ChatScreen
from app.tui.widgets.top_bar import TopBar
from tests.app.tui.driving import SIZES
from tests.app.tui.fakes import wait_until

pytestmark = pytest.mark.usefixtures("known_costs")

QUESTION = "What is a zyzzyva?"
SYSTEM = "Speak of quokkas."


def play(
    scenario: Callable[[ChatScreen], Awaitable[None]], size: tuple[int, int], *flags: str
) -> None:
    """Chat by the command as it is, with the embedded pair."""
    parser = argparse.ArgumentParser()
    add_arguments(parser)
    app = chat_app(parser.parse_args(["demo", "--predict", "8", *flags]))

    async def run() -> None:
        async with app.run_test(size=size) as pilot:
            await wait_until(lambda: app.is_open and app.screen.state == "ready")
            screen = app.screen
            assert isinstance(screen, ChatScreen)
            screen.prompt.insert(QUESTION)
            await pilot.press("enter")
            turns = screen.talk.transcript
            await wait_until(lambda: bool(turns.last_turn and turns.last_turn.over))
            await scenario(screen)

    asyncio.run(run())


def files(root: Path) -> dict[Path, bytes]:
    return {path: path.read_bytes() for path in root.rglob("*") if path.is_file()}


@pytest.mark.parametrize("is_private", [True, False], ids=["private", "kept"])
def test_a_private_chat_leaves_no_word_and_no_file_of_its_own(
    is_private: bool, own_folders: Path
) -> None:
    said: list[str] = []

    async def scenario(screen: ChatScreen) -> None:
        screen.prompt.insert("/system " + SYSTEM)
        screen.prompt.discard()
        said.append(screen.session.conversation.turns[0].answer)
        await screen.action_act("new")

    paths = Paths()
    before = files(own_folders)
    play(scenario, SIZES[0], *["--private"] * is_private)
    after = files(own_folders)
    words = [QUESTION.encode(), SYSTEM.encode(), b"zyzzyva", b"quokka", said[0].strip().encode()]
    telling = {path for path, text in after.items() if any(word in text for word in words)}
    kept = {path for path in after.keys() - before.keys() if path.is_relative_to(paths.data_dir)}
    assert said[0].strip()
    if is_private:
        assert not telling and not kept
    else:
        assert {paths.history_file, paths.prompts_file} <= telling
        assert {paths.last_file, *paths.memory_dir.iterdir()} <= kept
        assert any(paths.memory_dir.iterdir())


@pytest.mark.parametrize("size", SIZES, ids=["80x24", "160x50"])
@pytest.mark.parametrize("is_private", [True, False], ids=["private", "kept"])
def test_the_first_line_says_whether_a_chat_is_kept(
    is_private: bool, size: tuple[int, int]
) -> None:
    async def scenario(screen: ChatScreen) -> None:
        line = str(screen.query_one(TopBar).render())
        assert ("not kept  ● ready" in line) == is_private

    play(scenario, size, *["--private"] * is_private)


def test_that_nothing_is_kept_stays_where_room_is_scarce() -> None:
    async def scenario(screen: ChatScreen) -> None:
        bar = screen.query_one(TopBar)
        bar.thinks, bar.pulling = False, "a download with a very long name, 30 %"
        assert str(bar.render()).split("  ")[-2:] == ["not kept", "● ready"]
        assert bar.pulling not in str(bar.render())

    play(scenario, (40, 20), "--private")


def test_a_private_chat_gets_no_memory_and_no_list_of_chats() -> None:
    async def scenario(screen: ChatScreen) -> None:
        with pytest.raises(AppError, match="no memory"):
            apply(screen, "memory", True)
        assert screen.session.settings.pair.memory is None
        await screen.action_act("search")
        assert screen.is_current

    play(scenario, SIZES[0], "--private")


def test_the_chat_before_a_private_one_is_the_last_one_still(own_folders: Path) -> None:
    async def nothing(screen: ChatScreen) -> None:
        assert len(screen.session.conversation.turns) == 1

    play(nothing, SIZES[0])
    before = Paths().last_file.read_bytes()
    play(nothing, SIZES[0], "--private")
    assert Paths().last_file.read_bytes() == before
