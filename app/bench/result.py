"""What a benchmark measured, as it is kept in files: plain figures, from which summary.py derives.

A heat is one cell's answers, plain's and every drafter's, measured one after the other: only
answers of one heat are compared with each other.
"""

from __future__ import annotations

import hashlib
from pathlib import Path

import msgspec

from engine import Costs, DrafterStats, FinishReason, SamplingSettings

FORMAT = 1
EDGE_BYTES = 2**16

HeatKey = tuple[str, int, float, int, int, int]
Layers = tuple[int | None, int | None]
"""Of the target and the draft model on the GPU, as they were loaded; None: as many as can be."""


class Answer(msgspec.Struct, frozen=True, kw_only=True):
    """The figures of one answer; those of the engine are defined in messages.Stats.

    answer_s: from the request to the last token, with the prompt in the cache. distinct: share of
    the answer's 4-grams that occur once or are the first of their kind. parts_at: the first token
    that is not plain's, None if all are; at_near_tie: whether that is at a reported near-tie.
    in_vain: whether time went to guesses of which none was verified.
    """

    drafter: str
    output_tokens: int
    steps: int
    first_tokens: int
    decode_tps: float | None
    answer_s: float | None
    drafted: int
    accepted: int
    tested: int
    tested_at: tuple[int, ...]
    accepted_at: tuple[int, ...]
    near_ties: tuple[int, ...]
    overhead_s: float
    shares: dict[str, DrafterStats]
    reason: FinishReason
    distinct: float
    parts_at: int | None = None
    at_near_tie: bool = False
    in_vain: bool = False

    @property
    def is_plain(self) -> bool:
        """Whether no time went to drafts: it is plain decoding, whoever was to draft."""
        return not self.drafted and not self.in_vain


class Heat(msgspec.Struct, frozen=True, kw_only=True):
    """One cell and its answers, in the order of asking. layers: None in a file of a version that
    did not tell.
    """

    task: str
    item: int
    temperature: float
    round: int
    seed: int
    predict: int
    prompt_tokens: int
    answers: tuple[Answer, ...]
    layers: Layers | None = None

    @property
    def key(self) -> HeatKey:
        """The cell's key."""
        return self.task, self.item, self.temperature, self.round, self.seed, self.predict

    def by(self, drafter: str) -> Answer | None:
        """Return this drafter's answer."""
        return next((answer for answer in self.answers if answer.drafter == drafter), None)


class ModelFile(msgspec.Struct, frozen=True, kw_only=True):
    """A GGUF file by what it holds. digest: of its size and both its ends."""

    name: str
    size_bytes: int
    digest: str

    @classmethod
    def of(cls, path: Path) -> ModelFile:
        """Read what tells this file from others; reading all of it would take minutes."""
        size = path.stat().st_size
        with path.open("rb") as file:
            ends = file.read(EDGE_BYTES)
            file.seek(max(0, size - EDGE_BYTES))
            ends += file.read(EDGE_BYTES)
        digest = hashlib.sha256(str(size).encode() + ends).hexdigest()
        return cls(name=path.name, size_bytes=size, digest=digest)


class TaskFacts(msgspec.Struct, frozen=True, kw_only=True):
    """A task's name, what it is about, and whether its answers copy from their prompts."""

    name: str
    about: str
    copies: bool


OTHER = {
    **dict.fromkeys(("target", "draft"), "models"),
    **dict.fromkeys(("device", "machine"), "hardware"),
    **dict.fromkeys(("prompts", "tasks"), "prompts"),
}
"""What parts of a set-up are called where another run has others; all else are settings."""


class Setup(msgspec.Struct, frozen=True, kw_only=True):
    """Everything that decides what is measured.

    sampling: but for the temperature, which is each heat's own; its seed is the first round's.
    prompts: digest of the cells that are asked in each round. gpu_layers, n_ctx, …: as asked for,
    None for the defaults. think: whether the model thinks first, None where it has no switch for
    that. machine: its processor and GPUs by name; system_info: what llama.cpp was built for;
    kernels: whether its optimised ones compute; batch_invariant: as Ready has it.
    """

    target: ModelFile
    draft: ModelFile | None
    device: str
    threads: int
    verify: str
    sampling: SamplingSettings
    system: str | None
    draft_tokens: int | None
    n_ctx: int | None
    gpu_layers: int | None
    cache_type: str
    draft_threads: int | None
    draft_gpu_layers: int | None
    draft_cache_type: str | None
    prompts: str
    tasks: tuple[TaskFacts, ...]
    rounds: int
    drafters: tuple[str, ...]
    versions: dict[str, str]
    think: bool | None = None
    machine: str = ""
    system_info: str = ""
    kernels: bool = True
    batch_invariant: bool = False

    @property
    def models_key(self) -> str:
        """The same for the same models."""
        return _digest([self.target.digest, self.draft and self.draft.digest])

    @property
    def state_key(self) -> str:
        """The same for the very same benchmark: one that can be gone on with."""
        return _digest(self)

    @property
    def comparable_key(self) -> str:
        """The same where figures may be compared: with whatever build, rounds and drafters."""
        return _digest(self._compared())

    def other_than(self, former: Setup) -> list[str]:
        """Name what keeps figures from being compared with a former run's."""
        mine, theirs = (msgspec.structs.asdict(each._compared()) for each in (self, former))
        kinds = (OTHER.get(name, "settings") for name in mine if mine[name] != theirs[name])
        return sorted(set(kinds))

    def _compared(self) -> Setup:
        return msgspec.structs.replace(
            self, rounds=0, drafters=(), versions={}, system_info="", kernels=True
        )


class Result(msgspec.Struct, frozen=True, kw_only=True):
    """A benchmark's outcome. date: ISO 8601, UTC; cut_short: why not all was asked, "" if it was;
    skipped: prompts that the model refused, one line each; earlier: how many heats are those of an
    interrupted run, "" if none is.
    """

    format: int = FORMAT
    date: str
    setup: Setup
    rollback: str
    notices: tuple[str, ...]
    costs: Costs | None
    heats: tuple[Heat, ...]
    skipped: tuple[str, ...] = ()
    cut_short: str = ""
    earlier: str = ""

    @property
    def exact(self) -> bool:
        """Whether drafting must not change a token at any temperature."""
        return self.setup.verify == "coupled"

    def other_than(self, former: Result) -> list[str]:
        """Name what keeps the figures from being compared with a former run's: also that the free
        memory of the GPU was another, and so the layers were.
        """
        mine, theirs = self._layers(), former._layers()
        is_moved = bool(mine and theirs) and mine != theirs
        return self.setup.other_than(former.setup) or ["settings"] * is_moved

    def _layers(self) -> set[Layers]:
        return {heat.layers for heat in self.heats if heat.layers is not None}


def _digest(value: object) -> str:
    plain = msgspec.to_builtins(value, str_keys=True, order="sorted")
    return hashlib.sha256(msgspec.json.encode(plain)).hexdigest()[:24]
