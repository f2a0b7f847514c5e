"""After any program of decoding, guessing and going back, every kind of memory scores what comes
next as a fresh context does.
"""

from __future__ import annotations

import contextlib
import random
import weakref
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from engine.assemble import Engine
from engine.cache.rollback import Drop, Never, Replay, Snapshots
from engine.cache.tokens import TokenCache
from engine.errors import DecodeError, RollbackRefused
from engine.llama import log
from engine.llama.context import Context
from engine.llama.devices import CPU, device_name
from engine.llama.model import Model
from engine.loading.probe import WRONG, nmse, probe
from engine.session import Session
from engine.settings import PairSettings
from tests import tiny
from tests.engine.fakes import TableDecoder

NMSE = 1e-4 if device_name(None) == CPU else WRONG
"""A GPU multiplies in TF32, which alone was seen to bring 2e-3; a processor rounds less than that.
"""
PROGRAMS = 100
KINDS = {"lfm2": "snapshots", "qwen35": "snapshots"} | dict.fromkeys(
    ("mamba", "mamba2", "rwkv7", "granitehybrid"), "replay"
)
N_SNAPSHOTS = 16
N_CTX = 512


class Machine:
    """A tiny model with the context that programs run in, and a fresh one to compare with."""

    def __init__(self, arch: str, folder: Path) -> None:
        log.capture()
        self.model = Model(str(tiny.write(arch, folder / f"{arch}.gguf", seed=3)))
        snapshots = N_SNAPSHOTS if self.model.is_recurrent else 0
        self.context = Context(self.model, N_CTX, 1, snapshots=snapshots)
        self.fresh = Context(self.model, N_CTX, 1)
        tokens = [i * 37 % 256 for i in range(40)]
        found = probe(self.context, tokens).rollback
        self.rollback = found

    def fresh_row(self, tokens: list[int]):  # type: ignore[no-untyped-def]
        self.fresh.drop(0)
        return self.fresh.decode(tokens, 0, 1)[0]

    def free(self) -> None:
        self.context.free()
        self.fresh.free()
        self.model.free()


@pytest.fixture(scope="module", params=tiny.ARCHITECTURES)
def machine(request: pytest.FixtureRequest, tmp_path_factory) -> Iterator[Machine]:  # type: ignore[no-untyped-def]
    made = Machine(request.param, tmp_path_factory.mktemp("tiny"))
    yield made
    made.free()


@pytest.mark.parametrize("arch", tiny.ARCHITECTURES)
def test_each_memory_gets_its_way_back(arch: str, tmp_path: Path) -> None:
    target = str(tiny.write(arch, tmp_path / "target.gguf"))
    draft = str(tiny.write(arch, tmp_path / "draft.gguf", noise=0.05))
    engine = Engine(PairSettings(target=target, draft=draft, threads=1))
    try:
        ready = engine.ready(1)
        assert ready.rollback == KINDS.get(arch, "drop")
        assert ready.drafters == ["lookup", "draft_model"] and ready.notices == []
    finally:
        engine.free()


@pytest.mark.parametrize("arch", KINDS)
def test_a_state_too_large_for_snapshots_is_replayed(
    arch: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("engine.loading.models.SNAPSHOT_BYTES", 1)
    engine = Engine(PairSettings(target=str(tiny.write(arch, tmp_path / "t.gguf")), threads=1))
    try:
        assert engine.ready(1).rollback == "replay"
        assert engine.ready(1).drafters == ["lookup"]
    finally:
        engine.free()


def test_where_nothing_is_right_nothing_is_taken_back() -> None:
    session = Session(decoder := TableDecoder(n_ctx=1024), Never)
    session.begin([1 + i % 9 for i in range(300)])
    assert session.prefill(lambda: False)
    assert session.draft_room == 0 and session.width_noise() is None
    session.forward([])
    session.commit([4])
    assert session.begin([1, 2, 3, 9, 9]) == 0, "the next turn begins anew"
    assert decoder.held == []


def run_program(machine: Machine, seed: int) -> list[float]:
    """Do as a session and its drafter do, and worse, for some steps; compare the next logits with
    a fresh context's after each, and return the normalised mean squared errors.
    """
    rng = random.Random(seed)
    errors = []
    machine.context.drop(0)
    cache = TokenCache(machine.context, machine.rollback)
    for _ in range(rng.randint(3, 9)):
        rng.choice([commit, guess, guess, guess_one_by_one, align])(cache, rng)
        token = rng.randrange(256)
        wanted = machine.fresh_row([*cache.tokens, token])
        errors.append(nmse(cache.extend([token], 1)[0], wanted))
    return errors


def commit(cache: TokenCache, rng: random.Random) -> None:
    """Evaluate tokens that stay."""
    cache.extend([rng.randrange(256) for _ in range(rng.choice([1, 2, 5, 9, 33]))], 1)


def guess(cache: TokenCache, rng: random.Random) -> None:
    """One step: the last committed token and a draft in one batch; some of the draft leaves."""
    n_draft = rng.randint(1, N_SNAPSHOTS)
    cache.mark()
    cache.extend([rng.randrange(256) for _ in range(1 + n_draft)], 1 + n_draft)
    cache.keep(len(cache) - rng.randint(0, n_draft))


def guess_one_by_one(cache: TokenCache, rng: random.Random) -> None:
    """What a draft model does; snapshots cannot, and say so."""
    cache.extend([rng.randrange(256)], 1)
    cache.mark()
    n_draft = rng.randint(1, 6)
    for _ in range(n_draft):
        cache.extend([rng.randrange(256)], 1)
    before = list(cache.tokens)
    try:
        cache.keep(len(cache) - rng.randint(0, n_draft))
    except RollbackRefused:
        assert isinstance(cache.rollback, Snapshots) and cache.tokens == before


def align(cache: TokenCache, rng: random.Random) -> None:
    """The next turn: another prompt, which shares a part with this one."""
    kept = cache.tokens[: rng.randint(0, len(cache.tokens))]
    prompt = [*kept, *(rng.randrange(256) for _ in range(rng.randint(1, 12)))]
    held = cache.align(prompt)
    assert cache.tokens == prompt[:held]
    cache.extend(prompt[held:], 1)


@pytest.mark.parametrize(
    "programs", [PROGRAMS, pytest.param(2000, marks=pytest.mark.nightly)], ids="{} programs".format
)
def test_after_any_program_the_next_logits_are_a_fresh_contexts(
    machine: Machine, programs: int
) -> None:
    for seed in range(programs):
        assert np.max(run_program(machine, seed)) <= NMSE, f"program {seed}"


def test_a_replay_without_a_mark_is_refused() -> None:
    cache = TokenCache(decoder := TableDecoder(), Replay)
    cache.extend([1, 2, 3], 1)
    with pytest.raises(RollbackRefused):
        cache.keep(2)
    assert cache.tokens == decoder.held == [1, 2, 3]


def test_an_emptied_cache_has_no_mark() -> None:
    cache = TokenCache(decoder := TableDecoder(), Replay)
    cache.extend([1, 2, 3], 1)
    cache.mark()
    with pytest.raises(RollbackRefused):
        cache.keep(2)
    cache.keep(0)
    cache.extend([9, 8, 7, 6], 1)
    with pytest.raises(RollbackRefused):
        cache.keep(3)
    assert cache.tokens == decoder.held == [9, 8, 7, 6]


def test_an_emptied_cache_frees_what_it_saved(monkeypatch: pytest.MonkeyPatch) -> None:
    cache, state = TokenCache(decoder := TableDecoder(), Replay), State()
    saved = weakref.ref(state)
    states = [state]
    del state
    monkeypatch.setattr(decoder, "save", states.pop)
    cache.extend([1, 2, 3], 1)
    cache.mark()
    assert saved() is not None
    cache.keep(0)
    assert saved() is None


class State(bytearray):
    """What a decoder saves, of which can be told whether it is still there."""


def test_a_replay_evaluates_only_what_stays_behind_the_mark() -> None:
    cache = TokenCache(decoder := TableDecoder(), Replay)
    cache.extend([1, 2, 3], 1)
    cache.mark()
    cache.extend([4, 5, 6, 7], 4)
    decoder.evaluated.clear()
    cache.keep(5)
    assert decoder.held == cache.tokens == [1, 2, 3, 4, 5]
    assert decoder.evaluated == [3, 4]


def test_a_long_prompt_is_not_replayed() -> None:
    decoder = TableDecoder(can_drop=False)
    session = Session(decoder, Replay)
    session.begin([1 + i % 9 for i in range(12)])
    session.forward([])
    session.commit([4])
    session.forward([5, 6, 7])
    decoder.evaluated.clear()
    session.commit([5, 9])
    assert decoder.held == session.tokens[:-1]
    assert decoder.evaluated == [12, 13]


def test_drop_and_snapshots_need_no_marks_and_replay_does() -> None:
    decoder = TableDecoder(n_snapshots=4)
    assert [kind(decoder).saves for kind in (Drop, Snapshots, Replay)] == [False, False, True]
    assert Session(decoder, Snapshots).draft_room == 4


@pytest.mark.parametrize(
    ("batches", "gone", "wanted"),
    [
        ((3, 6), (4,), []),
        ((3, 6), (3,), [6]),
        ((6, 2), (2,), []),
        ((6, 2), (1,), [7]),
        ((6, 3), (1, 1), [8]),
    ],
)
def test_snapshots_are_those_of_the_last_batch_and_no_more_than_there_are(
    batches: tuple[int, ...], gone: tuple[int, ...], wanted: list[int]
) -> None:
    """gone: how many tokens are to leave, time after time; wanted: the drops that are asked for."""
    decoder, dropped = TableDecoder(n_snapshots=3), []
    drop = decoder.drop
    decoder.drop = lambda start: (dropped.append(start), drop(start))  # type: ignore[method-assign]
    cache = TokenCache(decoder, Snapshots)
    for size in batches:
        cache.extend(list(range(1, size + 1)), 1)
    with contextlib.suppress(RollbackRefused):
        for n in gone:
            cache.keep(len(cache) - n)
    assert dropped == wanted
    assert cache.tokens == decoder.held


def test_a_state_that_does_not_fit_is_refused_and_not_believed(tmp_path: Path) -> None:
    model = Model(str(tiny.write("mamba", tmp_path / "mamba.gguf")))
    context = Context(model, N_CTX, 1)
    try:
        context.decode([1, 2, 3], 0, 1)
        saved = context.save()
        with pytest.raises(DecodeError):
            context.restore(saved[: len(saved) // 2], 3)
    finally:
        context.free()
        model.free()
