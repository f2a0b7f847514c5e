"""What is reserved for a model when it is loaded: tokens of a batch, rows, states."""

from __future__ import annotations

import os
import re
from pathlib import Path

import numpy as np
import pytest
from gguf import GGUFReader

from engine.assemble import Engine
from engine.cache.rollback import Slide
from engine.cache.tokens import PREFILL_CHUNK
from engine.errors import ModelFileError, NoRoom
from engine.limits import DEFAULT_MAX_CTX, MIN_CTX
from engine.llama import log
from engine.llama.context import USUAL_ROWS, Context
from engine.llama.lines import in_lines
from engine.llama.model import Model
from engine.loading import models
from engine.loading.models import (
    GPU_BATCH,
    MOST_SNAPSHOTS,
    TEXT_BATCH,
    Machine,
    draft_machine,
    target_machine,
)
from engine.loading.probe import nmse
from engine.messages import Message
from engine.session import Session
from engine.settings import PairSettings
from tests import tiny
from tests.engine.fakes import TableDecoder
from tests.engine.in_process import answer, loaded
from tests.tiny import hybrid

NMSE = 1e-4
LONG = [Message(role="user", content="the cat and the dog " * 40)]


@pytest.fixture
def target(tmp_path: Path) -> str:
    return str(tiny.write("llama", tmp_path / "target.gguf", seed=3))


def settings(target: str, gpu_layers: int | None = 0, **more: object) -> PairSettings:
    return PairSettings(  # type: ignore[arg-type]
        target=target, threads=1, n_ctx=2048, gpu_layers=gpu_layers, **more
    )


def test_memory_is_reserved_for_the_batches_and_rows_that_are_asked_for(
    target: str, capfd: pytest.CaptureFixture[str]
) -> None:
    with loaded(settings(target)) as engine:
        assert engine.decoder.n_batch == TEXT_BATCH
    said = capfd.readouterr().err
    assert set(re.findall(r"n_ubatch\s+= (\d+)", said)) == {str(TEXT_BATCH)}
    rows = in_lines(USUAL_ROWS, is_recurrent=False)
    assert set(re.findall(r"n_outputs_max\s+= (\d+)", said)) == {str(rows)}


def test_pictures_have_batches_that_hold_all_of_one(target: str) -> None:
    asked = settings(target, mmproj="projector.gguf", draft=target)
    assert target_machine(asked).n_batch is None
    assert draft_machine(asked).n_batch == TEXT_BATCH


def test_as_many_rows_as_a_long_draft_wants_are_reserved(target: str) -> None:
    with loaded(settings(target, drafter="lookup", draft_tokens=100)) as engine:
        plain = answer(engine, LONG, predict=150)
        drafted = answer(engine, LONG, drafter="lookup", predict=150)
    assert target_machine(settings(target, draft_tokens=100)).most_rows == 101
    assert drafted.token_ids == plain.token_ids
    assert drafted.stats.drafted > USUAL_ROWS


@pytest.mark.parametrize("n_rows", [6, 7, 50])
def test_more_rows_than_are_reserved_come_from_several_batches(target: str, n_rows: int) -> None:
    log.capture()
    model = Model(target)
    context = Context(model, 512, 1, most_rows=5)
    tokens = [i * 37 % 250 for i in range(50)]
    rows = context.decode(tokens, 0, n_rows)
    assert rows.shape == (n_rows, model.n_vocab)
    context.drop(0)
    alone = [context.decode([token], at, 1)[0].copy() for at, token in enumerate(tokens)]
    assert max(map(nmse, rows, alone[-n_rows:])) <= NMSE
    assert not np.shares_memory(rows, context.decode([1], 50, 1))
    context.free()
    model.free()


def test_a_prompt_is_read_in_whole_batches() -> None:
    decoder = TableDecoder(n_batch=TEXT_BATCH, n_ctx=2048)
    session = Session(decoder)
    session.begin([i % 20 + 1 for i in range(3 * PREFILL_CHUNK)])
    assert session.prefill(lambda: False)
    assert decoder.batches == [TEXT_BATCH] * 2


def test_a_gpu_reads_more_of_a_prompt_at_a_time(
    target: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(models, "device_name", lambda layers: "CPU" if layers == 0 else "CUDA0")
    asked = settings(target, None, draft=target, draft_gpu_layers=0)
    assert target_machine(asked).n_batch == GPU_BATCH
    assert target_machine(settings(target, None, mmproj="projector.gguf")).n_batch == GPU_BATCH
    assert target_machine(settings(target, 0)).n_batch == TEXT_BATCH
    assert draft_machine(asked).n_batch == TEXT_BATCH
    assert draft_machine(settings(target, None, draft=target)).n_batch == GPU_BATCH
    decoder = TableDecoder(n_batch=GPU_BATCH, n_ctx=2048)
    session = Session(decoder)
    session.begin([i % 20 + 1 for i in range(5 * PREFILL_CHUNK)])
    assert session.prefill(lambda: False)
    assert decoder.batches == [GPU_BATCH] * 2


@pytest.fixture
def recurrent(tmp_path: Path) -> str:
    return str(tiny.write("qwen35", tmp_path / "recurrent.gguf", seed=3))


def state_bytes(path: str) -> int:
    log.capture()
    model = Model(path)
    context = Context(model, 512, 1)
    context.decode([0], 0, 1)
    found = len(context.save())
    context.free()
    model.free()
    return found


@pytest.mark.parametrize(
    ("fit", "asked", "kept"),
    [(100, None, MOST_SNAPSHOTS), (5, None, 5), (2, None, 2), (1, None, 0), (5, 3, 3), (1, 1, 1)],
)
def test_as_many_states_are_kept_as_there_is_room_for(
    recurrent: str, monkeypatch: pytest.MonkeyPatch, fit: int, asked: int | None, kept: int
) -> None:
    monkeypatch.setattr(
        "engine.loading.models.SNAPSHOT_BYTES", (fit + 1) * state_bytes(recurrent) - 1
    )
    with loaded(settings(recurrent, draft_tokens=asked)) as engine:
        assert engine.decoder.n_snapshots == kept
        assert engine.ready(1).rollback == ("snapshots" if kept else "replay")


def refusing(monkeypatch: pytest.MonkeyPatch, fault: type[Exception]) -> list[Context]:
    """Have no context be made that keeps snapshots; return those that are made."""
    made: list[Context] = []

    def context(model: Model, n_ctx: int, machine: Machine, snapshots: int = 0) -> Context:
        if snapshots:
            raise fault("no")
        made.append(plain(model, n_ctx, machine))
        return made[-1]

    plain = models._context
    monkeypatch.setattr(models, "_context", context)
    return made


def test_where_there_is_no_room_for_states_the_model_is_loaded_without(
    recurrent: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    refusing(monkeypatch, NoRoom)
    with loaded(settings(recurrent)) as engine:
        assert engine.ready(1).rollback == "replay"


def test_a_context_of_a_load_that_fails_is_freed(
    recurrent: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(_: Context) -> bytearray:
        raise MemoryError

    made = refusing(monkeypatch, MemoryError)
    monkeypatch.setattr(Context, "save", fails)
    with pytest.raises(MemoryError), loaded(settings(recurrent)):
        pass
    assert [context.handle for context in made] == [None]


def test_a_path_that_cannot_be_looked_at_is_a_model_that_cannot_be_opened() -> None:
    with pytest.raises(ModelFileError, match="Cannot open the model"):
        Model("/" + "x" * 5000)


def test_many_layers_leave_room_for_fewer_states(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With one more for each token of such drafts, llama.cpp ends the process at load."""
    monkeypatch.setattr(hybrid, "LFM2_ATTENDS", (False, False, True) * 10)
    path = str(tiny.write("lfm2", tmp_path / "deep.gguf"))
    with loaded(settings(path, draft_tokens=64)) as engine:
        assert engine.decoder.n_snapshots == 16
    monkeypatch.setattr(Model, "architecture", "lfm2moe")
    with loaded(settings(path)) as engine:
        assert engine.decoder.n_snapshots == 8


def test_the_states_behind_a_draft_fit_into_the_smallest_context(tmp_path: Path) -> None:
    path = str(tiny.write("qwen35", tmp_path / "small.gguf"))
    small = PairSettings(target=path, threads=1, n_ctx=MIN_CTX, draft_tokens=MIN_CTX - 1)
    with loaded(small) as engine:
        assert 0 < engine.decoder.n_snapshots < engine.decoder.n_batch
        assert answer(engine, [Message(role="user", content="a b a b")], predict=5).token_ids


@pytest.mark.parametrize("never", [{"drafter": "none"}, {"draft_tokens": 0}])
def test_no_states_are_kept_where_nothing_drafts(recurrent: str, never: dict[str, object]) -> None:
    with loaded(settings(recurrent, **never)) as engine:
        assert engine.decoder.n_snapshots == 0
        assert answer(engine, LONG, predict=5).token_ids


def test_a_target_with_windows_and_its_draft_model_slide(tmp_path: Path) -> None:
    path = str(tiny.write("gemma3", tmp_path / "gemma3.gguf", n_ctx=2048))
    with loaded(settings(path, draft=path)) as engine:
        cache = engine.parts().draft_cache
        assert cache is not None
        assert isinstance(cache.rollback, Slide)
        assert engine._target.probe.rollback is Slide
        assert engine.ready(1).rollback == "drop"


@pytest.mark.parametrize("n_ctx", [0, 1, 63])
def test_a_model_whose_context_holds_nothing_is_refused(tmp_path: Path, n_ctx: int) -> None:
    path = tiny.write("llama", tmp_path / "short.gguf", n_ctx=n_ctx)
    with (
        pytest.raises(ModelFileError, match=f"made for a context of {n_ctx} tokens, and 64 are"),
        loaded(PairSettings(target=str(path), threads=1)),
    ):
        pass


def test_a_context_without_bounds_is_as_long_as_is_usual(tmp_path: Path) -> None:
    path = tiny.write("llama", tmp_path / "endless.gguf", n_ctx=2**32 - 1)
    with loaded(PairSettings(target=str(path), threads=1)) as engine:
        assert engine.session.n_ctx == DEFAULT_MAX_CTX
        assert engine.notices == []


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no pipes with names")
def test_a_pipe_is_no_model_and_is_not_waited_for(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe.gguf"
    os.mkfifo(pipe)
    with pytest.raises(ModelFileError, match="is no regular file"):
        Model(str(pipe))


def test_a_load_tells_of_each_file_before_it_is_opened(target: str, tmp_path: Path) -> None:
    stages = list[str]()
    asked = settings(target, draft=str(tmp_path / "missing.gguf"))
    engine = Engine(asked, lambda stage, _: stages.append(stage))
    engine.free()
    assert engine.notices and "missing.gguf" in engine.notices[0]
    assert stages[0] == "target" and "draft" in stages


def test_heads_that_no_quantised_cache_fits_are_told_the_type_of_cache_that_does(
    target: str,
) -> None:
    with pytest.raises(ModelFileError, match="does not divide") as refused:
        Engine(settings(target, cache_type="q8_0"))
    assert "Try --cache-type f16" in str(refused.value)
    assert "--ctx-size" not in str(refused.value)
    with loaded(settings(target, draft=target, draft_cache_type="q8_0")) as engine:
        assert "--cache-type-draft f16" in engine.ready(1).draft_refused


def with_layers(path: str, n: int) -> str:
    """Have a file tell of so many layers; return its path."""
    field = (reader := GGUFReader(path, "r+")).fields["llama.block_count"]
    field.parts[field.data[0]][0] = n
    reader.data.flush()
    return path


@pytest.mark.parametrize("n", [0, 513, 2**32 - 1])
def test_a_file_that_tells_of_no_layers_or_too_many_never_comes_to_llama_cpp(
    target: str, n: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    def load(*_: object) -> None:
        raise AssertionError("llama.cpp ends the process")

    monkeypatch.setattr(models, "Model", load)
    with pytest.raises(ModelFileError, match=rf"{target} is damaged: it tells of {n} layers, and"):
        Engine(settings(with_layers(target, n)))


def test_a_draft_model_without_layers_is_left_out(target: str, tmp_path: Path) -> None:
    draft = with_layers(str(tiny.write("llama", tmp_path / "draft.gguf")), 0)
    with loaded(settings(target, draft=draft)) as engine:
        assert "it tells of 0 layers" in engine.ready(1).draft_refused
