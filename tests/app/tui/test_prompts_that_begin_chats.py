"""A prompt that holds a chat begins one with it, told for what it is; a chat becomes such."""

from __future__ import annotations

from pathlib import Path

import pytest

from app.paths import Paths
from tests.app.recorded import opened
from tests.app.tui.branching import act, play, talk
from tests.app.tui.driving import SIZES, Chat
from tests.app.tui.fakes import Answer, words

NOTES = (
    "# Release notes\n\n## System\nYou write notes.\n\n## User\nfix: it\x1b scrolls\n\n"
    "## Assistant\n- It **scrolls**.\n\n## User\nCommits:\n{{input}}\n"
)
SENT = [
    ("system", "You write notes."),
    ("user", "fix: it\x1b scrolls"),
    ("assistant", "- It **scrolls**."),
]


@pytest.fixture
def folder() -> Path:
    path = Paths().prompts_dir
    path.mkdir(parents=True)
    (path / "notes.md").write_text(NOTES)
    return path


def sent(chat: Chat, at: int = -1) -> list[tuple[str, str]]:
    return [(message.role, message.content) for message in chat.engine.asked[at]]


@pytest.mark.parametrize("size", SIZES, ids=["80x24", "160x50"])
def test_an_empty_chat_begins_with_it_and_goes_on_as_others(
    folder: Path, tmp_path: Path, size: tuple[int, int]
) -> None:
    async def scenario(chat: Chat) -> None:
        await chat.ready()
        await chat.ask("/prompt notes feat: tabs")
        await chat.until(lambda: chat.prompt.text == "Commits:\nfeat: tabs" and bool(chat.turns))
        assert chat.prompt.has_focus and len(chat.screen.tabs.open) == 1
        assert chat.engine.asked == [], "it is seen before it is asked"
        await chat.until(lambda: chat.shows("given by a prompt; Ctrl+R has the model answer"))
        assert "tok/s" not in chat.turns[0].query_one(".turn--foot").visual.plain  # type: ignore
        assert chat.screen.figures.stats is None
        await chat.pilot.press("enter")
        await chat.answered(2)
        assert sent(chat) == [*SENT, ("user", "Commits:\nfeat: tabs")]

    play(tmp_path, scenario, size=size)


def test_nothing_of_it_is_kept_before_something_is_asked_there(
    folder: Path, tmp_path: Path
) -> None:
    async def scenario(chat: Chat) -> None:
        await chat.ready()
        history = chat.screen.history
        assert history is not None
        await chat.ask("/prompt notes x")
        await chat.until(lambda: bool(chat.turns))
        await act(chat, "leave-out")
        assert history.flush() and history.chats() == []
        await act(chat, "close")
        await chat.until(lambda: not chat.turns)
        assert history.flush() and history.chats() == []
        await chat.ask("/prompt notes y")
        await chat.until(lambda: bool(chat.turns))
        await act(chat, "leave-out")
        await chat.pilot.press("enter")
        await chat.answered(2)
        assert history.flush()
        (info,) = history.chats()
        assert [message.skipped for message in history.chat(info.id).messages] == [
            False, True, False, False,
        ]  # fmt: skip

    play(tmp_path, scenario)


def test_what_is_changed_of_it_begins_a_branch(folder: Path, tmp_path: Path) -> None:
    async def scenario(chat: Chat) -> None:
        await chat.ready()
        await chat.ask("/prompt notes x")
        await chat.until(lambda: bool(chat.turns))
        chat.prompt.text = ""
        await act(chat, "amend")
        chat.prompt.text = "- Scrolls."
        await chat.pilot.press("enter")
        await chat.until(lambda: chat.shows("answer 2 of 2"))
        await act(chat, "edit")
        chat.prompt.text = "fix: more"
        await chat.pilot.press("enter")
        await chat.until(lambda: chat.shows("question 2 of 2"))
        await chat.answered()
        assert chat.transcript.turns[0].text == "Answer number 0."

    play(tmp_path, scenario)


def test_it_is_kept_with_its_title_and_its_system_prompt_and_names_no_pair(
    folder: Path, tmp_path: Path
) -> None:
    async def scenario(chat: Chat) -> None:
        await chat.ready()
        await chat.ask("/prompt notes x")
        await chat.until(lambda: bool(chat.turns))
        await chat.pilot.press("enter")
        await chat.answered(2)
        history, recorder = chat.screen.history, chat.screen.asking.recorder
        assert history is not None and recorder is not None and recorder.chat is not None
        await chat.until(history.flush)
        kept = history.chat(recorder.chat)
        assert (kept.info.title, kept.system, kept.info.pair) == (
            "Release notes", "You write notes.", chat.screen.session.settings.title,
        )  # fmt: skip
        assert [(m.role, m.pair, m.reason) for m in kept.messages[:2]] == [
            ("user", "", None), ("assistant", "", "given"),
        ]  # fmt: skip
        await chat.screen.asking.show_turns(opened(recorder, recorder.chat))
        assert [view.text for view in chat.turns] == ["- It **scrolls**.", "Answer number 0."]
        await chat.until(lambda: chat.shows("given by a prompt"))
        assert not chat.shows(" · by ")

    play(tmp_path, scenario)


def test_a_chat_with_turns_stays_open_and_what_its_box_held_goes_along(
    folder: Path, tmp_path: Path
) -> None:
    async def scenario(chat: Chat) -> None:
        await talk(chat, "first")
        chat.prompt.text = "feat: more"
        await chat.screen.action_act("prompt", "notes")
        await chat.until(lambda: chat.prompt.text == "Commits:\nfeat: more")
        assert len(chat.screen.tabs.open) == 2
        assert chat.screen.session.conversation.system == "You write notes."
        await chat.pilot.press("alt+1")
        await chat.until(lambda: chat.prompt.text == "" and chat.shows("Answer number 0."))
        assert chat.screen.session.conversation.system != "You write notes."

    play(tmp_path, scenario)


def test_the_model_may_answer_in_its_place_with_the_first_seed(
    folder: Path, tmp_path: Path
) -> None:
    async def scenario(chat: Chat) -> None:
        await chat.ready()
        await chat.ask("/prompt notes x")
        await chat.until(lambda: bool(chat.turns))
        await chat.pilot.press("ctrl+r")
        await chat.until(lambda: chat.turns[0].text == "Answer number 0.")
        await chat.answered()
        assert sent(chat) == SENT[:2] and chat.shows("answer 2 of 2")
        assert chat.engine.samplings[0].seed == chat.screen.session.conversation.sampling.seed

    play(tmp_path, scenario)


def test_a_system_prompt_alone_and_a_chat_without_a_last_question(
    folder: Path, tmp_path: Path
) -> None:
    (folder / "brief.md").write_text("## System\nBe brief.")
    (folder / "pair.md").write_text("## User\nOne?\n## Assistant\nTwo.")

    async def scenario(chat: Chat) -> None:
        await chat.ready()
        await chat.ask("/prompt brief why")
        await chat.until(lambda: chat.prompt.text == "why")
        assert not chat.turns and chat.screen.session.conversation.system == "Be brief."
        chat.prompt.text = ""
        await chat.ask("/prompt pair")
        await chat.until(lambda: bool(chat.turns))
        assert chat.prompt.text == "" and chat.prompt.has_focus
        assert chat.screen.tabs.title(chat.screen.tabs.open.current) == "One?"

    play(tmp_path, scenario)


def test_the_list_says_what_begins_a_chat_and_a_wrong_one_is_one_line(
    folder: Path, tmp_path: Path
) -> None:
    (folder / "odd.md").write_text("# Odd\n## User\na\n## User\nb")

    async def scenario(chat: Chat) -> None:
        await chat.ready()
        chat.prompt.insert("/prompt n")
        await chat.until(lambda: chat.shows("notes begins a chat: Release notes"))
        chat.prompt.text = ""
        await chat.ask("/prompt odd")
        await chat.until(lambda: chat.toasts("odd.md, line 4: ## User follows ## User"))
        assert not chat.turns and len(chat.screen.tabs.open) == 1

    play(tmp_path, scenario)


def test_an_answer_that_was_not_written_to_its_end_is_no_example(tmp_path: Path) -> None:
    async def scenario(chat: Chat) -> None:
        await talk(chat, "first")
        await chat.ask("second")
        await chat.until(lambda: chat.turns[-1].text.startswith("Half"))
        await chat.screen.action_act("prompt-save", "running chat")
        await chat.pilot.press("escape")
        await chat.answered(2)
        await chat.screen.action_act("prompt-save", "stopped chat")
        for name in ("running", "stopped"):
            path = Paths().prompts_dir / f"{name}.md"
            await chat.until(path.is_file)
            assert path.read_text().endswith("## Assistant\nYes.\n\n## User\nsecond\n")

    play(tmp_path, scenario, Answer(words("Yes.")), Answer(words("Half an answer."), hold_after=2))


def test_a_chat_becomes_a_prompt_without_thoughts_and_what_is_left_out(tmp_path: Path) -> None:
    async def scenario(chat: Chat) -> None:
        await chat.ready()
        await chat.ask("/prompt-save early chat")
        await chat.until(lambda: chat.toasts("Nothing is answered yet"))
        await chat.ask("/system Be kind.")
        await chat.ask("first")
        await chat.answered()
        await chat.ask("## User\nsecond")
        await chat.answered(2)
        await act(chat, "leave-out")
        chat.prompt.insert("/prompt-save kind c")
        await chat.until(lambda: chat.shows("kind chat this whole chat"))
        await chat.pilot.press("tab", "enter")
        await chat.until(lambda: chat.toasts("/prompt kind begins a chat with this one"))
        path = Paths().prompts_dir / "kind.md"
        said = "# first\n\n## System\nBe kind.\n\n## User\nfirst\n\n## Assistant\nYes.\n"
        assert path.read_text() == said
        await chat.screen.action_act("leave-out", "2")
        await chat.screen.action_act("prompt-save", "all chat")
        path = Paths().prompts_dir / "all.md"
        await chat.until(path.is_file)
        assert path.read_text() == said + "\n## User\n\\## User\nsecond\n\n## Assistant\nYes.\n"
        await chat.ask("/prompt all third")
        await chat.until(lambda: len(chat.screen.tabs.open) == 2 and chat.prompt.text == "third")
        await chat.pilot.press("enter")
        await chat.answered(3)
        assert [content for _, content in sent(chat)] == [
            "Be kind.", "first", "Yes.", "## User\nsecond", "Yes.", "third",
        ]  # fmt: skip

    thought = Answer(words("<think>\nHm.\n</think>\n\nYes."))
    play(tmp_path, scenario, thought, thought, thought)
