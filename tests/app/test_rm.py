"""`rm` asks, removes what is the store's own, and never what another installed pair drafts with."""

from __future__ import annotations

import io
import json
import os
import pty
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from app import cli
from app.models.lock import Lock
from app.paths import Paths
from tests.app.holding import (
    MODELS,
    failed,
    flip,
    here,
    install,
    path_of,
    write_catalog,
    write_gguf,
)
from tests.patience import PATIENCE_S


class Terminal(io.StringIO):
    """Standard input with somebody at it."""

    def isatty(self) -> bool:
        return True


@pytest.fixture(autouse=True)
def own_catalog() -> None:
    write_catalog()


def files(*names: str) -> set[str]:
    return {name + end for name in names for end in (".gguf", ".gguf.json")}


def removed(capsys: pytest.CaptureFixture[str], *words: str) -> dict[str, object]:
    assert cli.main(["rm", "--yes", "--json", *words]) == 0
    found: dict[str, object] = json.loads(capsys.readouterr().out)
    return found


def test_a_pair_goes_but_for_the_draft_model_of_another(capsys: pytest.CaptureFixture[str]) -> None:
    install(*MODELS)
    assert cli.main(["rm", "--yes", "one"]) == 0
    said = capsys.readouterr().out
    assert "small.gguf is used by two, small: it stays." in said
    assert here() == files("small", "other")
    assert cli.main(["rm", "--yes", "two", "small"]) == 0
    assert here() == set()


def test_pairs_that_share_all_their_files_can_be_removed(
    capsys: pytest.CaptureFixture[str],
) -> None:
    install("big", "small")
    assert cli.main(["rm", "--yes", "one"]) == 0
    assert here() == files("small")


def test_json_is_one_object_with_stated_keys(capsys: pytest.CaptureFixture[str]) -> None:
    install(*MODELS)
    size = sum(path.stat().st_size for path in path_of("big").parent.glob("big.gguf*"))
    found = removed(capsys, "one", "demo")
    assert found.keys() == {"names", "freed_bytes", "removed", "stays", "losing", "error"}
    assert (found["names"], found["freed_bytes"]) == (["one", "demo"], size)
    assert (found["removed"], found["error"]) == (["someone/models:big.gguf"], None)
    whys = [stay["why"] for stay in found["stays"]]  # type: ignore[attr-defined]
    assert whys == ["is used by two, small", "ships with Slipstream", "ships with Slipstream"]


@pytest.mark.parametrize("answer", ["n\n", "\n", "", "no way\n", "Y es\n"])
def test_no_and_nothing_remove_nothing(
    answer: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    install("big", "small")
    before = here()
    monkeypatch.setattr(sys, "stdin", Terminal(answer))
    assert cli.main(["rm", "alone", "one"]) == 1
    captured = capsys.readouterr()
    assert captured.out.endswith("Nothing was removed.\n") and captured.err == ""
    assert here() == before


@pytest.mark.parametrize("answer", ["y\n", "YES\n"])
def test_yes_removes_after_showing_what_goes(
    answer: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    install("big", "small")
    monkeypatch.setattr(sys, "stdin", Terminal(answer))
    assert cli.main(["rm", "one"]) == 0
    said = capsys.readouterr().out
    assert said.count("Made of them too") == 1
    assert "  big.gguf, " in said and "Made of them too: alone." in said
    assert "  small.gguf" not in said
    assert here() == files("small")


@pytest.mark.parametrize("stdin", [io.StringIO("y\n"), None], ids=["a pipe", "none"])
@pytest.mark.parametrize("flags", [(), ("--json",)], ids=" ".join)
def test_without_a_terminal_nothing_is_removed_unless_told(
    flags: tuple[str, ...],
    stdin: io.StringIO | None,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    install("big")
    monkeypatch.setattr(sys, "stdin", stdin)
    assert "--yes" in failed(capsys, "rm", "alone", *flags, code=2)
    assert here() == files("big")


def test_json_asks_nobody(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    install("big")
    monkeypatch.setattr(sys, "stdin", Terminal("y\n"))
    assert "--yes" in failed(capsys, "rm", "alone", "--json", code=2)
    assert here() == files("big")


def test_a_person_at_a_real_terminal_is_asked() -> None:
    install("big")
    for answer, code in ((b"n\n", 1), (b"\x04", 1), (b"y\n", 0)):
        leader, follower = pty.openpty()
        os.write(leader, answer)
        done = subprocess.run(
            [sys.executable, "-m", "app.cli", "rm", "alone"],
            stdin=follower,
            capture_output=True,
            text=True,
            timeout=PATIENCE_S,
        )
        os.close(follower)
        os.close(leader)
        assert (done.returncode, done.stderr) == (code, "")
        assert "Remove these files? [y/N]" in done.stdout
        assert path_of("big").exists() is bool(code)


def test_parts_of_unfinished_downloads_go(capsys: pytest.CaptureFixture[str]) -> None:
    path = path_of("big")
    path.parent.mkdir(parents=True)
    path.with_name("big.gguf.part").write_bytes(bytes(5000))
    path.with_name("big.gguf.part.json").write_text("{}")
    found = removed(capsys, "one")
    assert (found["freed_bytes"], here()) == (5002, set())


def test_the_question_tells_what_lies_there_and_not_what_would(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "stdin", Terminal("y\n"))
    path = Paths().models_dir / "Qwen/Qwen3-4B-GGUF/Qwen3-4B-Q4_K_M.gguf.part"
    path.parent.mkdir(parents=True)
    path.write_bytes(bytes(5000))
    assert cli.main(["rm", "qwen3-4b"]) == 0
    assert "  Qwen3-4B-Q4_K_M.gguf, 5 kB" in capsys.readouterr().out


@pytest.mark.parametrize("harm", ["flipped", "cut"])
def test_damaged_files_go(harm: str, capsys: pytest.CaptureFixture[str]) -> None:
    install("big")
    if harm == "flipped":
        flip(path_of("big"))
        cli.main(["verify-files", "big"])
    else:
        path_of("big").write_bytes(b"GGUF")
    capsys.readouterr()
    removed(capsys, "alone")
    assert here() == set()


def test_what_ships_is_ones_own_or_of_the_cache_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    own = write_gguf(tmp_path / "own.gguf")
    write_catalog(
        f'[models.own]\npath = "{own}"\n'
        '[pairs.own]\ntitle = "x"\nfor_whom = "y"\ntarget = "own"\ndraft = "demo-draft"\n'
    )
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path / "hugging"))
    snapshot = tmp_path / "hugging" / "models--someone--models" / "snapshots" / ("c" * 40)
    cached = write_gguf(snapshot / "big.gguf")
    assert cli.main(["rm", "--yes", "own", "demo", "alone"]) == 0
    said = capsys.readouterr().out
    assert f"{own} is your own: it stays." in said
    assert "big.gguf belongs to the Hugging Face cache: it stays." in said
    assert said.endswith("own, demo, alone: nothing to remove.\n")
    assert own.exists() and cached.exists()
    assert len(list((Path(cli.__file__).parent / "demo").glob("*.gguf"))) == 2


def test_files_that_stay_for_one_reason_are_told_of_in_one_line(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert cli.main(["rm", "--yes", "demo"]) == 0
    stays, nothing = capsys.readouterr().out.splitlines()
    assert stays.endswith("draft.gguf stay: each ships with Slipstream.")
    assert stays.count("target.gguf and ") == 1 and nothing == "demo: nothing to remove."


def test_what_goes_is_named_and_not_what_stays(capsys: pytest.CaptureFixture[str]) -> None:
    install("big", "small")
    size = sum(path.stat().st_size for path in path_of("big").parent.glob("big.gguf*"))
    assert cli.main(["rm", "--yes", "demo", "one"]) == 0
    last = capsys.readouterr().out.splitlines()[-1]
    assert last == f"big.gguf: removed, {size} B freed."


def test_what_is_being_downloaded_is_not_removed(capsys: pytest.CaptureFixture[str]) -> None:
    path = path_of("big")
    path.parent.mkdir(parents=True)
    path.with_name("big.gguf.part").write_bytes(bytes(50))
    lock = Lock(path.with_name("big.gguf.lock"))
    assert lock.take()
    try:
        assert "being downloaded" in failed(capsys, "rm", "--yes", "alone")
    finally:
        lock.release()
    assert here() == {"big.gguf.part"}


@pytest.fixture
def other_is_pulled() -> Iterator[None]:
    """Install two models, and hold the lock of the second."""
    install("big", "other")
    lock = Lock(path_of("other").with_name("other.gguf.lock"))
    assert lock.take()
    yield
    lock.release()


BUSY = "someone/models:other.gguf is being downloaded: stop that first."


@pytest.mark.usefixtures("other_is_pulled")
def test_what_went_before_a_file_that_is_being_downloaded_is_said(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert cli.main(["rm", "--yes", "alone", "two"]) == 1
    said = capsys.readouterr()
    assert said.out.startswith("big.gguf: removed, ") and said.out.count("\n") == 1
    assert said.err == f"slipstream: {BUSY}\n"
    assert here() == files("other")


@pytest.mark.usefixtures("other_is_pulled")
def test_json_tells_what_went_and_what_ended_it(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["rm", "--yes", "--json", "alone", "two"]) == 1
    said = capsys.readouterr()
    found = json.loads(said.out)
    assert (found["removed"], found["error"]) == (["someone/models:big.gguf"], BUSY)
    assert found["freed_bytes"] > 0 and said.err == f"slipstream: {BUSY}\n"


def test_what_went_before_the_system_refuses_is_said(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    install("big", "other")
    unlink = Path.unlink

    def refuse(path: Path, missing_ok: bool = False) -> None:
        if path.name == "other.gguf":
            raise PermissionError(13, "Permission denied", str(path))
        unlink(path, missing_ok)

    monkeypatch.setattr(Path, "unlink", refuse)
    assert cli.main(["rm", "--yes", "--json", "alone", "two"]) == 1
    found = json.loads(capsys.readouterr().out)
    assert found["removed"] == ["someone/models:big.gguf"]
    assert found["error"] == f"{path_of('other')}: Permission denied"


def test_a_name_given_twice_is_one(capsys: pytest.CaptureFixture[str]) -> None:
    install("big")
    assert removed(capsys, "alone", "alone")["names"] == ["alone"]


def test_nothing_to_remove_is_no_question_and_no_failure(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert cli.main(["rm", "one"]) == 0
    assert capsys.readouterr().out == "one: nothing to remove.\n"
