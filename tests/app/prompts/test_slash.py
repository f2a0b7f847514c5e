"""What begins with a slash is a command, a message, or an error that says what was meant."""

from __future__ import annotations

from collections.abc import Iterable

import pytest

from app.prompts.slash import (
    SLASHES,
    Choice,
    Command,
    SlashError,
    complete,
    is_text,
    message,
    parse,
    typed,
)


@pytest.mark.parametrize(
    ("text", "command"),
    [
        ("/help", Command("help")),
        ("/Help", Command("help")),
        ("/model qwen3-4b", Command("model", "qwen3-4b")),
        ("/models", Command("model")),
        ("/exit ", Command("quit")),
        ("/?", Command("help")),
        ("/bye", Command("quit")),
        ("/reset", Command("new")),
        ("/pull qwen3-4b", Command("model", "qwen3-4b")),
        ("/download qwen3-4b", Command("model", "qwen3-4b")),
        ("/image photo.png", Command("attach", "photo.png")),
        ("/read notes.md", Command("attach", "notes.md")),
        ("/open tea", Command("search", "tea")),
        ("/load tea", Command("search", "tea")),
        ("/resume", Command("search")),
        ("/config", Command("settings")),
        ("/temp 0.7", Command("temp", "0.7")),
        ("/temp", Command("temp")),
        ("/seed random", Command("seed", "random")),
        ("/system You are\n  kind.", Command("system", "You are\n  kind.")),
        ("/system\nBe kind.", Command("system", "Be kind.")),
        ("/copy 2", Command("copy", "2")),
        ("/quote", Command("select")),
        ("/think", Command("think")),
        ("/think off ", Command("think", "off")),
        ("/Think\nauto", Command("think", "auto")),
        ("/think OFF", Command("think", "off")),
        ("/seed Random", Command("seed", "random")),
        ("/system LOUD", Command("system", "LOUD")),
        ("/attach ~/my notes.txt", Command("attach", "~/my notes.txt")),
    ],
)
def test_a_command_is_read(text: str, command: Command) -> None:
    assert parse(text) == command


@pytest.mark.parametrize(
    "text",
    [
        "",
        "hello /help",
        " /help",
        "/etc/hosts has a wrong line, why?",
        "/etc/hosts",
        "/help/me",
        "/* a comment */",
        "/ 2",
        "/24 is a small network",
        "//help",
        "// a comment",
        "/new-year's eve",
        "/no_think",
        "/no_think why is it so?",
        "/nothink\nwhy?",
        "/think why is it so?",
        "/think on what grounds?",
        "/think of\nit",
    ],
)
def test_what_is_no_command_is_a_message(text: str) -> None:
    assert parse(text) is None


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("/system", False),
        ("/system Be brief.", True),
        ("/remember I like tea.", True),
        ("/compact It is about tea.", True),
        ("/compact off", False),
        ("/prompt explain", False),
        ("/prompt explain this", True),
        ("/prompt-save mine", False),
        ("/prompt-save mine chat", False),
        ("/prompt-save mine Be brief.", True),
        ("/retry", False),
        ("/temp 0.5", False),
        ("/search warm tea", False),
    ],
)
def test_a_text_behind_a_command_may_go_on_in_another_line(text: str, expected: bool) -> None:
    command = parse(text)
    assert command is not None and is_text(command) == expected


def test_two_slashes_send_one_where_one_would_be_a_command() -> None:
    assert message("//help me") == "/help me" and message("//modle") == "/modle"
    for text in ("// a comment\nx = 1", "///", "//etc/hosts", "/etc/hosts", "hello", ""):
        assert message(text) == text


@pytest.mark.parametrize(
    "text", ["/help me", "/modle", "/etc/hosts", "// a", "///", "hi", "/no_think why?", "/think on"]
)
def test_a_message_that_is_put_back_is_sent_again_as_it_is(text: str) -> None:
    assert message(typed(text)) == text
    assert parse(typed(text)) is None


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("/modle", "There is no /modle; did you mean /model?"),
        ("/Hepl x", "There is no /Hepl; did you mean /help?"),
        ("/predict 100", "There is no /predict; /settings has it."),
        ("/Top-P 0.9", "There is no /Top-P; /settings has it."),
        ("/delete", "There is no /delete; /search has it."),
        ("/Import chats.json", "There is no /Import; /search has it."),
        ("/context 16384", "There is no /context; /settings has it."),
        ("/exitt", "There is no /exitt; did you mean /quit?"),
        ("/xyzzy", "There is no /xyzzy; /help lists the commands, and // sends a slash."),
        ("/", "A command follows the slash; /help lists them."),
        ("/xray on", "/xray takes nothing behind it."),
        ("/temp hot", "/temp wants a number of at least 0, like 0.7; found 'hot'."),
        ("/temp -1", "/temp wants a number of at least 0, like 0.7; found '-1'."),
        ("/seed 1.5", "/seed wants a whole number from 0 to 2^64 - 1, or random; found '1.5'."),
        ("/think of", "/think wants on, off or auto; found 'of'."),
        ("/think hard ", "/think wants on, off or auto; found 'hard'."),
        (
            "/copy 0",
            "/copy wants the number of a code block, code, question, answer or all; found '0'.",
        ),
        ("/branch x\ny", "/branch wants the number of a question; found 'x y'."),
        ("/prompt-save", "/prompt-save wants NAME [chat|TEXT]: /prompt-save NAME [chat|TEXT]"),
    ],
)
def test_an_error_is_one_line_that_helps(text: str, words: str) -> None:
    with pytest.raises(SlashError) as refused:
        parse(text)
    assert str(refused.value) == words


def inserts(text: str) -> list[str]:
    return [each.insert for each in complete(text, {"model": pairs})]


def pairs(typed: str) -> Iterable[Choice]:
    return [("qwen3-4b", "fits"), ("demo", "ships"), ("big qwen", "does not fit")]


def test_names_are_completed_their_own_before_their_aliases() -> None:
    own = ["/system ", "/seed ", "/select", "/search ", "/settings"]
    assert inserts("/s") == [*own, "/export ", "/compact ", "/chat-list "]
    assert inserts("/qu") == ["/quit", "/select"] == inserts("/QU")
    assert inserts("/clear") == ["/new"]
    assert len(inserts("/")) == len(SLASHES)
    got = complete("/temp", {})[0]
    assert (got.insert, got.display) == ("/temp ", "/temp [NUMBER]") and got.help


def test_arguments_are_completed_by_who_knows_them() -> None:
    assert inserts("/model ") == ["/model qwen3-4b", "/model demo", "/model big qwen"]
    assert inserts("/model QWEN") == ["/model qwen3-4b", "/model big qwen"]
    assert inserts("/model big q") == ["/model big qwen"]
    got = complete("/models d", {"model": pairs})[0]
    assert (got.insert, got.display, got.help) == ("/models demo", "demo", "ships")


def test_they_see_what_is_typed() -> None:
    seen: list[str] = []

    def files(typed: str) -> Iterable[Choice]:
        seen.append(typed)
        return [(f"{typed}.txt", "")]

    assert complete("/attach src/a", {"attach": files})[0].insert == "/attach src/a.txt"
    assert seen == ["src/a"]


def test_help_knows_the_commands() -> None:
    assert inserts("/help te") == ["/help temp", "/help system", "/help pasted", "/help enter"]


@pytest.mark.parametrize(
    "text", ["", "hello", "//help", "/etc/ho", "/xray ", "/nothing x", "/system a\nb", "/theme x"]
)
def test_elsewhere_nothing_is_offered(text: str) -> None:
    assert inserts(text) == []


def test_every_word_names_one_command_and_every_command_is_explained() -> None:
    words = [word for slash in SLASHES for word in (slash.name, *slash.aliases)]
    assert len(words) == len(set(words))
    for slash in SLASHES:
        assert slash.help and len(slash.help) <= 70 and not slash.help.endswith(".")
        assert slash.wanted or slash.form == r"(?s:.+)"
    wanted = (
        "model draft system temp seed think xray copy export retry undo branch amend continue "
        "search recall theme rename select blocks archive "
        "help new chat close mouse persona prompt prompt-save attach settings bench doctor quit "
        "compact remember forget forget-prompts pasted title leave-out frame enter log "
        "chat-list inspect"
    )
    assert {slash.name for slash in SLASHES} == set(wanted.split())


def test_every_completion_of_a_name_can_be_parsed_or_waits_for_its_argument() -> None:
    for each in complete("/", {}):
        if each.insert.strip() == "/prompt-save":
            continue
        command = parse(each.insert)
        assert command is not None and command.argument == ""
