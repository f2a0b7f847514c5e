"""Prompts are remembered from chat to chat, and no damage to the file hinders anybody."""

from __future__ import annotations

import json
import stat
import threading
from pathlib import Path

import pytest

from app.private_file import write_private
from app.prompts import prompt_history
from app.prompts.prompt_history import LONGEST_PROMPT, PromptHistory


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "data" / "prompts.jsonl"


def test_prompts_outlive_the_chat(path: Path) -> None:
    history = PromptHistory(path)
    for prompt in ("one", "two\nlines", "ünï 🐎 \ud800"):
        history.add(prompt)
    assert PromptHistory(path).prompts == ["one", "two\nlines", "ünï 🐎 \ud800"]
    assert len(path.read_text().splitlines()) == 3, "one line each"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700


def test_what_is_no_prompt_is_not_kept(path: Path) -> None:
    history = PromptHistory(path)
    for prompt in ("a", "a", " \n", "", "x" * (LONGEST_PROMPT + 1), "b", "a"):
        history.add(prompt)
    assert history.prompts == PromptHistory(path).prompts == ["a", "b", "a"]


@pytest.mark.parametrize(
    "damage",
    [
        b"not json\n",
        b"[" * 100_000 + b"\n",
        b"\xff\xfe\x00\n",
        b'{"prompt": 3}\n["prompt"]\n3\n{"text": "x"}\nnull\n',
        b'{"prompt": "broken o',
        b"\n\n\r\n",
    ],
)
def test_damaged_lines_are_skipped(path: Path, damage: bytes) -> None:
    PromptHistory(path).add("before")
    with path.open("ab") as file:
        file.write(damage)
    history = PromptHistory(path)
    assert history.prompts == ["before"]
    history.add("after")
    assert PromptHistory(path).prompts == ["before", "after"]


def test_what_a_later_version_adds_is_no_damage(path: Path) -> None:
    path.parent.mkdir()
    path.write_text(json.dumps({"prompt": "a", "at": 3}) + "\n")
    assert PromptHistory(path).prompts == ["a"]


def test_the_newest_are_kept_and_the_file_is_bounded(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(prompt_history, "MOST_PROMPTS", 5)
    history = PromptHistory(path)
    for n in range(11):
        history.add(str(n))
    assert history.prompts == ["6", "7", "8", "9", "10"] == PromptHistory(path).prompts
    assert len(path.read_text().splitlines()) == 5
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_a_huge_file_is_read_from_its_end_and_cut(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(prompt_history, "MOST_BYTES", 200)
    path.parent.mkdir()
    path.write_text("".join(json.dumps({"prompt": f"{n:030}"}) + "\n" for n in range(50)))
    got = PromptHistory(path).prompts
    assert got[-1] == f"{49:030}" and 4 <= len(got) < 12
    assert 0 < path.stat().st_size <= 200
    assert PromptHistory(path).prompts == got[-path.read_text().count("\n") :]


def test_chats_that_share_the_file_lose_nothing(path: Path) -> None:
    def chat(name: str) -> None:
        for n in range(20):
            PromptHistory(path).add(f"{name}{n}")

    chats = [threading.Thread(target=chat, args=(name,)) for name in "abcd"]
    for each in chats:
        each.start()
    for each in chats:
        each.join()
    asked = {f"{name}{n}" for name in "abcd" for n in range(20)}
    assert set(PromptHistory(path).prompts) == asked


def test_a_prompt_goes_to_the_file_that_took_the_place_of_the_one_it_waited_for(
    path: Path,
) -> None:
    PromptHistory(path).add("old")
    waiting = threading.Thread(target=PromptHistory(path).add, args=("new",))
    with prompt_history._locked(path):
        waiting.start()
        write_private(path, b'{"prompt": "cut"}\n')
    waiting.join()
    assert PromptHistory(path).prompts == ["cut", "new"]


def test_what_is_forgotten_is_in_the_file_no_more_and_what_others_added_stays(path: Path) -> None:
    history = PromptHistory(path)
    for prompt in ("one", "two\nlines", "one"):
        history.add(prompt)
    PromptHistory(path).add("of another chat")
    history.forget("one")
    assert history.prompts == ["two\nlines"]
    assert PromptHistory(path).prompts == ["two\nlines", "of another chat"]
    assert "one" not in path.read_text()
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    history.forget_all()
    assert (history.prompts, PromptHistory(path).prompts, path.read_bytes()) == ([], [], b"")


def test_to_forget_where_the_file_cannot_be_replaced_is_that_error(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def gone(*_: object) -> None:
        raise FileNotFoundError(2, "No such file or directory")

    history = PromptHistory(path)
    history.add("a question")
    monkeypatch.setattr(prompt_history, "write_private", gone)
    with pytest.raises(FileNotFoundError):
        history.forget("a question")


def test_to_forget_where_nothing_is_kept_is_no_error(path: Path) -> None:
    for history in (PromptHistory(None), PromptHistory(path)):
        history.forget("a")
        history.forget_all()
        assert history.prompts == []
    assert not path.exists()


def test_a_search_finds_questions_and_a_walk_commands_too() -> None:
    history = PromptHistory(None)
    for prompt in ("why?", "/help why", "/", "//why"):
        history.add(prompt)
    assert history.search("") == ["//why", "why?"]
    assert history.walk().up("") == "//why"
    assert history.prompts == ["why?", "/help why", "/", "//why"]


def test_a_disk_that_takes_nothing_is_no_error(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    for path in (tmp_path / "file" / "prompts.jsonl", tmp_path, None):
        history = PromptHistory(path)
        history.add("a")
        assert history.prompts == ["a"]


def test_a_walk_goes_up_and_comes_back_to_the_draft() -> None:
    history = PromptHistory(None)
    history.add("one")
    history.add("two")
    walk = history.walk()
    assert walk.up("draft") == "two"
    assert walk.up("two") == "one"
    assert walk.up("one") is None, "the oldest stays"
    assert walk.down("one") == "two"
    assert walk.down("two") == "draft"
    assert walk.down("draft") is None


def test_a_change_on_the_way_stays_for_the_walk_alone() -> None:
    history = PromptHistory(None)
    history.add("one")
    history.add("two")
    walk = history.walk()
    walk.up("")
    assert walk.up("two, changed") == "one"
    assert walk.down("one") == "two, changed"
    assert history.walk().up("") == "two"


def test_without_prompts_there_is_nowhere_to_go() -> None:
    walk = PromptHistory(None).walk()
    assert walk.up("draft") is None and walk.down("draft") is None


def test_a_search_goes_backwards_and_finds_each_once() -> None:
    history = PromptHistory(None)
    for prompt in ("Explain KV caches", "write a test", "explain tests", "Explain KV caches"):
        history.add(prompt)
    assert history.search("explain") == ["Explain KV caches", "explain tests"]
    assert history.search("test explain") == ["explain tests"]
    assert history.search("Explain") == ["Explain KV caches"], "a capital counts"
    assert history.search("") == ["Explain KV caches", "explain tests", "write a test"]
    assert history.search("nothing") == [] and len(history.search("", limit=1)) == 1
