"""Theme, prompt and persona, joined: who says them, and what they stand for."""

from __future__ import annotations

from pathlib import Path

import pytest

from app.errors import CatalogError, SettingsError
from app.paths import Paths
from tests.app.settings.test_config import settings, write_file


def test_the_theme_is_the_flags_then_the_environments_then_the_files(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert settings().theme == "dark"
    write_file('theme = "light"\n')
    assert settings().theme == "light"
    monkeypatch.setenv("SLIPSTREAM_THEME", "contrast")
    assert settings().theme == "contrast"
    assert settings("--theme", "ansi").theme == "ansi"
    assert settings("--theme", "nord").theme == "nord", "Textual's own can be had, too"


def test_a_theme_that_is_not_there_is_refused_with_ours() -> None:
    with pytest.raises(SettingsError, match=r"^--theme: should be dark, light, .*found 'mauve'"):
        settings("--theme", "mauve")


def test_titles_and_notices_are_the_flags_then_the_environments_then_the_files(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert (settings().habits.titles, settings().habits.notify) == ("question", "desktop")
    write_file('titles = "model"\nnotify = "bell"\n')
    assert (settings().habits.titles, settings().habits.notify) == ("model", "bell")
    monkeypatch.setenv("SLIPSTREAM_TITLES", "question")
    monkeypatch.setenv("SLIPSTREAM_NOTIFY", "off")
    assert (settings().habits.titles, settings().habits.notify) == ("question", "off")
    got = settings("--titles", "model", "--notify", "desktop")
    assert (got.habits.titles, got.habits.notify) == ("model", "desktop")


def test_the_frame_is_the_flags_then_the_environments_then_the_files(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert settings().habits.frame == "full"
    write_file('frame = "figures"\n')
    assert settings().habits.frame == "figures"
    monkeypatch.setenv("SLIPSTREAM_FRAME", "keys")
    assert settings().habits.frame == "keys"
    assert settings("--frame", "none").habits.frame == "none"
    monkeypatch.setenv("SLIPSTREAM_FRAME", "gilded")
    with pytest.raises(SettingsError, match="FRAME: should be full, figures, keys or none"):
        settings()


def test_copying_what_is_selected_is_the_flags_then_the_environments_then_the_files(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert settings().habits.copy_on_select is False
    write_file("copy_on_select = true\n")
    assert settings().habits.copy_on_select is True
    monkeypatch.setenv("SLIPSTREAM_COPY_ON_SELECT", "0")
    assert settings().habits.copy_on_select is False
    assert settings("--copy-on-select").habits.copy_on_select is True


def test_the_list_of_chats_is_the_flags_then_the_environments_then_the_files(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert settings().habits.chat_list is False
    write_file("chat_list = true\n")
    assert settings().habits.chat_list is True
    monkeypatch.setenv("SLIPSTREAM_CHAT_LIST", "false")
    assert settings().habits.chat_list is False
    assert settings("--chat-list").habits.chat_list is True
    write_file('chat_list = "wide"\n')
    monkeypatch.delenv("SLIPSTREAM_CHAT_LIST")
    with pytest.raises(SettingsError, match="chat_list: should be true or false, found 'wide'"):
        settings()


def test_a_notice_that_is_none_is_refused_with_what_it_may_be() -> None:
    write_file('notify = "loud"\n')
    with pytest.raises(SettingsError, match="notify: should be desktop, bell or off, found 'loud'"):
        settings()


TEACHER = "You are a patient teacher."


def test_a_personas_prompt_and_sampling_stand_for_those_that_nobody_says() -> None:
    write_file('persona = "reviewer"\n')
    got = settings()
    assert got.persona == "Reviewer" and (got.system or "").startswith("You review")
    assert got.sampling.temperature == 0.2
    write_file('persona = "reviewer"\ntemp = 0.9\nsystem = "Be kind."\n')
    got = settings()
    assert (got.system or "").startswith("You review"), "the persona's prompt is the choice"
    assert got.sampling.temperature == 0.9, "a number that is said is meant"


def test_a_prompt_or_a_persona_takes_the_place_of_a_weaker_one_of_either(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    write_file('persona = "reviewer"\n')
    got = settings("--system", "Be kind.")
    assert (got.system, got.persona) == ("Be kind.", "")
    assert (settings("--persona", "teacher").system or "").startswith(TEACHER)
    monkeypatch.setenv("SLIPSTREAM_SYSTEM", "Be brief.")
    assert (settings().system, settings().persona) == ("Be brief.", "")
    assert (settings("--persona", "teacher").system or "").startswith(TEACHER)
    monkeypatch.setenv("SLIPSTREAM_PERSONA", "plain")
    assert (settings().system, settings().persona) == (None, "Plain")


def test_a_persona_that_is_not_there_or_beside_a_prompt_is_refused() -> None:
    with pytest.raises(SettingsError, match=r"no persona 'pirate'; there are Plain"):
        settings("--persona", "pirate")
    with pytest.raises(SettingsError, match="--persona or --system, not both"):
        settings("--persona", "plain", "--system", "x")


def test_paths_that_the_engine_cannot_be_told_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "caf\udce9"
    folder.mkdir()
    monkeypatch.chdir(folder)
    with pytest.raises(SettingsError, match=r"m\.gguf: this path is no UTF-8 text; rename"):
        settings("--model", "m.gguf")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_DATA_HOME", str(folder))
    assert settings("--no-memory").pair.memory is None
    with pytest.raises(SettingsError, match="memory: this path is no UTF-8 text"):
        settings()


def test_a_model_that_is_gone_is_told_with_what_brings_it_back() -> None:
    own = Paths().ensure().own_catalog
    own.write_text(
        '[models.mine]\npath = "/nowhere/mine.gguf"\n'
        '[pairs.mine]\ntitle = "t"\nfor_whom = "f"\ntarget = "mine"\n'
    )
    mend = f"/nowhere/mine.gguf is not there; put it there, or correct its path in {own}."
    with pytest.raises(CatalogError, match=f"^mine: {mend}"):
        settings("--pair", "mine")
    with pytest.raises(CatalogError, match=r"`slipstream pull 'me/x:my f\.gguf'` downloads it\.$"):
        settings("--model", "me/x:my f.gguf")
