"""Questions, answers and the order of the training data."""

from __future__ import annotations

import random
from collections import Counter

import phrasing
import pytest
from collect import Documented
from data import Batches, Row
from phrasing import HELD_OUT, OVERVIEW, TRAINING, WITHIN_MODULE, Phrasing, ask, brief
from recipe import CONTEXT, LONG_EVERY, SHORT_ROW, TOKENS_PER_STEP

ITEMS = [
    Documented("box", "module", "box", "Keep things in boxes.", None),
    Documented("box.put", "function", "box", "Put a thing into a box.", "box.put(thing)"),
    Documented("box.take", "function", "box", "Take a thing from a box.", "box.take()"),
    Documented("box.Lidded", "class", "box", "A box that has a lid.", None),
    Documented("len", "function", "builtins", "Count the items.", "len(obj, /)"),
]

LOOSE_FROM = 20


class Bytes:
    """A coder whose tokens are bytes."""

    pad = 0

    def turn(self, question: str, answer: str) -> tuple[list[int], list[bool]]:
        asked, said = list(question.encode()), list(answer.encode())
        return asked + said, [False] * len(asked) + [True] * len(said)


@pytest.fixture
def batches() -> Batches:
    return Batches(Phrasing.about(ITEMS), Bytes(), LOOSE_FROM)


def plain(template: str) -> str:
    return template.format(x="NAME", kind="thing", member="NAME", module="box").lower().rstrip("?.")


def test_held_out_questions_are_never_trained_on() -> None:
    trained = {plain(template) for template in (*TRAINING, *WITHIN_MODULE, *OVERVIEW)}
    assert not trained & {plain(template) for template in HELD_OUT}


def test_no_loosened_question_is_a_held_out_one() -> None:
    about, rng = Phrasing.about(ITEMS), random.Random(2)
    asked = {about.loose_turn(rng)[0].replace("`", "").replace("()", "") for _ in range(20_000)}
    kept = {plain(t).replace("name", item.name) for t in HELD_OUT for item in ITEMS}
    assert not {question.lower().rstrip("?.") for question in asked} & kept


def test_there_are_enough_phrasings() -> None:
    assert len(set(TRAINING)) >= 20
    assert len(set(HELD_OUT)) >= 12


def test_an_answer_begins_with_the_first_sentence() -> None:
    assert brief(ITEMS[1]) == "Put a thing into a box.\n\n```python\nbox.put(thing)\n```"
    assert brief(ITEMS[0]) == "Keep things in boxes."


def test_an_overview_lists_the_members_of_a_module() -> None:
    ((module, answer),) = Phrasing.about(ITEMS).overviews
    assert module.name == "box"
    assert answer.splitlines()[0] == module.sentence
    assert "- `box.put`: Put a thing into a box." in answer.splitlines()


def test_made_up_names_are_not_documented() -> None:
    about, rng = Phrasing.about(ITEMS), random.Random(1)
    assert not {about.made_up(rng) for _ in range(200)} & about.names


def test_an_alias_belongs_to_one_object() -> None:
    assert phrasing.aliases(ITEMS) == {"box.Lidded": "Lidded"}


def test_a_question_names_its_object() -> None:
    assert ask("What does {member} in {module} do?", ITEMS[1]) == "What does put in box do?"


def test_a_batch_is_a_function_of_its_step(batches: Batches) -> None:
    again = Batches(Phrasing.about(ITEMS), Bytes(), LOOSE_FROM)
    assert [row.tokens for row in batches.at(7)] == [row.tokens for row in again.at(7)]
    assert [row.tokens for row in batches.at(7)] != [row.tokens for row in batches.at(8)]


@pytest.mark.parametrize(
    ("step", "length"), [(0, SHORT_ROW), (LONG_EVERY - 1, CONTEXT), (LOOSE_FROM, SHORT_ROW)]
)
def test_every_row_is_full(batches: Batches, step: int, length: int) -> None:
    rows = batches.at(step)
    assert len(rows) * length == TOKENS_PER_STEP
    for row in rows:
        lengths = {len(row.tokens), len(row.positions), len(row.chats), len(row.learned)}
        assert lengths == {length}


def test_positions_restart_with_every_chat(batches: Batches) -> None:
    row: Row = batches.at(0)[0]
    seen: Counter[int] = Counter()
    for chat, position in zip(row.chats, row.positions, strict=True):
        assert position == seen[chat]
        seen[chat] += 1


def test_long_rows_hold_chats_of_many_turns(batches: Batches) -> None:
    longest = max(max(row.positions) for row in batches.at(LONG_EVERY - 1))
    assert longest > SHORT_ROW
