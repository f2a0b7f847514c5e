"""Personas come from two places; a wrong one is named by file, entry and field."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest

from app.errors import SettingsError
from app.prompts.personas import BUILT_IN, Persona, find, load, remove, save


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "personas.toml"


def test_without_a_file_there_are_ours(path: Path) -> None:
    assert load(path) == BUILT_IN
    assert list(BUILT_IN) == ["Plain", "Concise", "Teacher", "Reviewer", "Translator"]
    assert BUILT_IN["Plain"].system == "", "the model as it is"


def test_an_own_one_stands_beside_ours_or_in_its_place(path: Path) -> None:
    path.write_text("[teacher]\nsystem = 'Mine.'\ntemp = 1\n[Pirate]\nsystem = 'Arr.'\n")
    got = load(path)
    assert got["Pirate"] == Persona(system="Arr.") and "Teacher" not in got
    assert got["teacher"] == Persona(system="Mine.", temp=1.0)


def test_a_name_is_found_in_any_case() -> None:
    assert find(" teacher ", BUILT_IN) == "Teacher"
    with pytest.raises(SettingsError, match=r"There is no persona 'x'; there are Plain, Concise"):
        find("x", BUILT_IN)


def test_what_is_saved_is_loaded_and_the_rest_stays(path: Path) -> None:
    path.write_text("# mine\n[Pirate]\nsystem = 'Arr.'\n\n# the second\n[Poet]\nsystem = 'Oh'\n")
    save(path, "Pirate", dict(system='Say "arr".\nAlways.', temp=0.9, seed=3))
    save(path, "O'Neil 2", dict(system="x"))
    assert load(path)["Pirate"] == Persona(system='Say "arr".\nAlways.', temp=0.9, seed=3)
    assert load(path)["O'Neil 2"].system == "x"
    text = path.read_text()
    assert (
        text.startswith("# mine\n[Pirate]\n") and "\n# the second\n[Poet]\nsystem = 'Oh'\n" in text
    )
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_another_spelling_takes_the_place_of_the_former(path: Path) -> None:
    save(path, "pirate", dict(system="a"))
    save(path, "Pirate", dict(system="b"))
    assert [name for name in load(path) if name not in BUILT_IN] == ["Pirate"]


def test_an_own_one_is_removed_and_ours_is_back(path: Path) -> None:
    save(path, "Teacher", dict(system="mine"))
    assert remove(path, "Teacher") and not remove(path, "Teacher")
    assert load(path) == BUILT_IN


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[A]\ntemp = 1\n", "A.system: it is missing; add it."),
        ("[A]\nsystem = 3\n", "A.system: should be text in quotes, found 3."),
        ("[A]\nsystem = 'x'\ntemp = 'hot'\n", "A.temp: should be a number, found 'hot'."),
        ("[A]\nsystem = 'x'\ntemp = -1\n", "A.temp: must be 0 or more, found -1."),
        ("[A]\nsystem = 'x'\ntop_p = 2\n", "A.top_p: must be above 0"),
        ("[A]\nsytem = 'x'\n", "A.sytem: there is no such key; the nearest is system."),
        ("[A]\nsystem = 'x'\nprompt = ''\n", "A.prompt: there is no such key; take it out."),
        ("A = 'x'\n", "A: should be a table, found 'x'."),
        ('["a/b"]\nsystem = ""\n', "a/b (the name): should be of at most 40 letters"),
        ("[A]\nsystem = ''\n[a]\nsystem = ''\n", "a: there is A already."),
    ],
)
def test_a_wrong_one_is_named_in_one_line(path: Path, text: str, words: str) -> None:
    path.write_text(text)
    with pytest.raises(SettingsError) as refused:
        load(path)
    assert str(refused.value).startswith(f"{path}: {words}")
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize("content", [b"[A\n", b"\xff\xfe"])
def test_a_damaged_file_is_refused_and_not_written_over(path: Path, content: bytes) -> None:
    path.write_bytes(content)
    for attempt in (lambda: load(path), lambda: save(path, "A", dict(system="x"))):
        with pytest.raises(SettingsError, match=r"^Cannot read .*personas\.toml: "):
            attempt()
    assert path.read_bytes() == content


def test_what_could_not_be_loaded_again_is_not_saved(path: Path) -> None:
    for name, given in (
        ("a/b", {"system": "x"}),
        ("A", {"system": "x", "temp": -1.0}),
        ("A", {"system": "\ud800"}),
    ):
        with pytest.raises(SettingsError) as refused:
            save(path, name, given)
        assert "\n" not in str(refused.value)
    assert not path.exists()
