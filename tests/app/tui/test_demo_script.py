"""A demo script presses what it says, in the real app, and a wrong line opens no app at all."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Callable
from pathlib import Path

import pexpect
import pytest

from app import cli
from app.errors import AppError, SettingsError
from app.tui import demo_script
from app.tui.chat_parts import ChatParts
from app.tui.demo_script import Player, read
from app.tui.screens.help import HelpScreen
from tests.app.terminal.test_sanitise import HOSTILE_AT_ONCE
from tests.app.tui.driving import Chat, app_of, drive
from tests.app.tui.fakes import Answer, FakeEngine, FakeSettings, words
from tests.app.tui.test_screen import CONTROL
from tests.pair import ROOT
from tests.patience import PATIENCE_S

ANSWERS = [Answer(words(f"Answer number {n}."), pace_s=0.02) for n in (1, 2, 3)]
MANUAL = demo_script.__doc__ or ""


@pytest.fixture(autouse=True)
def hasty(monkeypatch: pytest.MonkeyPatch) -> None:
    """Give up what is waited for in vain before the whole run does."""
    monkeypatch.setattr(demo_script, "LONGEST_WAIT_S", PATIENCE_S)


def written(tmp_path: Path, *lines: str) -> Path:
    path = tmp_path / "a.demo"
    path.write_bytes("\n".join(lines).encode("utf-8", "surrogatepass"))
    return path


class Naps:
    """Remembers how long it should have waited."""

    def __init__(self) -> None:
        self.s: list[float] = []

    async def __call__(self, seconds: float) -> None:
        self.s.append(seconds)
        await asyncio.sleep(0)


Check = Callable[[Chat], None]


def nothing(_: Chat) -> None:
    """Look at nothing."""


def play(tmp_path: Path, *lines: str, check: Check = nothing) -> list[float]:
    """Play these lines, look at the app then, and return how long each wait was to be."""
    naps = Naps()
    player = Player(read(written(tmp_path, *lines)), tmp_path, naps)

    async def scenario(chat: Chat) -> None:
        await player.play(chat.pilot)
        check(chat)
        await chat.ready()
        await chat.pilot.pause()

    drive(scenario, FakeEngine(*ANSWERS))
    return naps.s


def asked(chat: Chat) -> list[str]:
    return [messages[-1].content for messages in chat.engine.asked]


def answers(chat: Chat) -> list[str]:
    return [turn.answer for turn in chat.screen.session.conversation.turns]


# what a script is


def test_a_line_is_an_instruction_and_remarks_count_for_nothing(tmp_path: Path) -> None:
    path = written(tmp_path, "# a remark", "", "  type  What is #1?  ", "key ctrl+o", "pause .5")
    assert [(one.place, one.word, one.rest) for one in read(path)] == [
        (f"{path}:3", "type", "What is #1?"),
        (f"{path}:4", "key", "ctrl+o"),
        (f"{path}:5", "pause", ".5"),
    ]


def test_the_manual_is_a_script_and_shows_every_instruction(tmp_path: Path) -> None:
    shown = [line.strip() for line in MANUAL.splitlines() if line.startswith("    ")]
    script = read(written(tmp_path, *(line.partition("   ")[0] for line in shown)))
    assert {one.word for one in script} == demo_script.WANTED.keys()


@pytest.mark.parametrize(
    "key", ["enter", "f3", "ctrl+o", "alt+left", "pageup", "?", "+", "é", "space"]
)
def test_a_key_that_there_is_is_taken(tmp_path: Path, key: str) -> None:
    (one,) = read(written(tmp_path, f"key {key}"))
    assert one.rest == key


@pytest.mark.parametrize(
    ("line", "complaint"),
    [
        ("tpye hello", "no instruction 'tpye'; there are type, key, wait, see, pause, speed"),
        ("Type hello", "no instruction 'Type'"),
        ("type", "type takes what to type, found ''"),
        ("key", "key takes a key, such as enter, f3 or ctrl+o, found ''"),
        ("key ctlr+x", "key takes a key"),
        ("key entre", "key takes a key"),
        ("key enter enter", "key takes a key"),
        ("wait", "wait takes ready or answer, found ''"),
        ("wait 5", "wait takes ready or answer, found '5'"),
        ("see", "see takes the words to wait for"),
        ("pause soon", "pause takes seconds, an hour at most, found 'soon'"),
        ("pause -1", "pause takes seconds"),
        ("pause nan", "pause takes seconds"),
        ("pause 1e9", "pause takes seconds"),
        ("speed 0", "speed takes characters a second, from 1 to 1000, found '0'"),
        ("picture chat.png", "picture takes a file's name that ends in .svg, found 'chat.png'"),
    ],
)
def test_a_wrong_line_is_told_with_its_number(tmp_path: Path, line: str, complaint: str) -> None:
    path = written(tmp_path, "# a demo", "wait ready", line, "nonsense")
    with pytest.raises(SettingsError) as raised:
        read(path)
    assert str(raised.value).startswith(f"{path}:3: {complaint}")


def told(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, list[str]]:
    code = cli.main(["chat", *arguments])
    return code, capsys.readouterr().err.splitlines()


@pytest.mark.parametrize("text", HOSTILE_AT_ONCE.values(), ids=HOSTILE_AT_ONCE.keys())
def test_a_wrong_script_is_one_line_and_exit_code_2(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], text: str
) -> None:
    path = written(tmp_path, "wait ready", f"wait {text}")
    code, (line,) = told(capsys, "--demo-script", str(path))
    assert code == 2
    assert str(path) in line and not CONTROL.search(line)


def test_a_script_that_cannot_be_read_is_one_line_and_exit_code_2(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    binary, pipe = tmp_path / "model.gguf", tmp_path / "pipe"
    binary.write_bytes(b"GGUF\xff\xfe")
    os.mkfifo(pipe)
    nowhere = tmp_path / "none.demo"
    for path, why in (
        (nowhere, f"--demo-script: there is no file {nowhere}; check the path."),
        (tmp_path, f"{tmp_path} is no file: a demo script is a text file."),
        (pipe, f"{pipe} is no file: a demo script is a text file."),
        (Path("/dev/zero"), "/dev/zero is no file: a demo script is a text file."),
        (binary, f"Cannot read {binary}: line 1 is no UTF-8 text; save the file as UTF-8."),
    ):
        assert told(capsys, "--demo-script", str(path)) == (2, [f"slipstream: {why}"])


def test_a_script_may_lie_below_the_home_folder(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    _, (line,) = told(capsys, "--demo-script=~/none.demo")
    assert f"there is no file {tmp_path}/none.demo" in line


def test_a_script_that_is_too_large_is_refused(tmp_path: Path) -> None:
    path = written(tmp_path, "#")
    os.truncate(path, demo_script.LIMIT_BYTES + 1)
    with pytest.raises(SettingsError, match=rf"^{path} is too large: "):
        read(path)


# what it does


def test_what_is_typed_is_asked_and_waited_for(tmp_path: Path) -> None:
    question = "Is 2 + 2 = 4? (yes/no) — naïve"

    def check(chat: Chat) -> None:
        assert asked(chat) == [question, "again"]
        assert answers(chat) == ["Answer number 1.", "Answer number 2."]

    first = ("wait ready", f"type {question}", "key enter", "wait answer")
    second = ("type again", "key enter", "wait answer", "see Answer number 2.")
    play(tmp_path, *first, *second, check=check)


def test_an_answer_is_waited_for_to_its_last_word(tmp_path: Path) -> None:
    def check(chat: Chat) -> None:
        assert answers(chat) == ["Answer number 1."]

    play(tmp_path, "wait ready", "type hello", "key enter", "wait answer", check=check)


def test_waiting_where_nothing_is_asked_ends(tmp_path: Path) -> None:
    def check(chat: Chat) -> None:
        assert asked(chat) == []
        assert chat.prompt.text == "hello"

    play(tmp_path, "wait ready", "wait answer", "type hello", "see hello", check=check)


def test_keys_reach_whichever_screen_is_on_top(tmp_path: Path) -> None:
    def check(chat: Chat) -> None:
        assert isinstance(chat.app.screen, HelpScreen)
        assert chat.prompt.text == ""

    play(
        tmp_path,
        "wait ready",
        "key f1",
        "see type to narrow",
        "type acceptance",
        "see acceptance length",
        check=check,
    )


def test_a_picture_shows_the_screen(tmp_path: Path) -> None:
    play(tmp_path, "wait ready", "type Look at this", "see Look at this", "picture chat.svg")
    picture = (tmp_path / "chat.svg").read_text("utf-8")
    assert picture.startswith("<svg") and "Look&#160;at&#160;this" in picture


def test_typing_is_uneven_and_the_same_each_time(tmp_path: Path) -> None:
    text = "a question of some length"
    naps = play(tmp_path, f"type {text}")
    assert naps == play(tmp_path, f"type {text}")
    assert len(set(naps)) == len(text)
    assert 0.5 < sum(naps) / (len(text) / demo_script.SPEED) < 1.6
    slow = play(tmp_path, "speed 4", f"type {text}")
    assert sum(slow) == pytest.approx(sum(naps) * demo_script.SPEED / 4)


def test_a_pause_is_as_long_as_it_says(tmp_path: Path) -> None:
    assert play(tmp_path, "pause 2.5", "pause 0") == [2.5, 0.0]


def test_a_wait_in_vain_names_its_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(demo_script, "LONGEST_WAIT_S", 0.3)
    with pytest.raises(AppError, match=r"a\.demo:2: 'see a unicorn' waited 0 s in vain"):
        play(tmp_path, "# a remark", "see a unicorn")


def test_leaving_the_app_ends_the_script(tmp_path: Path) -> None:
    engine = FakeEngine()
    path = written(
        tmp_path, "wait ready", "type hello", "see hello", "key ctrl+q", "pause 3000", "type never"
    )
    app = app_of(ChatParts(engine, FakeSettings()))

    async def run() -> None:
        async with asyncio.timeout(PATIENCE_S):
            await app.run_async(headless=True, auto_pilot=Player(read(path)).play)

    asyncio.run(run())
    assert not engine.alive


# in a terminal, with the embedded pair


def in_terminal(tmp_path: Path, *lines: str) -> tuple[int | None, str]:
    """Open the chat in a pseudo terminal with these lines; return its exit code and last words."""
    path = written(tmp_path, *lines)
    chat = pexpect.spawn(
        sys.executable,
        ["-m", "app.cli", "chat", "--threads", "2", "--demo-script", str(path)],
        dimensions=(24, 80),
        cwd=str(tmp_path),
        env={**os.environ, "TERM": "xterm-256color", "PYTHONPATH": str(ROOT)},
        timeout=PATIENCE_S,
    )
    chat.expect(pexpect.EOF)
    chat.wait()
    return chat.exitstatus, chat.before.decode("utf-8", "replace")[-400:]


def test_a_recording_is_played_to_its_end_and_left_by_its_last_key(tmp_path: Path) -> None:
    code, _ = in_terminal(
        tmp_path,
        "speed 200",
        "wait ready",
        "type What does os.path.join do?",
        "key enter",
        "wait answer",
        "see pathname components",
        "picture end.svg",
        "key ctrl+q",
    )
    assert code == 0
    assert "os.path.join" in (tmp_path / "end.svg").read_text("utf-8")


def test_a_recording_that_fails_leaves_the_terminal_and_one_line(tmp_path: Path) -> None:
    code, last = in_terminal(tmp_path, "picture no-such-folder/a.svg")
    assert code == 1
    assert "slipstream: " in last and "no-such-folder/a.svg" in last
    assert "Traceback" not in last
