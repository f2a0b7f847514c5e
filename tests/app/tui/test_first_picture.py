"""The first picture needs nothing but Textual, takes keys at once, and loses none of them."""

from __future__ import annotations

import argparse
import asyncio
import re
import subprocess
import sys
import threading
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest
from textual import events
from textual.pilot import Pilot

from app.commands.chat import first_theme
from app.errors import SettingsError
from app.paths import Paths
from app.tui.app import SlipstreamApp
from app.tui.chat_parts import ChatParts
from app.tui.first_picture import FirstPicture
from tests.app.tui.driving import SIZES, opened
from tests.app.tui.fakes import FakeEngine, FakeSettings, wait_until
from tests.patience import PATIENCE_S

FOR_THE_CHAT = (
    *("numpy", "llama_cpp", "huggingface_hub", "jinja2", "gguf"),
    *("requests", "urllib3", "pydantic", "msgspec", "psutil"),
    *(
        "sqlite3",
        "markdown_it",
        "engine",
        "app.settings.config",
        "app.history",
        "app.tui.screens.chat",
    ),
)
PAINTED = """
import asyncio, sys
from app.cli import build_parser
from app.commands.chat import chat_app
app = chat_app(build_parser().parse_args(["chat"]))
before = []
app._gather = lambda _: before.extend(m for m in sys.argv[1:] if m in sys.modules) or 1 / 0
async def run():
    async with app.run_test() as pilot:
        while app.failure is None:
            await asyncio.sleep(0.01)
asyncio.run(run())
assert isinstance(app.failure, ZeroDivisionError), app.failure
print(*before)
"""

Scenario = Callable[[SlipstreamApp, Pilot[None], Callable[[], None]], Awaitable[None]]


def picture(app: SlipstreamApp) -> str:
    strips = app.screen._compositor.render_strips()
    return "\n".join(strip.text for strip in strips)


def play(scenario: Scenario, engine: FakeEngine, size: tuple[int, int] = SIZES[0]) -> None:
    """Play while the chat is held back until the scenario calls what it is given."""
    held = threading.Event()

    def gather(_: SlipstreamApp) -> ChatParts:
        assert held.wait(PATIENCE_S)
        return ChatParts(engine, FakeSettings())

    async def run() -> None:
        app = SlipstreamApp(gather)
        async with app.run_test(size=size) as pilot:
            try:
                await scenario(app, pilot, held.set)
            finally:
                held.set()

    asyncio.run(run())


def test_nothing_of_the_chat_is_imported_before_it() -> None:
    done = subprocess.run(
        [sys.executable, "-c", PAINTED, *FOR_THE_CHAT],
        capture_output=True,
        text=True,
        check=True,
        timeout=PATIENCE_S,
    )
    assert done.stdout.strip() == ""


@pytest.mark.parametrize("size", SIZES, ids=["80x24", "160x50"])
def test_what_is_typed_into_it_is_seen_at_once_and_is_in_the_prompt_then(
    size: tuple[int, int],
) -> None:
    async def scenario(app: SlipstreamApp, pilot: Pilot[None], let_in: Callable[[], None]) -> None:
        await wait_until(lambda: isinstance(app.screen, FirstPicture))
        await pilot.press(*"helol", "backspace", "backspace", *"lo")
        await wait_until(lambda: "hello" in picture(app))
        let_in()
        await pilot.press(*" you")
        chat = await opened(app, pilot, engine)
        await chat.until(lambda: chat.prompt.text == "hello you")

    engine = FakeEngine()
    play(scenario, engine, size)
    assert engine.loads == 1


@pytest.mark.parametrize("size", SIZES, ids=["80x24", "160x50"])
def test_what_is_pasted_into_it_is_harmless_and_its_end_is_in_sight(size: tuple[int, int]) -> None:
    text = "\r".join(f"line {n} \x1b[31m\u202eof it" for n in range(40)) + " word" * 200
    text += " \x1b[31m\u202eend"

    async def scenario(app: SlipstreamApp, pilot: Pilot[None], let_in: Callable[[], None]) -> None:
        await wait_until(lambda: isinstance(app.screen, FirstPicture))
        app.post_message(events.Paste(text))
        await wait_until(lambda: "[31mend " in picture(app))
        assert "\x1b" not in picture(app) and "\u202e" not in picture(app)
        app.post_message(events.Paste("\rtwo\rlines"))
        await wait_until(lambda: re.search(r"two +│\n *│? *lines", picture(app)) is not None)
        assert "line 0" not in picture(app)
        await pilot.press("ctrl+q")

    play(scenario, FakeEngine(), size)


def test_a_question_that_is_sent_into_it_is_asked() -> None:
    async def scenario(app: SlipstreamApp, pilot: Pilot[None], let_in: Callable[[], None]) -> None:
        await pilot.press(*"why", "enter")
        let_in()
        chat = await opened(app, pilot, engine)
        await chat.until(lambda: [asked[-1].content for asked in engine.asked] == ["why"])

    engine = FakeEngine()
    play(scenario, engine)
    assert len(engine.asked) == 1


def test_it_can_be_left_and_what_comes_too_late_is_ended() -> None:
    async def scenario(app: SlipstreamApp, pilot: Pilot[None], let_in: Callable[[], None]) -> None:
        await pilot.press("ctrl+q")
        await wait_until(lambda: app.return_code is not None)
        let_in()

    engine = FakeEngine()
    play(scenario, engine)
    assert (engine.loads, engine.closed) == (0, 1)


def test_what_goes_wrong_ends_the_app_and_is_its_failure() -> None:
    def gather(_: SlipstreamApp) -> ChatParts:
        raise SettingsError("temp is no number.")

    async def run() -> SlipstreamApp:
        app = SlipstreamApp(gather)
        async with app.run_test():
            await wait_until(lambda: not app.is_running)
        return app

    app = asyncio.run(run())
    assert str(app.failure) == "temp is no number."
    assert app.return_code == 1


@pytest.mark.parametrize(
    ("flag", "variable", "kept", "theme"),
    [
        ("contrast", "ansi", "light", "contrast"),
        (None, "ansi", "light", "ansi"),
        (None, None, "light", "light"),
        (None, None, None, ""),
    ],
)
def test_its_theme_is_the_one_that_the_settings_name(
    flag: str | None,
    variable: str | None,
    kept: str | None,
    theme: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    if variable is not None:
        monkeypatch.setenv("SLIPSTREAM_THEME", variable)
    if kept is not None:
        Paths().ensure().settings_file.write_text(f'theme = "{kept}"\n')
    assert first_theme(argparse.Namespace(theme=flag)) == theme


def test_a_theme_that_there_is_not_is_for_the_settings_to_refuse(tmp_path: Path) -> None:
    Paths().ensure().settings_file.write_text("theme = 7\n[broken")
    assert first_theme(argparse.Namespace(theme=None)) == ""
    assert SlipstreamApp(lambda _: ChatParts(FakeEngine(), FakeSettings()), "mauve").theme == "dark"
