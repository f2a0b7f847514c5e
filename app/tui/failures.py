"""Errors as the screen says them: one line, never a traceback. Of a defect that goes to a log."""

from __future__ import annotations

from app.chat.conversation import Turn
from app.errors import LONGEST_DEFECT, AppError, refused
from app.logs import kept_traceback
from app.terminal.sanitise import one_line
from engine import EngineDied, EngineError

OWN_PACKAGES = ("app", "engine")
UPDATED = (
    "Slipstream was updated while this window was open: quit and start it again; the chat is kept."
)


class BrokenOff(Exception):
    """A load was ended by an order."""


def error_line(error: Exception) -> str:
    """Return what went wrong in one harmless line. Of what nobody foresaw, a defect, it says where
    its traceback is kept.
    """
    if isinstance(error, AppError | EngineError):
        return one_line(str(error))
    if isinstance(error, OSError):
        return one_line(refused(error))
    if isinstance(error, ImportError) and (error.name or "").partition(".")[0] in OWN_PACKAGES:
        return UPDATED
    what = one_line(f"{type(error).__name__}: {error}", LONGEST_DEFECT)
    return one_line(f"A defect of Slipstream: {what}. {kept_traceback(error)}")


def death_of(error: Exception) -> Exception | None:
    """Return the error if the engine is not to be asked again as it is: it has died, or that is a
    defect, whose traceback is kept.
    """
    if not isinstance(error, AppError | EngineError | OSError):
        kept_traceback(error)
    return error if isinstance(error, EngineDied) or not isinstance(error, EngineError) else None


def mark(turn: Turn, death: Exception | None, is_wish: bool) -> None:
    """Correct a turn's reason where the engine's end was the person's wish, or a defect."""
    if is_wish:
        turn.reason, turn.error = "cancelled", ""
    elif death is not None and (not turn.error or not isinstance(death, EngineError)):
        turn.reason, turn.error = "failed", error_line(death)
