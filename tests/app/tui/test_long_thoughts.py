"""A long thought that is open while it grows costs what its end costs, and is whole."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from textual.geometry import Offset
from textual.selection import SELECT_ALL, Selection
from textual.widgets import Static

from app.tui.widgets.fold import PIECE, pieces
from engine import Span
from tests.app.tui.driving import NARROW, Chat, drive
from tests.app.tui.fakes import Answer, FakeEngine, whole

PARAGRAPHS = [f"Thought {n}: {'and so on ' * 30}.\n\n" for n in range(30)]
SPANS = [Span(text, "plain") for text in ("<think>\n", *PARAGRAPHS, "</think>\n\nDone.")]
THOUGHT = whole(SPANS[1:-1]).rstrip()


@given(st.text("ab \n", max_size=40).map(lambda text: text.replace("b", "word " * 200)))
def test_pieces_are_the_text_and_only_the_last_one_changes_with_more_of_it(text: str) -> None:
    found = pieces(text)
    assert "\n".join(found) == text
    assert all(len(piece) > PIECE and piece == piece.rstrip() for piece in found[:-1])
    for more in ("a", "\n", "\na"):
        assert pieces(text + more)[: len(found) - 1] == found[:-1]


def test_a_thought_that_grows_is_not_written_anew_and_is_copied_whole() -> None:
    async def scenario(chat: Chat) -> None:
        await chat.ask("think")
        await chat.until(lambda: chat.shows("thinking…"))
        await chat.pilot.press("alt+t")
        await chat.until(lambda: len(chat.screen.query(".fold--text Static")) > 2)
        first, *_ = shown = list(chat.screen.query(".fold--text Static").results(Static))
        before = first.visual
        chat.engine.release()
        await chat.answered()
        await chat.until(lambda: len(chat.screen.query(".fold--text Static")) > len(shown))
        parts = list(chat.screen.query(".fold--text Static").results(Static))
        assert parts[0] is first and first.visual is before
        assert "\n".join(str(part.visual) for part in parts) == THOUGHT
        chat.screen.selections = {part: SELECT_ALL for part in parts}
        assert chat.screen.get_selected_text() == THOUGHT
        chat.screen.selections = {parts[0]: Selection(Offset(0, 0), Offset(7, 0))}
        assert chat.screen.get_selected_text() == "Thought"

    drive(scenario, FakeEngine(Answer(SPANS, hold_after=22)), NARROW)
