"""What is told of an imported question that has no words, but a picture or a file (pure)."""

from __future__ import annotations

from collections.abc import Sequence


def wordless(names: Sequence[str], n_other: int) -> str:
    """Return what is told of a question without words, so that its answer has one. names: of its
    files; n_other: how many parts it has that are no text.
    """
    told = [name or "a file" for name in names] + ["a picture, or another part"] * (n_other > 0)
    return f"({', '.join(told)}: not imported)" if told else "(no words)"
