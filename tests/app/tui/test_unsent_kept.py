"""What is typed and not sent stands in the box at the next start, in its chat; a private chat keeps
nothing of it.
"""

from __future__ import annotations

import asyncio
import errno
from pathlib import Path

import pytest

from app.chat.unsent import LONGEST_PASTED, LONGEST_TEXT, KeptUnsent, kept_unsent
from app.files.attachments import pasted
from app.history import History
from app.last import Last, read_last, write_last
from app.tui.actions.tuning import apply
from app.tui.chat_parts import ChatParts
from app.tui.chats import resuming
from app.tui.chats.resuming import Resuming
from app.tui.preferences.own_settings import own
from tests.app.tui.branching import NUMBERS, act, talk
from tests.app.tui.chats.test_resuming import start
from tests.app.tui.driving import SIZES, Chat, Scenario, app_of, drive, opened
from tests.app.tui.fakes import FakeEngine, FakeSettings

LONG = "\n".join(f"line {n}" for n in range(80))


def kept(folder: Path) -> list[str]:
    return [each.text for each in read_last(folder / "last.json").unsent]


@pytest.mark.parametrize("size", SIZES, ids=["80x24", "160x50"])
def test_what_is_typed_at_the_end_stands_in_the_box_at_the_next_start(
    tmp_path: Path, size: tuple[int, int]
) -> None:
    async def typing(chat: Chat) -> None:
        await talk(chat, "first")
        chat.prompt.attach(pasted(LONG))
        await chat.pilot.press(*"half", "ctrl+j", *"a line", "ctrl+q")

    async def again(chat: Chat) -> None:
        await chat.until(lambda: len(chat.turns) == 1)
        assert chat.prompt.text == "half\na line"
        assert [each.text for each in chat.prompt.attachments] == [LONG]
        await chat.until(lambda: chat.shows("Pasted text 1 (80 lines, "))
        assert chat.prompt.cursor_location == (1, 6)
        await chat.pilot.press("enter")
        await chat.answered(2)

    async def after(chat: Chat) -> None:
        await chat.until(lambda: len(chat.turns) == 2)
        assert (chat.prompt.text, chat.prompt.attachments) == ("", ())

    start(tmp_path, typing, size)
    start(tmp_path, again, size)
    start(tmp_path, after, size)


def test_unsent_text_is_on_the_disk_before_the_app_ends(tmp_path: Path) -> None:
    async def typing(chat: Chat) -> None:
        await chat.ready()
        await chat.pilot.press(*"half a question")
        await chat.until(lambda: kept(tmp_path) == ["half a question"])
        await chat.pilot.press(*"!")
        await chat.until(lambda: kept(tmp_path) == ["half a question!"])
        assert chat.app.is_running

    start(tmp_path, typing)


def test_unsent_text_that_a_full_disk_refused_is_kept_when_there_is_room(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    refused: list[Last] = []

    def full(_: Path, last: Last) -> None:
        refused.append(last)
        raise OSError(errno.ENOSPC, "No space left on device")

    async def typing(chat: Chat) -> None:
        await chat.ready()
        with monkeypatch.context() as disk:
            disk.setattr(resuming, "write_last", full)
            await chat.pilot.press(*"half a question")
            await chat.until(lambda: any(last.unsent for last in refused))
        await chat.pilot.press("ctrl+q")

    start(tmp_path, typing)
    assert kept(tmp_path) == ["half a question"]


def test_each_open_chat_has_its_own_text_back(tmp_path: Path) -> None:
    async def typing(chat: Chat) -> None:
        await talk(chat, "one")
        await chat.pilot.press(*"of one", "ctrl+n")
        await talk(chat, "two")
        await chat.pilot.press(*"of two")

    async def again(chat: Chat) -> None:
        await chat.until(lambda: [view.question for view in chat.turns] == ["two"])
        assert chat.prompt.text == "of two"
        await chat.pilot.press("alt+1")
        await chat.until(lambda: [view.question for view in chat.turns] == ["one"])
        assert chat.prompt.text == "of one"

    start(tmp_path, typing)
    start(tmp_path, again)


def test_unsent_text_in_a_chat_without_a_question_is_shown_and_the_others_are_open(
    tmp_path: Path,
) -> None:
    async def typing(chat: Chat) -> None:
        await talk(chat, "one")
        await chat.pilot.press("ctrl+n", *"not yet asked")

    async def again(chat: Chat) -> None:
        await chat.ready()
        assert chat.prompt.text == "not yet asked" and not chat.turns
        assert [label.title for label in chat.screen.tabs.labels()] == ["one", "New chat"]

    start(tmp_path, typing)
    start(tmp_path, again)


def test_unsent_text_in_a_new_chat_out_of_sight_is_in_a_chat_of_its_own(tmp_path: Path) -> None:
    async def typing(chat: Chat) -> None:
        await talk(chat, "one")
        await chat.pilot.press("ctrl+n", *"not yet asked", "alt+1")
        await chat.until(lambda: len(chat.turns) == 1)

    async def again(chat: Chat) -> None:
        await chat.until(lambda: len(chat.turns) == 1)
        assert chat.prompt.text == ""
        await chat.pilot.press("alt+2")
        await chat.until(lambda: not chat.turns)
        assert chat.prompt.text == "not yet asked"

    start(tmp_path, typing)
    start(tmp_path, again)


def test_a_question_that_was_undone_is_in_the_box_of_its_own_chat(tmp_path: Path) -> None:
    async def undoing(chat: Chat) -> None:
        apply(chat.screen, "temp", 1.5)
        await talk(chat, "one")
        await act(chat, "undo")
        await chat.until(lambda: chat.prompt.text == "one" and not chat.turns)

    async def again(chat: Chat) -> None:
        await chat.until(lambda: chat.prompt.text == "one")
        assert [label.title for label in chat.screen.tabs.labels()] == ["one"]
        await chat.ready()
        await chat.pilot.press("enter")
        await chat.answered()
        assert chat.engine.samplings[-1].temperature == 1.5
        history = chat.screen.history
        assert history is not None and history.flush() and len(history.chats()) == 1

    start(tmp_path, undoing)
    start(tmp_path, again)


@pytest.mark.parametrize("is_shown", [True, False], ids=["in sight", "out of sight"])
def test_a_chat_without_a_question_is_asked_with_what_was_chosen_there(
    tmp_path: Path, is_shown: bool
) -> None:
    async def typing(chat: Chat) -> None:
        await talk(chat, "one")
        await chat.pilot.press("ctrl+n")
        await chat.until(lambda: not chat.turns)
        apply(chat.screen, "temp", 1.5)
        apply(chat.screen, "system", "Teach.")
        await chat.pilot.press(*"not yet asked")
        if not is_shown:
            await chat.pilot.press("alt+1")
            await chat.until(lambda: len(chat.turns) == 1)

    async def again(chat: Chat) -> None:
        if not is_shown:
            await chat.until(lambda: len(chat.turns) == 1)
            assert chat.screen.chosen == {}
            await chat.pilot.press("alt+2")
        await chat.until(lambda: chat.prompt.text == "not yet asked" and not chat.turns)
        await chat.until(lambda: chat.shows("T 1.5"))
        await chat.pilot.press("enter")
        await chat.answered()
        assert chat.engine.asked[-1][0].content == "Teach."
        assert chat.engine.samplings[-1].temperature == 1.5

    async def after(chat: Chat) -> None:
        await chat.until(lambda: len(chat.turns) == 1)
        assert own(chat.screen.chosen) == {"temp": 1.5, "system": "Teach.", "persona": None}

    start(tmp_path, typing)
    start(tmp_path, again)
    start(tmp_path, after)


def test_what_the_former_version_kept_unsent_is_read(tmp_path: Path) -> None:
    former = b'{"drafts":[{"text":"half a question","is_shown":true}]}'
    (tmp_path / "last.json").write_bytes(former)

    async def again(chat: Chat) -> None:
        assert chat.prompt.text == "half a question" and chat.screen.chosen == {}

    start(tmp_path, again)


def test_what_is_typed_before_the_chat_is_back_comes_behind_what_is_unsent(tmp_path: Path) -> None:
    write_last(tmp_path / "last.json", Last(unsent=(unsent_of("half a "),)))
    resuming = Resuming(tmp_path / "last.json", read_last(tmp_path / "last.json"))
    history = History.open(tmp_path / "history.db")
    engine = FakeEngine()
    parts = ChatParts(engine, FakeSettings(), history=history, resuming=resuming)

    async def run() -> None:
        app = app_of(parts)
        async with app.run_test() as pilot:
            await pilot.press(*"question")
            chat = await opened(app, pilot, engine)
            await chat.until(lambda: chat.prompt.text == "half a question")
            assert not chat.turns

    asyncio.run(run())


def unsent_of(text: str) -> KeptUnsent:
    return KeptUnsent(text, is_shown=True)


def test_a_question_that_is_edited_and_what_was_typed_before_are_both_kept(tmp_path: Path) -> None:
    async def typing(chat: Chat) -> None:
        await talk(chat, "first")
        await chat.pilot.press(*"typed before", "alt+up", "ctrl+e", "!")
        await chat.until(lambda: kept(tmp_path) == ["typed before\n\nfirst!"])

    start(tmp_path, typing)
    assert kept(tmp_path) == ["typed before\n\nfirst!"]


def test_a_new_chat_at_the_start_leaves_what_is_unsent_in_its_chat(tmp_path: Path) -> None:
    async def typing(chat: Chat) -> None:
        await talk(chat, "one")
        await chat.pilot.press(*"of one")

    async def looking(chat: Chat) -> None:
        await chat.ready()
        assert chat.prompt.text == ""

    async def asking(chat: Chat) -> None:
        await talk(chat, "two")
        await chat.pilot.press("alt+p")
        await chat.until(lambda: chat.prompt.text == "of one")
        assert [view.question for view in chat.turns] == ["one"]

    start(tmp_path, typing)
    start(tmp_path, looking, is_new=True)
    assert kept(tmp_path) == ["of one"]
    start(tmp_path, asking, is_new=True)
    assert kept(tmp_path) == ["of one"] and len(read_last(tmp_path / "last.json").open) == 2


def test_what_is_unsent_of_a_chat_that_is_closed_comes_by_up() -> None:
    async def scenario(chat: Chat) -> None:
        await talk(chat, "one")
        await chat.pilot.press(*"of one", "alt+w")
        await chat.until(lambda: not chat.turns)
        assert chat.prompt.text == ""
        await chat.pilot.press("up")
        assert chat.prompt.text == "of one"

    drive(scenario, FakeEngine(*NUMBERS))


def test_a_private_chat_keeps_nothing_and_has_nothing_back(tmp_path: Path) -> None:
    path = tmp_path / "last.json"
    write_last(path, Last(unsent=(unsent_of("not private"),)))
    before = path.read_bytes()

    async def secret(chat: Chat) -> None:
        await chat.ready()
        assert chat.prompt.text == ""
        await chat.pilot.press(*"secret")

    private(read_last(path), secret)
    assert path.read_bytes() == before
    assert [each.name for each in tmp_path.iterdir()] == ["last.json"]


def private(last: Last, scenario: Scenario) -> None:
    """Start as `--private` does."""
    engine = FakeEngine()
    parts = ChatParts(engine, FakeSettings(), resuming=Resuming(None, last))

    async def run() -> None:
        app = app_of(parts)
        async with app.run_test() as pilot:
            await scenario(await opened(app, pilot, engine))

    asyncio.run(run())


# how much is kept


def test_of_a_long_text_the_beginning_is_kept_and_what_is_pasted_as_far_as_it_fits() -> None:
    found = kept_unsent("x" * (LONGEST_TEXT + 1), [pasted("y" * LONGEST_PASTED), pasted("z" * 9)])
    assert found is not None
    assert (len(found.text), [each.text[0] for each in found.pasted]) == (LONGEST_TEXT, ["y"])


def test_nothing_is_not_kept_and_half_characters_are_no_harm(tmp_path: Path) -> None:
    assert kept_unsent(" \n", ()) is None
    found = kept_unsent("a\ud800", [pasted("b\udc00")])
    assert found is not None
    write_last(tmp_path / "last.json", Last(unsent=(found,)))
    assert read_last(tmp_path / "last.json").unsent == (found,)
    assert (found.text, found.pasted[0].text) == ("a?", "b?")
