"""A toy whose law is known in closed form, the real loop over it, and a test of what it emits.

The toy's logits depend on the last token and on the parity of the one before. The law of a token,
given what stands before it, is the same wherever in a step it stands: the chance to get to a row
depends on earlier rows only. So tokens are counted by context and by whether they are a bonus.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

import msgspec
import numpy as np

from engine import verifiers
from engine.arrays import Logits
from engine.cache.tokens import TokenCache
from engine.drafters.draft_model import DraftModel
from engine.messages import FinishReason
from engine.policy.fixed_length import FixedLength
from engine.sampling.sampler import Sampler
from engine.sampling.sharpness import Sharpness
from engine.session import Session
from engine.settings import SamplingSettings
from engine.speculate import speculate
from engine.types import Draft, Drafter, Step
from tests.engine.fakes import CallableDrafter
from tests.engine.reference import processed

VOCAB = 16
ALPHA = 1e-3
"""The chance that correct code fails one family of tests, had the seeds been others."""
RUN = 200
FEWEST, FREQUENT = 10, 60
"""Bins that expect fewer tokens are merged, and places that fewer were drawn at."""


class Toy:
    """A `Decoder` over a table: [2 * vocab, vocab], one row for each state."""

    n_ctx, n_batch, n_snapshots, settles, decode_s = 1024, 32, 0, 1, 0.0

    def __init__(self, table: Logits) -> None:
        self.table = table
        self.n_vocab = table.shape[1]
        self.held: list[int] = []

    def state(self, before: int, last: int) -> int:
        return before % 2 * self.n_vocab + last

    def row(self, context: Sequence[int]) -> Logits:
        return self.table[self.state(*context[-2:])]

    def decode(self, tokens: Sequence[int], start: int, n_rows: int) -> Logits:
        assert start == len(self.held), "positions must continue the cache"
        assert len(tokens) <= self.n_batch and start + len(tokens) <= self.n_ctx
        self.held.extend(tokens)
        first = len(self.held) - n_rows
        pairs = zip(self.held[first - 1 : -1], self.held[first:], strict=True) if n_rows else ()
        return self.table[[self.state(*pair) for pair in pairs]]

    def drop(self, start: int) -> None:
        assert start <= len(self.held)
        del self.held[start:]


def pair(closeness: float, vocab: int = VOCAB, key: int = 0) -> tuple[Toy, Toy]:
    """A target and a draft model that is `closeness` of it and otherwise a table of its own."""
    rng = np.random.default_rng([key, vocab])
    truth, own = rng.normal(scale=1.7, size=(2, 2 * vocab, vocab))
    drafts = closeness * truth + (1 - closeness) * own
    return Toy(truth.astype(np.float32)), Toy(drafts.astype(np.float32))


def certain(toy: Toy) -> CallableDrafter:
    """Drafts what the toy scores highest, without probabilities."""

    def propose(context: Sequence[int], limit: int) -> list[int]:
        tokens = list(context[-2:])
        for _ in range(limit):
            tokens.append(int(toy.row(tokens).argmax()))
        return tokens[2:]

    return CallableDrafter(propose)


class Taker:
    """A `Reader` of n tokens that always claims to have room: an end may fall inside a draft."""

    room = 64

    def __init__(self, n: int) -> None:
        self._left = n

    def read(self, token: int, origin: str) -> FinishReason | None:
        self._left -= 1
        return None if self._left else "length"


@dataclass(frozen=True, slots=True)
class Cell:
    """What is drawn how. sharpness: where a drafter is bent to the target; None: it is not."""

    settings: SamplingSettings
    length: int
    target: Toy
    drafter: Drafter
    sharpness: Sharpness | None = None

    def runs(self, verify: str, prompts: Iterable[Sequence[int]], n: int) -> Iterator[Run]:
        """Answer each prompt with n tokens of the real loop, under a seed of its own."""
        session = Session(self.target)
        for seed, prompt in enumerate(prompts):
            drawn = Sampler(msgspec.structs.replace(self.settings, seed=seed))
            verifier = verifiers.build(verify, drawn, self.sharpness)
            if prompt[:-1]:  # evaluated before, so that the first step drafts too
                session.begin(prompt[:-1])
                session.forward(())
            session.begin(prompt)
            self.drafter.begin(session.tokens, verifier)
            policy = FixedLength(self.length)
            steps = list(speculate(session, self.drafter, verifier, policy, Taker(n)))
            yield Run(len(prompt), session.tokens, steps)

    def law(self) -> Law:
        return Law(self.target, self.settings)


@dataclass(frozen=True, slots=True)
class Run:
    """One answer: prompt and answer in one list, and the steps it was made in."""

    n_prompt: int
    tokens: list[int]
    steps: list[Step]

    def rows(self) -> Iterator[tuple[int, int, Draft]]:
        """Yield where each token of the answer stands: in the text, in its step, in which draft."""
        at = self.n_prompt
        for step in self.steps:
            for row in range(len(step.tokens)):
                yield at, row, step.draft
                at += 1


class Law:
    """The distribution of the next token, by the reference alone."""

    def __init__(self, toy: Toy, settings: SamplingSettings) -> None:
        self._toy, self._settings = toy, settings
        self._reach = max(2, settings.repeat_last_n)
        self._known: dict[tuple[int, ...], tuple[tuple[int, ...], np.ndarray]] = {}

    def after(self, context: Sequence[int]) -> tuple[tuple[int, ...], np.ndarray]:
        """Return what the law depends on, the state and the penalties' window, and the law."""
        recent = tuple(context[-self._reach :])
        if recent not in self._known:
            law = processed(self._toy.row(recent), self._settings, recent)
            window = sorted(recent[len(recent) - self._settings.repeat_last_n :])
            self._known[recent] = (self._toy.state(*recent[-2:]), *window), law
        return self._known[recent]


@dataclass(slots=True)
class Counts:
    """What was drawn where; `place` is any hashable thing that the law at this draw depends on."""

    drawn: dict[tuple[object, object], np.ndarray] = field(default_factory=dict)
    laws: dict[tuple[object, object], np.ndarray] = field(default_factory=dict)

    def add(self, group: object, place: object, law: np.ndarray, outcome: int) -> None:
        """Count an outcome. Places of a group that are seen rarely are tested together."""
        key = (group, place)
        if key not in self.drawn:
            self.drawn[key], self.laws[key] = np.zeros(len(law)), law
        self.drawn[key][outcome] += 1

    def p_value(self) -> float:
        """Return how likely counts this far from the law are; 0 if the impossible was drawn."""
        if any(drawn[self.laws[key] == 0].any() for key, drawn in self.drawn.items()):
            return 0.0
        chi2, degrees = 0.0, 0
        for members in self._together().values():
            part, rank = _distance([(self.drawn[key], self.laws[key]) for key in members])
            chi2, degrees = chi2 + part, degrees + rank
        return chi_square_survival(chi2, degrees)

    def _together(self) -> dict[object, list[tuple[object, object]]]:
        groups = defaultdict(list)
        for key, drawn in self.drawn.items():
            groups[key if drawn.sum() >= FREQUENT else key[0]].append(key)
        return groups


def _distance(places: list[tuple[np.ndarray, np.ndarray]]) -> tuple[float, int]:
    """Return Pearson's chi-square, for one place or the sum of several, and its degrees of freedom.

    The sum of several multinomials has the sum of their covariances.
    """
    expected = sum(drawn.sum() * law for drawn, law in places)
    bins = np.diag(np.ones(len(expected)))[expected >= FEWEST]
    rest = expected < FEWEST
    if expected[rest].sum() >= FEWEST:
        bins = np.vstack([bins, rest])
    elif len(bins):
        bins[bins.dot(expected).argmin()] += rest
    covariance = sum(n.sum() * (np.diag(law) - np.outer(law, law)) for n, law in places)
    off = bins @ (sum(drawn for drawn, _ in places) - expected)
    solved, _, rank, _ = np.linalg.lstsq(bins @ covariance @ bins.T, off, rcond=1e-9)
    return float(off @ solved), int(rank)


def chi_square_survival(chi2: float, degrees: int) -> float:
    """Return P(X >= chi2), by the recursion of the incomplete gamma function in its shape."""
    if chi2 <= 0.0 or degrees == 0:
        return 1.0
    x, shape = chi2 / 2, 0.5 if degrees % 2 else 1.0
    survival = math.erfc(math.sqrt(x)) if degrees % 2 else math.exp(-x)
    while shape < degrees / 2:
        survival += math.exp(shape * math.log(x) - x - math.lgamma(shape + 1))
        shape += 1
    return survival


def prompts(vocab: int, n: int, key: int) -> Iterator[list[int]]:
    """n prompts of four tokens."""
    yield from np.random.default_rng(key).integers(vocab, size=(n, 4)).tolist()


def model_cell(
    settings: SamplingSettings, length: int, closeness: float = 0.6, **toys: int
) -> Cell:
    """A cell whose drafts are drawn from a draft model, as the engine does it."""
    target, draft = pair(closeness, **toys)
    drafter = DraftModel(TokenCache(draft), draft.n_vocab)
    return Cell(settings, length, target, drafter, Sharpness())


def counted(cell: Cell, verify: str, n: int, key: int) -> tuple[Counts, np.ndarray]:
    """Draw n tokens; return them by context and kind, and how many stood in which row of a step."""
    counts, law, rows = Counts(), cell.law(), np.zeros(cell.length + 1, dtype=int)
    for run in cell.runs(verify, prompts(cell.target.n_vocab, n // RUN, key), RUN):
        for at, row, draft in run.rows():
            place, probs = law.after(run.tokens[max(0, at - 4) : at])
            counts.add(row == len(draft.tokens), place, probs, run.tokens[at])
            rows[row] += 1
    return counts, rows
