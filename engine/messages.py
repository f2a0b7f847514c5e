"""What passes between the app and the engine process: a closed union each way, JSON lines.

Commands go in, events come out. One engine process holds one pair and answers one request at a
time; every event of an answer carries the request's id. Its ends: process/client.py and
process/worker.py.
"""

from __future__ import annotations

from typing import Literal

import msgspec

from engine.proof.messages import Proof, Prove, Proving
from engine.settings import PairSettings, SamplingSettings

FinishReason = Literal["stop", "length", "context", "cancelled"]
"""Why an answer ended: end token or stop string, token budget, full context, or the person."""
DRAFT_REFUSED = "The draft model is not used: "
"""How the notice begins that a draft model is refused; `Ready.draft_refused` is the rest of it."""
SIGHT_REFUSED = "Pictures are off: "
"""How the notice begins that a projector is refused."""


class Picture(msgspec.Struct, frozen=True, kw_only=True):
    """A picture. path: where the file lies now; id: the sha256 of its bytes, in hexadecimal."""

    path: str
    id: str


class Message(msgspec.Struct, frozen=True, kw_only=True):
    """One turn of a conversation. role: "system", "user" or "assistant". pictures: stand before
    the message's text in the prompt.
    """

    role: str
    content: str
    pictures: list[Picture] = []


class Load(msgspec.Struct, frozen=True, tag=True):
    """Load this pair, freeing what was loaded."""

    id: int
    pair: PairSettings


class Ask(msgspec.Struct, frozen=True, tag=True):
    """Answer these messages.

    predict: most tokens to emit, None for as many as the context has; drafter: who drafts this
    answer, None for the pair's; trace: whether Deltas tell of each step; think: whether to think
    first, None as the chat template has it, like all where that has no switch.
    """

    id: int
    messages: list[Message]
    sampling: SamplingSettings = SamplingSettings()
    predict: int | None = None
    stop: list[str] = []
    drafter: str | None = None
    trace: bool = False
    think: bool | None = None


class Cancel(msgspec.Struct, frozen=True, tag=True):
    """Stop answering request `id`, within one step, one prefill chunk or one tile of a picture."""

    id: int


class Count(msgspec.Struct, frozen=True, tag=True):
    """Count the tokens of a text, as the loaded target has them; with messages, those of the prompt
    that they make, and of their pictures what these take of the context. think: as in Ask.
    """

    id: int
    text: str
    messages: list[Message] = []
    think: bool | None = None


Command = Load | Ask | Cancel | Prove | Count


class Span(msgspec.Struct, frozen=True, array_like=True):
    """A piece of the answer and who proposed it: a drafter's name, or plain, corrected, bonus."""

    text: str
    origin: str


class DrafterStats(msgspec.Struct, frozen=True):
    """One drafter's share of an answer."""

    drafted: int
    accepted: int
    steps: int


class Stats(msgspec.Struct, frozen=True, kw_only=True):
    """The figures of an answer, so far or whole; see stats.py for how each is derived.

    prompt_tokens, cached_tokens: a picture counts as what it takes of the context.
    tested_at, accepted_at: [longest draft], how many draft tokens were tested and accepted at each
    place of a draft, the first token's first.
    first_step_tokens: those that came at ttft_s; decode_s: the time behind it, in which all others
    came. Both are 0 in figures that were kept before they were counted.
    """

    prompt_tokens: int
    cached_tokens: int
    output_tokens: int
    steps: int
    drafted: int
    accepted: int
    tested: int
    acceptance_rate: float | None
    draft_efficiency: float | None
    mean_acceptance_length: float | None
    near_ties: list[int]
    ttft_s: float | None
    prefill_tps: float | None
    decode_tps: float | None
    plain_tps: float | None
    speedup: float | None
    drafters: dict[str, DrafterStats]
    engine_overhead_s: float
    tested_at: list[int] = []
    accepted_at: list[int] = []
    first_step_tokens: int = 0
    decode_s: float = 0.0


class Loading(msgspec.Struct, frozen=True, tag=True):
    """Progress of load `id`. stage: "target", "draft", "probe", "sight" or "costs";
    fraction: 0 to 1.

    device: what the target is to compute on, e.g. "CUDA0".
    """

    id: int
    stage: str
    fraction: float
    device: str = "CPU"


class Costs(msgspec.Struct, frozen=True, kw_only=True):
    """What forwards cost on this machine, in seconds, in a shallow context; see costs/curves.py.

    target_s[i]: the target's forward of i + 1 tokens; draft_s[i]: the draft model's drafting i + 1
    tokens, [] without one. noise: the relative spread of the measurements. kept: whether they are
    those of an earlier load.
    """

    target_s: list[float]
    draft_s: list[float]
    noise: float
    kept: bool


class Ready(msgspec.Struct, frozen=True, tag=True, kw_only=True):
    """Load `id` is done.

    drafters: the names that will draft. off: why there are none although a drafter was asked for,
    else ""; draft_refused: why the draft model is not used, "" if it is or none was asked for.
    Both are a clause and end with a full stop; `notices` has them as sentences.
    verify: the way of verifying (verifiers/); rollback: how rejected tokens leave the target's
    cache (cache/rollback.py), "none" if they cannot.
    device: what computes, e.g. "CPU"; system_info: the instruction sets llama.cpp was built with.
    batch_invariant: whether its kernels were chosen to give batches of every width the same rows.
    costs: the measured cost curves.
    thinks: whether the target thinks before it answers, if nobody tells it; None if its chat
    template has no switch for that.
    crash: how the optimised kernels ended the process at load, "" if they did not; gpu_crash: which
    GPU and how, or that it has no room, where the processor stands in for it (process/client.py).
    notices: what the person should know (draft refused, template replaced, …), one line each.
    sees: whether the pair takes pictures; where a projector was given and cannot be used, `notices`
    says why.
    """

    id: int
    target: str
    draft: str | None
    n_ctx: int
    drafter: str
    drafters: list[str]
    threads: int
    device: str
    system_info: str
    notices: list[str]
    verify: str = "coupled"
    rollback: str = "drop"
    batch_invariant: bool = False
    costs: Costs | None = None
    thinks: bool | None = None
    crash: str = ""
    gpu_crash: str = ""
    sees: bool = False
    off: str = ""
    draft_refused: str = ""


class Started(msgspec.Struct, frozen=True, tag=True):
    """Request `id` has been tokenized and its prefill begins; sent again as that goes on.

    read_tokens: how many of those that were not cached are evaluated by now.
    """

    id: int
    prompt_tokens: int
    cached_tokens: int
    read_tokens: int = 0


class TracedStep(msgspec.Struct, frozen=True, array_like=True):
    """One draft-verify round, for whoever wants to look at it.

    drafted: the draft's tokens as text, each with its drafter; confidences: [len(drafted)], the
    drafter's own; accepted: how many of them the answer has; said: the token that the target added,
    with its origin. step_s: what the round took; plain_s: what plain decoding would have taken for
    as many tokens, by the cost curves; a round without a draft is its own measure (stats.plain_s).
    near_ties: which of the round's tokens in the answer were, counted from 0.
    """

    drafted: list[Span]
    confidences: list[float]
    accepted: int
    said: Span
    step_s: float
    plain_s: float
    near_ties: list[int] = []


class Delta(msgspec.Struct, frozen=True, tag=True):
    """More text of the answer to request `id`, and its figures so far; may hold several steps.

    steps: those since the last Delta, if the request wants a trace.
    """

    id: int
    spans: list[Span]
    stats: Stats
    draft_length: int
    context_used: int
    steps: list[TracedStep] = []


class Finished(msgspec.Struct, frozen=True, tag=True, kw_only=True):
    """Request `id` is answered.

    text: the whole of it, from the thinking tag on that the chat template may have opened for the
    model; token_ids: what the model wrote.
    notices: what the person should know of how it was made (the draft model failed), a line each.
    """

    id: int
    text: str
    token_ids: list[int]
    reason: FinishReason
    seed: int
    stats: Stats
    context_used: int
    notices: list[str] = []


class Failed(msgspec.Struct, frozen=True, tag=True, kw_only=True):
    """Command `id`, a load or a request, failed; the engine lives."""

    id: int
    kind: str
    message: str


class Counted(msgspec.Struct, frozen=True, tag=True):
    """What count `id` asked about has n tokens."""

    id: int
    n: int


Event = Counted | Loading | Ready | Started | Delta | Finished | Proving | Proof | Failed
