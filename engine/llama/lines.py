"""How many rows of logits to reserve, that vectors lie in whole cache lines.

llama.cpp reserves four bytes for the id of each row, and behind them all that it computes with, in
steps of 32 bytes. Unless what comes first fills lines of 64 bytes, every vector of that size lies
in two of them: a batch of 32 tokens then takes up to one and a half times as long with AMX, where
sums are kept in memory (tests/lab/lines.py). llama.cpp's own default is its batch size, which fills
lines, but for recurrent layers, whose own id takes half of one.
"""

from __future__ import annotations

ROWS_IN_A_LINE = 16


def in_lines(n_rows: int, is_recurrent: bool) -> int:
    """Return the least number of rows that is enough and leaves the rest in line."""
    half = is_recurrent * ROWS_IN_A_LINE // 2
    return -(-(n_rows + half) // ROWS_IN_A_LINE) * ROWS_IN_A_LINE - half
