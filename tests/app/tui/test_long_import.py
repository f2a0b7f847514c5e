"""An import that takes long says how far it is, and can be called off."""

from __future__ import annotations

import json
import threading
from pathlib import Path

import pytest

from app.tui.screens.file_ask import ImportScreen
from tests.app.tui.chats_driving import Kept, Seen, look
from tests.app.tui.test_chats_files import asked, folder, kept, left
from tests.patience import PATIENCE_S

__all__ = ["folder", "kept"]  # fixtures


def test_a_long_import_is_told_of_and_esc_takes_it_back(
    kept: Kept, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Enter once more begins nothing."""
    monkeypatch.setattr("app.history.importing.PART_CHARS", 1)
    said = [{"messages": [{"role": "user", "content": f"question {n}"}]} for n in range(3)]
    (folder / "all.json").write_text(json.dumps(said), "utf-8")
    goes_on, began = threading.Event(), []
    flush = kept.history.flush

    async def scenario(seen: Seen) -> None:
        await asked(seen, "ctrl+o")
        seen.path.value = "all.json"
        await seen.press("enter", "enter")
        await seen.until(lambda: seen.shows("1 of 3 chats are written"))
        await seen.press("enter", "escape")
        await left(seen)
        goes_on.set()
        assert flush()
        await seen.until(lambda: not kept.history.deleted())
        assert len(kept.history.chats()) == 1 and began == [3]

    def wait(self: ImportScreen, n_done: int, n_chats: int) -> bool:
        began.append(n_chats)
        told = tell(self, n_done, n_chats)
        goes_on.wait(PATIENCE_S)
        return told and tell(self, n_done, n_chats)

    tell = ImportScreen._tell
    monkeypatch.setattr(ImportScreen, "_tell", wait)
    look(scenario, kept)
