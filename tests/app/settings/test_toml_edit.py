"""An edit changes what was meant and not one character more; what it cannot do, it refuses."""

from __future__ import annotations

import tomllib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.settings.toml_edit import with_table, with_value, without_key

MINE = """\
# how I like it
temp = 0.3  # calm # very
  top_k = 9
system = \"\"\"
[not a table]
temp = 1
\"\"\"   # long

# mine, not Slipstream's
[other]
temp = 5  # of another table
"""


def test_a_value_changes_in_its_place_and_its_comment_stays() -> None:
    got = with_value(MINE, "temp", 0.7)
    assert got == MINE.replace("temp = 0.3  # calm", "temp = 0.7  # calm")
    assert with_value(MINE, "top_k", 40) == MINE.replace("  top_k = 9", "  top_k = 40")


def test_a_value_of_several_lines_is_replaced_whole() -> None:
    got = with_value(MINE, "system", "Be # brief.")
    assert '\nsystem = "Be # brief."   # long\n' in got and "not a table" not in got


def test_a_new_key_stands_below_the_plain_keys_and_above_the_tables_comment() -> None:
    got = with_value(MINE, "seed", 7)
    assert got == MINE.replace("   # long\n", "   # long\nseed = 7\n")
    assert with_value("# note\n[a]\nx = 1\n", "seed", 7) == "seed = 7\n# note\n[a]\nx = 1\n"
    assert with_value("# only this", "seed", 7) == "# only this\nseed = 7\n"
    assert with_value("", "seed", 7) == "seed = 7\n"


def test_a_key_goes_and_nothing_else() -> None:
    assert without_key(MINE, "top_k") == MINE.replace("  top_k = 9\n", "")
    assert without_key(MINE, "min_p") == MINE
    assert tomllib.loads(without_key(MINE, "other")).keys() == {"temp", "top_k", "system"}


def test_a_table_becomes_a_value() -> None:
    for old in ("[logit_bias]\n1 = 1.0\n", "logit_bias.1 = 1.0\n", "logit_bias = { 1 = 1.0 }\n"):
        got = with_value("temp = 1\n" + old, "logit_bias", {"2": -1e30})
        assert tomllib.loads(got) == {"temp": 1, "logit_bias": {"2": -1e30}}


def test_windows_line_ends_stay() -> None:
    got = with_value("a = 1  # x\r\nb = 2\r\n", "a", 3)
    assert got == "a = 3  # x\r\nb = 2\r\n"
    assert with_value(got, "c", 4) == got + "c = 4\r\n"


def test_a_table_is_replaced_in_its_place_or_added_at_the_end() -> None:
    text = "# all\n[One]\nsystem = 'a'\n\n# the second\n[Two]\nsystem = 'b'\n"
    got = with_table(text, "One", {"system": 'say "x"\nand \\', "temp": 1.0})
    assert tomllib.loads(got)["One"] == {"system": 'say "x"\nand \\', "temp": 1.0}
    assert got.startswith("# all\n[One]\n") and "\n# the second\n[Two]\nsystem = 'b'\n" in got
    assert with_table(text, "Th ree", {"system": "c"}) == text + '\n["Th ree"]\nsystem = "c"\n'
    assert with_table("", "A", {"system": "c"}) == '[A]\nsystem = "c"\n'


@pytest.mark.parametrize("text", ["temp = ", "temp = 1\ntemp = 2\n", "a = [1,\n"])
def test_a_damaged_text_is_refused(text: str) -> None:
    with pytest.raises(ValueError):
        with_value(text, "seed", 1)


def test_tables_that_are_torn_apart_are_left_to_a_person() -> None:
    with pytest.raises(ValueError):
        with_table("[a]\nx = 1\n[b]\ny = 1\n[a.c]\nz = 1\n", "a", {"x": 2})


TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=30)


@given(TEXT, TEXT)
def test_any_text_comes_back_as_it_was_set(one: str, two: str) -> None:
    got = with_value(with_value(MINE, "system", one), "other", two)
    assert tomllib.loads(got)["system"] == one and tomllib.loads(got)["other"] == two
    table = with_table(got, one or "x", {"system": two})
    assert tomllib.loads(table)[one or "x"] == {"system": two}
