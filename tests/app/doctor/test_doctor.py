"""Every fault is found and comes with what mends it; a healthy machine gets no advice."""

from __future__ import annotations

import dataclasses
import io
import json
import os
import subprocess
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from msgspec.structs import replace

from app.commands.doctor import as_json, as_text
from app.doctor import examine as doctor
from app.doctor import mending
from app.doctor.checks import files, kernels
from app.doctor.facts import Check, Facts, Terminal, Versions
from app.doctor.mending import AMX_CURE
from app.doctor.trial import Answered, Trial, Unanswered
from app.hardware import GIB, Cpu, Gpu, Hardware, Memory
from app.paths import HOMES, Paths
from app.threads_for_screen import leave_core_to_screen
from engine import PairSettings
from tests.app.doctor.test_trial import finished, ready

XEON_INFO = "CPU : SSE3 = 1 | AVX2 = 1 | AVX512 = 1 | AVX512_VNNI = 1 | AMX_INT8 = 1 | "
GEFORCE = Gpu("GeForce", "cuda", 8 * GIB)


@pytest.fixture
def facts(tmp_path: Path) -> Facts:
    """A machine on which all is well."""
    demo = (tmp_path / "target.gguf", tmp_path / "draft.gguf")
    for file in demo:
        file.write_bytes(b"GGUF and so on")
    cpu = Cpu("Xeon", 2, ("amx_int8", "avx2", "avx512"))
    return Facts(
        env={"TERM": "xterm-256color", "COLORTERM": "truecolor"},
        hardware=Hardware(cpu, Memory(16 * GIB, 8 * GIB), ()),
        paths=Paths(tmp_path / "slipstream").ensure(),
        terminal=Terminal(True, 100, 40, "UTF-8"),
        versions=Versions("0.1.0", "3.12.1", "0.3.36"),
        demo=demo,
        trial=Answered(ready(system_info=XEON_INFO), finished()),
    )


@pytest.fixture(autouse=True)
def plenty_of_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "disk_at", lambda path: SimpleNamespace(path=path, free_bytes=2**40))


def fault(facts: Facts, **changes: Any) -> Check:
    """Return the one check that is not ok once these facts have changed."""
    faults = [
        check
        for check in doctor.examine(dataclasses.replace(facts, **changes))
        if check.status != "ok"
    ]
    assert len(faults) == 1, faults
    return faults[0]


def hardware(facts: Facts, **changes: Any) -> Hardware:
    return dataclasses.replace(facts.hardware, **changes)


def test_a_healthy_machine_gets_no_advice(facts: Facts) -> None:
    checks = doctor.examine(facts)
    assert [(check.status, check.mend) for check in checks] == [("ok", "")] * len(checks)
    assert len({check.name for check in checks}) == len(doctor.CHECKS)


def test_a_build_that_reads_no_pictures_is_told_of(facts: Facts) -> None:
    check = fault(facts, versions=dataclasses.replace(facts.versions, has_eyes=False))
    assert (check.name, check.status) == ("pictures", "warn")
    assert "mtmd" in check.found and "--no-binary llama-cpp-python" in check.mend
    assert doctor.look().versions.has_eyes, "the one that runs the tests does"


def test_every_fault_has_a_cure(facts: Facts, tmp_path: Path) -> None:
    sick = dataclasses.replace(
        facts,
        env={"TERM": "dumb", "TMUX": "1"},
        hardware=Hardware(Cpu("i486", 1, ()), Memory(GIB, 1), (GEFORCE,)),
        terminal=Terminal(True, 20, 5, "ascii"),
        versions=Versions("0.1.0", "3.12.1", ""),
        demo=(tmp_path / "missing.gguf",),
        trial=Unanswered("it died"),
    )
    for check in doctor.examine(sick):
        assert (check.status == "ok") == (check.mend == ""), check


def test_a_build_without_a_known_instruction_set_is_named(facts: Facts) -> None:
    slow = Answered(ready(system_info="CPU : AVX2 = 1 | AVX512 = 1 | "), finished())
    check = fault(facts, trial=slow)
    assert (check.name, check.status) == ("build", "warn")
    assert "without AMX_INT8" in check.found
    assert "-DGGML_NATIVE=ON" in check.mend
    assert "llama-cpp-python==0.3.36" in check.mend


def test_a_missing_llama_cpp_is_installed(facts: Facts) -> None:
    check = fault(facts, versions=Versions("0.1.0", "3.12.1", ""))
    assert (check.name, check.status) == ("build", "fail")
    _, wanted = check.mend.split("--no-binary llama-cpp-python ")
    assert wanted.startswith('"llama-cpp-python') and "<0.4" in wanted and ">=0.3.36" in wanted
    assert AMX_CURE in check.mend, "a Xeon with AMX"
    lacking = dataclasses.replace(facts, versions=Versions("0.1.0", "3.12.1", ""))
    (pictures,) = (check for check in doctor.examine(lacking) if check.name == "pictures")
    assert pictures.found == "unknown without llama-cpp-python"


def test_the_demo_is_asked_with_the_threads_of_the_chat(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[PairSettings] = []

    async def try_engine(engine: object, pair: PairSettings) -> Trial:
        asked.append(pair)
        return Unanswered("it was only looked at")

    target = tmp_path / "small.gguf"
    target.write_bytes(b"GGUF")
    monkeypatch.setattr(doctor, "try_engine", try_engine)
    doctor._trial(Paths(tmp_path), str(target))
    assert asked == [leave_core_to_screen(PairSettings(target=str(target)))]
    assert asked[0].threads is not None


def test_the_threads_are_those_of_the_chat_and_it_says_why(facts: Facts) -> None:
    cores = facts.hardware.cpu.physical_cores
    for threads, told in (
        (cores - 1, ", as in the chat: one core is left to the screen"),
        (cores, ""),
    ):
        answered = Answered(ready(system_info=XEON_INFO, threads=threads), finished())
        checks = doctor.examine(dataclasses.replace(facts, trial=answered))
        (found,) = [check.found for check in checks if check.name == "kernels"]
        assert found.endswith(f"; threads: {threads}{told}")


def test_crashing_kernels_are_worked_around_and_rebuilt(facts: Facts) -> None:
    crashed = Answered(ready(system_info=XEON_INFO), finished(), crash="ended by SIGSEGV")
    check = fault(facts, trial=crashed)
    assert (check.name, check.status) == ("kernels", "warn")
    assert "SIGSEGV" in check.found
    assert f'CXXFLAGS="{AMX_CURE}"' in check.mend


def test_an_engine_that_does_not_answer_is_a_failure(facts: Facts) -> None:
    checks = {check.name: check for check in doctor.examine(facts)}
    assert checks["kernels"].status == "ok"
    dead = dataclasses.replace(facts, trial=Unanswered("it ended by SIGILL"))
    checks = {check.name: check for check in doctor.examine(dead)}
    assert checks["kernels"].status == "fail"
    assert "SIGILL" in checks["kernels"].found
    assert "pip install" in checks["kernels"].mend


@pytest.mark.parametrize("reason", ["no answer within 60 seconds", "ended by SIGKILL", "Errno 30"])
def test_what_is_no_fault_of_the_build_is_not_mended_by_another_build(
    facts: Facts, reason: str
) -> None:
    dead = dataclasses.replace(facts, trial=Unanswered(reason))
    checks = {check.name: check for check in doctor.examine(dead)}
    assert checks["kernels"].status == "fail"
    assert "pip install" not in checks["kernels"].mend
    assert f'"{facts.paths.log_dir / "doctor.log"}"' in checks["kernels"].mend


def test_what_is_rebuilt_is_for_the_gpu_that_is_there(facts: Facts) -> None:
    gpu = Gpu("NVIDIA RTX 4090", "cuda", 24 * GIB)
    plain = dataclasses.replace(facts.hardware.cpu, features=("avx2",))
    there = hardware(facts, gpus=(gpu,), cpu=plain)
    dead = dataclasses.replace(facts, hardware=there, trial=Unanswered("ended by SIGSEGV"))
    (mend,) = [check.mend for check in doctor.examine(dead) if check.name == "kernels"]
    assert "-DGGML_CUDA=ON" in mend and "CXXFLAGS" not in mend


def test_missing_demo_files_are_restored_rather_than_llama_cpp_rebuilt(
    facts: Facts, tmp_path: Path
) -> None:
    (tmp_path / "draft.gguf").write_bytes(b"<html>")
    broken = dataclasses.replace(facts, trial=Unanswered("no such model"))
    checks = {check.name: check for check in doctor.examine(broken)}
    assert "draft.gguf" in checks["demo"].found
    assert checks["demo"].mend == checks["kernels"].mend
    assert "pip install" not in checks["demo"].mend


@pytest.mark.parametrize("notices", [["The draft model is not used: …"], []])
def test_speculation_is_never_silently_off(facts: Facts, notices: list[str]) -> None:
    off = ready(system_info=XEON_INFO, drafters=[], notices=notices)
    check = fault(facts, trial=Answered(off, finished()))
    assert check.name == "speculation"
    assert all(notice in check.found for notice in notices)


def test_a_draft_model_that_failed_in_the_trial_is_named(facts: Facts) -> None:
    failed = replace(finished(), notices=["The draft model failed."])
    check = fault(facts, trial=Answered(ready(system_info=XEON_INFO), failed))
    assert (check.name, check.found) == ("speculation", "The draft model failed.")


def test_an_idle_gpu_is_named(facts: Facts) -> None:
    check = fault(facts, hardware=hardware(facts, gpus=(GEFORCE,)))
    assert (check.name, check.status) == ("gpu", "warn")
    assert "-DGGML_CUDA=ON" in check.mend
    assert AMX_CURE in check.mend and "-DGGML_LLAMAFILE=OFF" in check.mend, "a Xeon with AMX"


def test_a_gpu_at_work_is_fine(facts: Facts) -> None:
    trial = Answered(ready(device="CUDA", system_info=XEON_INFO), finished())
    busy = dataclasses.replace(facts, hardware=hardware(facts, gpus=(GEFORCE,)), trial=trial)
    assert {check.status for check in doctor.examine(busy)} == {"ok"}


def test_a_gpu_that_ends_the_engine_is_named_and_llama_cpp_built_anew_for_it(facts: Facts) -> None:
    crashed = ready(system_info=XEON_INFO, gpu_crash="CUDA0: The engine process ended by SIGABRT.")
    trial = Answered(crashed, finished())
    check = fault(facts, hardware=hardware(facts, gpus=(GEFORCE,)), trial=trial)
    assert (check.name, check.status) == ("kernels", "warn")
    assert "CUDA0" in check.found and "SIGABRT" in check.found
    assert "-DGGML_CUDA=ON" in check.mend


def test_a_gpu_without_room_for_the_demo_is_named_and_nothing_built_anew(facts: Facts) -> None:
    full = ready(system_info=XEON_INFO, gpu_crash="CUDA0: cudaMalloc failed: out of memory")
    trial = Answered(full, finished())
    check = fault(facts, hardware=hardware(facts, gpus=(GEFORCE,)), trial=trial)
    assert (check.name, check.status) == ("kernels", "warn")
    assert "CUDA0 has no room" in check.found and "ends the engine" not in check.found
    assert check.mend == "Close other programs that use the GPU."


def test_a_gpu_that_only_llama_cpp_finds_is_named(facts: Facts) -> None:
    arc = Answered(ready(device="Vulkan0", system_info=XEON_INFO), finished())
    checks = {c.name: c for c in doctor.examine(dataclasses.replace(facts, trial=arc))}
    assert (checks["gpu"].status, checks["gpu"].found) == ("ok", "Vulkan0, which llama.cpp found")
    assert "for Vulkan0" in checks["build"].found
    ended = ready(system_info=XEON_INFO, gpu_crash="Vulkan0: The engine process ended by SIGABRT.")
    check = fault(facts, trial=Answered(ended, finished()))
    assert "Vulkan0" in check.found and "-DGGML_VULKAN=ON" in check.mend
    ended = ready(system_info=XEON_INFO, gpu_crash="ROCm0: The engine process ended by SIGABRT.")
    check = fault(facts, trial=Answered(ended, finished()))
    assert "With ROCm installed: " in check.mend and "-DGGML_HIP=ON" in check.mend
    amd = dataclasses.replace(facts.hardware, gpus=(Gpu("AMD GPU", "vulkan", 8 << 30),))
    check = fault(facts, trial=Answered(ended, finished()), hardware=amd)
    assert "-DGGML_HIP=ON" in check.mend, "it was built for that, with which the card works, too"
    (check,) = [check for check in doctor.examine(facts) if check.name == "gpu"]
    assert check.found == "none that was recognised; the processor does the work"


@pytest.mark.parametrize("is_cloned", [True, False])
def test_the_demo_is_had_again_from_git_or_from_where_it_came_from_and_from_no_index(
    facts: Facts, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, is_cloned: bool
) -> None:
    demo = tmp_path / "tree" / "app" / "demo"
    demo.mkdir(parents=True)
    monkeypatch.setattr(mending, "EMBEDDED", demo)
    if is_cloned:
        (tmp_path / "tree" / ".git").mkdir()
    check = fault(facts, demo=(demo / "target.gguf",))
    again = f"Get {demo} of this version again, from where Slipstream came from."
    git = f'git -C "{demo.parent.parent}" checkout -- app/demo'
    assert check.mend == (git if is_cloned else again)


def test_an_old_processor_is_warned_of(facts: Facts) -> None:
    old = hardware(facts, cpu=Cpu("Core 2", 2, ()))
    assert fault(facts, hardware=old).name == "processor"


def test_slow_cores_are_told_apart(facts: Facts) -> None:
    mixed = hardware(facts, cpu=Cpu("i5-1340P", 4, ("avx2",), slow_cores=8))
    checks = doctor.examine(dataclasses.replace(facts, hardware=mixed))
    (found,) = [check.found for check in checks if check.name == "processor"]
    assert found == "i5-1340P, 4 fast cores that compute and 8 slow ones, avx2"


def test_little_memory_is_warned_of(facts: Facts) -> None:
    assert fault(facts, hardware=hardware(facts, memory=Memory(GIB, GIB // 2))).name == "memory"


def test_a_system_without_huge_pages_is_told_how_to_grant_them(facts: Facts) -> None:
    memory = dataclasses.replace(facts.hardware.memory, huge_pages="never")
    found = fault(facts, hardware=hardware(facts, memory=memory))
    assert (found.name, found.mend[:12]) == ("huge pages", "echo madvise")


@pytest.mark.parametrize(
    ("granted", "said"),
    [("madvise", "not asked for: glibc is older than 2.35"), ("always", "granted (always)")],
)
def test_what_an_older_c_library_does_not_ask_for_is_not_said_to_be_granted(
    facts: Facts, granted: str, said: str
) -> None:
    memory = dataclasses.replace(facts.hardware.memory, huge_pages=granted, asks_for_pages=False)
    old = dataclasses.replace(facts, hardware=hardware(facts, memory=memory))
    (check,) = (check for check in doctor.examine(old) if check.name == "huge pages")
    assert (check.status, check.found) == ("ok", said)
    none = dataclasses.replace(memory, huge_pages="never")
    assert fault(facts, hardware=hardware(facts, memory=none)).mend.startswith("echo always")


@pytest.mark.parametrize(
    ("terminal", "env", "name", "mend"),
    [
        (Terminal(True, 40, 40, "utf-8"), {}, "terminal", "60x16"),
        (Terminal(True, 99, 40, "utf-8"), {"TERM": "dumb"}, "terminal", "export TERM="),
        (Terminal(True, 99, 40, "ISO-8859-1"), {}, "unicode", "UTF-8"),
        (Terminal(True, 99, 40, "utf8"), {"COLORTERM": "", "TMUX": "x"}, "colours", "tmux set"),
        (
            Terminal(True, 99, 40, "utf8"),
            {"COLORTERM": "", "TERM": "vt100"},
            "colours",
            "export TERM",
        ),
    ],
)
def test_a_poor_terminal_is_named(
    facts: Facts, terminal: Terminal, env: dict[str, str], name: str, mend: str
) -> None:
    check = fault(facts, terminal=terminal, env={**facts.env, **env})
    assert check.name == name
    assert mend in check.mend


@pytest.mark.parametrize("env", [{"NO_COLOR": "1"}, {"COLORTERM": ""}])
def test_fewer_colours_are_no_fault_where_they_are_wanted_or_enough(
    facts: Facts, env: dict[str, str]
) -> None:
    changed = dataclasses.replace(facts, env={**facts.env, **env})
    assert {check.status for check in doctor.examine(changed)} == {"ok"}


def test_a_full_disk_is_warned_of(facts: Facts, monkeypatch: pytest.MonkeyPatch) -> None:
    full = SimpleNamespace(path="/models", free_bytes=GIB)
    monkeypatch.setattr(files, "disk_at", lambda _: full)
    assert fault(facts).name == "disk"


def test_a_folder_that_others_can_read_is_closed(facts: Facts) -> None:
    facts.paths.data_dir.chmod(0o755)
    check = fault(facts)
    assert check.name == "folders"
    subprocess.run(check.mend, shell=True, check=True)
    assert {check.status for check in doctor.examine(facts)} == {"ok"}


def test_a_file_in_the_place_of_a_folder_is_moved_away(facts: Facts) -> None:
    facts.paths.log_dir.rmdir()
    facts.paths.log_dir.write_text("in the way")
    check = fault(facts)
    assert (check.name, check.status) == ("folders", "fail")
    subprocess.run(check.mend, shell=True, check=True)
    assert {check.status for check in doctor.examine(facts)} == {"ok"}


def test_what_lies_below_a_file_is_not_what_is_to_be_mended(
    facts: Facts, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("no home")
    monkeypatch.setenv("HOME", str(tmp_path / "file" / "home"))
    for name in HOMES[1:]:
        monkeypatch.delenv(name, raising=False)
    nowhere = dataclasses.replace(facts, paths=Paths())
    nowhere = dataclasses.replace(nowhere, trial=doctor._trial(nowhere.paths, "t.gguf"))
    mends = {check.name: check.mend for check in doctor.examine(nowhere) if check.mend}
    first = "Mend the folders first."
    assert mends == {
        "kernels": first,
        "speculation": "Mend the kernels first.",
        "folders": "Correct HOME.",
        "settings": first,
    }


def test_a_link_to_a_disk_that_is_not_mounted_is_named(facts: Facts, tmp_path: Path) -> None:
    facts.paths.data_dir.rmdir()
    facts.paths.data_dir.symlink_to(tmp_path / "disk")
    check = fault(facts)
    assert (check.name, check.status) == ("folders", "fail")
    assert f"is a link to {tmp_path / 'disk'}, which is not there" in check.found
    assert check.mend == "Mount it, or remove the link."
    assert isinstance(doctor._trial(facts.paths, "t.gguf"), Unanswered)


def test_a_folder_that_cannot_be_written_is_the_person_s_again(
    facts: Facts, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(files.os, "access", lambda *_: False)
    check = fault(facts)
    assert (check.name, check.status) == ("folders", "fail")
    assert f'chown -R "$USER" "{facts.paths.data_dir}"' in check.mend


def test_of_a_read_only_file_system_another_place_is_named(
    facts: Facts, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(files.os, "statvfs", lambda _: SimpleNamespace(f_flag=os.ST_RDONLY))
    check = fault(facts)
    assert (check.name, check.status) == ("folders", "fail")
    assert "read-only file system" in check.found and "sudo" not in check.mend
    assert "XDG_DATA_HOME" in check.mend and "XDG_STATE_HOME" in check.mend


@pytest.mark.parametrize(("can_read", "status"), [(True, "warn"), (False, "fail")])
def test_a_models_folder_that_cannot_be_written_is_told(
    can_read: bool, status: str, facts: Facts, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = facts.paths.models_dir
    folder.mkdir()

    def access(path: Path, mode: int) -> bool:
        return path != folder or (can_read and mode == os.R_OK | os.X_OK)

    monkeypatch.setattr(files.os, "access", access)
    check = fault(facts)
    able = "writ" if can_read else "read"
    assert (check.name, check.status) == ("folders", status)
    assert check.found.startswith(f"{folder} cannot be {able}")
    assert check.mend.startswith(f"Make that folder {able}able, or set SLIPSTREAM_MODELS_DIR to ")


def test_a_models_folder_on_a_read_only_file_system_is_told(
    facts: Facts, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, statvfs = facts.paths.models_dir, os.statvfs
    folder.mkdir()

    def read_only(path: Path) -> object:
        return SimpleNamespace(f_flag=os.ST_RDONLY) if path == folder else statvfs(path)

    monkeypatch.setattr(files.os, "statvfs", read_only)
    check = fault(facts)
    assert (check.name, check.status) == ("folders", "warn")
    assert check.found == f"{folder} is on a read-only file system"
    assert "SLIPSTREAM_MODELS_DIR" in check.mend


def test_a_locale_is_called_by_its_name(facts: Facts) -> None:
    check = fault(facts, terminal=Terminal(True, 99, 40, "ANSI_X3.4-1968"))
    assert check.found == "the locale's encoding is ANSI_X3.4-1968"


def test_a_broken_settings_file_is_named(facts: Facts) -> None:
    Paths().ensure().settings_file.write_text("temp = [")
    check = fault(facts)
    assert (check.name, check.status) == ("settings", "fail")
    assert "settings.toml" in check.found and "settings.toml" in check.mend


def test_a_key_that_is_none_is_told_and_how_many_others(facts: Facts) -> None:
    file = facts.paths.settings_file
    file.write_text('[keys]\nretry = "ctrl+t"\n')
    assert files.check_settings(facts).status == "ok"
    file.write_text('[keys]\nretri = "f7"\nsearch = 3\n')
    check = fault(facts)
    assert (check.name, check.status) == ("settings", "warn")
    assert "retri" in check.found and "And 1 more." in check.found
    assert check.mend == f'Mend [keys] in "{file}".'


def test_a_variable_that_is_wrong_is_named_alone(
    facts: Facts, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SLIPSTREAM_TOP_K", "many")
    check = fault(facts)
    assert (check.name, check.status) == ("settings", "fail")
    assert check.mend == "Correct SLIPSTREAM_TOP_K, or unset it."


@pytest.mark.parametrize("place", ["settings.toml", "SLIPSTREAM_PAIR", "models.toml"])
def test_of_a_pair_that_was_not_downloaded_the_pull_is_the_mending_line(
    place: str, facts: Facts, monkeypatch: pytest.MonkeyPatch
) -> None:
    paths = Paths().ensure()
    name = "demo" if place == "models.toml" else "qwen3-4b"
    if place == "settings.toml":
        paths.settings_file.write_text(f'pair = "{name}"')
    elif place == "SLIPSTREAM_PAIR":
        monkeypatch.setenv(place, name)
    else:
        paths.own_catalog.write_text('[models.demo-target]\nrepo = "a/b"\nfile = "c.gguf"\n')
    check = fault(facts)
    assert (check.name, check.status) == ("settings", "fail")
    assert "is not installed" in check.found
    assert check.mend == f"slipstream pull {name}"


@pytest.mark.parametrize(
    ("env", "mend"),
    [({"SLIPSTREAM_MODELS_DIR": "x"}, "Correct SLIPSTREAM_MODELS_DIR, or unset it."), ({}, 'mv "')],
)
def test_a_file_in_the_place_of_the_models_is_told(
    facts: Facts, env: dict[str, str], mend: str
) -> None:
    facts.paths.models_dir.write_text("no folder")
    check = fault(facts, env={**facts.env, **env})
    assert (check.name, check.status) == ("folders", "fail")
    assert str(facts.paths.models_dir) in check.found and check.mend.startswith(mend)


@pytest.mark.parametrize("name", ["models.toml", "personas.toml"])
def test_another_file_that_is_broken_is_named_alone(name: str, facts: Facts) -> None:
    for paths in (Paths(), facts.paths):
        (paths.ensure().config_dir / name).write_text("[models.mine")
    check = fault(facts)
    assert (check.name, check.status) == ("settings", "fail")
    assert name in check.mend and "settings.toml" not in check.mend


def test_the_flags_against_the_amx_crash_are_those_of_the_build_scripts() -> None:
    setup = Path(__file__).parents[3] / "packaging" / "setup_machine.py"
    assert f'AMX_CURE = "{AMX_CURE}"' in setup.read_text()


def test_kernels_are_read_off_what_llama_cpp_says() -> None:
    assert kernels.built_kernels(XEON_INFO) == ["AVX2", "AVX512", "AMX_INT8"]
    assert kernels.built_kernels("CPU : AVX512_VNNI = 1 | AMX_INT8 = 0 | ") == []


CHECKS = [Check("disk", "ok", "a\x1b[31mb"), Check("demo", "fail", "gone", 'git "x"')]


def test_the_text_is_safe_to_print_and_the_cure_stands_below_its_fault() -> None:
    disk, demo, cure = as_text(CHECKS).splitlines()
    assert disk.split() == ["ok", "disk", "a[31mb"]
    assert demo.split() == ["fail", "demo", "gone"]
    assert cure.strip() == '-> git "x"'


def test_json_is_one_object() -> None:
    printed = json.loads(as_json(CHECKS))
    assert printed["ok"] is False
    assert printed["checks"][1] == {
        "name": "demo",
        "status": "fail",
        "found": "gone",
        "mend": 'git "x"',
    }
    assert json.loads(as_json(CHECKS[:1]))["ok"] is True


class Screen(io.StringIO):
    """A terminal, as far as one can tell."""

    def isatty(self) -> bool:
        return True


def test_the_terminal_is_looked_at_itself_and_not_what_stands_before_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("sys.stdout", io.StringIO())
    for out, is_terminal in ((Screen(), True), (io.StringIO(), False), (None, False)):
        monkeypatch.setattr("sys.__stdout__", out)
        assert doctor.look().terminal.is_terminal == is_terminal


def test_who_only_looks_asks_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = Unanswered("asked")
    monkeypatch.setattr(doctor, "_trial", lambda paths, *demo: asked)
    assert doctor.look().trial == Unanswered("not asked")
    assert doctor.gather().trial is asked
    assert doctor.gather().demo == doctor.look().demo != ()
