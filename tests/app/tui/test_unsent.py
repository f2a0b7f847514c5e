"""What is meant to be asked and is not yet is never lost, nor sent as what it is not: what is being
changed, what waits, what was typed in a chat that is gone, and in another window.
"""

from __future__ import annotations

import asyncio
import threading
from pathlib import Path

import pytest

from app.chat.unsent import KeptUnsent
from app.files.attachments import Attachment, pasted
from app.history import History
from app.last import Last, read_last, write_last
from app.prompts.prompt_history import LONGEST_PROMPT, PromptHistory
from app.tui.chat_parts import ChatParts
from app.tui.chats.resuming import Resuming
from app.tui.prompting import enclosing
from tests.app.tui.branching import NUMBERS, act, talk
from tests.app.tui.chats.test_resuming import start
from tests.app.tui.driving import Chat, Scenario, app_of, drive, opened
from tests.app.tui.fakes import Answer, FakeEngine, FakeSettings, words
from tests.patience import PATIENCE_S

LONG = "\n".join(f"line {n}" for n in range(80))


def kept(folder: Path) -> list[str]:
    return [each.text for each in read_last(folder / "last.json").unsent]


@pytest.mark.parametrize(
    ("change", "texts"),
    [
        ("edit", ["typed before"]),
        ("edit!", ["typed before\n\nfirst!"]),
        ("amend", ["typed before"]),
        ("amend!", ["typed before\n\nAnswer number 0.!"]),
    ],
)
def test_of_what_is_being_changed_only_a_changed_text_is_kept(
    tmp_path: Path, change: str, texts: list[str]
) -> None:
    async def typing(chat: Chat) -> None:
        await talk(chat, "first")
        await chat.pilot.press(*"typed before")
        await act(chat, change.rstrip("!"))
        await chat.until(lambda: chat.screen.asking.editing is not None)
        await chat.pilot.press(*["!"] * change.count("!"))

    start(tmp_path, typing)
    assert kept(tmp_path) == texts


@pytest.mark.parametrize("way", ["escape", "ctrl+c", "alt+w"])
def test_up_brings_an_answer_that_was_changed_and_not_sent_and_what_was_typed_stays(
    way: str,
) -> None:
    async def scenario(chat: Chat) -> None:
        await talk(chat, "first")
        await chat.pilot.press(*"typed before")
        await act(chat, "amend")
        await chat.pilot.press("!", way)
        await chat.until(lambda: chat.screen.asking.editing is None)
        assert "Answer number 0.!" in chat.prompt.past.prompts
        assert "typed before" in [chat.prompt.text, *chat.prompt.past.prompts]

    drive(scenario, FakeEngine(*NUMBERS))


@pytest.mark.parametrize("way", ["escape", "ctrl+c", "alt+w"])
def test_an_answer_that_was_not_changed_is_no_earlier_prompt(way: str) -> None:
    async def scenario(chat: Chat) -> None:
        await talk(chat, "first")
        await act(chat, "amend")
        await chat.pilot.press(way)
        await chat.until(lambda: chat.screen.asking.editing is None)
        assert not [each for each in chat.prompt.past.prompts if "Answer" in each]

    drive(scenario, FakeEngine(*NUMBERS))


def test_up_brings_what_was_typed_and_the_change_of_a_chat_that_is_closed() -> None:
    async def scenario(chat: Chat) -> None:
        await talk(chat, "first")
        await chat.pilot.press(*"typed before", "alt+up", "ctrl+e", "!", "alt+w")
        await chat.until(lambda: not chat.turns)
        assert chat.prompt.past.prompts[-2:] == ["typed before", "first!"]

    drive(scenario, FakeEngine(*NUMBERS))


def play(folder: Path, scenario: Scenario, engine: FakeEngine, is_new: bool = False) -> Resuming:
    """Play the scenario with what is kept in this folder."""
    path = folder / "last.json"
    resuming = Resuming(path, read_last(path), is_new)
    history = History.open(folder / "history.db")
    parts = ChatParts(engine, FakeSettings(), history=history, resuming=resuming)

    async def run() -> None:
        app = app_of(parts)
        async with app.run_test() as pilot:
            chat = await opened(app, pilot, engine)
            await resuming.is_back.wait()
            await scenario(chat)
            engine.release()

    asyncio.run(run())
    return resuming


def test_a_question_that_waits_at_the_end_is_in_the_box_at_the_next_start_before_what_is_typed(
    tmp_path: Path,
) -> None:
    async def asking(chat: Chat) -> None:
        await chat.ask("first")
        await chat.until(lambda: chat.state == "answering")
        chat.prompt.attach(pasted(LONG))
        await chat.ask("second")
        await chat.until(lambda: chat.screen.session.waiting == 1)
        await chat.pilot.press(*"third", "ctrl+q")

    async def again(chat: Chat) -> None:
        assert [view.question for view in chat.turns] == ["first"]
        assert chat.prompt.text == "second\n\nthird"
        assert [each.text for each in chat.prompt.attachments] == [LONG]

    play(tmp_path, asking, FakeEngine(Answer(words("One and two."), hold_after=1)))
    play(tmp_path, again, FakeEngine())


def test_of_two_windows_up_brings_what_is_typed_in_the_one_whose_text_is_not_kept(
    tmp_path: Path,
) -> None:
    path = tmp_path / "last.json"

    def other(text: str) -> None:
        """Have another window write."""
        write_last(
            path, Last(unsent=(KeptUnsent(text, (pasted(f"beside {text}"),), is_shown=True),))
        )

    async def first(chat: Chat) -> None:
        await chat.pilot.press(*"mine")
        await chat.until(lambda: kept(tmp_path) == ["mine"])
        other("theirs")
        pasts.append(chat.prompt.past)
        await chat.pilot.press("ctrl+q")

    async def last(chat: Chat) -> None:
        chat.prompt.text = ""
        await chat.pilot.press(*"mine")
        await chat.until(lambda: kept(tmp_path) == ["mine"])
        other("more")
        pasts.append(chat.prompt.past)
        await chat.pilot.press(*"!", "ctrl+q")

    pasts: list[PromptHistory] = []
    play(tmp_path, first, FakeEngine())
    assert (pasts[0].prompts, kept(tmp_path)) == (["mine"], ["theirs"])
    play(tmp_path, last, FakeEngine())
    assert (pasts[1].prompts, kept(tmp_path)) == (["more", "beside more"], ["mine!"])


@pytest.mark.parametrize("is_new", [False, True])
def test_unsent_text_that_up_cannot_bring_is_in_a_new_chat_where_its_own_does_not_come_back(
    tmp_path: Path, is_new: bool
) -> None:
    gone = [
        KeptUnsent("    short: 1\n    list: 2\n", chat=91),
        KeptUnsent("with a paste", (pasted(LONG),), chat=92),
        KeptUnsent("x" * (LONGEST_PROMPT + 1), chat=93),
    ]
    write_last(tmp_path / "last.json", Last(unsent=tuple(gone)))

    async def scenario(chat: Chat) -> None:
        if is_new:  # what is kept stays as it is until something is asked
            await talk(chat, "first")
        await chat.until(lambda: len(chat.screen.tabs.open) == 3)
        assert "    short: 1\n    list: 2" in chat.prompt.past.prompts
        for one, each in zip(list(chat.screen.tabs.open)[1:], reversed(gone[1:]), strict=True):
            await chat.screen.tabs.show(one)
            assert (chat.prompt.text, chat.prompt.attachments) == (each.text, each.pasted)

    play(tmp_path, scenario, FakeEngine(*NUMBERS), is_new)
    assert sorted(kept(tmp_path)) == sorted(each.text for each in gone[1:])


def test_of_two_windows_what_is_too_long_for_up_is_in_a_new_chat_at_the_next_start(
    tmp_path: Path,
) -> None:
    path, much = tmp_path / "last.json", "\n".join(f"line {n}" for n in range(5000))

    async def first(chat: Chat) -> None:
        chat.prompt.attach(pasted(much))
        await chat.pilot.press(*"about this")
        await chat.until(lambda: kept(tmp_path) == ["about this"])
        write_last(path, Last(unsent=(KeptUnsent("theirs", is_shown=True),)))
        await chat.pilot.press("ctrl+q")

    async def again(chat: Chat) -> None:
        assert chat.prompt.text == "theirs"
        await chat.screen.tabs.show(list(chat.screen.tabs.open)[1])
        assert chat.prompt.text == "about this"
        assert [each.text for each in chat.prompt.attachments] == [much]

    play(tmp_path, first, FakeEngine())
    assert kept(tmp_path) == ["theirs", "about this"]
    play(tmp_path, again, FakeEngine())


@pytest.mark.parametrize("text", ["about this", "x" * (LONGEST_PROMPT + 1)])
def test_a_chat_is_closed_with_what_up_cannot_bring_only_when_that_is_said_twice(text: str) -> None:
    async def scenario(chat: Chat) -> None:
        await talk(chat, "first")
        if len(text) < LONGEST_PROMPT:
            chat.prompt.attach(pasted(LONG))
        chat.prompt.insert(text)
        await chat.pilot.press("alt+w")
        await chat.until(lambda: chat.toasts("Alt+W again closes it"))
        assert chat.turns and chat.prompt.text == text
        await chat.pilot.press("!", "alt+w")
        assert chat.turns, "it is another text now"
        await chat.pilot.press("alt+w")
        await chat.until(lambda: not chat.turns)
        assert len(chat.screen.tabs.open) == 1 and not chat.prompt.attachments

    drive(scenario, FakeEngine(*NUMBERS))


def test_what_is_pasted_in_a_chat_that_is_archived_is_in_a_new_one(tmp_path: Path) -> None:
    async def scenario(chat: Chat) -> None:
        await talk(chat, "first")
        chat.prompt.attach(pasted(LONG))
        await chat.pilot.press(*"about this")
        await act(chat, "archive")
        await chat.until(lambda: len(chat.screen.tabs.open) == 2)
        await chat.screen.tabs.show(list(chat.screen.tabs.open)[1])
        assert chat.prompt.text == "about this"
        assert [each.text for each in chat.prompt.attachments] == [LONG]

    play(tmp_path, scenario, FakeEngine(*NUMBERS), is_new=True)


def test_a_long_text_behind_a_question_that_is_edited_is_not_lost_with_its_chat(
    tmp_path: Path,
) -> None:
    long = "x" * (LONGEST_PROMPT + 1)

    async def scenario(chat: Chat) -> None:
        await talk(chat, "first")
        chat.prompt.insert(long)
        await act(chat, "edit")
        await chat.until(lambda: chat.prompt.text == "first")
        await chat.pilot.press("alt+w")
        await chat.until(lambda: chat.toasts("Alt+W again closes it"))
        await act(chat, "archive")
        await chat.until(lambda: len(chat.screen.tabs.open) == 2)
        await chat.screen.tabs.show(list(chat.screen.tabs.open)[1])
        assert chat.prompt.text == long

    play(tmp_path, scenario, FakeEngine(*NUMBERS), is_new=True)


def test_an_answer_that_is_being_amended_is_in_no_box_when_its_chat_is_archived(
    tmp_path: Path,
) -> None:
    async def scenario(chat: Chat) -> None:
        await talk(chat, "first")
        chat.prompt.attach(pasted(LONG))
        await chat.pilot.press(*"mine")
        await act(chat, "amend")
        await chat.until(lambda: chat.screen.asking.editing is not None)
        await act(chat, "archive")
        await chat.until(lambda: len(chat.screen.tabs.open) == 2)
        await chat.screen.tabs.show(list(chat.screen.tabs.open)[1])
        assert chat.prompt.text == "mine"
        assert [each.text for each in chat.prompt.attachments] == [LONG]

    play(tmp_path, scenario, FakeEngine(*NUMBERS), is_new=True)


def test_who_has_looked_at_another_chat_is_told_again_what_closing_loses() -> None:
    async def scenario(chat: Chat) -> None:
        await talk(chat, "first")
        chat.prompt.attach(pasted(LONG))
        await chat.pilot.press("alt+w", "ctrl+n")
        await chat.until(lambda: not chat.turns)
        await chat.pilot.press("alt+p")
        await chat.until(lambda: bool(chat.turns))
        await chat.pilot.press("alt+w")
        await chat.pilot.pause()
        assert chat.turns and len(chat.prompt.attachments) == 1

    drive(scenario, FakeEngine(*NUMBERS))


def test_what_was_sent_here_does_not_come_back_out_of_the_other_windows_box(
    tmp_path: Path,
) -> None:
    path = tmp_path / "last.json"
    much, theirs = "\n".join(f"line {n}" for n in range(5000)), "y" * (LONGEST_PROMPT + 1)

    async def scenario(chat: Chat) -> None:
        chat.prompt.attach(pasted(much))
        await chat.pilot.press(*"mine")
        await chat.until(lambda: kept(tmp_path) == ["mine"])
        found = read_last(path)
        write_last(path, Last(chat=found.chat, unsent=(*found.unsent, KeptUnsent(theirs))))
        await chat.pilot.press("enter")
        await chat.answered()
        await chat.pilot.press("ctrl+q")

    play(tmp_path, scenario, FakeEngine(*NUMBERS))
    assert kept(tmp_path) == [theirs]


def test_ctrl_c_takes_no_text_away_that_cannot_be_brought_back() -> None:
    long = "x" * (LONGEST_PROMPT + 1)

    async def scenario(chat: Chat) -> None:
        chat.prompt.insert(long)
        await chat.pilot.press("ctrl+c")
        await chat.until(lambda: not chat.prompt.text)
        await chat.until(lambda: chat.toasts("Ctrl+Z brings it back"))
        await chat.pilot.press("ctrl+z")
        await chat.pilot.pause()
        assert chat.prompt.text == long

    drive(scenario, FakeEngine(*NUMBERS))


@pytest.mark.parametrize("way", ["ctrl+n", "alt+p"])
def test_a_question_whose_files_are_still_read_is_asked_in_no_other_chat(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, way: str
) -> None:
    goes_on = threading.Event()

    def slowly(*_: object) -> list[Attachment]:
        goes_on.wait(PATIENCE_S)
        return []

    monkeypatch.setattr(enclosing, "attached", slowly)

    async def scenario(chat: Chat) -> None:
        await talk(chat, "first")
        await chat.pilot.press("ctrl+n")
        await chat.until(lambda: not chat.turns)
        if way == "ctrl+n":
            await chat.pilot.press("alt+p")
            await chat.until(lambda: bool(chat.turns))
        before = chat.screen.tabs.open.current
        chat.prompt.attach(pasted(LONG))
        await chat.pilot.press(*"about @it", "escape", "enter")
        await chat.until(lambda: chat.prompt.enclosing.is_reading)
        await chat.until(lambda: [t.strip() for t in kept(tmp_path)] == ["about @it"])
        await chat.pilot.press(way)
        await chat.until(lambda: chat.screen.tabs.open.current is not before)
        goes_on.set()
        await chat.until(lambda: chat.toasts("is back in its box"))
        await chat.pilot.pause()
        assert before.typed.strip() == "about @it" and len(before.pasted) == 1
        assert len(chat.engine.asked) == 1

    play(tmp_path, scenario, FakeEngine(*NUMBERS), is_new=True)


def test_a_change_that_is_too_long_for_up_stays_in_the_box_when_it_is_given_up() -> None:
    long = "x" * (LONGEST_PROMPT + 1)

    async def scenario(chat: Chat) -> None:
        await talk(chat, "first")
        await act(chat, "edit")
        await chat.until(lambda: chat.prompt.text == "first")
        chat.prompt.insert(long)
        await chat.pilot.press("escape")
        await chat.until(lambda: chat.screen.asking.editing is None)
        assert chat.prompt.text == "first" + long

    drive(scenario, FakeEngine(*NUMBERS))
