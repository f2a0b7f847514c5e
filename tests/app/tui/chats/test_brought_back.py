"""At a start no more chats are brought back than have a key each, and for a recording none."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

from app.cli import build_parser
from app.commands.chat import chat_parts
from app.history import History
from app.paths import Paths
from app.tui.app import SlipstreamApp
from app.tui.chats.open_chats import MOST
from app.tui.widgets.top_bar import TopBar
from tests.app.history.chats import said
from tests.app.tui.chats.test_resuming import start
from tests.app.tui.driving import Chat, opened
from tests.app.tui.fakes import FakeEngine


def kept(folder: Path, shown: int, typed_in: int) -> None:
    """Have MOST chats open, one of them shown last, and something typed in another."""
    history = History.open(folder / "history.db")
    chats = [said(history, f"question {at}") for at in range(MOST)]
    assert history.close()
    unsent = [{"text": "not sent yet", "chat": chats[typed_in]}]
    last = {"chat": chats[shown], "open": chats, "drafts": unsent}
    (folder / "last.json").write_text(json.dumps(last))


def test_a_start_with_a_question_has_no_more_chats_open_than_there_are_keys(tmp_path: Path) -> None:
    kept(tmp_path, shown=0, typed_in=1)

    async def scenario(chat: Chat) -> None:
        await chat.answered()
        titles = [label.title for label in chat.screen.tabs.labels()]
        stay = [0, 1, *range(3, MOST)]
        assert titles == [*(f"question {at}" for at in stay), "What is zip?"]
        await chat.pilot.press("alt+2")
        await chat.until(lambda: chat.prompt.text == "not sent yet")

    start(tmp_path, scenario, is_new=True, question="What is zip?")


def test_a_recording_begins_without_the_chats_of_the_person_and_leaves_them_open() -> None:
    paths = Paths().ensure()
    kept(paths.last_file.parent, shown=0, typed_in=1)
    before = paths.last_file.read_bytes()

    async def run() -> None:
        args = build_parser().parse_args(["chat", "--demo-script", "a.demo"])
        app = SlipstreamApp(lambda app: chat_parts(args, app))
        async with app.run_test() as pilot:
            chat = await opened(app, pilot, FakeEngine())
            assert chat.screen._resuming is not None
            await chat.until(chat.screen._resuming.is_back.is_set)
            assert len(chat.screen.tabs.open) == 1 and not chat.turns
            assert chat.screen.query_one(TopBar).is_kept

    asyncio.run(run())
    assert paths.last_file.read_bytes() == before
