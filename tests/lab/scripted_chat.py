"""The real chat over a scripted engine that streams at a given rate.

Made for tests/lab/smooth.py, which runs it in a pseudo terminal. At its end it writes what it saw
from inside to a file.
"""

from __future__ import annotations

import argparse
import asyncio
import time
from collections.abc import AsyncGenerator, Sequence
from pathlib import Path

import msgspec

from app.garbage import spared
from app.history import History
from app.tui.app import SlipstreamApp
from app.tui.chat_parts import ChatParts
from app.tui.widgets.turn_view import TurnView
from engine import Delta, Finished, Message, SamplingSettings, Span, Started
from tests.app.tui.fakes import Answer, FakeEngine, FakeSettings, stats_at
from tests.long_answer import TOKENS, long_answer, long_fence, origins, tokens


class Report(msgspec.Struct):
    """sent: tokens; late_s: how late the event loop handed on the latest of them; whole: of the
    long answer, whether its Markdown's source is what was sent.
    """

    sent: int = 0
    late_s: float = 0.0
    whole: bool = False


class PacedEngine(FakeEngine):
    """Answers one token at a time, each when it is due."""

    def __init__(self, spans: Sequence[Span], tokens_per_s: float) -> None:
        super().__init__(Answer(spans))
        self.report = Report()
        self._spans, self._pace_s = spans, 1 / tokens_per_s

    async def ask(
        self,
        messages: Sequence[Message],
        sampling: SamplingSettings,
        predict: int | None = None,
        stop: Sequence[str] = (),
        drafter: str | None = None,
        trace: bool = False,
        think: bool | None = None,
    ) -> AsyncGenerator[Started | Delta | Finished, None]:
        """Stream the answer."""
        self.asked.append(list(messages))
        self.samplings.append(sampling)
        request, self._cancelled = len(self.asked), False
        yield Started(request, 24, 0)
        given: list[Span] = []
        begun = time.monotonic()
        for count, span in enumerate(self._spans, 1):
            wait_s = begun + count * self._pace_s - time.monotonic()
            await asyncio.sleep(max(0.0, wait_s))
            if self._cancelled:
                break
            given.append(span)
            late_s = time.monotonic() - begun - count * self._pace_s
            self.report.late_s = max(self.report.late_s, late_s)
            yield Delta(request, [span], stats_at(count, 1 / self._pace_s), 4, 24 + count)
        self.report.sent = len(given)
        yield self._finished(request, given)


def main() -> None:
    """Run the chat to its end."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rate", type=float, default=500.0, help="tokens per second")
    parser.add_argument("--tokens", type=int, default=TOKENS)
    parser.add_argument("--fence", action="store_true", help="one code block, nothing else")
    parser.add_argument("folder", type=Path, help="for the history and the report")
    args = parser.parse_args()
    text = (long_fence if args.fence else long_answer)(args.tokens)
    pieces = tokens(text)
    spans = [Span(*both) for both in zip(pieces, origins(len(pieces)), strict=True)]
    engine = PacedEngine(spans, args.rate)
    history = History.open(args.folder / "history.db", lambda line: None)
    with spared():
        parts = ChatParts(engine, FakeSettings(), None, history)
    app = Watched(lambda _: parts)
    app.run()
    engine.report.whole = app.shown == text
    (args.folder / "report.json").write_bytes(msgspec.json.encode(engine.report))


class Watched(SlipstreamApp):
    """The app; shown: the first answer as it stood at the end."""

    shown = ""

    async def action_quit(self) -> None:
        """Take note of what is shown, and quit."""
        views = list(self.screen.query(TurnView))
        self.shown = views[0].text if views else ""
        await super().action_quit()


if __name__ == "__main__":
    main()
