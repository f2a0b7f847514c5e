"""The doctor's checks for a screen: those that need no engine, and all of them.

Imports late and may take seconds: call it in a thread. A second engine beside a loaded one could
need more memory than there is, so checks that ask the demo are run only where that is wished.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from app.chat.gain import gain
from app.chat.summary import NOT_WORTH_IT, NOTHING, TOO_DEAR

if TYPE_CHECKING:
    from app.doctor.facts import Check
    from app.tui.figures.figures import Figures


class Checkup(Protocol):
    """What the doctor's screen needs; called in threads. Raises AppError or OSError."""

    def without_engine(self) -> list[Check]:
        """Run the checks that start nothing."""

    def with_engine(self) -> list[Check]:
        """Run all, and ask the demo in an engine of its own."""


def check_loaded(figures: Figures) -> list[Check]:
    """Say who drafts for the pair of the chat, and why somebody does not, and whether it takes
    pictures; [] while none is loaded.

    The demo, which the other checks ask, drafts well where this pair may not.
    """
    from app.doctor.checks.pair import NAME
    from app.doctor.facts import Check

    ready = figures.ready
    if ready is None:
        return []
    sees = Check("this model", "ok", "takes pictures" if ready.sees else "takes text only")
    if figures.off is not None:
        mend = "/draft auto" if ready.drafters else ""
        return [Check(NAME, "warn", figures.off, mend), sees]
    if ready.notices:
        return [Check(NAME, "warn", " ".join(ready.notices)), sees]
    return [_check_answer(figures), sees]


def _check_answer(figures: Figures) -> Check:
    """Say who drafts, and why the last answer had nothing drafted, if that was so."""
    from app.doctor.checks.pair import ALONE, NAME
    from app.doctor.facts import Check

    ready, stats = figures.ready, figures.stats
    names = ", ".join(figures.drafting)
    is_alone = names == "lookup" and ready is not None and ready.draft is None
    found = f"drafting with {ALONE if is_alone else names}"
    if stats is None or figures.is_others or stats.drafted or gain(stats) is None:
        return Check(NAME, "ok", found)
    why = f"{NOTHING}: {TOO_DEAR}" if figures.why_slower == TOO_DEAR else NOT_WORTH_IT
    return Check(NAME, "warn", f"{found}; in the last answer {why}")


class LocalCheckup:
    """The checks of this machine, and of the pair that is loaded."""

    def __init__(self, figures: Figures) -> None:
        self._figures = figures

    def without_engine(self) -> list[Check]:
        """Look at everything but what an engine does here."""
        from app.doctor.checks.kernels import OF_TRIAL
        from app.doctor.examine import CHECKS, look

        facts = look()
        checks = [check(facts) for check in CHECKS if check not in OF_TRIAL]
        return _with_loaded(self._figures, checks)

    def with_engine(self) -> list[Check]:
        """Do what `slipstream doctor` does."""
        from app.doctor.examine import examine, gather

        return _with_loaded(self._figures, examine(gather()))


def _with_loaded(figures: Figures, checks: list[Check]) -> list[Check]:
    """Put what is said of the pair that is loaded first, in the place of what is foreseen."""
    loaded = check_loaded(figures)
    names = {check.name for check in loaded}
    return [*loaded, *(check for check in checks if check.name not in names)]
