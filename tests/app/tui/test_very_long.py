"""Of a very long chat those turns are made that are looked at; the others take their room."""

from __future__ import annotations

import pytest
from textual.geometry import Size

from app.chat.conversation import Turn
from app.tui.actions.copying import wanted
from app.tui.widgets.filling import AT_ONCE, UNASKED, Lot
from tests.app.tui.driving import WIDE, Chat, drive
from tests.app.tui.fakes import FakeEngine, words

N = UNASKED + 3 * AT_ONCE
TEXT = "one\n\ntwo\n\nthree"


def very_long() -> list[Turn]:
    return [Turn(f"question {at}", answer=TEXT, spans=words(TEXT)) for at in range(N)]


async def settled(chat: Chat, n: int) -> None:
    """Wait until so many turns are made, and no other is."""
    await chat.until(lambda: sum(view.over for view in chat.transcript.turns) == n)
    await chat.pilot.pause(0.3)
    assert sum(view.over for view in chat.transcript.turns) == n


async def shown(chat: Chat, turns: list[Turn]) -> None:
    await chat.ready()
    await chat.screen.asking.show_turns(list(turns))
    await settled(chat, UNASKED)


def test_what_nobody_looks_at_takes_its_room_and_is_not_made() -> None:
    async def scenario(chat: Chat) -> None:
        await shown(chat, very_long())
        assert len(chat.turns) == UNASKED
        lots = chat.transcript.query(Lot)
        views = chat.turns
        rows = sum(view.outer_size.height + 1 for view in views) / len(views)
        assert len(lots) == 3
        assert all(0.8 < lot.size.height / rows / AT_ONCE < 1.25 for lot in lots)

    drive(scenario, FakeEngine())


def test_the_beginning_is_made_when_one_goes_there_and_no_more_than_that() -> None:
    async def scenario(chat: Chat) -> None:
        await shown(chat, very_long())
        await chat.pilot.press("ctrl+home")
        first = chat.transcript.turns[0]
        await chat.until(lambda: first.over and first.region in chat.transcript.region)
        assert chat.transcript.scroll_y == 0
        await chat.until(lambda: not chat.transcript._lots._making.locked())
        assert len(chat.transcript.query(Lot)) >= 1
        assert chat.turns == [view for view in chat.transcript.turns if view.over]
        await chat.pilot.press("ctrl+end")
        await chat.until(lambda: chat.shows(f"question {N - 1}"))

    drive(scenario, FakeEngine())


def test_who_pages_up_reads_all_turns_in_their_order() -> None:
    read: list[str] = []

    async def scenario(chat: Chat) -> None:
        sight = chat.transcript.region

        def look() -> bool:
            """Read from the bottom what is in sight; return whether that is the beginning."""
            for view in reversed(chat.turns):
                is_seen = view.region.height and sight.y <= view.region.y < sight.bottom
                if is_seen and view.question not in read:
                    read.append(view.question)
            return "question 0" in read

        await shown(chat, very_long())
        sight = chat.transcript.region
        while not look():
            await chat.pilot.press("pageup")
            lots = chat.transcript.query(Lot)
            await chat.until(lambda lots=lots: not any(lot.region.overlaps(sight) for lot in lots))  # type: ignore[misc]
            await chat.pilot.pause()
        assert read[3 - N :] == [f"question {at}" for at in range(N - 4, -1, -1)]

    drive(scenario, FakeEngine(), size=WIDE)


def test_a_turn_that_is_not_made_can_be_chosen() -> None:
    async def scenario(chat: Chat) -> None:
        await shown(chat, very_long())
        chosen = chat.transcript.turns[3]
        chat.transcript.select(chosen)
        await chat.until(lambda: chat.shows("question 3") and chosen.over)
        assert chosen.has_class("-selected")
        await chat.pilot.press("alt+up")
        await chat.until(lambda: chat.shows("question 2"))
        assert chat.transcript.selected is chat.transcript.turns[2]

    drive(scenario, FakeEngine())


def test_what_is_done_with_a_turn_before_it_is_made() -> None:
    async def scenario(chat: Chat) -> None:
        await shown(chat, very_long())
        chosen = chat.transcript.turns[3]
        chat.transcript.select(chosen)
        assert not chosen.display
        assert wanted(chat.screen, "") == (f"question 3\n\n{TEXT}", "the question and its answer")
        await chat.screen.action_act("retry")
        await chat.until(lambda: chosen.over and chosen.text == "It joins paths.")
        assert chat.turns == chat.transcript.turns and len(chat.turns) == 4

    drive(scenario, FakeEngine())


def test_another_question_in_the_place_of_one_that_is_not_made() -> None:
    async def scenario(chat: Chat) -> None:
        await shown(chat, very_long())
        await chat.screen.action_act("branch", "3")
        assert chat.prompt.text == "question 2"
        chat.prompt.text = ""
        await chat.ask("another")
        await chat.until(lambda: chat.transcript.turns[-1].over)
        await chat.until(lambda: len(chat.turns) == 3)
        assert [view.question for view in chat.turns] == ["question 0", "question 1", "another"]
        assert not chat.transcript.query(Lot)

    drive(scenario, FakeEngine())


def test_what_goes_at_once_is_not_laid_out_turn_by_turn(monkeypatch: pytest.MonkeyPatch) -> None:
    layouts: list[Size | None] = []

    async def scenario(chat: Chat) -> None:
        await shown(chat, very_long())
        real = chat.screen._refresh_layout

        def counted(size: Size | None = None, scroll: bool = False) -> None:
            layouts.append(size)
            real(size, scroll)

        monkeypatch.setattr(chat.screen, "_refresh_layout", counted)
        await chat.transcript.cut_behind(chat.transcript.turns[-UNASKED])
        await chat.pilot.pause()
        assert 1 <= len(layouts) < UNASKED / 2, "older turns come near, too"

    drive(scenario, FakeEngine())
