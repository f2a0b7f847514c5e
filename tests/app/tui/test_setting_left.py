"""A system prompt that is half written is there again in the settings that are open."""

from __future__ import annotations

import pytest
from textual.widgets import TextArea

from app.tui.widgets.setting_editor import SettingEditor
from tests.app.tui.alone import Seen
from tests.app.tui.test_settings_screen import Chat, go_to, play


def field(seen: Seen) -> TextArea:
    found: TextArea = seen.widget(SettingEditor).query_one(TextArea)
    return found


async def opened(seen: Seen) -> None:
    """Open the editor of the system prompt."""
    await go_to(seen, "system")
    await seen.press("enter")
    await seen.until(lambda: field(seen).has_focus)


@pytest.mark.parametrize("elsewhere", [(), ("up", "down")], ids=["at once", "elsewhere first"])
def test_what_was_typed_and_left_is_there_when_the_editor_opens_again(
    elsewhere: tuple[str, ...],
) -> None:
    async def scenario(seen: Seen) -> None:
        await opened(seen)
        await seen.press(*"Be brief", "escape")
        await seen.until(lambda: not field(seen).has_focus)
        await seen.press(*elsewhere)
        await opened(seen)
        await seen.until_shown("Be brief")
        await seen.press("!", "ctrl+s")
        await seen.until_shown("system prompt Be brief! this chat")

    chat = Chat()
    play(scenario, chat)
    assert chat.chosen == {"system": "Be brief!"}


def test_undoing_there_brings_what_holds_and_what_is_set_is_left_no_more() -> None:
    async def scenario(seen: Seen) -> None:
        await opened(seen)
        await seen.press(*"Be kind", "ctrl+s")
        await opened(seen)
        await seen.press("!", "escape")
        await opened(seen)
        assert field(seen).text == "!Be kind"
        await seen.press("ctrl+z")
        assert field(seen).text == "Be kind"
        await seen.press("escape")
        await opened(seen)
        assert field(seen).text == "Be kind"

    play(scenario, Chat())
