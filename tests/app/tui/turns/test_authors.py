"""In a chat where several models answered, each answer says which one wrote it."""

from __future__ import annotations

from pathlib import Path

from app.chat.recorder import HistoryRecorder
from app.history import History
from app.history.markdown import as_markdown
from app.tui.chats.preview import preview_of
from tests.app.tui.driving import Chat, drive
from tests.app.tui.fakes import Answer, FakeEngine, FakeSettings, words

OTHER = FakeSettings(title="Other model")


def feet(chat: Chat) -> list[str]:
    """Return the figures line of each answer."""
    return [str(view.query_one(".turn--foot").render()) for view in chat.turns]


def by(chat: Chat) -> list[str]:
    return [line.rpartition(" · by ")[2] for line in feet(chat)]


def test_with_one_model_no_answer_names_it() -> None:
    async def scenario(chat: Chat) -> None:
        for n in (1, 2):
            await chat.ask("which?")
            await chat.answered(n)
        assert not [line for line in feet(chat) if "Slipstream demo" in line]

    drive(scenario, FakeEngine())


def test_after_a_change_of_the_model_every_answer_names_its_own(tmp_path: Path) -> None:
    history = History.open(tmp_path / "history.db")
    kept: list[int] = []

    async def scenario(chat: Chat) -> None:
        await chat.ask("which?")
        await chat.answered()
        first = chat.screen.session.settings.title
        chat.screen.session.settings = OTHER
        await chat.ask("and now?")
        await chat.answered(2)
        assert by(chat) == [first, "Other model"]
        assert chat.shows("by Other model")
        await chat.pilot.press("ctrl+r")
        await chat.until(lambda: chat.shows("answer 2 of 2"))
        await chat.answered(2)
        assert by(chat) == [first, "Other model"]
        assert isinstance(chat.screen.asking.recorder, HistoryRecorder)
        assert chat.screen.asking.recorder.chat is not None
        kept.append(chat.screen.asking.recorder.chat)
        assert history.flush()
        found = history.chat(kept[0])
        assert f"## Answer by {first}" in as_markdown(found, history.album)
        assert "## Answer by Other model" in as_markdown(found, history.album)
        assert "Answer  Other model" in preview_of(found).body.plain

    drive(scenario, FakeEngine(Answer(words("Me."))), history=history)


def test_a_version_by_another_model_is_named_though_it_is_alone_in_sight(tmp_path: Path) -> None:
    async def scenario(chat: Chat) -> None:
        await chat.ask("which?")
        await chat.answered()
        first = chat.screen.session.settings.title
        chat.screen.session.settings = OTHER
        await chat.pilot.press("ctrl+r")
        await chat.until(lambda: chat.shows("answer 2 of 2"))
        assert by(chat) == ["Other model"]
        await chat.pilot.press("alt+left")
        await chat.until(lambda: chat.shows("answer 1 of 2"))
        assert by(chat) == [first]

    drive(scenario, FakeEngine(Answer(words("Me."))), history=History.open(tmp_path / "h.db"))


def test_an_export_of_one_models_answers_names_none(tmp_path: Path) -> None:
    history = History.open(tmp_path / "history.db")

    async def scenario(chat: Chat) -> None:
        await chat.ask("which?")
        await chat.answered()
        assert history.flush()
        assert chat.screen.asking.recorder is not None
        found = history.chat(chat.screen.asking.recorder.chat or 0)
        assert "## Answer\n" in as_markdown(found, history.album)
        assert "Answer\n" in preview_of(found).body.plain

    drive(scenario, FakeEngine(Answer(words("Me."))), history=history)
