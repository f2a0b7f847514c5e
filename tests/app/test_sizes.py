"""Sizes are short, near the truth, and never spoil their own unit."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.sizes import UNITS, counted, size


@pytest.mark.parametrize(
    ("n_bytes", "words"),
    [
        (0, "0 B"),
        (1, "1 B"),
        (999, "999 B"),
        (1000, "1 kB"),
        (999_499, "999 kB"),
        (999_500, "1.00 MB"),
        (639_446_688, "639 MB"),
        (5_027_784_512, "5.03 GB"),
        (9_994_999_999, "9.99 GB"),
        (9_995_000_000, "10.0 GB"),
        (99_500_000_000, "100 GB"),
        (1.5e12, "1.50 TB"),
        (4e15, "4000 TB"),
    ],
)
def test_sizes_read_as_shops_write_them(n_bytes: float, words: str) -> None:
    assert size(n_bytes) == words


@given(st.integers(1000, 10**15 - 1))
def test_what_is_said_is_within_half_a_unit_of_the_last_digit(n_bytes: int) -> None:
    said = size(n_bytes)
    number, unit = said.split()
    assert re.fullmatch(r"[0-9]{1,3}|[0-9]\.[0-9]{2}|[0-9]{2}\.[0-9]|1000", number), said
    last_digit = 10.0 ** -len(number.partition(".")[2])
    true = n_bytes / 1000 ** UNITS.index(unit)
    assert abs(float(number) - true) <= 0.501 * last_digit
    assert number != "1000" or unit == "TB"


@given(st.integers(0, 10**16), st.integers(0, 10**16))
def test_more_is_never_said_to_be_less(one: int, other: int) -> None:
    less, more = sorted((one, other))
    values = [
        float(number) * 1000 ** UNITS.index(unit)
        for number, unit in (size(less).split(), size(more).split())
    ]
    assert values[0] <= values[1] * (1 + 1e-9)


@pytest.mark.parametrize(
    ("n", "words"), [(0, "0 chats"), (1, "1 chat"), (2, "2 chats"), (131_072, "131,072 chats")]
)
def test_a_count_is_written_with_its_noun(n: int, words: str) -> None:
    assert counted(n, "chat") == words
