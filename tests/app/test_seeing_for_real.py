"""A real engine is shown a picture, from the shell and from the chat, and goes on from there."""

from __future__ import annotations

import argparse
import asyncio
import json
from pathlib import Path

import pytest

from app.chat.turn import Turn
from app.cli import main
from app.commands.chat import add_arguments, chat_app
from app.paths import Paths
from app.tui.screens.chat import ChatScreen
from tests import tiny
from tests.app.tui.fakes import wait_until
from tests.tiny.projector import picture, write_projector

pytestmark = pytest.mark.usefixtures("known_costs")

WIDTH = 64
"""Of the tiny target's embeddings."""


@pytest.fixture
def target(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A random model that sees, and pictures beside it, in the folder that one is in."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.stdin", None)
    write_projector("gemma3", tmp_path / "mmproj-t.gguf", WIDTH)
    for seed, name in enumerate(("cat.png", "dog.png")):
        picture(tmp_path / name, seed=seed)
    return tiny.write("llama", tmp_path / "t.gguf")


def answer(capsys: pytest.CaptureFixture[str], target: Path, *flags: str) -> tuple[str, int]:
    """Return an answer's tokens, and how many the prompt had."""
    fixed = ["--json", "--predict", "8", "--temp", "0", "--seed", "3", "--no-memory"]
    assert main(["ask", "--model", str(target), *fixed, *flags, "What is this?"]) == 0
    told = json.loads(capsys.readouterr().out)
    return str(told["token_ids"]), told["stats"]["prompt_tokens"]


def test_an_answer_from_the_shell_is_about_the_picture(
    target: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    cat, dog, none, both = (
        answer(capsys, target, *flags)
        for flags in (
            ("--image", "cat.png"),
            ("--image", "dog.png"),
            (),
            ("--image", "cat.png", "--image", "dog.png"),
        )
    )
    assert cat[0] != dog[0] and cat[1] == dog[1] > none[1]
    assert both[1] == none[1] + 2 * (cat[1] - none[1])
    assert answer(capsys, target, "--image", "cat.png") == cat


def test_a_chat_is_shown_the_picture_and_keeps_it(target: Path) -> None:
    parser = argparse.ArgumentParser()
    add_arguments(parser)
    flags = ["--model", str(target), "--predict", "8", "--temp", "0", "--no-memory"]
    app = chat_app(parser.parse_args(flags))

    async def run() -> None:
        async with app.run_test(size=(100, 30)) as pilot:
            await wait_until(lambda: app.is_open and app.screen.state == "ready")
            screen = app.screen
            assert isinstance(screen, ChatScreen)

            async def ask(question: str, n: int) -> Turn:
                screen.prompt.insert(question)
                await pilot.press("enter")
                shown = screen.talk.transcript
                await wait_until(lambda: len([v for v in shown.turns if v.over]) == n)
                return screen.session.conversation.turns[-1]

            first = await ask("What is on @cat.png ?", 1)
            content = Path("cat.png").read_bytes()
            Path("cat.png").unlink()
            second = await ask("And what else?", 2)
            assert (first.reason, second.reason) == ("length", "length"), second.error
            assert first.stats is not None and second.stats is not None
            assert second.stats.cached_tokens >= first.stats.prompt_tokens - 1, "not read again"
            [kept] = Paths().pictures_dir.iterdir()
            assert kept.read_bytes() == content

    asyncio.run(run())
