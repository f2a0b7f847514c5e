"""What an answer and a pair can be told: plain data, which crosses the pipe as it is.

Ranges of the sampling settings are checked in limits.py, those of a pair when it is loaded.
"""

from __future__ import annotations

import msgspec


class SamplingSettings(msgspec.Struct, frozen=True, kw_only=True):
    """How the target's tokens are drawn.

    repeat_last_n: how many tokens the three penalties look back over; -1: all, 0: none.
    logit_bias: what is added to the logits of these token ids.
    """

    temperature: float = 0.8
    top_k: int = 40
    typical_p: float = 1.0
    top_p: float = 0.95
    min_p: float = 0.05
    repeat_penalty: float = 1.0
    presence_penalty: float = 0.0
    frequency_penalty: float = 0.0
    repeat_last_n: int = 64
    logit_bias: dict[int, float] = {}
    seed: int = 0

    def at(self, temperature: float) -> SamplingSettings:
        """Return these settings at another temperature."""
        return msgspec.structs.replace(self, temperature=temperature)


class PairSettings(msgspec.Struct, frozen=True, kw_only=True):
    """Which models to load and how.

    drafter: "auto" or the name of a file in engine/drafters.
    draft_tokens: fixed draft length; None lets the policy decide.
    gpu_layers: None offloads everything that the build can offload.
    batch_invariant: has llama.cpp compute batches of every width alike, with its slower kernels, so
    that drafts of any length leave the same words. On the processor alone.
    draft_threads, draft_gpu_layers, draft_cache_type: the draft model's own; None: the target's.
    memory: folder that keeps what was said, for the lookup to draft from; None keeps nothing.
    costs: folder that keeps the measured cost curves; None measures at every load.
    mmproj: the projector that lets the target see pictures. sight_refused: why there is none though
    one was asked for.
    """

    target: str
    draft: str | None = None
    mmproj: str | None = None
    sight_refused: str = ""
    drafter: str = "auto"
    draft_tokens: int | None = None
    verify: str = "coupled"
    n_ctx: int | None = None
    threads: int | None = None
    gpu_layers: int | None = None
    cache_type: str = "f16"
    batch_invariant: bool = False
    draft_threads: int | None = None
    draft_gpu_layers: int | None = None
    draft_cache_type: str | None = None
    memory: str | None = None
    costs: str | None = None
    use_extra_bufts: bool = True
