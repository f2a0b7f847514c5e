"""Reasoning beside the answer: who divides the two as they stream, and the block that holds it.

`Divider` is pure: spans in, the answer's spans out, cut by the offsets that app/thoughts.py
gives.
`Thinking` shows the rest: one dim line while it is folded, and the text where it is opened.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from time import monotonic

from textual.timer import Timer

from app.thoughts import Part, Splitter
from app.tui.widgets.fold import Fold
from engine import PLAIN, Span

TICK_S = 0.25
MINUTE_S = 60


@dataclass(frozen=True, slots=True)
class Fresh:
    """What is new of an answer. anew: it takes the place of all that was given before."""

    spans: Sequence[Span]
    anew: bool = False


class Divider:
    """Divides an answer that grows.

    What was given as the answer can turn out to be thinking, where only its end is written.
    """

    def __init__(self) -> None:
        self._spans: list[Span] = []
        self._starts: list[int] = []
        self._length = 0
        self._splitter = Splitter()
        self._parts: tuple[Part, ...] = ()
        self._given: list[tuple[int, int]] = []

    @property
    def is_thinking(self) -> bool:
        """Whether what comes next is thinking, as far as one can know."""
        return self._splitter.is_thinking

    @property
    def thinking(self) -> list[Part]:
        """What was thought."""
        return [part for part in self._parts if part.kind == "thinking"]

    @property
    def answer(self) -> str:
        """What was answered."""
        return "".join(part.text for part in self._parts if part.kind == "answer")

    def feed(self, spans: Iterable[Span]) -> Fresh:
        """Take in more."""
        for span in spans:
            self._add(span)
            self._splitter.feed(span.text)
        return self._fresh()

    def finish(self, text: str) -> Fresh:
        """Take in the whole, of which what was fed is the beginning."""
        self._add(Span(text[self._length :], PLAIN))
        self._split(text)
        self._splitter.finish()
        return self._fresh()

    def renew(self, spans: Sequence[Span]) -> Fresh:
        """Take in the whole as it is by now, of which what was fed may be the beginning."""
        before = "".join(span.text for span in self._spans)
        self._spans, self._starts, self._length = [], [], 0
        for span in spans:
            self._add(span)
        whole = "".join(span.text for span in spans)
        self._split(whole)
        self._splitter.finish()
        fresh = self._fresh()
        return fresh if whole.startswith(before) else Fresh(self._between(self._given), anew=True)

    def go_on(self) -> None:
        """Undo `finish`: there is more to come."""
        self._split("".join(span.text for span in self._spans))

    def _add(self, span: Span) -> None:
        self._spans.append(span)
        self._starts.append(self._length)
        self._length += len(span.text)

    def _split(self, text: str) -> None:
        self._splitter = Splitter()
        self._splitter.feed(text)

    def _fresh(self) -> Fresh:
        self._parts = self._splitter.parts
        answers = [part for part in self._parts if part.kind == "answer"]
        now = [(part.start, part.start + len(part.text)) for part in answers]
        before, self._given = self._given, now
        if not _has_grown(before, now):
            return Fresh(self._between(now), anew=True)
        ends = dict(before)
        return Fresh(self._between([(ends.get(start, start), end) for start, end in now]))

    def _between(self, ranges: Iterable[tuple[int, int]]) -> list[Span]:
        """Cut what lies there out of the spans."""
        found: list[Span] = []
        for start, end in ranges:
            at = max(0, bisect_right(self._starts, start) - 1)
            while at < len(self._spans) and self._starts[at] < end:
                span, begin = self._spans[at], self._starts[at]
                text = span.text[max(0, start - begin) : end - begin]
                if text:
                    found.append(Span(text, span.origin))
                at += 1
        return found


def _has_grown(before: Sequence[tuple[int, int]], now: Sequence[tuple[int, int]]) -> bool:
    """Whether all that was given still stands, and what is new comes behind it."""
    if len(now) < len(before):
        return False
    if any(a[0] != b[0] or b[1] < a[1] for a, b in zip(before, now, strict=False)):
        return False
    return all(a == b for a, b in zip(before[:-1], now, strict=False))


class Thinking(Fold):
    """What was thought before an answer, folded. clock: seconds, by any clock that only grows."""

    DEFAULT_CSS = """
    Thinking {
        display: none;
        padding: 0 2;
        margin-bottom: 1;
        .fold--line { color: $foreground-muted; }
        .fold--line:hover { color: $foreground 80%; }
        .fold--text { color: $foreground-muted; }
    }
    """

    def __init__(self, clock: Callable[[], float] = monotonic) -> None:
        super().__init__()
        self._clock = clock
        self._parts: list[Part] = []
        self._since: float | None = None
        self._spent_s = 0.0
        self._is_timed = True
        self._ticking: Timer | None = None

    def on_mount(self) -> None:
        """Keep the seconds true while they pass."""
        self._ticking = self.set_interval(TICK_S, self._tick, pause=True)

    @property
    def line(self) -> str:
        """What is said of it."""
        seconds = self._spent_s
        if self._since is not None:
            return f"thinking… {duration(seconds + self._clock() - self._since)}"
        took = f" for {duration(seconds)}" if self._is_timed else ""
        count = sum(len(part.text.split()) for part in self._parts)
        cut = "" if all(part.closed for part in self._parts) else ", cut off"
        return f"thought{took}, {count} word{'s' * (count != 1)}{cut}"

    @property
    def body(self) -> str:
        """What was thought."""
        return "\n\n".join(part.text for part in self._parts)

    def grow(self, parts: list[Part], is_thinking: bool) -> None:
        """Show what is thought so far."""
        is_new = parts != self._parts
        self._parts = parts
        if is_thinking and parts and self._since is None:
            self._since = self._clock()
        elif not is_thinking:
            self._rest()
        if parts and not self.display:
            self.write()
        self.display = bool(parts)
        if is_new and self._ticking is not None:
            self._ticking.resume()

    def finish(self, parts: list[Part]) -> None:
        """Show all that was thought. One that was never seen to grow has no duration."""
        self._is_timed = self._since is not None or self._spent_s > 0
        self._parts = parts
        self._rest()
        self.display = bool(parts)
        self.write()

    def restart(self) -> None:
        """Forget it, for another answer."""
        self._parts, self._since, self._spent_s = [], None, 0.0
        self._is_timed = True
        self.display = False
        self.remove_class("-open")

    def _rest(self) -> None:
        """Stop the clock."""
        if self._since is not None:
            self._spent_s += self._clock() - self._since
            self._since = None

    def _tick(self) -> None:
        self.write()
        if self._since is None and self._ticking is not None:
            self._ticking.pause()


def duration(seconds: float) -> str:
    """Write whole seconds, from a minute on with the minutes."""
    whole = int(seconds)
    return f"{whole} s" if whole < MINUTE_S else f"{whole // MINUTE_S} min {whole % MINUTE_S} s"
