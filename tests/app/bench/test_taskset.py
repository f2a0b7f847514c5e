"""Task sets: the shipped ones hold what the benchmark relies on; faults are named in one line."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from app.bench.taskset import FOLDER, LIMIT_BYTES, TEMPERATURES, Item, builtin, load
from app.errors import SettingsError

NAMES = ("demo", "general")
GOOD = """
about = "a set"
[[task]]
name = "chat"
about = "a task"
[[task.item]]
messages = [["user", "a"], ["assistant", "b"], ["user", "c"]]
predict = 5
"""
COPYING = {"qa-quote", "code-edit"}


def written(folder: Path, text: str) -> Path:
    path = folder / "mine.toml"
    path.write_text(text, "utf-8")
    return path


def test_every_shipped_file_is_a_builtin_set() -> None:
    assert sorted(path.stem for path in FOLDER.iterdir()) == sorted(NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_tasks_are_named_apart_and_have_three_items(name: str) -> None:
    tasks = builtin(name).tasks
    assert len({task.name for task in tasks}) == len(tasks)
    assert all(len(task.items) >= 3 for task in tasks)


@pytest.mark.parametrize("name", NAMES)
def test_no_prompt_is_asked_twice(name: str) -> None:
    prompts = [item.messages for task in builtin(name).tasks for item in task.items]
    assert len(set(prompts)) == len(prompts)


@pytest.mark.parametrize("name", NAMES)
def test_the_last_message_is_the_users(name: str) -> None:
    items = [item for task in builtin(name).tasks for item in task.items]
    assert {item.messages[-1][0] for item in items} == {"user"}


@pytest.mark.parametrize("name", NAMES)
def test_answers_may_be_long_enough_to_measure(name: str) -> None:
    assert all(item.predict >= 128 for task in builtin(name).tasks for item in task.items)


@pytest.mark.parametrize("name", NAMES)
def test_creative_is_at_temperature_one_and_the_rest_at_the_usual_two(name: str) -> None:
    got = {task.name: task.temperatures for task in builtin(name).tasks}
    assert got.pop("creative") == (1.0,)
    assert set(got.values()) == {TEMPERATURES}


@pytest.mark.parametrize("name", NAMES)
def test_quoting_and_editing_copy_and_no_other_task_does(name: str) -> None:
    assert {task.name for task in builtin(name).tasks if task.copies} == COPYING


def test_both_sets_have_the_same_tasks() -> None:
    demo, general = ([task.name for task in builtin(name).tasks] for name in NAMES)
    assert demo == general


def test_a_file_becomes_what_it_says(tmp_path: Path) -> None:
    (task,) = load(written(tmp_path, GOOD)).tasks
    messages = (("user", "a"), ("assistant", "b"), ("user", "c"))
    assert task.items == (Item(messages, 5),)
    assert (task.name, task.temperatures, task.copies) == ("chat", (0.0, 0.8), False)


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("predict = 5", "predict = 0", ("task 'chat', item 1, predict", "1 or more, found 0")),
        (
            "predict = 5",
            "predict = '5'",
            ("task 'chat', item 1, predict", "a whole number, found '5'"),
        ),
        ("predict = 5", "", ("task 'chat', item 1, predict", "missing; add it")),
        ("predict = 5", "predict = 5\nseed = 1", ("item 1, seed", "no such field; remove it")),
        (', ["user", "c"]', "", ("task 'chat', item 1, messages", "end with the user's question")),
        (', ["assistant", "b"]', "", ("messages", "message 2 is by 'user'", "take turns")),
        ('"assistant"', '"system"', ("messages [2] [1]", "user or assistant, found 'system'")),
        ('"c"]', '" "]', ("messages [3] [2]", "found ' '")),
        ('[["user", "a"], ["assistant", "b"], ["user", "c"]]', "[]", ("messages", "it is empty")),
        ('name = "chat"', 'name = "A b"', ("task 'A b', name", "found 'A b'")),
        ('name = "chat"', "", ("task 1, name", "missing; add it")),
        ('name = "chat"', 'name = "chat"\ncopies = 1', ("task 'chat', copies", "found 1")),
        ('name = "chat"', 'name = "chat"\ntemperatures = []', ("temperatures", "it is empty")),
        ('name = "chat"', 'name = "chat"\ntemperatures = [-1]', ("temperatures [1]", "found -1")),
        ('about = "a set"', "", ("about", "missing; add it")),
        ("[[task.item]]", "[[task.items]]", ("task 'chat', item", "missing; add it")),
        (GOOD, 'about = "a"\ntask = []', ("task", "it is empty")),
        (GOOD, 'about = "a"\ntask = [1]', ("task 1", "found 1")),
        (GOOD, GOOD + GOOD.replace('about = "a set"', ""), ("two tasks", "'chat'", "rename one")),
        (GOOD, "about = ", ("Cannot read", "Give a TOML file")),
    ],
)
def test_a_fault_is_named_in_one_line(
    old: str, new: str, words: tuple[str, ...], tmp_path: Path
) -> None:
    assert old in GOOD
    path = written(tmp_path, GOOD.replace(old, new, 1))
    with pytest.raises(SettingsError) as caught:
        load(path)
    line = str(caught.value)
    assert "\n" not in line
    assert str(path) in line
    assert all(word in line for word in words), line


def test_a_missing_file_is_named_in_one_line(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match=r"^Cannot read the task set .*none\.toml.*$"):
        load(tmp_path / "none.toml")


def test_a_file_with_a_byte_order_mark_is_read(tmp_path: Path) -> None:
    path = written(tmp_path, "\ufeff" + GOOD)
    assert [task.name for task in load(path).tasks] == ["chat"]


def test_a_pipe_is_refused_and_not_waited_for(tmp_path: Path) -> None:
    path = tmp_path / "pipe.toml"
    os.mkfifo(path)
    with pytest.raises(SettingsError) as caught:
        load(path)
    assert str(caught.value) == f"{path} is no file: it should be a TOML file of tasks."


def test_a_file_that_is_too_large_is_refused(tmp_path: Path) -> None:
    path = written(tmp_path, "#")
    os.truncate(path, LIMIT_BYTES + 1)
    with pytest.raises(SettingsError, match=rf"^{path} is too large: .* at most {LIMIT_BYTES}"):
        load(path)


def test_an_unknown_set_is_answered_with_the_names() -> None:
    with pytest.raises(SettingsError, match=r"'poems'.*demo, general"):
        builtin("poems")
