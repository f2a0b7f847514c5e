"""What a chat knows of the user is what the file said when it began, and the person's alone."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from app.files.pictures import Album
from app.history.interchange import as_json
from app.paths import Paths
from app.prompts.slash import complete
from app.tui.actions import ACTIONS
from app.tui.widgets.top_bar import KNOWS, TopBar
from tests.app.tui.driving import Chat, drive
from tests.app.tui.fakes import FakeEngine, FakeSettings
from tests.app.tui.keeping import ask, do, from_list, kept, play, show

RUST = "About the user:\n- I write Rust."
BOTH = f"{RUST}\n- I live in Oslo."


async def told(chat: Chat, question: str) -> str:
    """Ask, and return the system message that the engine got."""
    return (await ask(chat, question))[0]


def first_line(chat: Chat) -> str:
    return str(chat.screen.query_one(TopBar).render())


def test_a_chat_is_told_before_its_system_prompt_what_was_known_when_it_began(
    tmp_path: Path,
) -> None:
    async def talks(chat: Chat) -> None:
        await do(chat, "/remember I write Rust.", "/system Be brief.")
        assert KNOWS not in first_line(chat)
        assert await told(chat, "alpha") == f"{RUST}\n\nBe brief."
        assert KNOWS in first_line(chat)
        await do(chat, "/remember I live in Oslo.")
        assert await told(chat, "and?") == f"{RUST}\n\nBe brief.", "it is under way"
        await show(chat, "ctrl+n")
        assert KNOWS not in first_line(chat)
        assert await told(chat, "beta") == BOTH
        await show(chat, "alt+1", "alpha", "and?")
        assert await told(chat, "again") == f"{RUST}\n\nBe brief."

    play(tmp_path, talks)


def test_a_chat_that_is_opened_again_knows_what_it_knew(tmp_path: Path) -> None:
    async def talks(chat: Chat) -> None:
        assert await told(chat, "alpha") == ""
        await show(chat, "ctrl+n")
        await do(chat, "/remember I write Rust.")
        assert await told(chat, "beta") == RUST
        await do(chat, "/temp 0.3", "/forget I write Rust.", "/remember I am a cook.")

    async def again(chat: Chat) -> None:
        await chat.until(lambda: KNOWS in first_line(chat))
        assert await told(chat, "again") == RUST
        await do(chat, "/close")
        await from_list(chat, "alpha")
        assert KNOWS not in first_line(chat)
        assert await told(chat, "plain still") == ""
        await from_list(chat, "beta")
        assert await told(chat, "and again") == RUST

    play(tmp_path, talks)
    play(tmp_path, again)


def test_the_system_prompt_stays_the_persons_own(tmp_path: Path) -> None:
    async def talks(chat: Chat) -> None:
        await do(chat, "/remember I write Rust.")
        assert await told(chat, "alpha") == f"{RUST}\n\nUsual."
        await do(chat, "/system")
        await chat.until(lambda: chat.toasts("System prompt: Usual."))
        await do(chat, "/system Mine.")
        assert await told(chat, "and?") == f"{RUST}\n\nMine."
        assert kept(chat).system == "Mine."
        exported = json.loads(as_json([kept(chat)], Album(tmp_path / "pictures")))["chats"][0]
        assert exported["settings"] == {"about_me": "- I write Rust.", "persona": None}
        await do(chat, "/system")
        await chat.until(lambda: chat.toasts("System prompt: Mine."))
        assert not chat.toasts("About the user")

    play(tmp_path, talks, FakeSettings(system="Usual."))


def test_what_is_kept_with_a_chat_from_elsewhere_may_be_anything(tmp_path: Path) -> None:
    async def talks(chat: Chat) -> None:
        await do(chat, "/remember I write Rust.")
        await ask(chat, "alpha")
        recorder = chat.screen.asking.recorder
        assert recorder is not None
        recorder.configure("", {"about_me": ["x"]})

    async def again(chat: Chat) -> None:
        assert await told(chat, "again") == "" and KNOWS not in first_line(chat)

    play(tmp_path, talks)
    play(tmp_path, again)


def test_a_private_chat_does_not_send_it() -> None:
    async def talks(chat: Chat) -> None:
        await chat.ready()
        await do(chat, "/remember I write Rust.")
        await chat.until(lambda: chat.toasts("This one is private, and does not."))
        assert await told(chat, "alpha") == "" and KNOWS not in first_line(chat)
        await do(chat, "/remember")
        await chat.until(lambda: chat.shows("This chat is private, and is not told."))

    drive(talks, FakeEngine())


@pytest.mark.parametrize("content", [b"x" * 3000, b"\xff\xfe"], ids=["too long", "no text"])
def test_of_a_file_that_cannot_be_sent_one_line_tells_and_the_chat_goes_on(
    tmp_path: Path, content: bytes
) -> None:
    async def talks(chat: Chat) -> None:
        assert await told(chat, "alpha") == "" and KNOWS not in first_line(chat)
        await chat.until(lambda: chat.shows("This chat does not know about you."))
        assert chat.shows("about-me.md")
        await do(chat, "/remember more")
        assert file.read_bytes() == content

    file = Paths().about_file
    file.parent.mkdir(parents=True)
    file.write_bytes(content)
    play(tmp_path, talks)


def test_what_is_known_is_shown_with_where_it_is_and_forgotten_by_completion(
    tmp_path: Path,
) -> None:
    async def talks(chat: Chat) -> None:
        await do(chat, "/remember")
        await chat.until(lambda: chat.shows("New chats know nothing about you:"))
        assert chat.shows("/remember TEXT adds a line to") and chat.shows("about-me.md")
        await do(chat, "/remember I write Rust.", "/remember I live in Oslo.")
        await ask(chat, "alpha")
        offered = ACTIONS["forget"].choices
        assert offered is not None
        found = complete("/forget os", {"forget": lambda typed: offered(chat.screen, typed)})
        assert [each.insert for each in found] == ["/forget I live in Oslo."]
        await chat.ask("/forget I live in Oslo.")
        await chat.until(lambda: chat.toasts("do not know it; those before keep what they knew."))
        await do(chat, "/forget I live in Oslo.")
        await chat.until(
            lambda: chat.toasts("about-me.md has no line 'I live in Oslo.'; /remember")
        )
        await do(chat, "/remember")
        await chat.until(lambda: "1 I write Rust." in chat.text)
        assert "I live in Oslo." not in chat.text
        assert chat.shows("This chat was begun with other words about you.")

    play(tmp_path, talks)
