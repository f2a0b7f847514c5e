"""What is refused is said in our words: no word of pydantic's reaches a person."""

from __future__ import annotations

from datetime import date, datetime, time
from typing import Annotated, Literal

import pytest
from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from app.refusals import WANTED, matching, nearest, refusal, wanted


class Inner(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True, allow_inf_nan=False)

    number: float = 0.0
    whole: int = 0
    switch: bool = False
    text: Annotated[str, Field(min_length=1, max_length=3)] = "x"
    choice: Literal["red", "blue"] = "red"
    little: Annotated[int, Field(ge=1, lt=9)] = 1
    share: Annotated[float, Field(gt=0, le=1)] = 1.0
    some: Annotated[list[int], Field(min_length=1, max_length=2)] = [1]
    table: dict[Annotated[str, matching("[a-z]+", "should be small letters")], int] = {}


class Outer(BaseModel):
    model_config = ConfigDict(extra="forbid")

    inner: Inner


@pytest.mark.parametrize(
    ("inner", "line"),
    [
        ({"number": "hot"}, "number: should be a number, found 'hot'"),
        ({"number": float("inf")}, "number: should be a finite number, found inf"),
        ({"whole": 1.5}, "whole: should be a whole number, found 1.5"),
        ({"whole": True}, "whole: should be a whole number, found true"),
        ({"whole": date(2025, 1, 2)}, "whole: should be a whole number, found 2025-01-02"),
        ({"whole": time(9, 30)}, "whole: should be a whole number, found 09:30:00"),
        (
            {"whole": datetime(2025, 1, 2, 9, 30)},
            "whole: should be a whole number, found 2025-01-02T09:30:00",
        ),
        (
            {"text": {"a": [False, "b"], "c": {}}},
            "text: should be text in quotes, found {a = [false, 'b'], c = {}}",
        ),
        (
            {"text": dict.fromkeys("abcdef", 1)},
            "text: should be text in quotes, found {a = 1, b = 1, c = 1, d = 1, ...}",
        ),
        ({"switch": "on"}, "switch: should be true or false, found 'on'"),
        ({"text": 3}, "text: should be text in quotes, found 3"),
        ({"text": ""}, "text: should not be empty, found nothing"),
        ({"text": "long"}, "text: should have at most 3 characters, found 'long'"),
        ({"choice": "green"}, "choice: should be red or blue, found 'green'"),
        ({"little": 0}, "little: should be 1 or more, found 0"),
        ({"little": 9}, "little: should be below 9, found 9"),
        ({"share": 0.0}, "share: should be above 0, found 0.0"),
        ({"share": 2.0}, "share: should be at most 1, found 2.0"),
        ({"some": []}, "some: should have 1 or more entries, found []"),
        ({"some": [1, 2, 3]}, "some: should have at most 2 entries, found [1, 2, 3]"),
        ({"some": 1}, "some: should be a list, found 1"),
        ({"some": [1, "x"]}, "some: 1: should be a whole number, found 'x'"),
        ({"table": 1}, "table: should be a table, found 1"),
        ({"table": {"A": 1}}, "table: A: should be small letters, found 'A'"),
        ({"nubmer": 1}, "nubmer: there is no such key; the nearest is number"),
        ({"qqq": 1}, "qqq: there is no such key; take it out"),
        (3, "should be a table, found 3"),
    ],
)
def test_each_fault_is_said_in_our_words_with_what_is_possible_and_found(
    inner: object, line: str
) -> None:
    with pytest.raises(ValidationError) as refused:
        Outer.model_validate({"inner": inner})
    got = refusal(refused.value, lambda place: Inner.model_fields if len(place) == 2 else ())
    assert ": ".join([*got.place, got.words]) == f"inner: {line}"


def test_what_is_missing_is_to_be_added() -> None:
    with pytest.raises(ValidationError) as refused:
        Outer.model_validate({})
    assert refusal(refused.value, lambda _: ()).words == "it is missing; add it"


def test_every_kind_of_fault_that_has_words_is_one_of_pydantics() -> None:
    from typing import get_args

    from pydantic_core import core_schema

    assert WANTED.keys() <= set(get_args(core_schema.ErrorType))


def test_a_check_of_our_own_may_say_anything() -> None:
    def check(_: str) -> str:
        raise wanted("should be {as it is} 100 %")

    from pydantic import AfterValidator

    with pytest.raises(ValidationError) as refused:
        TypeAdapter(Annotated[str, AfterValidator(check)]).validate_python("\x1b[2J" + "x" * 200)
    line = refusal(refused.value, lambda _: ()).words
    assert line.startswith("should be {as it is} 100 %, found '") and len(line) < 120
    assert "\x1b" not in line


@pytest.mark.parametrize(
    ("name", "near"),
    [
        ("temprature", "temp"),
        ("temperature", "temp"),
        ("Top-P", "top_p"),
        ("top_p_", "top_p"),
        ("sytem", "system"),
    ],
)
def test_a_key_that_is_nearly_right_is_recognised(name: str, near: str) -> None:
    assert nearest(name, ["top_p", "temp", "system", "seed"]) == f"the nearest is {near}"
    assert nearest("qqq", ["top_p", "temp"]) == "take it out"
