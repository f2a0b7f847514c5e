"""The footer shows as many keys as there is room for, and those that lead on at any width."""

from __future__ import annotations

from pathlib import Path

import pytest
from textual import events
from textual.app import ComposeResult
from textual.widgets._footer import FooterKey

from app.history import History
from app.tui.widgets.key_footer import KeyFooter
from tests.app.tui.driving import SIZES, WIDE, Chat, Scenario, drive
from tests.app.tui.fake_models import FakeModels
from tests.app.tui.fakes import Answer, FakeEngine, FakeSettings, words

JOIN = words("It joins one or more path segments.")
WAYS_OUT = ("f1 Help", "^q Quit")
LEADING_ON = ("^o Models", *WAYS_OUT, "^p Palette")
NARROWEST = (60, 20)
AT_ALL_SIZES = pytest.mark.parametrize(
    "size", [NARROWEST, (70, 20), *SIZES], ids=["60x20", "70x20", "80x24", "160x50"]
)


def footer(chat: Chat) -> str:
    return " ".join(chat.lines[-1].split())


def is_whole(chat: Chat, *keys: str) -> bool:
    """Whether these keys are seen, and at less than 80 columns at least the ways out."""
    needed = WAYS_OUT if chat.app.size.width < SIZES[0][0] else LEADING_ON
    return all(key in footer(chat) for key in (*keys, *needed))


def play(
    folder: Path, scenario: Scenario, engine: FakeEngine, size: tuple[int, int] = SIZES[0]
) -> None:
    """Play where there are models and chats to choose from."""
    drive(scenario, engine, size, None, FakeModels(), History.open(folder / "history.db"))


@AT_ALL_SIZES
def test_the_ways_on_are_seen_after_an_answer_and_during_one(
    size: tuple[int, int], tmp_path: Path
) -> None:
    async def scenario(chat: Chat) -> None:
        await chat.ask("question")
        leading_on = () if size == NARROWEST else LEADING_ON
        await chat.until(lambda: is_whole(chat, "esc Stop", *leading_on))
        assert chat.state == "answering"
        chat.engine.release()
        await chat.answered()
        await chat.until(lambda: "esc Stop" not in footer(chat))
        await chat.until(lambda: is_whole(chat, "f3 Chats", *LEADING_ON))
        assert ("^r Retry" in footer(chat)) is (size != NARROWEST), footer(chat)

    play(tmp_path, scenario, FakeEngine(Answer(JOIN, hold_after=2)), size)


@AT_ALL_SIZES
def test_the_ways_out_are_seen_while_a_question_is_changed(
    size: tuple[int, int], tmp_path: Path
) -> None:
    async def scenario(chat: Chat) -> None:
        await chat.ask("question")
        await chat.answered()
        await chat.pilot.press("ctrl+e")
        await chat.until(lambda: is_whole(chat, "esc Keep as it was", "^o Models", "f3 Chats"))
        assert (editing := chat.screen.asking.editing) and editing.view is chat.turns[0]

    play(tmp_path, scenario, FakeEngine(), size)


@AT_ALL_SIZES
def test_the_ways_out_are_seen_while_another_model_is_loaded(
    size: tuple[int, int], tmp_path: Path
) -> None:
    async def scenario(chat: Chat) -> None:
        chat.engine.release()
        await chat.ready()
        chat.screen.run_worker(chat.screen.session.switch(FakeSettings(title="Other")))
        await chat.until(lambda: is_whole(chat, "esc Keep former", "^o Models", "f3 Chats"))
        assert chat.state == "loading"

    play(tmp_path, scenario, FakeEngine(hold_load=True), size)


def test_the_keys_come_and_go_with_the_width(tmp_path: Path) -> None:
    async def scenario(chat: Chat) -> None:
        await chat.ask("question")
        await chat.answered()
        await chat.until(lambda: "^k Copy" in footer(chat))
        await chat.pilot.resize_terminal(64, 24)
        await chat.until(lambda: is_whole(chat, *LEADING_ON) and "^k Copy" not in footer(chat))
        shown = chat.screen.query_one(KeyFooter)
        assert "Copy" not in [key.description for key in shown.parts]
        await chat.pilot.resize_terminal(*WIDE)
        await chat.until(lambda: "^k Copy" in footer(chat))
        assert "Copy" in [key.description for key in shown.parts]

    play(tmp_path, scenario, FakeEngine(), WIDE)


def test_escape_is_called_by_what_it_does(tmp_path: Path) -> None:
    async def scenario(chat: Chat) -> None:
        await chat.ask("question")
        await chat.answered()
        await chat.pilot.press("alt+up")
        await chat.until(lambda: "esc Deselect" in footer(chat))
        await chat.pilot.press("escape")
        await chat.until(lambda: "esc" not in footer(chat))
        await chat.pilot.press("ctrl+e")
        await chat.until(lambda: "esc Keep as it was" in footer(chat))
        assert "Deselect" not in footer(chat)

    play(tmp_path, scenario, FakeEngine())


def test_a_question_that_waits_is_taken_back(tmp_path: Path) -> None:
    async def scenario(chat: Chat) -> None:
        await chat.ask("question")
        await chat.until(lambda: "esc Take back" in footer(chat))
        await chat.pilot.press("escape")
        await chat.until(lambda: chat.prompt.text == "question")
        await chat.until(lambda: "esc Take back" not in footer(chat))
        chat.engine.release()
        await chat.ready()
        assert not chat.turns and chat.engine.asked == []

    play(tmp_path, scenario, FakeEngine(hold_load=True))


def test_the_keys_are_those_of_now_also_where_the_terminal_has_not_the_focus(
    tmp_path: Path,
) -> None:
    async def scenario(chat: Chat) -> None:
        await chat.ask("question")
        await chat.until(lambda: "esc Stop" in footer(chat))
        chat.app.post_message(events.AppBlur())
        await chat.until(lambda: not chat.app.app_focus)
        chat.engine.release()
        await chat.answered()
        await chat.until(lambda: "esc Stop" not in footer(chat) and "^r Retry" in footer(chat))
        assert not chat.app.app_focus

    play(tmp_path, scenario, FakeEngine(Answer(JOIN, hold_after=2)))


def test_it_is_put_together_only_when_other_keys_are_to_be_seen(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    composed: list[None] = []
    compose = KeyFooter.compose

    def counted(keys: KeyFooter) -> ComposeResult:
        composed.append(None)
        return compose(keys)

    async def scenario(chat: Chat) -> None:
        await chat.ready()
        await chat.until(lambda: is_whole(chat))
        monkeypatch.setattr(KeyFooter, "compose", counted)
        for _ in range(5):
            chat.screen.refresh_bindings()
            await chat.pilot.pause()
        assert not composed
        await chat.ask("question")
        await chat.until(lambda: "esc Stop" in footer(chat))
        assert composed
        chat.engine.release()
        await chat.answered()

    play(tmp_path, scenario, FakeEngine(Answer(JOIN, hold_after=2)))


def test_what_is_mounted_shows_other_keys_and_does_what_they_do(tmp_path: Path) -> None:
    async def scenario(chat: Chat) -> None:
        await chat.ready()
        await chat.until(lambda: is_whole(chat) and "esc" not in footer(chat))
        first, *_ = before = list(chat.screen.query(FooterKey))
        await chat.ask("question")
        await chat.until(lambda: is_whole(chat, "esc Stop"))
        assert [*chat.screen.query(FooterKey)][: len(before) - 1] == before[:-1]
        assert (first.key, first.description) == ("escape", "Stop")
        assert str(first.tooltip).startswith("Stop the answer")
        await chat.pilot.click(first)
        await chat.answered()
        assert chat.shows("stopped")
        await chat.until(lambda: is_whole(chat) and "esc" not in footer(chat))
        assert chat.screen.query(FooterKey).first() is first and first.key != "escape"

    play(tmp_path, scenario, FakeEngine(Answer(JOIN, hold_after=2)))
