"""The doctor's checks for a screen: those that need no engine, and all of them.

Imports late and may take seconds: call it in a thread. A second engine beside a loaded one could
need more memory than there is, so checks that ask the demo are run only where that is wished.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from app.doctor.facts import Check
    from app.tui.figures.figures import Figures


class Checkup(Protocol):
    """What the doctor's screen needs; called in threads. Raises AppError or OSError."""

    def without_engine(self) -> list[Check]:
        """Run the checks that start nothing."""

    def with_engine(self) -> list[Check]:
        """Run all, and ask the demo in an engine of its own."""


def check_pair(figures: Figures) -> list[Check]:
    """Say who drafts for the pair of the chat, and why somebody does not, and whether it takes
    pictures; [] while none is loaded.

    The demo, which the other checks ask, drafts well where this pair may not.
    """
    from app.doctor.facts import Check

    ready = figures.ready
    if ready is None:
        return []
    sees = Check("this model", "ok", "takes pictures" if ready.sees else "takes text only")
    if figures.off is not None:
        mend = "/draft auto" if ready.drafters else ""
        return [Check("this pair", "warn", figures.off, mend), sees]
    if ready.notices:
        return [Check("this pair", "warn", " ".join(ready.notices)), sees]
    return [Check("this pair", "ok", f"drafting with {', '.join(ready.drafters)}"), sees]


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
        return [*check_pair(self._figures), *checks]

    def with_engine(self) -> list[Check]:
        """Do what `slipstream doctor` does."""
        from app.doctor.examine import examine, gather

        return [*check_pair(self._figures), *examine(gather())]
