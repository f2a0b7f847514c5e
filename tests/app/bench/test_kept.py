"""What an interrupted benchmark leaves behind, and what finished ones do."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import msgspec
import pytest

from app.bench.kept import FORMER_RUNS, LIMIT_BYTES, FormerRuns, Progress, read_result
from app.bench.result import ModelFile
from app.errors import SettingsError
from engine import SamplingSettings
from tests.app.bench.making import heat, result, setup


def state(root: Path) -> Path:
    return root / f"{setup().state_key}.jsonl"


def test_what_was_appended_is_there_again(tmp_path: Path) -> None:
    heats = [heat(), heat(round=1)]
    progress = Progress(tmp_path, setup())
    assert progress.resume() == () and progress.told == ""
    for measured in heats:
        progress.append(measured)
    again = Progress(tmp_path, setup())
    assert list(again.resume()) == heats and again.count == 2
    again.forget()
    assert not state(tmp_path).exists() and again.resume() == ()


def test_a_line_cut_anywhere_is_ignored_and_spoils_no_other(tmp_path: Path) -> None:
    line = msgspec.json.encode(heat()) + b"\n"
    for cut in (1, len(line) // 2, len(line) - 2):
        state(tmp_path).write_bytes(line + line[:cut])
        progress = Progress(tmp_path, setup())
        assert list(progress.resume()) == [heat()]
        progress.append(heat(round=1))
        assert list(Progress(tmp_path, setup()).resume()) == [heat(), heat(round=1)]


def test_a_disk_that_is_full_stops_no_benchmark(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    state(tmp_path).write_bytes(msgspec.json.encode(heat()) + b"\n{")

    def refuse(*_: object) -> int:
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as full:
        full.setattr(os, "write", refuse)
        progress = Progress(tmp_path, setup())
        assert progress.resume() == (heat(),)
        assert progress.told == "what was measured is kept (prompts: 1)"
        progress.append(heat(round=1))
        assert progress.count == 1, "what is kept"
        part = "only a part of what was measured could be kept (prompts: 1)"
        assert progress.told == f"{part}: No space left on device"
    assert Progress(tmp_path, setup()).resume() == (heat(),)


def test_a_heat_that_the_disk_cuts_takes_no_other_with_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write, progress = os.write, Progress(tmp_path, setup())
    with monkeypatch.context() as nearly_full:
        nearly_full.setattr(os, "write", lambda handle, line: write(handle, line[:20]))
        progress.append(heat())
        assert progress.count == 0
        assert progress.told == "what was measured could not be kept: the disk is full"
    progress.append(heat(round=1))
    assert progress.count == 1
    assert Progress(tmp_path, setup()).resume() == (heat(round=1),)


@pytest.mark.parametrize(
    "junk", [b"{}", b"null", b"\xff\xfe", b"[1,2", b'{"task": 3}', b"", b"\x00"], ids=repr
)
def test_malformed_lines_are_ignored(tmp_path: Path, junk: bytes) -> None:
    state(tmp_path).write_bytes(junk + b"\n" + msgspec.json.encode(heat()) + b"\n" + junk + b"\n")
    assert list(Progress(tmp_path, setup()).resume()) == [heat()]


def test_only_the_very_same_benchmark_goes_on(tmp_path: Path) -> None:
    Progress(tmp_path, setup()).append(heat())
    other = SamplingSettings(seed=2, logit_bias={5: 1.0})
    for change in ({"rounds": 2}, {"sampling": other}, {"prompts": "q"}, {"versions": {}}):
        assert Progress(tmp_path, setup(**change)).resume() == ()


def test_the_latest_comparable_run_is_found(tmp_path: Path) -> None:
    runs = FormerRuns(tmp_path, setup())
    assert runs.last() is None
    for second in (1, 3, 2):
        runs.keep(result(date=f"2026-01-02T03:04:0{second}.000+00:00"))
    runs.keep(result(date="2027-01-01T00:00:00.000+00:00", setup=setup(threads=9)))
    found = FormerRuns(tmp_path, setup(rounds=7, drafters=("none", "auto"), versions={})).last()
    assert found is not None and found.date.startswith("2026-01-02T03:04:03")
    other = ModelFile(name="target.gguf", size_bytes=1, digest="other")
    assert FormerRuns(tmp_path, setup(target=other)).last() is None


def test_only_the_latest_runs_are_kept(tmp_path: Path) -> None:
    runs = FormerRuns(tmp_path, setup())
    for minute in range(FORMER_RUNS + 3):
        runs.keep(result(date=f"2026-01-02T03:{minute:02}:00.000+00:00"))
    names = sorted(path.name for path in tmp_path.rglob("*.json"))
    assert len(names) == FORMER_RUNS and names[0].startswith("202601020303")


def test_a_broken_former_run_is_passed_over(tmp_path: Path) -> None:
    runs = FormerRuns(tmp_path, setup())
    runs.keep(result())
    next(tmp_path.rglob("*.json")).with_name("9.json").write_text("{")
    assert runs.last() == result()


def test_a_result_is_read_as_it_was_written(tmp_path: Path) -> None:
    path = tmp_path / "r.json"
    path.write_bytes(msgspec.json.encode(result()))
    assert read_result(path) == result()


def test_a_result_of_a_version_that_told_no_layers_is_read(tmp_path: Path) -> None:
    told = result(heat(layers=(17, None)))
    older = msgspec.to_builtins(told)
    del older["heats"][0]["layers"]
    path = tmp_path / "r.json"
    for written, read in ((older, result(heat())), (told, told)):
        path.write_bytes(msgspec.json.encode(written))
        assert read_result(path) == read


@pytest.mark.parametrize("content", ["{", "{}", "[]", '"x"', '{"x":' + "[" * 100_000], ids=range(5))
def test_another_file_is_refused_in_one_line(tmp_path: Path, content: str) -> None:
    path = tmp_path / "r.json"
    path.write_text(content)
    with pytest.raises(SettingsError, match=r"r\.json is no result"):
        read_result(path)
    with pytest.raises(SettingsError, match=r"Cannot read .*none\.json: No such .* --json wrote"):
        read_result(tmp_path / "none.json")
    for later in (msgspec.json.encode(result(format=99)), b'{"format": 99, "laps": []}'):
        path.write_bytes(later)
        with pytest.raises(SettingsError, match="format 99"):
            read_result(path)


def test_what_is_no_file_is_refused_and_not_waited_for(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe.json"
    os.mkfifo(pipe)
    for path in (pipe, Path("/dev/zero"), tmp_path):
        with pytest.raises(SettingsError) as caught:
            read_result(path)
        assert str(caught.value) == f"{path} is no file: it should be what --json wrote."


def test_a_result_that_is_too_large_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "r.json"
    path.write_bytes(msgspec.json.encode(result()))
    os.truncate(path, LIMIT_BYTES + 1)
    with pytest.raises(SettingsError, match=rf"^{path} is too large: .* at most {LIMIT_BYTES}"):
        read_result(path)


def test_a_model_is_known_by_what_it_holds(tmp_path: Path) -> None:
    one, same, other = (tmp_path / name for name in ("a.gguf", "b.gguf", "c.gguf"))
    one.write_bytes(b"x" * 200_000)
    same.write_bytes(b"x" * 200_000)
    other.write_bytes(b"x" * 199_999 + b"y")
    digests = [ModelFile.of(path).digest for path in (one, same, other)]
    assert digests[0] == digests[1] != digests[2]
