"""The numbers of a list are the same while it is written, in slices, and when it is reopened."""

from __future__ import annotations

import pytest
from textual.widgets._markdown import MarkdownBullet

from app.tui.text import slices
from tests.app.tui.driving import Chat, drive
from tests.app.tui.fakes import Answer, FakeEngine
from tests.app.tui.test_smooth import spans

ITEMS = [f"item {n} and so on, with some words that make it heavier\n" for n in range(40)]


def numbers(chat: Chat) -> list[str]:
    return [bullet.symbol for bullet in chat.screen.query(MarkdownBullet)]


@pytest.mark.parametrize("size", [slices.SIZE, 10**9])
@pytest.mark.parametrize("own", [lambda n: 1, lambda n: 7 + n, lambda n: 7 + 2 * n])
def test_items_are_numbered_in_turn(
    monkeypatch: pytest.MonkeyPatch, size: int, own: object
) -> None:
    assert callable(own)
    text = "".join(f"{own(n)}. {item}" for n, item in enumerate(ITEMS))
    monkeypatch.setattr(slices, "SIZE", size)

    async def scenario(chat: Chat) -> None:
        await chat.ask("list")
        await chat.answered()
        assert len(chat.turns[0].parts) > 1 or size > slices.ENDLESS
        assert numbers(chat) == [f"{own(0) + n}. ".rjust(4) for n in range(len(ITEMS))]

    drive(scenario, FakeEngine(Answer(spans(text))))


def test_a_list_within_an_item_and_one_behind_a_paragraph_begin_anew() -> None:
    text = "3. a\n   1. b\n   1. c\n3. d\n\nText.\n\n8. e\n1. f\n"

    async def scenario(chat: Chat) -> None:
        await chat.ask("list")
        await chat.answered()
        assert [number.strip() for number in numbers(chat)] == ["3.", "1.", "2.", "4.", "8.", "9."]

    drive(scenario, FakeEngine(Answer(spans(text))))
