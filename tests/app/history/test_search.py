"""Whatever is typed, the right chats are found, what matched is marked, and nothing raises."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from app.history import History, Hit
from app.history.query import parse
from app.history.search import SNIPPET, snippet_of
from app.history.words import fold, indexed
from tests.app.history.chats import Clock, found, said

CHATS = {
    "Path": "Use os.path.join, or Path(a) / b from pathlib.",
    "Café": "The CAFÉ is naïve; cafe\u0301 decomposed. Straße, Ærø, ΑΘΗΝΑ.",
    "Japan": "東京は日本の首都です。データベースを検索するnaïve。",
    "Korea": "데이터베이스에서 검색합니다",
    "Thai": "สวัสดีชาวโลก",
    "Party": "Well done 🎉👩‍👩‍👧!",
    "Code": "def __init__(self): return BPETokenizer(100%) # C++ snake_case_name",
    "Lies": 'NEAR(a, b) AND "quoted" -minus ^caret col:umn *star 50_000',
    "Screen": "colour \x1b[31mred\x1b[0m and bidi \u202egnp.exe",
}
FINDS = {
    "os.path": "Path",
    "path.join": "Path",
    "os.path.jo": "Path",
    "path/join": "Path",
    "athli": "Path",
    "pathlib join": "Path",
    "cafe naive the": "Café",
    "CAFÉ": "Café",
    "cafe\u0301": "Café",
    "Straße": "Café",
    "\N{GREEK SMALL LETTER ALPHA}θη": "Café",
    "日本": "Japan",
    "本の首": "Japan",
    "検索する": "Japan",
    "ベース 東京": "Japan",
    "索するnaive": "Japan",
    "京東": "",
    "베이스": "Korea",
    "ชาวโลก": "Thai",
    "🎉": "Party",
    "👩": "Party",
    "🎂": "",
    "tokenizer": "Code",
    "snake_case": "Code",
    "__init__": "Code",
    "100%": "Code",
    "%": "Code",
    "c++": "Code",
    "near AND a": "Lies",
    "near OR a": "",
    "NOT quoted": "",
    '"minus caret"': "Lies",
    '"caret minus"': "",
    "-minus": "Lies",
    "col:umn": "Lies",
    "star*": "Lies",
    "50_000": "Lies",
    "red": "Screen",
    "gnp.exe": "Screen",
    "don": "Party",
    "nothing of this": "",
}
HOSTILE = [
    '"',
    '""',
    '"a',
    'a"b',
    "*",
    "a*",
    "NEAR(",
    "NEAR(a b, 3)",
    "AND",
    "a AND",
    "OR OR",
    "NOT",
    "-",
    "-a",
    "(",
    ")",
    "{a}",
    "a:b",
    "text:",
    "said:a",
    "^a",
    "+",
    "'",
    "';DROP TABLE chats;--",
    "\\",
    "%",
    "_",
    "\x00",
    "a\x00b",
    "\ud800",
    "\n\t ",
    "",
    "🎉" * 300,
    "\u0301",
    "e\u0301" * 200,
    "日" * 500,
    "a b " * 3000,
    '"' * 9999,
    "x" * 10_000,
    "%_\\" * 3000,
]


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Iterator[History]:
    """A history of the chats above, only read here."""
    path: Path = tmp_path_factory.mktemp("library") / "history.db"
    history = History.open(path, clock=Clock())
    for name, answer in CHATS.items():
        history.rename(said(history, "?", answer), name)
    assert history.flush()
    yield history
    assert history.close()


@pytest.mark.parametrize(("typed", "title"), FINDS.items())
def test_words_find_their_chat_and_are_marked(library: History, typed: str, title: str) -> None:
    hits = library.search(typed)
    assert title in [hit.chat.title for hit in hits] or not title
    assert hits == [] if not title else all(hit.marks or hit.title_marks for hit in hits)


@pytest.mark.parametrize("typed", HOSTILE, ids=range(len(HOSTILE)))
def test_no_input_raises(library: History, typed: str) -> None:
    assert isinstance(library.search(typed), list)


@given(st.text(st.characters() | st.sampled_from('"*()-^:+ANDORNEAR aé日🎉\x00\\%_')))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_no_text_raises_and_marks_lie_inside(library: History, typed: str) -> None:
    for hit in library.search(typed):
        for text, marks in ((hit.snippet, hit.marks), (hit.chat.title, hit.title_marks)):
            ends = [place for mark in marks for place in mark]
            assert ends == sorted(ends) and all(0 <= end <= len(text) for end in ends)


@given(st.text())
def test_folding_keeps_every_character_in_its_place(text: str) -> None:
    assert len(fold(text)) == len(text)
    assert indexed(text).isascii() == text.isascii() or "pic" in indexed(text)


def marked(hit: Hit) -> list[str]:
    """Return what is marked."""
    return [hit.snippet[mark.start : mark.end] for mark in hit.marks]


def test_what_matched_is_marked_in_the_text_as_it_is_written(library: History) -> None:
    def marks_of(typed: str, title: str) -> list[str]:
        return next(marked(hit) for hit in library.search(typed) if hit.chat.title == title)

    assert marks_of("cafe", "Café") == ["CAFÉ", "cafe\u0301"]
    assert marks_of("path.jo", "Path") == ["path.jo"]
    assert marks_of("本の", "Japan") == ["本の"]
    assert marks_of("okenize", "Code") == ["okenize"]


def test_titles_are_found_and_marked(library: History) -> None:
    (hit,) = library.search("scree")
    assert (hit.chat.title, hit.title_marks, hit.message) == ("Screen", ((0, 5),), None)
    assert (hit.snippet, hit.n_found) == ("", 0)


def test_a_snippet_is_one_harmless_line_around_the_match(library: History) -> None:
    (hit,) = library.search("gnp.exe")
    assert hit.snippet == "colour [31mred[0m and bidi gnp.exe"
    text = "before\n" * 100 + "the needle\x1b[2J is here " + "after " * 100
    snippet = snippet_of(text, parse("needle").pattern())
    assert "the needle[2J is here after" in snippet and len(snippet) <= SNIPPET
    assert snippet.startswith("…") and snippet.endswith("…")


def test_hits_are_grouped_by_chat(history: History) -> None:
    chat = said(history, "about turtles", "turtles all the way down")
    said(history, "turtles", chat=chat)
    said(history, "hares")
    assert history.flush()
    (hit,) = history.search("turtles")
    assert (hit.chat.id, hit.n_found) == (chat, 3)
    assert hit.message in {message.id for message in history.chat(chat).messages}


def test_new_and_pinned_chats_and_titles_come_first(history: History, clock: Clock) -> None:
    old = said(history, "a", "the walrus")
    clock.now += 300 * 86400
    said(history, "b", "the walrus speaks")
    for name in "cdefgh":
        said(history, name, "something else altogether")
    history.flush()
    assert found(history, "walrus") == ["b", "a"]
    history.pin(old)
    clock.now += 300 * 86400
    history.flush()
    assert found(history, "walrus") == ["a", "b"]
    history.unpin(old)
    history.rename(old, "walrus")
    history.flush()
    assert found(history, "walrus") == ["walrus", "b"]


def test_what_is_rewritten_is_found_by_its_new_words_alone(history: History) -> None:
    chat = said(history, "first title", "an answer")
    history.rename(chat, "second")
    history.flush()
    assert found(history, "second") == ["second"]
    assert [hit.title_marks for hit in history.search("title")] == [()], "it is in the question"
    assert history.search("nswe") and not history.search("nothing")


SIGNED = [
    ("C++", "In c++ it is so.", "c++"),
    ("c#", "In C#, too.", "C#"),
    ("node.js", "Use Node.js here.", "Node.js"),
    ("'x'", "Write 'x' there.", "'x'"),
    ("50%", "It is 50% now.", "50%"),
    ("snake_case", "Say Snake_Case.", "Snake_Case"),
    ('"c++ move"', "A C++ move is cheap.", "C++ move"),
    ("they c++", "C++ is what they use.", "C++"),
    ("Ж++", "Да ж++ там.", "ж++"),
    ("l'été", "Vive L'ÉTÉ !", "L'ÉTÉ"),
]


@pytest.mark.parametrize("is_archive", [False, True])
@pytest.mark.parametrize(("typed", "text", "mark"), SIGNED, ids=[it[0] for it in SIGNED])
def test_chats_that_hold_the_signs_as_typed_come_first(
    history: History,
    clock: Clock,
    monkeypatch: pytest.MonkeyPatch,
    typed: str,
    text: str,
    mark: str,
    is_archive: bool,
) -> None:
    monkeypatch.setattr("app.history.search.RANKED", 5)
    signless = re.sub(r"\W|_", " ", text)
    right = said(history, f"{signless} {signless}", text)
    others = []
    for n in range(9):
        clock.now += 86400
        others.append(said(history, f"other {n}", f"{signless} {signless}"))
        history.pin(others[-1])
    for chat in (right, *others) if is_archive else ():
        history.archive(chat)
    assert history.flush()
    first, *rest = history.search(typed, archived=is_archive)
    assert first.chat.id == right and first.n_found == 1 and mark in marked(first)
    assert {hit.chat.id for hit in rest} == set(others[-len(rest) :]) and len(rest) == 5
    assert [hit.chat.id for hit in history.search(typed, 1, is_archive)] == [right]


def test_a_title_that_holds_the_signs_comes_first_too(history: History, clock: Clock) -> None:
    for title in ("C#", "c", "C c"):
        clock.now += 86400
        history.rename(said(history, "?", "c or d, c or d"), title)
    assert history.flush()
    hit, *others = history.search("c#")
    assert (hit.chat.title, hit.title_marks) == ("C#", ((0, 2),))
    assert [other.chat.title for other in others] == ["C c", "c"]


@pytest.mark.parametrize(
    "typed", ["naïve", "cafe\u0301", "日本の", "🎉", "스레드", "हिन्दी", '"a b"', "x2 \u2192", ""]
)
def test_words_that_the_index_knows_have_no_signs(typed: str) -> None:
    assert parse(typed).signed() == () and parse(typed + "++").signed() != ()


def test_signs_that_nobody_wrote_change_nothing(history: History) -> None:
    for answer in ("a c", "c c c", "c and d"):
        said(history, answer, answer)
    assert history.flush()
    assert history.search("c#") == history.search("c") != []


def test_other_branches_are_found(history: History) -> None:
    chat = said(history, "which way", "leftwards")
    said(history, "which way then", "rightwards", chat=chat)
    history.flush()
    (hit,) = history.search("leftwards")
    assert hit.message is not None
    assert hit.message not in [message.id for message in history.chat(chat).path()]
    history.show(chat, hit.message)
    history.flush()
    assert hit.message in [message.id for message in history.chat(chat).path()]
