"""Origins are found again in the rendered text."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from app.tui.text.origins import Origins, runs, trace
from engine import PLAIN

letters = st.text(st.sampled_from("abc \n"), max_size=60)


def origins_of(*pieces: tuple[str, str]) -> Origins:
    origins = Origins()
    for text, origin in pieces:
        origins.add(text, origin)
    return origins


@given(letters)
def test_a_text_is_traced_to_itself(text: str) -> None:
    assert trace(text, text) == list(range(len(text)))


@given(letters, letters)
def test_places_rise_and_hold_the_same_character(visible: str, source: str) -> None:
    places = trace(visible, source)
    found = [(index, place) for index, place in enumerate(places) if place >= 0]
    assert [place for _, place in found] == sorted({place for _, place in found})
    for index, place in found:
        assert visible[index].replace("\n", " ") == source[place].replace("\n", " ")


def test_markup_is_skipped() -> None:
    source = "Use **join** of [os.path](https://docs.example/o.p) or `split`."
    visible = "Use join of os.path or split."
    places = trace(visible, source)
    assert "".join(source[place] for place in places) == visible
    assert places[visible.index("or")] == source.index("or `split`")


def test_what_is_not_in_the_source_loses_nothing_after_it() -> None:
    places = trace("\N{BULLET} a & b", "- a &amp; b")
    assert places[0] == -1
    assert places[-1] == len("- a &amp; b") - 1


@given(st.lists(st.tuples(st.text(max_size=5), st.sampled_from(["lookup", PLAIN, "bonus"]))))
def test_every_character_has_the_origin_it_was_given(pieces: list[tuple[str, str]]) -> None:
    origins = origins_of(*pieces)
    expected = [origin for text, origin in pieces for _ in text]
    assert [origins.at(position) for position in range(origins.length)] == expected
    assert origins.at(origins.length) == PLAIN


def test_runs_cover_what_was_guessed_and_leave_plain_text_out() -> None:
    origins = origins_of(("Use ", PLAIN), ("**jo", "lookup"), ("in** ", "bonus"), ("now", PLAIN))
    found = list(runs("Use join now", "Use **join** now", 0, origins))
    assert found == [(4, 6, "lookup"), (6, 9, "bonus")]
