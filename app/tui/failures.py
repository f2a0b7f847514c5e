"""Errors as the screen says them: one line, never a traceback."""

from __future__ import annotations

from app.chat.conversation import Turn
from app.errors import AppError
from app.terminal.sanitise import one_line
from engine import EngineDied, EngineError


class BrokenOff(Exception):
    """A load was ended by an order."""


def said(error: Exception) -> str:
    """Return what went wrong in one harmless line; an error that nobody foresaw is named."""
    is_known = isinstance(error, AppError | EngineError | OSError)
    return one_line(str(error) if is_known else f"{type(error).__name__}: {error}")


def is_death(error: Exception) -> bool:
    """Whether the engine is not to be asked again as it is: it has died, or that is a defect."""
    return isinstance(error, EngineDied) or not isinstance(error, EngineError)


def mark(turn: Turn, death: Exception | None, is_wish: bool) -> None:
    """Correct a turn's reason where the engine's end was the person's wish, or a defect."""
    if is_wish:
        turn.reason, turn.error = "cancelled", ""
    elif death is not None and not turn.error:
        turn.reason, turn.error = "failed", f"{type(death).__name__}: {death}"
