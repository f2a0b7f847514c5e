"""What a benchmark measures: who takes part, whether the model thinks, on which machine."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import msgspec
import pytest

from app import fitting
from app.bench import benchmark as benchmarks
from app.bench import conditions
from app.bench.benchmark import chosen_drafters
from app.bench.conditions import setup_of
from app.bench.words import heading
from app.errors import SettingsError
from app.hardware import Cpu, Gpu
from app.settings.config import ChatSettings
from app.settings.values import NO_SWITCH
from engine import PairSettings
from tests.app.bench.making import FakeEngine, measure, result, settings, setup, task
from tests.app.doctor.test_trial import ready


@pytest.mark.parametrize(
    ("thinks", "wanted", "think", "said"),
    [
        (True, None, False, "thinking off"),
        (False, None, False, "thinking off"),
        (True, True, True, "thinking on"),
        (True, False, False, "thinking off"),
        (None, None, None, ""),
        (None, True, None, ""),
    ],
)
def test_a_model_thinks_only_where_that_is_wished(
    tmp_path: Path,
    target: str,
    thinks: bool | None,
    wanted: bool | None,
    think: bool | None,
    said: str,
) -> None:
    engine = FakeEngine(target)
    engine.thinks = thinks
    found, _ = measure(engine, tmp_path, settings(target, wanted))
    assert engine.thinking == {think} and found.setup.think is think
    assert said in heading(found)[1] and ("thinking" in heading(found)[1]) is bool(said)
    assert (NO_SWITCH in found.notices) is (wanted is not None and thinks is None)


def test_answers_with_and_without_a_thought_are_not_compared() -> None:
    keys = {setup(think=think).comparable_key for think in (None, False, True)}
    assert len(keys) == 3


def test_own_drafters_are_measured_where_they_can_be_built(
    tmp_path: Path, target: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = ["auto", "draft_model", "echo", "fussy", "lookup", "none"]
    monkeypatch.setattr(benchmarks, "drafter_names", lambda: names)
    engine = FakeEngine(target)
    engine.refused = ("fussy",)
    found, _ = measure(engine, tmp_path, settings(target))
    assert found.setup.drafters == ("none", "lookup", "echo", "auto")
    assert {answer.drafter for answer in found.heats[0].answers} == set(found.setup.drafters)
    found, _ = measure(FakeEngine(target), tmp_path, settings(target), drafters=("echo",))
    assert found.setup.drafters == ("none", "echo")
    with pytest.raises(SettingsError, match="cannot draft with fussy; it has: lookup, auto"):
        measure(engine, tmp_path, settings(target), drafters=("fussy",))


def test_who_drafts_alone_comes_before_the_cascade() -> None:
    pair = ready(drafters=["lookup"])
    assert chosen_drafters((), pair, ["echo"]) == ("none", "lookup", "echo", "auto")
    assert chosen_drafters(("echo",), pair, ["echo"]) == ("none", "echo")


def test_another_machine_or_build_goes_on_with_nothing(
    target: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def key(device: str = "CPU", **facts: object) -> str:
        loaded = ready(target=target, device=device, **facts)
        return setup_of(settings(target), loaded, [task()], ("none", "auto")).state_key

    names = ["Xeon", "M1"]
    monkeypatch.setattr(conditions, "detect_cpu", lambda _: Cpu(names[0], 1, ()))
    gpus = (Gpu("H100", "cuda", None),)
    monkeypatch.setattr(conditions, "detect_gpus", lambda *_: gpus)
    here, on_gpu = key(), key("CUDA0")
    assert here == key()
    gpus = (Gpu("T4", "cuda", None),)
    assert key("CUDA0") != on_gpu, "another GPU"
    assert key(system_info="CPU : NEON = 1") != here, "another build"
    assert key(crash="SIGILL") != here, "without the optimised kernels"
    assert key(batch_invariant=True) != here, "with kernels of its own"
    names.reverse()
    assert key() != here, "another processor"


def test_builds_are_compared_and_machines_are_not() -> None:
    here = setup(machine="Xeon").comparable_key
    assert setup(machine="Xeon", system_info="AVX2", kernels=False).comparable_key == here
    assert setup(machine="M1").comparable_key != here


def test_the_pair_that_is_checked_is_the_one_that_is_loaded(
    tmp_path: Path, target: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    checked = []

    def fitted(given: ChatSettings) -> ChatSettings:
        checked.append(given.pair)
        return given

    monkeypatch.setattr(fitting, "fitted", fitted)
    pair = PairSettings(target=target, draft="d", mmproj="p", drafter="lookup", memory="m")
    engine = FakeEngine(target)
    measure(engine, tmp_path, replace(settings(target), pair=pair))
    assert checked == [engine.pair] == [PairSettings(target=target, draft="d", drafter="auto")]


def test_layers_that_are_left_to_the_free_memory_make_no_other_benchmark(
    tmp_path: Path, target: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    fitting_now = iter((17, 15))

    def fitted(given: ChatSettings) -> ChatSettings:
        pair = msgspec.structs.replace(given.pair, gpu_layers=next(fitting_now))
        return replace(given, pair=pair)

    monkeypatch.setattr(fitting, "fitted", fitted)
    first, second = FakeEngine(target), FakeEngine(target)
    found, _ = measure(first, tmp_path, settings(target))
    again, former = measure(second, tmp_path, settings(target))
    assert [e.pair and e.pair.gpu_layers for e in (first, second)] == [17, 15]
    assert former == found and again.setup.gpu_layers is None
    assert again.setup.state_key == found.setup.state_key


@pytest.mark.parametrize("batch_invariant", [True, False])
def test_the_heading_says_which_kernels_computed(batch_invariant: bool) -> None:
    measured = result(setup=setup(batch_invariant=batch_invariant))
    assert ("CPU, batch-invariant, threads: " in heading(measured)[1]) == batch_invariant
