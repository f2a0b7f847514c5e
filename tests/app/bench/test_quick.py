"""The chat's quick benchmark: it measures the chat's pair as the command would."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from app import fitting
from app.settings.config import ChatSettings
from app.tui.background.benching import QuickBench
from engine import PairSettings
from tests.app.bench.making import FakeEngine, settings


class Local(FakeEngine):
    """An engine in the place of the real one."""

    async def close(self) -> None:
        """Nothing to end."""


def test_the_pair_that_is_checked_is_loaded_and_the_chats_choice_to_think_holds(
    tmp_path: Path, target: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    checked: list[PairSettings] = []

    def fitted(given: ChatSettings) -> ChatSettings:
        checked.append(given.pair)
        return given

    engine = Local(target)
    engine.thinks = False
    monkeypatch.setattr("engine.EngineClient", lambda log: engine)
    monkeypatch.setattr(fitting, "fitted", fitted)
    pair = PairSettings(target=target, mmproj="p.gguf", drafter="lookup", memory="m")
    chat = replace(settings(target, think=True), pair=pair)
    found, _ = QuickBench(chat).run(lambda stage, done: None)
    assert checked == [engine.pair] == [PairSettings(target=target)]
    assert found.setup.think and engine.thinking == {True}
