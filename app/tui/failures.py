"""Errors as the screen says them: one line, never a traceback."""

from __future__ import annotations

from app.errors import AppError
from app.sanitise import one_line
from engine import EngineError


def said(error: Exception) -> str:
    """Return what went wrong in one harmless line; an error that nobody foresaw is named."""
    is_known = isinstance(error, AppError | EngineError | OSError)
    return one_line(str(error) if is_known else f"{type(error).__name__}: {error}")
