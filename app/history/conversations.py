"""What the forms of other programs share: a conversation that cannot be read leaves the others."""

from __future__ import annotations

from typing import TypeVar

import msgspec

from app.errors import HistoryError

T = TypeVar("T")


class SkippedError(HistoryError):
    """One conversation cannot be read; the others may."""


def converted(found: object, kind: type[T], where: str) -> T:
    """Return a conversation in its shape. where: it stands in the file.

    Raises SkippedError if it has another shape.
    """
    try:
        return msgspec.convert(found, kind)
    except msgspec.ValidationError as error:
        what = str(error) if "`$" in str(error) else f"{error} - at `$`"
        told = what.replace("`$", f"`{where}", 1)
        raise SkippedError(f"Nothing was imported: {told}.") from error
