"""What waits in a chat that the list puts away."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.app.tui.chats.test_tabs import HELD, play, press, running
from tests.app.tui.driving import Chat
from tests.app.tui.fakes import Answer, words


@pytest.mark.parametrize("key", ["ctrl+d", "alt+a"], ids=["deleted", "archived"])
@pytest.mark.parametrize("comes_back", [True, False])
def test_what_waits_in_a_chat_that_is_put_away_is_not_asked_before_the_list_is_left(
    tmp_path: Path, key: str, comes_back: bool
) -> None:
    """It would bring the chat back."""

    async def scenario(chat: Chat) -> None:
        await running(chat)
        await press(chat, "alt+p", "slow")
        await chat.ask("quick")
        await chat.until(lambda: chat.screen.session.waiting == 1)
        await chat.pilot.press("f3")
        await chat.until(lambda: not chat.is_on_top and chat.shows("1 chat"))
        await chat.pilot.press(key)
        chat.engine.release()
        await chat.until(lambda: chat.state == "ready")
        if comes_back:
            await chat.pilot.press("ctrl+z")
        await chat.pilot.press("escape")
        await chat.until(lambda: chat.is_on_top and not chat.screen.session.jobs)
        assert chat.screen.history is not None and chat.screen.history.flush()
        assert len(chat.screen.history.chats()) == comes_back
        if comes_back:
            await chat.until(lambda: chat.shows("Second."))
            return
        assert chat.toasts("is closed, what waited there not asked: Up brings it.")
        await chat.pilot.press("up")
        assert chat.prompt.text == "quick"

    play(tmp_path, scenario, HELD, Answer(words("Second.")))
