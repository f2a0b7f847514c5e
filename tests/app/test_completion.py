"""The shell completes what there is: commands, flags, and the pairs of both catalogues."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from app import cli
from app.commands import completion
from app.models.catalog import load_catalog
from app.paths import Paths
from tests.patience import PATIENCE_S

OWN = '[pairs.my-own]\ntitle = "x"\nfor_whom = "y"\ntarget = "demo-target"\n'


def completed(line: str, folder: Path) -> tuple[list[str], str]:
    """Ask as bash does; return the words offered, and what came over standard error."""
    offered = folder / "offered"
    asked = {
        "_ARGCOMPLETE": "1",
        "_ARGCOMPLETE_IFS": "\n",
        "_ARGCOMPLETE_SUPPRESS_SPACE": "1",
        "_ARGCOMPLETE_STDOUT_FILENAME": str(offered),
        "COMP_LINE": line,
        "COMP_POINT": str(len(line.encode())),
        "COMP_TYPE": "9",
    }
    done = subprocess.run(
        [sys.executable, "-m", "app.cli"],
        env={**os.environ, **asked},
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        cwd=folder,
        check=False,
    )
    assert (done.returncode, done.stdout) == (0, "")
    return offered.read_text().split("\n"), done.stderr


@pytest.fixture(autouse=True)
def from_here(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let `-m app.cli` be found from any folder."""
    monkeypatch.setenv("PYTHONPATH", str(Path(cli.__file__).parent.parent))


@pytest.mark.parametrize(
    "command", ["info", "pull", "rm", "verify-files", "chat", "verify", "bench"]
)
def test_pairs_of_both_catalogues_are_offered(command: str, tmp_path: Path) -> None:
    Paths().ensure().own_catalog.write_text(OWN)
    words, errors = completed(f"slipstream {command} ", tmp_path)
    assert set(load_catalog(Paths().own_catalog).pairs) <= set(words)
    assert {"my-own", "demo", "qwen3-4b"} <= set(words) and errors == ""


def test_what_is_begun_is_completed(tmp_path: Path) -> None:
    words, _ = completed("slipstream info qwen3-", tmp_path)
    assert words and all(word.startswith("qwen3-") for word in words)
    words, _ = completed("slipstream info demo gemma-3-1", tmp_path)
    assert [word.strip() for word in words] == ["gemma-3-1b"]


@pytest.mark.parametrize(
    ("line", "file"), [("slipstream info ", "m.gguf"), ("slipstream bench --tasks ", "t.toml")]
)
def test_paths_are_completed_where_a_path_will_do(line: str, file: str, tmp_path: Path) -> None:
    for name in (file, "notes.txt"):
        (tmp_path / name).touch()
    (tmp_path / "more").mkdir()
    words, errors = completed(f"{line}./", tmp_path)
    assert {word.strip() for word in words} == {f"./{file}", "./more/"} and errors == ""


def test_commands_are_offered_as_they_are_typed(tmp_path: Path) -> None:
    words, _ = completed("slipstream ver", tmp_path)
    assert {word.strip() for word in words} == {"verify", "verify-files"}


@pytest.mark.parametrize(
    ("line", "offered"),
    [
        ("slipstream --mod", {"--model", "--model-draft"}),
        ("slipstream --versio", {"--version"}),
        ("slipstream --persona Teach", {"Teacher"}),
        ("slipstream qwen3-4b --mod", {"--model", "--model-draft"}),
        ("slipstream dem", {"demo"}),
        ("slipstream ask --pair dem", {"demo"}),
        ("slipstream bench --drafters look", {"lookup"}),
        ("slipstream bench --drafters lookup,dra", {"lookup,draft_model"}),
        ("slipstream bench --tasks cod", {"code", "code-edit"}),
        ("slipstream bench qwen3-4b --tasks code,mat", {"code,maths"}),
    ],
)
def test_what_may_be_left_out_and_what_is_a_list_is_completed_too(
    line: str, offered: set[str], tmp_path: Path
) -> None:
    words, errors = completed(line, tmp_path)
    assert {word.strip() for word in words} == offered and errors == ""


def test_flags_are_offered(tmp_path: Path) -> None:
    words, _ = completed("slipstream rm --", tmp_path)
    assert {"--yes", "--json"} <= {word.strip() for word in words}


def test_prompts_are_offered_by_their_names(tmp_path: Path) -> None:
    folder = Paths().ensure().prompts_dir
    folder.mkdir()
    (folder / "mine.txt").write_bytes(b"\xff")
    words, errors = completed("slipstream ask --prompt ", tmp_path)
    assert {"mine", "summarise"} <= {word.strip() for word in words} and errors == ""


@pytest.mark.parametrize(
    "broken",
    [b"[pairs.x", b"\xff\xfe", b"[pairs.x]\n", None],
    ids=["cut", "no text", "bad", "folder"],
)
def test_a_broken_models_toml_offers_nothing_and_says_nothing(
    broken: bytes | None, tmp_path: Path
) -> None:
    own = Paths().ensure().own_catalog
    if broken is None:
        own.mkdir()
    else:
        own.write_bytes(broken)
    words, errors = completed("slipstream info ", tmp_path)
    assert not any("demo" in word for word in words) and errors == ""


@pytest.mark.parametrize("shell", completion.SHELLS)
def test_every_shell_gets_code_that_names_the_command(
    shell: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["completion", shell]) == 0
    assert "slipstream" in capsys.readouterr().out


def test_bash_can_read_its_code() -> None:
    code = subprocess.run(
        [sys.executable, "-m", "app.cli", "completion", "bash"], capture_output=True, text=True
    ).stdout
    asked = subprocess.run(
        ["bash", "-c", f"{code}\ncomplete -p slipstream"], capture_output=True, text=True
    )
    assert (asked.returncode, asked.stderr) == (0, "")
    assert "_python_argcomplete" in asked.stdout


def test_another_shell_is_a_wrong_usage(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        cli.main(["completion", "dos"])
    assert ended.value.code == 2 and capsys.readouterr().err.count("\n") == 1
