"""From tokens to text as it may be shown: whole characters, and nothing behind a stop string.

A character split across tokens waits for its last byte; text that may be the beginning of a stop
string waits until it is not. The text, the reason and the count are those of token-by-token
decoding, whatever the blocks the tokens came in.
"""

from __future__ import annotations

import codecs
from collections.abc import Callable, Sequence

from engine.messages import FinishReason, Span
from engine.types import PLAIN


class AnswerReader:
    """A `Reader` that turns tokens into spans of text.

    piece: the bytes of a token; is_end: whether it ends generation.
    predict: most tokens to emit, None for no such limit; room: how many the context has room for.
    opened: the beginning of the answer's text that the prompt ends with; the first span has it.
    """

    def __init__(
        self,
        piece: Callable[[int], bytes],
        is_end: Callable[[int], bool],
        room: int,
        predict: int | None = None,
        stop: Sequence[str] = (),
        opened: str = "",
    ) -> None:
        self.tokens: list[int] = []
        self.text = ""
        self._opened = opened
        self._last_origin = PLAIN
        self._piece = piece
        self._is_end = is_end
        self._most: int = room
        self._at_most: FinishReason = "context"
        if predict is not None and predict <= room:
            self._most, self._at_most = predict, "length"
        self._stop = tuple(s for s in stop if s)
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._unread: list[int] = []  # without stop strings: of one origin, not yet made text
        self._held: list[Span] = []  # with them: perhaps the beginning of one
        self._ready: list[Span] = []

    @property
    def room(self) -> int:
        """How many more tokens the answer may have."""
        return self._most - len(self.tokens)

    def read(self, token: int, origin: str) -> FinishReason | None:
        """Take one token; the reason if the answer ends with it. An end token adds no text."""
        self.tokens.append(token)
        if origin != self._last_origin:
            self._catch_up()
            self._last_origin = origin
        if self._is_end(token):
            return "stop"
        if not self._stop:
            self._unread.append(token)
        elif self._ends_at_stop(token, origin):
            return "stop"
        return self._at_most if len(self.tokens) >= self._most else None

    def take(self) -> list[Span]:
        """Return the spans that became ready since the last call."""
        self._catch_up()
        ready, self._ready = self._ready, []
        return ready

    def close(self) -> None:
        """End the answer: release what was held back; an unfinished character becomes U+FFFD."""
        self._catch_up()
        rest = self._decoder.decode(b"", final=True)
        if rest:
            self._held.append(Span(rest, self._last_origin))
        self._emit(len(self._held_text()))

    def _catch_up(self) -> None:
        """Make the tokens that were read text: one span, as they have one origin."""
        if not self._unread:
            return
        text = self._decoder.decode(b"".join(map(self._piece, self._unread)))
        self._unread.clear()
        if text:
            self._show(Span(text, self._last_origin))

    def _ends_at_stop(self, token: int, origin: str) -> bool:
        """Make a token text, and say whether a stop string is complete with it."""
        text = self._decoder.decode(self._piece(token))
        if text:
            self._held.append(Span(text, origin))
            if self._cut_at_stop():
                return True
            self._release()
        return False

    def _held_text(self) -> str:
        return "".join(span.text for span in self._held)

    def _cut_at_stop(self) -> bool:
        """If the held text contains a stop string, drop it and what follows, and emit the rest."""
        held = self._held_text()
        found = [at for at in (held.find(s) for s in self._stop) if at >= 0]
        if not found:
            return False
        self._emit(min(found))
        self._held.clear()
        self._decoder.reset()
        return True

    def _release(self) -> None:
        """Emit all that can no longer become a stop string."""
        held = self._held_text()
        waiting = max((_overlap(held, s) for s in self._stop), default=0)
        self._emit(len(held) - waiting)

    def _emit(self, n_chars: int) -> None:
        while self._held and n_chars > 0:
            span = self._held.pop(0)
            if len(span.text) > n_chars:
                self._held.insert(0, Span(span.text[n_chars:], span.origin))
                span = Span(span.text[:n_chars], span.origin)
            n_chars -= len(span.text)
            self._show(span)

    def _show(self, span: Span) -> None:
        if not self.text and self._opened:
            self.text = self._opened
            self._ready.append(Span(self._opened, PLAIN))
        self.text += span.text
        self._ready.append(span)


def _overlap(text: str, stop: str) -> int:
    """Return the length of the longest proper prefix of `stop` that `text` ends with."""
    for n in range(min(len(stop) - 1, len(text)), 0, -1):
        if text.endswith(stop[:n]):
            return n
    return 0
