"""A picture that a question named stays with its chat, whatever becomes of the file."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from app.files.pictures import sha256_of
from app.history import History
from tests.app.files.picture_files import png
from tests.app.tui.driving import Chat
from tests.app.tui.fakes import Answer, words
from tests.app.tui.looking import ask_of_cat, kept, reopened, see, seen
from tests.app.tui.seeing import SeeingEngine, cat


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Work in a folder of its own."""
    folder = tmp_path / "here"
    folder.mkdir()
    monkeypatch.chdir(folder)
    return folder


def test_a_kept_picture_outlives_its_file_and_the_app(here: Path, tmp_path: Path) -> None:
    path = cat(here)

    async def scenario(chat: Chat) -> None:
        await reopened(chat)
        await chat.screen.action_act("retry")
        await chat.until(lambda: len(chat.engine.asked) == 1 and chat.state == "ready")
        assert seen(chat) == [[png(shade=9)]]

    see(ask_of_cat, tmp_path)
    path.unlink()
    see(scenario, tmp_path)


def test_a_chat_whose_picture_is_gone_opens_says_so_and_goes_on(here: Path, tmp_path: Path) -> None:
    cat(here)

    async def scenario(chat: Chat) -> None:
        await reopened(chat)
        assert chat.shows("gone: no longer sent")
        await chat.ask("And now?")
        await chat.answered(2)
        assert seen(chat) == [[], []]
        assert "[The picture cat.png is not shown here.]" in chat.engine.asked[0][0].content

    see(ask_of_cat, tmp_path)
    [path] = kept(tmp_path)
    path.unlink()
    see(scenario, tmp_path)


@pytest.mark.parametrize("change", ["removed", "overwritten"])
def test_an_edited_question_keeps_its_picture_until_its_file_is_another(
    here: Path, tmp_path: Path, change: str
) -> None:
    path = cat(here)

    async def scenario(chat: Chat) -> None:
        await ask_of_cat(chat)
        path.unlink() if change == "removed" else cat(here, shade=77)
        await chat.screen.action_act("branch", "1")
        await chat.until(lambda: chat.prompt.text == "What is on @cat.png ?")
        chat.prompt.text = "Who is on @cat.png ?"
        await chat.pilot.press("enter")
        await chat.until(lambda: len(chat.engine.asked) == 2 and chat.state == "ready")
        shown = [png(shade=9 if change == "removed" else 77)]
        assert seen(chat) == [shown]
        assert [view.question for view in chat.turns] == ["Who is on @cat.png ?"]
        cat(here, shade=5)
        await chat.ask("And on @cat.png now?")
        await chat.answered(2)
        assert seen(chat) == [shown, [png(shade=5)]], "another question, another picture"

    see(scenario, tmp_path)


def test_a_question_that_is_taken_back_keeps_its_picture(here: Path, tmp_path: Path) -> None:
    path = cat(here)

    async def scenario(chat: Chat) -> None:
        await ask_of_cat(chat)
        path.unlink()
        await chat.screen.action_act("undo")
        await chat.until(lambda: chat.prompt.text == "What is on @cat.png ?")
        await chat.pilot.press("enter")
        await chat.answered()
        assert seen(chat) == [[png(shade=9)]]
        await chat.ask("See @cat.png again")
        await chat.answered(2)
        assert seen(chat) == [[png(shade=9)], [png(shade=9)]], "the chat knows which is meant"
        await chat.ask("See @dog.png")
        await chat.until(lambda: chat.shows("There is no file dog.png."))

    see(scenario, tmp_path)


def test_an_amended_answer_and_another_attempt_keep_the_picture(here: Path, tmp_path: Path) -> None:
    cat(here).rename(here / "my cat.png")

    async def scenario(chat: Chat) -> None:
        await chat.ready()
        await chat.ask('What is on @"my cat.png" ?')
        await chat.answered()
        (here / "my cat.png").unlink()
        await chat.screen.action_act("amend")
        chat.prompt.text = "A cat."
        await chat.pilot.press("enter")
        await chat.until(lambda: chat.turns[0].text == "A cat.")
        await chat.ask("Sure?")
        await chat.answered(2)
        assert seen(chat) == [[png(shade=9)], []]

    see(scenario, tmp_path)


def test_a_private_chat_reads_the_picture_where_it_is_and_keeps_none(
    here: Path, tmp_path: Path
) -> None:
    path = cat(here)

    async def scenario(chat: Chat) -> None:
        await ask_of_cat(chat)
        assert chat.engine.asked[0][0].pictures[0].path == str(path)

    before = {each for each in tmp_path.rglob("*") if each.is_file()}
    see(scenario, None)
    assert {each for each in tmp_path.rglob("*") if each.is_file()} == before


def test_a_picture_is_kept_as_long_as_a_chat_has_it(here: Path, tmp_path: Path) -> None:
    cat(here)

    async def scenario(chat: Chat) -> None:
        await chat.ready()
        for n in (1, 2):
            await chat.ask(f"What is on @cat.png in chat {n}?")
            await chat.answered()
            await chat.screen.action_act("new")

    see(scenario, tmp_path)
    [path] = kept(tmp_path)
    assert path.stem == sha256_of(png(shade=9))
    os.utime(path, (0, 0))
    history = History.open(tmp_path / "history.db")
    first, second = (chat.id for chat in history.chats())
    for chat, n_left in ((first, 1), (second, 0)):
        history.delete(chat)
        assert history.flush() and len(kept(tmp_path)) == 1, "a deleted chat can come back"
        history.erase([chat])
        assert history.flush() and len(kept(tmp_path)) == n_left
    assert history.titles([first]) == {} and history.close()


def test_a_click_on_a_picture_opens_that_one(
    here: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cat(here)
    (here / "a dog's.png").write_bytes(png(shade=1))
    opened: list[Path] = []
    monkeypatch.setattr("app.files.viewer.open_file", opened.append)

    async def scenario(chat: Chat) -> None:
        await ask_of_cat(chat)
        await chat.ask('And on @"a dog\'s.png" ?')
        await chat.answered(2)
        for name, shade in (("cat.png (PNG", 9), ("a dog's.png (PNG", 1)):
            row = next(y for y, line in enumerate(chat.lines) if name in line)
            await chat.pilot.click(offset=(chat.lines[row].index(name) + 2, row))
            await chat.until(lambda: bool(opened))
            assert opened.pop().read_bytes() == png(shade=shade)
        await chat.screen.action_act("picture")
        await chat.until(lambda: bool(opened))
        assert opened.pop().read_bytes() == png(shade=1), "the last one"
        for path in kept(tmp_path):
            path.unlink()
        await chat.screen.action_act("picture", "cat.png")
        await chat.until(lambda: chat.toasts("cat.png is gone."))

    see(scenario, tmp_path)


def test_a_click_tells_pictures_of_one_name_apart_and_opens_one_that_waits(
    here: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files: list[Path] = []
    monkeypatch.setattr("app.files.viewer.open_file", files.append)

    async def scenario(chat: Chat) -> None:
        cat(here)
        await ask_of_cat(chat)
        cat(here, shade=1)
        await chat.ask("And now on @cat.png ?")
        await chat.until(lambda: chat.screen.session.state == "answering")
        cat(here, shade=2)
        await chat.ask("And then on @cat.png ?")
        await chat.until(lambda: len([line for line in chat.lines if "cat.png (PNG" in line]) == 3)
        rows = [y for y, line in enumerate(chat.lines) if "cat.png (PNG" in line]
        for row, shade in zip(rows, (9, 1, 2), strict=True):
            await chat.pilot.click(offset=(chat.lines[row].index("cat.png (") + 2, row))
            await chat.until(lambda: bool(files))
            assert files.pop().read_bytes() == png(shade=shade)

    held = Answer(words("A cat, another one."), hold_after=1)
    see(scenario, tmp_path, SeeingEngine(Answer(words("A cat.")), held), size=(80, 50))


def test_a_chat_without_a_picture_has_none_to_look_at(here: Path, tmp_path: Path) -> None:
    async def scenario(chat: Chat) -> None:
        await chat.ready()
        await chat.ask("Hello")
        await chat.answered()
        await chat.screen.action_act("picture")
        await chat.until(lambda: chat.toasts("No picture went with a question of this chat."))
        assert chat.is_on_top

    see(scenario, tmp_path)
