"""The doctor's checks for a screen: those that need no engine, and all of them.

Imports late and may take seconds: call it in a thread. A second engine beside a loaded one could
need more memory than there is, so checks that ask the demo are run only where that is wished.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from app.doctor.facts import Check

NEEDS_ENGINE = ("check_kernels", "check_speculation")
"""Checks that say nothing without an answer of the demo's."""


class Checkup(Protocol):
    """What the doctor's screen needs; called in threads. Raises AppError or OSError."""

    def without_engine(self) -> list[Check]:
        """Run the checks that start nothing."""

    def with_engine(self) -> list[Check]:
        """Run all, and ask the demo in an engine of its own."""


class LocalCheckup:
    """The checks of this machine."""

    def without_engine(self) -> list[Check]:
        """Look at everything but what an engine does here."""
        from app.doctor.examine import CHECKS, look

        facts = look()
        return [check(facts) for check in CHECKS if check.__name__ not in NEEDS_ENGINE]

    def with_engine(self) -> list[Check]:
        """Do what `slipstream doctor` does."""
        from app.doctor.examine import examine, gather

        return examine(gather())
