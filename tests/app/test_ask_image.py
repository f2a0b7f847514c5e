"""`slipstream ask --image`: pictures go with the question, or one line says why not."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from pathlib import Path

import msgspec
import pytest

import engine
from app.cli import main
from app.files.attachable import LIMIT_BYTES
from engine import Loading, Message, PairSettings, PictureError, Ready
from tests.app.files.picture_files import png
from tests.app.tui.fakes import Answer
from tests.app.tui.seeing import SeeingEngine

SEEN: list[tuple[PairSettings, list[Message]]] = []


class Client(SeeingEngine):
    """What `ask` starts, with what was asked of the last one."""

    answering = False

    def __init__(self, log_path: Path) -> None:
        super().__init__()

    async def close(self) -> None:
        SEEN.extend(zip(self.loaded, self.asked, strict=False))
        await super().close()


@pytest.fixture
def target(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(engine, "EngineClient", Client)
    monkeypatch.setattr("sys.stdin", None)
    SEEN.clear()
    for name in ("t.gguf", "mmproj-t.gguf"):
        (tmp_path / name).write_bytes(b"GGUF")
    for name, shade in (("a.png", 1), ("b.png", 2)):
        (tmp_path / name).write_bytes(png(shade=shade))
    return tmp_path / "t.gguf"


def test_pictures_go_with_the_question_in_their_order(
    target: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    files = [str(target.with_name(name)) for name in ("b.png", "a.png")]
    images = [word for file in files for word in ("--image", file)]
    assert main(["ask", "--model", str(target), *images, "Which", "is", "darker?"]) == 0
    [(pair, [message])] = SEEN
    assert pair.mmproj == str(target.with_name("mmproj-t.gguf"))
    assert message.content == "Which is darker?"
    assert [picture.path for picture in message.pictures] == files
    out, err = capsys.readouterr()
    assert out == "It joins paths.\n"
    assert "This model takes pictures, by mmproj-t.gguf" in err


def test_a_picture_of_the_home_folder_is_found(
    target: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(target.parent))
    assert main(["ask", "--model", str(target), "--image=~/a.png", "What?"]) == 0
    assert SEEN[0][1][0].pictures[0].path == str(target.with_name("a.png"))


def test_why_no_picture_is_seen_is_said_once(
    target: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    why = "Pictures are off: llama.cpp cannot use the projector."

    class Blind(Client):
        async def load(self, pair: PairSettings) -> AsyncIterator[Loading | Ready]:
            async for event in super().load(pair):
                if isinstance(event, Ready):
                    event = msgspec.structs.replace(event, sees=False, notices=[why])
                    self._answers = [Answer([], fail_after=0, error=PictureError(why))]
                yield event

    monkeypatch.setattr(engine, "EngineClient", Blind)
    image = str(target.with_name("a.png"))
    assert main(["ask", "--model", str(target), "--image", image, "What?"]) == 1
    assert capsys.readouterr().err == f"slipstream: {why}\n"


def test_json_answers_about_a_picture_too(target: Path, capsys: pytest.CaptureFixture[str]) -> None:
    image = str(target.with_name("a.png"))
    assert main(["ask", "--json", "--model", str(target), "--image", image, "What?"]) == 0
    assert json.loads(capsys.readouterr().out)["text"] == "It joins paths."
    assert len(SEEN[0][1][0].pictures) == 1


def test_without_a_picture_no_projector_is_loaded(
    target: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["ask", "--model", str(target), "What?"]) == 0
    assert SEEN[0][0].mmproj is None and "pictures" not in capsys.readouterr().err


@pytest.mark.parametrize(
    ("flags", "image", "words"),
    [
        (["--mmproj", "none"], "a.png", "a.png is a picture, and t takes text only: `slipstream l"),
        ([], "t.gguf", "t.gguf is no picture: PNG, JPEG, BMP or GIF."),
        ([], "large.gguf", "large.gguf is no picture: PNG, JPEG, BMP or GIF."),
        ([], "paper.pdf", "paper.pdf is no picture: PNG, JPEG, BMP or GIF."),
        ([], "text.png", "text.png is no picture that can be read: it is damaged, or somet"),
        ([], "live.heic", "live.heic is a picture of a kind that is not read: save it as PNG"),
        ([], "x.webp", "x.webp is a WebP picture: save it as PNG or JPEG and attach that."),
    ],
)
def test_what_cannot_be_shown_is_refused_before_anything_is_loaded(
    target: Path, capsys: pytest.CaptureFixture[str], flags: list[str], image: str, words: str
) -> None:
    target.with_name("x.webp").write_bytes(b"RIFF\x10\x00\x00\x00WEBPVP8 ")
    target.with_name("large.gguf").write_bytes(b"GGUF".ljust(LIMIT_BYTES + 1))
    target.with_name("paper.pdf").write_bytes(b"%PDF-1.7")
    target.with_name("text.png").write_bytes(b"hello")
    target.with_name("live.heic").write_bytes(b"hello")
    file = str(target.with_name(image))
    assert main(["ask", "--model", str(target), "--image", file, *flags, "What?"]) == 1
    error = capsys.readouterr().err
    assert error.startswith(f"slipstream: {words}") and error.count("\n") == 1 and SEEN == []


def test_a_picture_that_is_not_there_is_named_as_it_was_given(
    target: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = str(target.with_name("gone.png"))
    assert main(["ask", "--model", str(target), "--image", file, "What?"]) == 2
    assert capsys.readouterr().err == f"slipstream: --image: there is no file {file}.\n"
    assert SEEN == []


def test_no_name_is_told_with_its_flag_and_no_folder(
    target: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["ask", "--model", str(target), "--image", "", "What?"]) == 2
    said = "slipstream: --image: should be a file, found nothing.\n"
    assert capsys.readouterr().err == said and SEEN == []
