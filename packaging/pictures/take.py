"""Takes the README's picture from the real app with the embedded pair, and writes chat.svg here.

Run it from the checkout's environment: .venv/bin/python packaging/pictures/take.py
"""

from __future__ import annotations

import argparse
import asyncio
import tempfile
from pathlib import Path

from textual.pilot import Pilot

from app.config import settings_from
from app.tui.app import SlipstreamApp
from app.tui.screens.chat import ChatScreen
from engine import EngineClient

SIZE = (124, 34)
QUESTIONS = ("What does os.path.join do?", "What is in the module bisect?")
LONGEST_WAIT_S = 60.0


async def take(path: Path) -> None:
    """Ask the questions and save what is on the screen then."""
    with tempfile.TemporaryDirectory() as folder:
        engine = EngineClient(Path(folder) / "engine.log")
        app = SlipstreamApp(engine, settings_from(argparse.Namespace()))
        async with app.run_test(size=SIZE) as pilot:
            await until_ready(pilot)
            for question in QUESTIONS:
                await pilot.press(*("space" if c == " " else c for c in question), "enter")
                await pilot.pause(0.2)
                await until_ready(pilot)
            await pilot.pause(1.0)
            path.write_text(app.export_screenshot(title="slipstream"), "utf-8")


async def until_ready(pilot: Pilot[None]) -> None:
    """Wait until the engine has nothing to do."""
    async with asyncio.timeout(LONGEST_WAIT_S):
        while not (isinstance(pilot.app.screen, ChatScreen) and pilot.app.screen.state == "ready"):
            await pilot.pause(0.1)


if __name__ == "__main__":
    asyncio.run(take(Path(__file__).with_name("chat.svg")))
