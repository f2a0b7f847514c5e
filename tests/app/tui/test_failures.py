"""What went wrong is one line; of a defect the traceback is kept, and the line says where."""

from __future__ import annotations

import importlib
from dataclasses import replace

import pytest

from app.chat.turn import Turn
from app.errors import SettingsError
from app.paths import Paths
from app.tui.actions import ACTIONS, always
from app.tui.dispatch import act
from app.tui.failures import UPDATED, death_of, error_line, mark
from engine import EngineDied, TemplateError
from tests.app.tui.driving import Chat, drive
from tests.app.tui.fakes import FakeEngine

FORESEEN = (SettingsError("No such \x1b[2Jtheme."), EngineDied("It died."), OSError("Disk full"))


def defect_log() -> str:
    path = Paths().log_dir / "defect.log"
    return path.read_text() if path.exists() else ""


@pytest.mark.parametrize("error", FORESEEN, ids=lambda error: type(error).__name__)
def test_what_was_foreseen_is_said_as_it_is_and_leaves_no_traceback(error: Exception) -> None:
    assert error_line(error) == str(error).replace("\x1b", "")
    assert defect_log() == ""


def test_what_the_system_refuses_is_said_without_its_number() -> None:
    assert error_line(IsADirectoryError(21, "Is a directory", "/a/b")) == "/a/b: Is a directory"
    assert error_line(OSError(28, "No space left on device")) == "No space left on device"


def test_a_defect_says_where_its_traceback_is_however_long_it_is() -> None:
    line = error_line(AttributeError("no such thing " * 100))
    assert line.startswith("A defect of Slipstream: AttributeError: no such thing")
    assert line.endswith(f"Please report it with {Paths().log_dir / 'defect.log'}.")
    assert "AttributeError" in defect_log()


def test_a_module_of_ours_that_is_gone_means_that_slipstream_was_updated() -> None:
    for name in ("app.settings.moved", "engine.moved"):
        with pytest.raises(ImportError) as moved:
            importlib.import_module(name)
        assert error_line(moved.value) == UPDATED
    with pytest.raises(ImportError) as renamed:
        exec("from app.paths import Renamed")
    assert error_line(renamed.value) == UPDATED
    assert defect_log() == ""
    assert error_line(ImportError("no such thing", name="numpy")).startswith(
        "A defect of Slipstream"
    )


def test_an_engine_is_started_again_after_its_death_or_a_defect_that_is_kept() -> None:
    refused, died, defect = TemplateError("Refused."), EngineDied("It died."), KeyError("key")
    assert (death_of(refused), death_of(died)) == (None, died)
    assert defect_log() == ""
    assert death_of(defect) is defect
    assert "KeyError" in defect_log()


def test_an_answer_that_a_defect_ended_says_so() -> None:
    for before in ("", "KeyError: 'key'"):
        turn = Turn("question", error=before)
        mark(turn, KeyError("key"), is_wish=False)
        assert turn.reason == "failed" and "defect.log" in turn.error
    assert "KeyError" in defect_log()


def test_a_defect_of_an_action_is_said_and_its_traceback_kept(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def fail(*_: object) -> str:
        raise AttributeError("no such thing")

    monkeypatch.setattr("app.logs.ends_of", fail)

    async def scenario(chat: Chat) -> None:
        await chat.ready()
        await chat.ask("/log")
        await chat.until(lambda: chat.toasts("AttributeError: no such thing"))
        assert "in fail" in defect_log()

    drive(scenario, FakeEngine())


def test_what_fails_while_the_app_is_left_is_no_defect(monkeypatch: pytest.MonkeyPatch) -> None:
    def failing(*_: object) -> None:
        raise RuntimeError("taken down")

    async def scenario(chat: Chat) -> None:
        await chat.ready()
        action = replace(ACTIONS["stop"], run=failing, makes_sense=always)
        monkeypatch.setitem(ACTIONS, "stop", action)  # type: ignore[arg-type]
        await act(chat.screen, "stop", "")
        assert "taken down" in defect_log()
        (Paths().log_dir / "defect.log").unlink()
        chat.app.exit()
        await act(chat.screen, "stop", "")
        assert defect_log() == ""

    drive(scenario, FakeEngine())
