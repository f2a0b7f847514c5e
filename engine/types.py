"""The words of the engine as types, and the Protocols at its seams.

Shapes: logits are `[rows, vocab] float32`, one row per position, row i holding the target's scores
for the token that follows input i. Token ids are plain ints. Times are seconds.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

import msgspec

from engine.arrays import Logits, Row
from engine.messages import FinishReason

if TYPE_CHECKING:  # the app imports these words too, and must start without numpy
    from engine.sampling.sampler import Distribution

PLAIN = "plain"
CORRECTED = "corrected"
BONUS = "bonus"
"""Origins of a token that no drafter proposed; an accepted token's origin is its drafter's name."""


class Draft(msgspec.Struct, frozen=True):
    """The tokens proposed in one step, by whom, and how sure the drafter was of each.

    drafter: who drafted its first token, and all others unless `drafters` names each one's.
    confidences: [len(tokens)], the drafter's own estimate that its token is the target's.
    probs: what `Picker.pick` gave with each token; () if the tokens were not drawn from anything.
    """

    tokens: tuple[int, ...] = ()
    drafter: str = ""
    confidences: tuple[float, ...] = ()
    probs: tuple[Distribution | None, ...] = ()
    drafters: tuple[str, ...] = ()

    @property
    def origins(self) -> tuple[str, ...]:
        """The drafter of each token."""
        return self.drafters or (self.drafter,) * len(self.tokens)

    def first(self, n: int) -> Draft:
        """Return the draft of the first n tokens."""
        if n >= len(self.tokens):
            return self
        if n == 0:
            return NO_DRAFT
        return Draft(
            self.tokens[:n],
            self.drafter,
            self.confidences[:n],
            self.probs[:n],
            self.drafters[:n],
        )


NO_DRAFT = Draft()


class Pick(msgspec.Struct, frozen=True):
    """A draft token drawn from a drafter's row.

    confidence: its softmax probability there; probs: the distribution that it was drawn from, None
    where verification has no use for it.
    """

    token: int
    confidence: float
    probs: Distribution | None = None


class Verdict(msgspec.Struct, frozen=True):
    """What the target made of a draft: `tokens[:accepted]` are the draft's, one more is its own.

    near_ties: offsets into `tokens` whose draw was closer than the kernels' width noise.
    """

    tokens: tuple[int, ...]
    accepted: int
    near_ties: tuple[int, ...] = ()


class Step(msgspec.Struct, frozen=True):
    """One draft-verify round after its commit.

    draft: what was verified, the beginning of `proposed`, which is all that was drafted.
    tokens: what was committed (a stop may have cut the verdict short).
    accepted, tested: draft tokens committed; draft tokens that the target compared.
    llama_s: time inside llama.cpp, target and draft model together; step_s: the whole round;
    draft_s: what of it was drafting; expected_draft_s: what models should have taken for that, 0.0
    if none was run or nothing is known of it.
    batch: tokens in the target's forward, with those of the prompt that prefill left to it, and
    those of no account that only made it wider.
    """

    draft: Draft
    proposed: Draft
    tokens: tuple[int, ...]
    accepted: int
    tested: int
    near_ties: tuple[int, ...]
    step_s: float
    llama_s: float
    finish: FinishReason | None = None
    draft_s: float = 0.0
    expected_draft_s: float = 0.0
    batch: int = 0


class Decoder(Protocol):
    """A model with a KV cache for one sequence; positions are implied by order."""

    n_ctx: int
    n_batch: int
    n_vocab: int
    n_snapshots: int
    """How many tokens of the last batch a recurrent state can be taken back; 0: none."""
    settles: int
    """After so many single tokens in a row the next one takes what it does in plain decoding."""

    @property
    def decode_s(self) -> float:
        """Time spent inside llama.cpp so far."""

    def decode(self, tokens: Sequence[int], start: int, n_rows: int) -> Logits:
        """Evaluate tokens at positions start… and return the last n_rows rows of logits."""

    def clear(self) -> None:
        """Forget everything, also what a decode that failed left behind. Slower than drop(0)."""

    def drop(self, start: int) -> None:
        """Forget every position from start on. Raises RollbackRefused."""

    def save(self) -> bytearray:
        """Return what it takes to come back to here after further decodes. Raises DecodeError."""

    def restore(self, saved: bytearray, n: int) -> None:
        """Come back to the n positions that were held when `saved` was. Raises DecodeError."""


class Allowance(Protocol):
    """What the policy grants for one step, and what it thinks of drafts; values are in tokens, less
    what they cost in time.
    """

    @property
    def limit(self) -> int:
        """At most this many tokens; 0 means: decode plainly."""

    def value(self, drafter: str, confidences: Sequence[float]) -> tuple[int, float]:
        """Return how many of these tokens, which need no model, to add, and the value of that."""

    def outlook(self, drafter: str, lag: int) -> float:
        """Return the value of drafting on with a model that must evaluate `lag` tokens first."""

    def take(self, drafter: str, confidences: Sequence[float], lag: int = 0) -> None:
        """Account for tokens that were added; lag: how many a model evaluated first."""

    @property
    def drafting_s(self) -> float:
        """Seconds that models should have taken so far for what was evaluated."""

    def note(self, drafter: str, tokens: Sequence[int], confidences: Sequence[float]) -> None:
        """Remember what a drafter would have begun with, to learn from that too."""

    @property
    def hindsight(self) -> int:
        """For how many tokens, committed while a model was not asked, it reports what it would have
        drafted.
        """

    def review(self, drafter: str, confidences: Sequence[float], hits: Sequence[bool]) -> None:
        """Learn from what it would have drafted. hits: whether each was the committed token."""

    def keep(self, proposed: Draft) -> int:
        """Return how many tokens of the draft to verify."""

    def width(self, rows: int) -> int:
        """Return in how many rows to verify them: `rows`, or more where those cost less."""


class Policy(Protocol):
    """Decides how many tokens to draft now."""

    def allow(self, room: int, depth: int) -> Allowance:
        """Grant at most `room` tokens for the coming step, behind `depth` cells in use."""

    def observe(self, step: Step) -> None:
        """Learn from a finished step."""


class Picker(Protocol):
    """Draws a drafter's tokens from the drafter's own rows, as the way of verifying wants them.

    keyed: whether a draw is a function of row, window and position, and advances no random stream.
    """

    keyed: bool

    def window(self, context: Sequence[int]) -> list[int]:
        """Return the end of `context` that a row's penalties look back to."""

    def pick(self, row: Row, history: Sequence[int], position: int) -> Pick:
        """Draw the token at `position` from `row` [vocab]; history: the window before it."""


class Drafter(Protocol):
    """Proposes tokens. Sees committed tokens only; never the loop, the target or the verdict."""

    name: str

    @property
    def members(self) -> tuple[str, ...]:
        """The names that its drafts bear; () for one that never drafts."""

    def begin(self, context: Sequence[int], picker: Picker) -> None:
        """Start an answer to the prompt `context`; tokens are drawn from rows with `picker`."""

    def propose(self, context: Sequence[int], allowance: Allowance) -> Draft:
        """Propose what follows `context`, all committed tokens; an empty draft is a fine answer."""

    def observe(self, step: Step) -> None:
        """Learn what was committed, also in steps that another drafter won."""

    @property
    def failure(self) -> str:
        """Why a model of it drafts no more in this answer; "" if it does."""

    @property
    def decode_s(self) -> float:
        """Time spent inside llama.cpp so far; 0.0 for drafters without a model."""


class Verifier(Picker, Protocol):
    """Turns a draft and the target's logits into a verdict, and says how drafts are drawn.

    cuts: whether a draft may be cut depending on its tokens without biasing the emitted text.
    """

    name: str
    cuts: bool

    def verify(self, context: Sequence[int], draft: Draft, logits: Logits) -> Verdict:
        """`logits` has len(draft.tokens) + 1 rows; row 0 scores the token after `context`."""


class Reader(Protocol):
    """Reads committed tokens one by one and says when the answer ends."""

    @property
    def room(self) -> int:
        """How many more tokens the answer may have; at least 1 until it has ended."""

    def read(self, token: int, origin: str) -> FinishReason | None:
        """Take one token; the reason if the answer ends with it."""
