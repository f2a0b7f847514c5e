"""A drafter that needs the draft model gets it loaded, or it is said how to get there."""

from __future__ import annotations

import re
from dataclasses import replace as replaced

import msgspec
import pytest

from app.errors import AppError
from app.tui.models.draft_loading import needs_load
from app.tui.serving.shared_engine import State
from engine import PairSettings
from tests.app.tui.driving import WIDE, Chat, drive
from tests.app.tui.fakes import PAIR, READY, Answer, FakeEngine, FakeSettings, whole, words

JOIN = words("It joins path components with one separator between them.")
PLAIN = msgspec.structs.replace(PAIR, drafter="none")
NO_LENGTH = msgspec.structs.replace(PAIR, draft_tokens=0)
ALONE = FakeSettings(PairSettings(target="target.gguf", drafter="none"))
WITHOUT = msgspec.structs.replace(READY, draft=None, drafter="none", drafters=[])
REFUSED = "its vocabulary does not match."


def test_a_pair_that_was_loaded_to_draft_with_nothing_is_loaded_again_for_its_draft_model() -> None:
    async def scenario(chat: Chat) -> None:
        await chat.ask("first")
        await chat.answered(1)
        await chat.ask("/draft draft-model")
        await chat.until(lambda: len(chat.engine.loaded) == 2 and chat.state == "ready")
        assert chat.engine.loaded == [PLAIN, msgspec.structs.replace(PAIR, drafter="draft_model")]
        await chat.until(lambda: chat.toasts("The draft model is loaded, then draft_model drafts."))
        assert chat.shows(whole(JOIN)), "the chat stays"
        await chat.ask("/draft")
        await chat.until(lambda: chat.shows("draft_model ● now"))

    drive(scenario, FakeEngine(Answer(JOIN), ready=WITHOUT), WIDE, FakeSettings(PLAIN))


def test_a_pair_without_a_draft_model_says_how_to_get_one_and_changes_nothing() -> None:
    async def scenario(chat: Chat) -> None:
        await chat.ready()
        await chat.ask("/draft draft_model")
        await chat.until(lambda: chat.toasts("This pair has none. Choose lookup, open another"))
        assert chat.screen.chosen == {} and len(chat.engine.loaded) == 1
        await chat.ask("/draft auto")
        await chat.until(lambda: chat.toasts("Drafts are made by auto."))
        assert len(chat.engine.loaded) == 1

    drive(scenario, FakeEngine(ready=WITHOUT), WIDE, ALONE)


def test_a_draft_model_that_was_refused_is_not_loaded_again() -> None:
    refused = msgspec.structs.replace(WITHOUT, draft_refused=REFUSED)
    with pytest.raises(
        AppError, match=r"is not used: its vocabulary does not match\. Choose lookup"
    ):
        needs_load("draft_model", FakeSettings(PAIR), "ready", refused)
    assert not needs_load("auto", FakeSettings(PAIR), "ready", refused)


@pytest.mark.parametrize("drafter", ["auto", "draft_model", "lookup"])
@pytest.mark.parametrize(
    ("pair", "rollback", "why"),
    [(NO_LENGTH, "drop", "--draft-tokens is 0."), (PAIR, "none", "its memory cannot.")],
)
def test_where_nobody_can_draft_no_drafter_is_taken(
    pair: PairSettings, rollback: str, why: str, drafter: str
) -> None:
    ready = msgspec.structs.replace(WITHOUT, off=why, rollback=rollback)
    with pytest.raises(AppError, match=re.escape(f"Nobody can draft here: {why}")):
        needs_load(drafter, FakeSettings(pair), "ready", ready)
    assert not needs_load("none", FakeSettings(pair), "ready", ready)


@pytest.mark.parametrize("state", ["loading", "answering", "stopping"])
def test_nothing_is_broken_off_for_a_draft_model(state: State) -> None:
    ready = None if state == "loading" else WITHOUT
    with pytest.raises(AppError, match="choose it again when nothing is being loaded or answered"):
        needs_load("draft_model", FakeSettings(PLAIN), state, ready)


def test_what_was_loaded_before_says_nothing_of_what_is_being_loaded() -> None:
    async def scenario(chat: Chat) -> None:
        chat.engine.release()
        await chat.ready()
        await chat.ask("/draft none")
        await chat.until(lambda: chat.toasts("Nothing is drafted."))
        await chat.screen.session.unload()
        await chat.until(lambda: chat.state == "unloaded")
        await chat.ask("first")
        await chat.until(lambda: len(chat.engine.loaded) == 2 and chat.state == "loading")
        await chat.ask("/draft auto")
        await chat.until(lambda: chat.toasts("auto needs the draft model, which is not loaded"))
        chat.engine.release()
        await chat.answered()
        assert chat.screen.session.settings.pair.drafter == "none"

    drive(scenario, FakeEngine(Answer(JOIN), hold_load=True), WIDE, FakeSettings())


@pytest.mark.parametrize("state", ["loading", "ready", "answering", "unloaded", "down"])
def test_what_is_there_or_comes_anyway_is_not_loaded_again(state: State) -> None:
    ready = None if state in ("loading", "unloaded", "down") else READY
    assert not needs_load("draft_model", replaced(FakeSettings(), pair=PAIR), state, ready)
    assert not needs_load("lookup", FakeSettings(PLAIN), state, WITHOUT)
