"""What reading Markdown decodes is as harmless as what was written, and nothing is missing."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import pytest
from markdown_it.token import Token

from app.terminal.sanitise import sanitise
from app.tui.text.markdown import parser
from tests.app.tui.driving import WIDE, Chat, drive
from tests.app.tui.fakes import Answer, FakeEngine, words

DECODED = [
    "http://a.b/%1b%5d52;c;aGk=%07x",
    "<http://a.b/%1b[31m%c2%9b%e2%80%ae>",
    "<mailto:a%1b@b.c>",
    "www.a.b/&#x202e;",
    "&rlm;&#8238;&#xfeff;",
    "![&#8238;](a.png)",
    "# [&rlm;](a.b)",
    "| &rlm; |\n|---|\n| http://a.b/%1b |",
]


def texts(tokens: Iterable[Token]) -> Iterator[str]:
    for token in tokens:
        yield token.content
        yield from texts(token.children or ())


@pytest.mark.parametrize("text", DECODED)
def test_what_is_decoded_is_harmless_too(text: str) -> None:
    tokens = [token for token in parser().parse(text) if token.type == "inline"]
    found = [each for token in tokens for each in texts(token.children or ())]
    assert found == [sanitise(each) for each in found]


def test_an_address_brings_no_escape_onto_the_screen() -> None:
    async def scenario(chat: Chat) -> None:
        await chat.ask("where?")
        await chat.answered()
        assert chat.shows("http://a.b/]52;c;aGk=x")
        assert "\x1b" not in chat.text and "\x07" not in chat.text

    drive(scenario, FakeEngine(Answer(words(DECODED[0]))))


@pytest.mark.parametrize(
    "address", ["http://a.b/search?q=a%26b%20c", "http://a.b/100%25", "http://a.b/c_d"]
)
@pytest.mark.parametrize("form", ["see {}", "[see it]({})", "see ![it]({})"])
def test_a_click_copies_the_address_as_it_is(address: str, form: str) -> None:
    copied: list[str] = []

    async def scenario(chat: Chat) -> None:
        async def copy(text: str, name: str = "") -> None:
            copied.append(text)

        chat.screen.copy = copy  # type: ignore[method-assign]
        await chat.ask("where?")
        await chat.answered()
        part = chat.turns[0].parts[0].children[0].region
        await chat.pilot.click(offset=(part.x + 5, part.y))
        await chat.until(lambda: bool(copied))
        assert copied == [address]

    drive(scenario, FakeEngine(Answer(words(form.format(address)))), WIDE)


NOTES = [
    "[^1]: word",
    "[Note]: important",
    "[todo]: <done>",
    "[a]: ../b [c]: d",
]


@pytest.mark.parametrize("note", NOTES)
def test_a_line_that_a_link_could_refer_to_is_shown(note: str) -> None:
    async def scenario(chat: Chat) -> None:
        await chat.ask("where?")
        await chat.answered()
        assert chat.shows("as a[^1] and [b][1]") and chat.shows(note)

    drive(scenario, FakeEngine(Answer(words(f"as a[^1] and [b][1]\n\n{note}\n\nThe end."))))


def test_what_links_refer_to_is_shown_and_linked() -> None:
    async def scenario(chat: Chat) -> None:
        await chat.ask("where?")
        await chat.answered()
        assert chat.shows("see one, two and [three][c]")
        lines = [line.strip() for line in chat.text.splitlines()]
        assert {"a: http://a.b/1", "b: http://a.b/2", "[c]: on second thoughts"} <= {*lines}

    named = "[a]: http://a.b/1\n[b]: http://a.b/2\n[c]: on second thoughts"
    text = f"see [one][a], [two][b] and [three][c]\n\n{named}"
    drive(scenario, FakeEngine(Answer(words(text))))


@pytest.mark.parametrize("bullet", ["-", "1."])
def test_a_list_within_many_is_shown(bullet: str) -> None:
    indent = " " * (len(bullet) + 1)
    text = "\n".join(f"{indent * level}{bullet} level {level}" for level in range(14))

    async def scenario(chat: Chat) -> None:
        await chat.ask("how deep?")
        await chat.answered()
        assert all(chat.shows(f"level {level}") for level in range(14))

    drive(scenario, FakeEngine(Answer(words(text))), WIDE)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("the __init__ of __main__.py", "the __init__ of __main__.py"),
        ("call **__new__()** in [__all__](http://a.b)", "call __new__() in __all__"),
        ("__two words__, __Bold__ and snake__case__x", "two words, Bold and snake__case__x"),
    ],
)
def test_a_name_of_pythons_keeps_its_underscores(text: str, expected: str) -> None:
    (inline,) = (token for token in parser().parse(text) if token.type == "inline")
    assert "".join(each.content for each in inline.children or ()) == expected
