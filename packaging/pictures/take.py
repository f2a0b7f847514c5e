"""Takes the README's pictures from the real app with the embedded pair: plays tour.demo.

The app is the one that `slipstream chat` opens, without a terminal and in a home of its own, so
that nobody's chats, settings or models are seen. At temperature 0 it says the same each time. The
speeds are measured, and with them how much is drafted (let nothing else run meanwhile; one thread,
so that drawing the screen takes none of the engine's time), and so is what fits this machine.

Run it from the checkout's environment: .venv/bin/python packaging/pictures/take.py
"""

from __future__ import annotations

import asyncio
import os
import re
import sys
import tempfile
from pathlib import Path

from app.cli import build_parser
from app.commands.chat import chat_app
from app.paths import HOMES
from app.tui.demo_script import Player, read

HERE = Path(__file__).parent
TOUR = HERE / "tour.demo"
SIZE = (124, 34)
ARGUMENTS = ("chat", "--temp", "0", "--seed", "7", "--threads", "1")


async def take(folder: Path) -> None:
    """Play the tour as fast as it goes; its pictures go to the folder."""
    app = chat_app(build_parser().parse_args(ARGUMENTS))
    async with app.run_test(size=SIZE) as pilot:
        await Player(read(TOUR), folder, lambda _: pilot.pause()).play(pilot)
    if app.failure is not None:
        raise app.failure


def small(svg: str) -> str:
    """Return the same picture in half the bytes: with short names, and without what cuts off each
    line where it ends anyway.
    """
    svg = re.sub(r"terminal-\d+-", "t", svg).replace("&#160;", "\N{NO-BREAK SPACE}")
    svg = re.sub(r'<clipPath id="tline-\d+">.*?</clipPath>\s*', "", svg, flags=re.DOTALL)
    return re.sub(r' clip-path="url\(#tline-\d+\)"', "", svg)


def main() -> int:
    """Take the pictures anew."""
    with tempfile.TemporaryDirectory() as home:
        os.environ.update(dict.fromkeys(HOMES, home))
        for name in [name for name in os.environ if name.startswith("SLIPSTREAM_")]:
            del os.environ[name]
        asyncio.run(take(HERE))
    for picture in sorted(HERE.glob("*.svg")):
        picture.write_text(small(picture.read_text("utf-8")), "utf-8")
        print(f"{picture.name}: {picture.stat().st_size} bytes")
    return 0


if __name__ == "__main__":
    sys.exit(main())
