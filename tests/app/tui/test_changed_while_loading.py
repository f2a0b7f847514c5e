"""What is changed while another pair comes is lost neither with it nor without it."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from app.files.attachments import pasted
from app.history import History
from tests.app.tui.branching import NUMBERS, answers, talk
from tests.app.tui.driving import Chat, drive
from tests.app.tui.fake_models import ALPHA, FakeModels, settings_of
from tests.app.tui.fakes import Answer, FakeEngine, whole
from tests.app.tui.test_switching import BROKEN, JOIN, TO_ALPHA, play


@pytest.mark.parametrize("way_back", ["it fails", "escape"])
def test_what_is_changed_while_a_pair_is_loaded_is_kept_when_the_former_comes_back(
    way_back: str,
) -> None:
    async def scenario(chat: Chat) -> None:
        chat.engine.release()
        await chat.ready()
        await chat.use("beta")
        await chat.until(lambda: len(chat.engine.loaded) == 2)
        for command in ("/temp 1.25", "/system Be brief.", "/draft none"):
            await chat.ask(command)
        await chat.until(lambda: len(chat.screen.chosen) == 4)
        if way_back == "escape":
            await chat.pilot.press("escape")
        else:
            chat.engine.release()
        await chat.until(lambda: len(chat.engine.loaded) == 3)
        chat.engine.release()
        await chat.ready()
        assert chat.engine.loaded[2] == msgspec.structs.replace(TO_ALPHA, drafter="none")
        await chat.ask("question")
        await chat.answered()
        assert chat.engine.asked[0][0].content == "Be brief."
        assert chat.engine.samplings[0].temperature == 1.25

    errors = [None, BROKEN] if way_back == "it fails" else []
    play(scenario, FakeEngine(Answer(JOIN), load_errors=errors, hold_load=True))


def test_what_is_changed_while_an_answer_still_stops_holds_for_the_pair_that_comes() -> None:
    async def scenario(chat: Chat) -> None:
        await chat.ask("first")
        await chat.until(lambda: chat.shows(whole(JOIN[:2]).strip()))
        await chat.use("beta")
        await chat.until(lambda: chat.state == "stopping")
        await chat.ask("/temp 1.25")
        await chat.until(lambda: chat.screen.chosen == {"temp": 1.25})
        assert len(chat.engine.loaded) == 1, "not begun yet"
        chat.engine.release()
        await chat.until(lambda: len(chat.engine.loaded) == 2 and chat.state == "ready")
        await chat.ask("second")
        await chat.answered(2)
        assert chat.engine.samplings[1].temperature == 1.25

    play(scenario, FakeEngine(Answer(JOIN, hold_after=2, deaf=True), Answer(JOIN)))


@pytest.mark.parametrize("is_sent_again", [True, False], ids=["sent again", "left"])
def test_a_changed_question_that_waits_and_is_taken_back_is_being_changed_again(
    tmp_path: Path, is_sent_again: bool
) -> None:
    async def scenario(chat: Chat) -> None:
        paste = pasted("line 1\nline 2")
        chat.engine.release()
        await talk(chat, "first", "second", "third")
        await chat.use("beta")
        await chat.until(lambda: len(chat.engine.loaded) == 2)
        chat.prompt.text = "draft"
        chat.screen.asking.edit(chat.turns[1])
        chat.prompt.text = "changed"
        chat.prompt.attach(paste)
        await chat.pilot.press("enter")
        await chat.until(lambda: [turn.question for turn in chat.turns] == ["first", "changed"])
        assert chat.prompt.text == "draft"
        await chat.pilot.press("escape")
        await chat.until(lambda: answers(chat) == ["0", "1", "2"])
        await chat.until(lambda: chat.prompt.text == "changed")
        assert chat.prompt.attachments == (paste,)
        if is_sent_again:
            await chat.pilot.press("enter")
            await chat.until(lambda: [turn.question for turn in chat.turns] == ["first", "changed"])
        else:
            await chat.pilot.press("escape")
            await chat.until(lambda: chat.screen.asking.editing is None)
            assert answers(chat) == ["0", "1", "2"]
        assert chat.prompt.text == "draft"
        chat.engine.release()
        await chat.until(lambda: chat.state == "ready" and all(turn.over for turn in chat.turns))
        assert answers(chat) == (["0", "3"] if is_sent_again else ["0", "1", "2"])

    drive(
        scenario,
        FakeEngine(*NUMBERS, hold_load=True),
        settings=settings_of(ALPHA),
        models=FakeModels(),
        history=History.open(tmp_path / "history.db"),
    )
