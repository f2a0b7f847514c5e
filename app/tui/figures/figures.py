"""The figures of an answer as a person reads them: the fields of `Stats`, nothing else.

While idle they are those of `Finished.stats`, which `slipstream ask --json` prints too. Pure.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from app.chat.gain import gain, is_slower_than_measured
from app.chat.summary import NOT_WORTH_IT, NOTHING, TOO_DEAR, times
from app.settings.values import DEFAULT_VERIFY
from app.sizes import size
from app.terminal.sanitise import one_line
from app.tui.figures.pace import NO_PACE, Pace, Point
from app.tui.text.origins import label
from engine import Delta, Ready, Stats

UNKNOWN = "—"
BUSY = "slow steps: busy machine?"
NOT_USED = "draft model not used"
NEARLY_FULL = 0.85
BAR_FULL, BAR_EMPTY = "━", "─"


@dataclass(frozen=True, slots=True)
class Figures:
    """What the live panel shows.

    last_draft: length of the newest draft; None while idle. pace: how the answer went so far.
    rss_bytes: what the engine process holds in memory; None hides it. chosen: the drafter that was
    chosen in this chat, None for the pair's own. is_others: another pair than this one gave the
    answer, or nobody knows which.
    """

    ready: Ready | None = None
    stats: Stats | None = None
    last_draft: int | None = None
    context_used: int = 0
    pace: Pace = NO_PACE
    rss_bytes: int | None = None
    chosen: str | None = None
    is_others: bool = False

    def fresh(self) -> Figures:
        """Return the figures of a chat that nothing was asked in."""
        blank = replace(self, stats=None, last_draft=None, context_used=0)
        return replace(blank, pace=NO_PACE, is_others=False)

    def growing(self, delta: Delta, now: float | None = None) -> Figures:
        """Return the figures of a running answer.

        now: seconds by any clock that only grows, for the pace; None leaves that as it is.
        """
        pace = NO_PACE if self.last_draft is None else self.pace
        stats = delta.stats
        if now is not None:
            pace = pace.plus(Point(now, stats.output_tokens, stats.tested, stats.accepted))
        return replace(
            self,
            stats=stats,
            last_draft=delta.draft_length,
            context_used=delta.context_used,
            pace=pace,
            is_others=False,
        )

    def ended(self, stats: Stats | None, context_used: int) -> Figures:
        """Return the figures of an answer that is over; without any, the ones before stay."""
        if stats is None:
            return replace(self, last_draft=None)
        used = context_used or self.context_used
        return replace(self, stats=stats, last_draft=None, context_used=used, is_others=False)

    @property
    def tokens_per_s(self) -> str:
        """Decoding speed."""
        return _number(self.stats.decode_tps if self.stats else None, 1)

    @property
    def speedup(self) -> str:
        """The gain over plain; ≈ because plain's speed comes from measured costs."""
        factor = gain(self.stats) if self.stats else None
        return UNKNOWN if factor is None else times(factor)

    @property
    def pays(self) -> bool:
        """Whether drafting is known to be no slower than plain."""
        return self.stats is not None and (gain(self.stats) or 0.0) >= 1.0

    @property
    def why_slower(self) -> str | None:
        """Why an answer came slower than plain though guesses were right, or none was worth a test;
        None where it did not, or nobody can say.
        """
        if self.ready is None or self.stats is None or self.is_others:
            return None
        is_busy = is_slower_than_measured(self.stats, self.ready.costs)
        return None if is_busy is None else BUSY if is_busy else TOO_DEAR

    @property
    def acceptance_rate(self) -> str:
        """Accepted of the tested tokens."""
        rate = self.stats.acceptance_rate if self.stats else None
        return UNKNOWN if rate is None else f"{100 * rate:.0f} %"

    @property
    def draft_efficiency(self) -> str:
        """Accepted of all drafted tokens, those that were never tested included."""
        rate = self.stats.draft_efficiency if self.stats else None
        return UNKNOWN if rate is None else f"{100 * rate:.0f} %"

    @property
    def acceptance_length(self) -> str:
        """Tokens emitted per target forward."""
        return _number(self.stats.mean_acceptance_length if self.stats else None, 2)

    @property
    def draft_length(self) -> str:
        """The newest draft's length while drafting; over the whole answer, the mean."""
        if self.last_draft is not None:
            return str(self.last_draft)
        if self.stats is None or not self.stats.steps:
            return UNKNOWN
        return f"ø {self.stats.drafted / self.stats.steps:.1f}"

    @property
    def drafter(self) -> str:
        """Who drafts."""
        if self.ready is None:
            return UNKNOWN
        return one_line(" + ".join(label(name) for name in self.ready.drafters)) or "none"

    @property
    def names(self) -> list[str]:
        """Who drafts, and whoever else drafted for the answer."""
        loaded = self.ready.drafters if self.ready is not None else []
        return list(dict.fromkeys([*loaded, *(self.stats.drafters if self.stats else ())]))

    @property
    def verify(self) -> str | None:
        """The way of verifying; None while it is the usual one, or nobody drafts."""
        if self.ready is None or not self.ready.drafters or self.ready.verify == DEFAULT_VERIFY:
            return None
        return one_line(self.ready.verify)

    @property
    def ttft(self) -> str:
        """Time to first token."""
        seconds = self.stats.ttft_s if self.stats else None
        if seconds is None:
            return UNKNOWN
        return f"{1000 * seconds:.0f} ms" if seconds < 1 else f"{seconds:.1f} s"

    @property
    def context(self) -> str:
        """Tokens in the context, and how many it can hold."""
        return f"{self.context_used} / {self.ready.n_ctx}" if self.ready else UNKNOWN

    @property
    def few_left(self) -> int | None:
        """How many tokens the context still has room for, once they are few; None before."""
        n_ctx = self.ready.n_ctx if self.ready else 0
        is_nearly_full = n_ctx and self.context_used >= NEARLY_FULL * n_ctx
        return max(0, n_ctx - self.context_used) if is_nearly_full else None

    def bar(self, width: int) -> tuple[str, str]:
        """Return the filled and the empty part of the context's bar."""
        share = self.context_used / self.ready.n_ctx if self.ready and self.ready.n_ctx else 0.0
        full = min(width, max(round(share * width), 1 if self.context_used else 0))
        return BAR_FULL * full, BAR_EMPTY * (width - full)

    def share(self, drafter: str) -> str:
        """Return how many of a drafter's tokens were accepted, "" before it drafted."""
        mine = self.stats.drafters.get(drafter) if self.stats else None
        return f"{mine.accepted} of {mine.drafted}" if mine else ""

    @property
    def places(self) -> list[tuple[float, int]]:
        """For each place of a draft: accepted of the tested tokens, and how many were tested."""
        if self.stats is None:
            return []
        pairs = zip(self.stats.accepted_at, self.stats.tested_at, strict=False)
        return [(accepted / tested if tested else 0.0, tested) for accepted, tested in pairs]

    @property
    def near_ties(self) -> str | None:
        """How many draws were too close for the kernels to be sure of; None where none was."""
        return str(len(self.stats.near_ties)) if self.stats and self.stats.near_ties else None

    @property
    def memory(self) -> str | None:
        """What the engine process holds in memory; None while nobody knows."""
        return None if self.rss_bytes is None else size(self.rss_bytes)

    @property
    def off(self) -> str | None:
        """Why nobody drafts; None while somebody does, or nothing is loaded."""
        if self.ready is None:
            return None
        if self.chosen == "none" and not self.ready.off:
            return "speculation off: /draft none"
        if self.ready.drafters or self._has_chosen_one:
            return None
        return f"speculation off: {one_line(self.ready.off) or 'the drafter is none'}"

    @property
    def drafting(self) -> list[str]:
        """Who drafts in this chat from now on."""
        loaded = self.ready.drafters if self.ready is not None else []
        if self.chosen in (None, "auto"):
            return loaded
        return [] if self.chosen == "none" else [str(self.chosen)]

    @property
    def nothing(self) -> str:
        """What is to be said of an answer that ends now, and in which nothing was drafted."""
        if self.ready is None:
            return NOTHING
        return NOT_WORTH_IT if self.off is None else f"{NOTHING}: speculation is off"

    @property
    def refused(self) -> str | None:
        """Why a draft model does not draft where something else does; None if none is refused."""
        if self.ready is None or not self.ready.draft_refused or self.off is not None:
            return None
        return f"{NOT_USED}: {one_line(self.ready.draft_refused)}"

    @property
    def _has_chosen_one(self) -> bool:
        """Whether somebody drafts in this chat though the pair was loaded to have nobody do it."""
        ready = self.ready
        if ready is None or ready.rollback == "none":
            return False
        return ready.drafter == "none" != (self.chosen or "none")


def _number(value: float | None, digits: int) -> str:
    return UNKNOWN if value is None else f"{value:.{digits}f}"
