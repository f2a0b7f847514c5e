"""Actions: every slash command does something, and what they change holds for the next answer."""

from __future__ import annotations

from pathlib import Path

import pytest

from app.history import History
from app.prompts.slash import SLASHES
from app.settings.config import ChatSettings
from app.tui.actions import ACTIONS
from app.tui.actions.tuning import apply
from app.tui.chat_parts import ChatParts
from app.tui.palettes.commands import Commands
from app.tui.toasts import GRAVE_S
from app.tui.widgets.prompt import Prompt
from engine import PairSettings, SamplingSettings
from tests.app.tui.driving import NARROW, Chat, app_of, opened
from tests.app.tui.fakes import Answer, FakeEngine, whole, words

CODE = words("Use this:\n\n```python\nimport os\n```\n\nand\n\n```sh\nls\n```\n")
SETTINGS = ChatSettings(
    pair=PairSettings(target="t.gguf"),
    sampling=SamplingSettings(seed=3),
    predict=None,
    system=None,
    title="Pair",
)


def play(scenario, tmp_path: Path, engine: FakeEngine | None = None) -> None:  # type: ignore[no-untyped-def]
    """Drive the app with a history of its own."""
    import asyncio

    async def run() -> None:
        fake = engine or FakeEngine(Answer(CODE))
        history = History.open(tmp_path / "history.db")
        app = app_of(ChatParts(fake, SETTINGS, history=history))
        async with app.run_test(size=NARROW) as pilot:
            chat = await opened(app, pilot, fake)
            await chat.ready()
            await scenario(chat)

    asyncio.run(run())


def test_every_slash_command_is_an_action_and_no_key_is_taken_twice() -> None:
    assert {slash.name for slash in SLASHES} <= set(ACTIONS)
    keys = [key for action in ACTIONS.values() for key in action.keys]
    assert len(keys) == len(set(keys))


def test_an_action_without_words_of_its_own_is_explained_as_its_slash_command() -> None:
    helped = {slash.name: slash.help for slash in SLASHES}
    assert ACTIONS["rename"].about == helped["rename"]
    assert ACTIONS["help"].about != helped["help"]
    assert all(action.about for action in ACTIONS.values())


@pytest.mark.parametrize(
    ("name", "argument", "field", "value"),
    [("temp", "0.7", "temperature", 0.7), ("seed", "12", "seed", 12)],
)
def test_a_change_holds_for_the_next_answer(
    name: str, argument: str, field: str, value: float, tmp_path: Path
) -> None:
    async def scenario(chat: Chat) -> None:
        await chat.screen.action_act(name, argument)
        await chat.ask("now?")
        await chat.answered()
        assert getattr(chat.engine.samplings[-1], field) == value

    play(scenario, tmp_path)


def test_a_value_out_of_its_range_changes_nothing_and_says_so(tmp_path: Path) -> None:
    async def scenario(chat: Chat) -> None:
        before = chat.screen.session.conversation.sampling
        await chat.screen.action_act("temp", "-1")
        assert chat.screen.session.conversation.sampling == before
        await chat.until(lambda: chat.toasts("temp"))

    play(scenario, tmp_path)


@pytest.mark.parametrize(
    ("what", "copied"),
    [("", whole(CODE).strip()), ("1", "import os"), ("2", "ls"), ("code", "import os\n\nls")],
)
def test_an_answer_and_its_code_can_be_copied(what: str, copied: str, tmp_path: Path) -> None:
    async def scenario(chat: Chat) -> None:
        await chat.ask("code?")
        await chat.answered()
        await chat.screen.action_act("copy", what)
        assert chat.app.clipboard == copied

    play(scenario, tmp_path)


def test_what_is_not_there_cannot_be_copied_and_a_line_says_so(tmp_path: Path) -> None:
    async def scenario(chat: Chat) -> None:
        await chat.screen.action_act("copy")
        await chat.until(lambda: chat.toasts("nothing to copy"))
        await chat.ask("code?")
        await chat.answered()
        await chat.screen.action_act("copy", "7")
        await chat.until(lambda: chat.toasts("no code block 7"))
        assert chat.app.clipboard == ""

    play(scenario, tmp_path)


@pytest.mark.parametrize("ending", ["md", "json"])
def test_a_chat_is_exported_and_no_file_is_overwritten(ending: str, tmp_path: Path) -> None:
    path = tmp_path / f"out.{ending}"

    async def scenario(chat: Chat) -> None:
        await chat.ask("code?")
        await chat.answered()
        await chat.screen.action_act("export", str(path))
        written = path.read_text("utf-8")
        assert "import os" in written and "code?" in written
        await chat.screen.action_act("export", str(path))
        await chat.until(lambda: chat.toasts("is there already"))
        assert path.read_text("utf-8") == written

    play(scenario, tmp_path)


def test_an_export_without_a_name_is_called_as_the_chat_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "here"
    folder.mkdir()
    monkeypatch.chdir(folder)

    async def scenario(chat: Chat) -> None:
        await chat.ask("code?")
        await chat.answered()
        await chat.ask("/rename Paths / and: slashes")
        for name in ("Paths-and-slashes.md", "Paths-and-slashes-2.md", "Paths-and-slashes-3.md"):
            await chat.ask("/export")
            await chat.until(lambda name=name: chat.toasts(str(folder / name)))
            assert "import os" in (folder / name).read_text("utf-8")
        await chat.ask("/export JSON")
        await chat.until(lambda: chat.toasts(str(folder / "Paths-and-slashes.json")))
        assert "import os" in (folder / "Paths-and-slashes.json").read_text("utf-8")
        assert all(
            told.timeout >= GRAVE_S for told in chat.toasted.told if str(folder) in told.message
        )
        assert len(list(folder.iterdir())) == 4

    play(scenario, tmp_path)


def test_a_chat_that_was_left_is_found_and_gone_on_with(tmp_path: Path) -> None:
    async def scenario(chat: Chat) -> None:
        await chat.ask("first chat")
        await chat.answered()
        await chat.pilot.press("ctrl+n")
        await chat.until(lambda: not chat.turns)
        await chat.pilot.press("f3")
        await chat.until(lambda: not chat.is_on_top and chat.shows("first chat"))
        await chat.pilot.pause()
        await chat.pilot.press("enter")
        await chat.until(lambda: chat.is_on_top and len(chat.turns) == 1)
        await chat.ask("second question")
        await chat.answered(2)
        said = [message.content for message in chat.engine.asked[-1]]
        assert said == ["first chat", whole(CODE), "second question"]

    play(scenario, tmp_path)


@pytest.mark.parametrize("command", ["/undo", "/retry", "/branch 1"])
def test_what_makes_no_sense_while_an_answer_is_written_is_refused_in_one_line(
    command: str, tmp_path: Path
) -> None:
    async def scenario(chat: Chat) -> None:
        await chat.ask("first")
        await chat.until(lambda: chat.state == "answering")
        await chat.ask("second")
        await chat.until(lambda: chat.screen.session.waiting == 1)
        await chat.ask(command)
        await chat.until(lambda: chat.toasts("Not while an answer is written"))
        assert chat.is_on_top and [view.question for view in chat.turns] == ["first", "second"]

    play(scenario, tmp_path, FakeEngine(Answer(CODE, hold_after=2)))


def test_a_chat_that_is_opened_leaves_alone_what_was_asked_meanwhile(tmp_path: Path) -> None:
    async def scenario(chat: Chat) -> None:
        await chat.ask("first chat")
        await chat.answered()
        await chat.pilot.press("ctrl+n")
        await chat.until(lambda: not chat.turns)
        await chat.pilot.press("f3")
        await chat.until(lambda: not chat.is_on_top and chat.shows("first chat"))
        chat.screen.post_message(Prompt.Submitted("late"))  # its files were read until now
        await chat.until(lambda: chat.state == "answering")
        await chat.pilot.press("enter")
        await chat.until(lambda: [view.question for view in chat.turns] == ["first chat"])
        await chat.pilot.press("alt+n")
        await chat.until(lambda: [view.question for view in chat.turns] == ["late"])
        assert chat.state == "answering"
        chat.engine.release()
        await chat.answered(1)

    play(scenario, tmp_path, FakeEngine(Answer(CODE), Answer(CODE, hold_after=2)))


@pytest.mark.parametrize(
    ("way", "what"), [("copy", "answer"), ("copy", "code"), ("code", ""), ("inspect", "")]
)
def test_a_question_without_an_answer_has_no_answer_to_copy_and_nothing_to_see(
    way: str, what: str, tmp_path: Path
) -> None:
    async def scenario(chat: Chat) -> None:
        await chat.ask("first")
        await chat.answered()
        await chat.screen.session.unload()
        await chat.until(lambda: chat.state == "unloaded")
        await chat.ask("dropped")
        await chat.until(lambda: chat.shows("not asked"))
        await chat.ask("third")
        await chat.until(lambda: chat.turns[-1].over)
        await chat.pilot.press("alt+up", "alt+up")
        assert chat.transcript.selected is chat.turns[1]
        await chat.screen.action_act(way, what)
        await chat.until(lambda: chat.toasts("This question has no answer."))
        assert chat.app.clipboard == "" and chat.is_on_top

    down = FakeEngine(Answer(CODE), load_errors=[None, ValueError("broken")])
    play(scenario, tmp_path, down)


def test_a_chosen_persona_is_known_until_another_prompt_is_set(tmp_path: Path) -> None:
    async def scenario(chat: Chat) -> None:
        await chat.screen.action_act("persona", "teacher")
        await chat.until(lambda: chat.toasts("Teacher answers in this chat; F2"))
        assert chat.screen.chosen["persona"] == "Teacher"
        await chat.screen.action_act("system", "Be kind.")
        assert chat.screen.chosen["persona"] is None
        assert chat.screen.session.conversation.system == "Be kind."
        apply(chat.screen, "persona", "reviewer")
        await chat.until(lambda: chat.shows("Reviewer · "))

    play(scenario, tmp_path)


def test_the_palette_offers_nothing_under_the_same_title_twice(tmp_path: Path) -> None:
    async def scenario(chat: Chat) -> None:
        titles = [hit.text async for hit in Commands(chat.screen).discover()]
        assert {"Theme", "Mouse", "Light or dark", "Help"} <= set(titles)
        assert len(titles) == len(set(titles))

    play(scenario, tmp_path)
