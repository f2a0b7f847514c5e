"""Words are found, and marked, in scripts with letters that are not those of Latin."""

from __future__ import annotations

import pytest

from app.history import History
from app.history.words import MOST_SPELLINGS, spellings
from tests.app.history.chats import said

TEXTS = {
    "Russian": "Мой ёж: Русский йод.",
    "Greek": "Βλέπω: Σίσυφος στην Ελλάδα.",
    "Japanese": "東京のバス停です。",
}


@pytest.mark.parametrize(
    ("typed", "title", "mark"),
    [
        ("русский", "Russian", "Русский"),
        ("ЁЖ", "Russian", "ёж"),
        ("русский мой", "Russian", "Мой"),
        ("ΕΛΛΆΔΑ", "Greek", "Ελλάδα"),
        ("ΣΊΣΥΦΟΣ", "Greek", "Σίσυφος"),
        ("バス", "Japanese", "バス"),
    ],
)
def test_letters_are_found_whose_diacritics_the_index_keeps(
    history: History, typed: str, title: str, mark: str
) -> None:
    for name, text in TEXTS.items():
        history.rename(said(history, "?", text), name)
    other = said(history, "ハス")  # a plant, and no bus
    assert history.flush()
    hits = {hit.chat.title: hit for hit in history.search(typed) if hit.chat.id != other}
    (hit,) = hits.values()
    assert (hit.chat.title, mark) == (title, hit.snippet[slice(*hit.marks[0])])


@pytest.mark.parametrize("typed", ["python", "Python ", '"c"'])
def test_a_word_is_marked_that_stands_in_a_script_without_spaces(
    history: History, typed: str
) -> None:
    said(history, "私はPythonが好き、とCで")
    assert history.flush()
    (hit,) = history.search(typed)
    assert [hit.snippet[slice(*mark)].lower() for mark in hit.marks] == [typed.strip(' "').lower()]


@pytest.mark.parametrize("typed", ["Änderung", "ÄNDERUNG", "änderung", "Öß ung"])
def test_a_word_inside_another_is_found_in_whatever_case(history: History, typed: str) -> None:
    said(history, "Größenänderung")
    assert history.flush()
    assert [bool(hit.marks) for hit in history.search(typed)] == [True]


@pytest.mark.parametrize(
    ("typed", "text", "mark"),
    [
        ("еще", "Ещё раз", "Ещё"),
        ("ещё", "еще раз", "еще"),
        ("елочной", "Ёлочной игрушки", "Ёлочной"),
        ("ёлочной", "елочной игрушки", "елочной"),
        ('"все еще"', "Он всё ещё тут", "всё ещё"),
        ("ελλαδα", "στην Ελλάδα", "Ελλάδα"),
        ("Ελλάδα", "ΣΤΗΝ ΕΛΛΑΔΑ", "ΕΛΛΑΔΑ"),
        ("strasse", "Die Straße", "Straße"),
        ("STRASSENB", "Die Straßenbahn", "Straßenb"),
        ("straße", "DIE STRASSE", "STRASSE"),
        ("grüsse", "Viele Grüße", "Grüße"),
        ("flussschiff", "Ein Flußschiff", "Flußschiff"),
    ],
)
def test_a_word_is_found_that_is_written_without_its_marks(
    history: History, typed: str, text: str, mark: str
) -> None:
    said(history, text)
    assert history.flush()
    (hit,) = history.search(typed)
    assert [hit.snippet[slice(*place)] for place in hit.marks] == [mark]


def test_a_long_search_in_such_a_script_asks_the_index_for_no_endless_list(
    history: History,
) -> None:
    said(history, "ещё")
    assert history.flush()
    assert history.search(f'"{"ежа " * 99}"') == []
    assert len(spellings("ежа " * 99)) <= MOST_SPELLINGS + 2


@pytest.mark.parametrize("typed", ["слово,", "слово?", "「слово」"])
def test_a_word_is_marked_that_stands_there_without_the_signs_typed_beside_it(
    history: History, typed: str
) -> None:
    said(history, "Много букв, и ещё? 「буквы」 " * 20 + "слово и ещё")
    assert history.flush()
    (hit,) = history.search(typed)
    assert [hit.snippet[slice(*mark)] for mark in hit.marks] == ["слово"]
