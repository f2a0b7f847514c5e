"""What is loaded where batches of every width shall give the same rows."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.loading import models
from engine.loading.models import draft_machine, target_machine
from engine.messages import Message
from engine.settings import PairSettings
from tests import tiny
from tests.engine.in_process import answer, loaded

QUESTION = [Message(role="user", content="the cat and the dog " * 10)]


@pytest.fixture
def target(tmp_path: Path) -> str:
    return str(tiny.write("llama", tmp_path / "target.gguf", seed=3))


def settings(target: str, batch_invariant: bool = True, draft: str | None = None) -> PairSettings:
    return PairSettings(
        target=target, draft=draft, threads=1, n_ctx=1024, batch_invariant=batch_invariant
    )


@pytest.mark.parametrize(
    ("asked", "device", "has_amx", "expected"),
    [
        (True, "CPU", False, (True, False)),
        (True, "CPU", True, (True, True)),
        (True, "CUDA0", False, (False, True)),
        (False, "CPU", False, (False, True)),
    ],
)
def test_weights_are_rearranged_for_amx_alone(
    asked: bool,
    device: str,
    has_amx: bool,
    expected: tuple[bool, bool],
    target: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Whose kernels do not depend on the width."""
    monkeypatch.setattr(models, "device_name", lambda _: device)
    monkeypatch.setattr(models, "rearranges_weights", lambda _: has_amx)
    pair = settings(target, asked, draft=target)
    machine = target_machine(pair)
    assert (machine.batch_invariant, machine.rearranges) == expected
    assert draft_machine(pair).rearranges, "a draft may come from any kernel"


@pytest.mark.parametrize("arch", tiny.ARCHITECTURES)
def test_every_kind_of_model_answers_and_takes_drafts(arch: str, tmp_path: Path) -> None:
    path = str(tiny.write(arch, tmp_path / "model.gguf"))
    with loaded(settings(path)) as engine:
        assert engine.ready(1).batch_invariant
        plain = answer(engine, QUESTION, drafter="none")
        assert answer(engine, QUESTION, drafter="lookup").token_ids == plain.token_ids


def test_who_asks_a_gpu_for_it_is_told_where_it_is(
    target: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with loaded(settings(target)) as engine:
        assert engine.notices == []
    monkeypatch.setattr(models, "device_name", lambda _: "CUDA0")
    with loaded(settings(target)) as engine:
        assert any("--gpu-layers 0" in notice for notice in engine.notices)
        assert not engine.ready(1).batch_invariant
