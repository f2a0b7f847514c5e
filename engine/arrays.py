"""The arrays of the engine as types, with their shapes. Their names alone: numpy is not loaded."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

Logits: TypeAlias = "npt.NDArray[np.float32]"
"""`[rows, vocab] float32`; a view that the next decode overwrites."""

Row: TypeAlias = "npt.NDArray[np.float32]"
"""`[vocab] float32`, one row of logits."""

Ids: TypeAlias = "npt.NDArray[np.int64]"
"""Token ids, or indices, as an array."""

Floats: TypeAlias = "npt.NDArray[np.float64]"
"""Numbers that are computed with."""
