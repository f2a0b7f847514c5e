"""A target that is a table: logits are a function of the last tokens alone, and every misuse of the
cache is an error.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from engine.arrays import Logits
from engine.cache.tokens import common_prefix
from engine.errors import DecodeError, RollbackRefused
from engine.sampling.sampler import Sampler
from engine.sampling.width_noise import REACHES, SAFETY, WidthNoise
from engine.settings import SamplingSettings
from engine.types import NO_DRAFT, Draft, Picker, Step
from engine.verifiers.coupled import Coupled

VOCAB = 24
END = 0


class TableDecoder:
    """A `Decoder` whose logits after a sequence depend on its last `order` tokens and a key.

    closeness: 1 gives the very table of key 0, less mixes in one of its own: a draft model.
    """

    def __init__(
        self,
        key: int = 0,
        closeness: float = 1.0,
        n_ctx: int = 512,
        n_batch: int = 32,
        can_drop: bool = True,
        can_save: bool = True,
        n_snapshots: int = 0,
        settles: int = 1,
    ) -> None:
        self.n_ctx, self.n_batch, self.n_vocab = n_ctx, n_batch, VOCAB
        self.n_snapshots, self.settles = n_snapshots, settles
        self.decode_s = 0.0
        self.held: list[int] = []
        self.evaluated: list[int] = []
        self.batches: list[int] = []
        self._key, self._closeness = key, closeness
        self._can_drop, self._can_save = can_drop, can_save

    def decode(self, tokens: Sequence[int], start: int, n_rows: int) -> Logits:
        assert start == len(self.held), "positions must continue the cache"
        assert 1 <= len(tokens) <= self.n_batch and n_rows <= len(tokens)
        assert start + len(tokens) <= self.n_ctx, "decoded beyond the context"
        assert all(type(token) is int for token in tokens)
        rows = []
        for token in tokens:
            self.evaluated.append(len(self.held))
            self.held.append(token)
            rows.append(self.row(self.held))
        self.batches.append(len(tokens))
        return np.array(rows[len(rows) - n_rows :], dtype=np.float32).reshape(n_rows, VOCAB)

    def clear(self) -> None:
        self.held.clear()

    def drop(self, start: int) -> None:
        assert start <= len(self.held)
        gone = len(self.held) - start
        if start and self.n_snapshots:
            if gone > self.n_snapshots:
                raise RollbackRefused("this fake keeps fewer snapshots")
            if gone >= self.batches[-1]:
                self.held = [(token + 1) % VOCAB for token in self.held]  # grants it, and is wrong
        elif start and not self._can_drop:
            raise RollbackRefused("this fake cannot drop")
        del self.held[start:]

    def save(self) -> bytearray:
        if not self._can_save:
            raise DecodeError("this fake cannot save")
        return bytearray(self.held)

    def restore(self, saved: bytearray, n: int) -> None:
        assert len(saved) == n and list(saved) == self.held[:n], "another text's state"
        del self.held[n:]

    def row(self, context: Sequence[int]) -> np.ndarray:
        truth = self._table(0, context)
        own = self._table(self._key, context)
        return self._closeness * truth + (1 - self._closeness) * own

    @staticmethod
    def _table(key: int, context: Sequence[int], order: int = 3) -> np.ndarray:
        logits = np.random.default_rng([key, *context[-order:]]).normal(scale=3.0, size=VOCAB)
        logits[END] -= 3.0
        return logits


class ScriptedReader:
    """A `Reader` that ends at END or after n tokens."""

    def __init__(self, n: int) -> None:
        self.tokens: list[int] = []
        self.origins: list[str] = []
        self._n = n

    @property
    def room(self) -> int:
        return self._n - len(self.tokens)

    def read(self, token: int, origin: str) -> str | None:
        self.tokens.append(token)
        self.origins.append(origin)
        if token == END:
            return "stop"
        return "length" if len(self.tokens) == self._n else None


class CallableDrafter:
    """Drafts what a function of the context says: an oracle, garbage, or anything between."""

    members = ("callable",)
    name = "callable"
    failure = ""
    decode_s = 0.0

    def __init__(self, propose: Callable[[Sequence[int], int], Sequence[int]]) -> None:
        self._propose = propose

    def begin(self, context: Sequence[int], picker: Picker) -> None:
        pass

    def propose(self, context: Sequence[int], allowance: object) -> Draft:
        limit = allowance.limit  # type: ignore[attr-defined]
        tokens = tuple(self._propose(context, limit))[:limit]
        return Draft(tokens, self.name, (1.0,) * len(tokens))

    def observe(self, step: Step) -> None:
        pass


def step(
    tokens: Sequence[int],
    draft: Draft = NO_DRAFT,
    uncut: Draft | None = None,
    step_s: float = 0.0,
    draft_s: float = 0.0,
    batch: int | None = None,
    expected_draft_s: float = 0.0,
) -> Step:
    """The step that verified this draft and committed these tokens. batch: None as wide as that."""
    accepted = common_prefix(draft.tokens, tokens)
    return Step(
        draft,
        draft if uncut is None else uncut,
        tuple(tokens),
        accepted,
        min(len(draft.tokens), len(tokens)),
        (),
        step_s,
        0.8 * step_s,
        draft_s=draft_s,
        expected_draft_s=expected_draft_s,
        batch=len(draft.tokens) + 1 if batch is None else batch,
    )


def sampler(temperature: float = 0.8, **settings: float) -> Sampler:
    """A sampler over the table's vocabulary."""
    defaults = {"top_k": 12, "seed": 7}
    return Sampler(SamplingSettings(temperature=temperature, **{**defaults, **settings}))


def noise_for(margin: float) -> WidthNoise:
    """The width noise that has draws closer than this be near-ties."""
    return WidthNoise((margin / SAFETY,) * len(REACHES))


def picker(temperature: float = 0.8, **settings: float) -> Picker:
    """Draws draft tokens with that sampler's noise."""
    return Coupled(sampler(temperature, **settings))
