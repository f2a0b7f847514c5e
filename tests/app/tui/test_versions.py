"""A question that is put back can be sent again as it is, and its versions are counted rightly."""

from __future__ import annotations

from pathlib import Path

import pytest
from textual.widgets import Static

from tests.app.tui.branching import NUMBERS, act, play, talk
from tests.app.tui.driving import Chat
from tests.app.tui.fakes import Answer, words


@pytest.mark.parametrize("name", ["edit", "undo"])
def test_a_question_that_begins_with_a_slash_comes_back_as_it_was_typed(
    tmp_path: Path, name: str
) -> None:
    async def scenario(chat: Chat) -> None:
        await talk(chat, "//help me")
        assert chat.turns[0].question == "/help me"
        await act(chat, name)
        assert chat.prompt.text == "//help me"
        await chat.pilot.press("escape" if name == "edit" else "enter")
        await chat.until(lambda: chat.prompt.text == "" and chat.state == "ready")
        assert [view.question for view in chat.turns] == ["/help me"]

    play(tmp_path, scenario)


def test_which_version_is_shown_is_not_said_of_one_that_is_being_written(tmp_path: Path) -> None:
    async def scenario(chat: Chat) -> None:
        await talk(chat, "first")
        await act(chat, "retry")
        await chat.answered(1)
        [view] = chat.turns
        line = view.query_one(".turn--versions", Static)
        await chat.until(lambda: line.display)
        assert "answer 2 of 2" in str(line.render())
        await act(chat, "retry")
        await chat.until(lambda: view.text.startswith("Answer"))
        assert not line.display
        chat.engine.release()
        await chat.until(lambda: line.display)
        assert "answer 3 of 3" in str(line.render())

    play(tmp_path, scenario, *NUMBERS[:2], Answer(words("Answer number 2."), hold_after=1))
