"""The loop. One step: draft, one target forward, verify, commit; plain decoding is the empty draft.

Against Protocols only: it knows no llama.cpp, no model file and no text. (Leviathan et al., arXiv
2211.17192; how it verifies is handed to it, see verifiers/.)
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence

from engine.messages import FinishReason
from engine.session import Session
from engine.types import (
    BONUS,
    CORRECTED,
    NO_DRAFT,
    PLAIN,
    Draft,
    Drafter,
    Policy,
    Reader,
    Step,
    Verdict,
    Verifier,
)

ONLY_PLAIN = (PLAIN,)


def speculate(
    session: Session,
    drafter: Drafter,
    verifier: Verifier,
    policy: Policy,
    reader: Reader,
    clock: Callable[[], float] = time.perf_counter,
) -> Iterator[Step]:
    """Yield steps until the reader says that the answer ends.

    Between two steps session and drafter are consistent, so the caller may stop at any of them. A
    step's time runs from the end of the one before: what the caller does in between counts.
    """
    finish: FinishReason | None = None
    began, llama_began = clock(), session.decode_s + drafter.decode_s
    while finish is None:
        # 1. draft: at most as many tokens as may follow the one the target always adds
        room = min(reader.room - 1, session.draft_room)
        allowance = policy.allow(room, session.used)
        proposed = drafter.propose(session.tokens, allowance) if allowance.limit > 0 else NO_DRAFT
        may_cut = proposed.tokens and verifier.cuts
        draft = proposed.first(allowance.keep(proposed)) if may_cut else proposed
        drafted = clock()

        # 2. one target forward over [last token] + draft, and the verdict on its rows
        rows = session.n_pending + len(draft.tokens)
        logits = session.forward(draft.tokens, allowance.width(rows) if draft.tokens else rows)
        if len(logits) <= len(draft.tokens):
            draft = draft.first(len(logits) - 1)
        verdict = verifier.verify(session.tokens, draft, logits)

        # 3. read the tokens in order: an end inside the block cuts what is behind it
        tokens: list[int] = []
        origins = _origins(draft, verdict)
        for token in verdict.tokens:
            finish = reader.read(token, origins[len(tokens)])
            tokens.append(token)
            if finish is not None:
                break

        # 4. commit: caches roll back to what was read, and everybody learns from it
        session.commit(tokens)
        now, llama_now = clock(), session.decode_s + drafter.decode_s
        step = Step(
            draft=draft,
            proposed=proposed,
            tokens=tuple(tokens),
            accepted=min(verdict.accepted, len(tokens)),
            tested=min(len(draft.tokens), len(verdict.tokens), len(tokens)),
            near_ties=verdict.near_ties and _below(len(tokens), verdict.near_ties),
            step_s=now - began,
            llama_s=llama_now - llama_began,
            finish=finish,
            draft_s=drafted - began,
            expected_draft_s=allowance.drafting_s,
            batch=session.evaluated,
        )
        began, llama_began = now, llama_now
        drafter.observe(step)
        policy.observe(step)
        yield step


def _origins(draft: Draft, verdict: Verdict) -> Sequence[str]:
    """Name who proposed each emitted token."""
    if not draft.tokens:
        return ONLY_PLAIN
    last = BONUS if verdict.accepted == len(draft.tokens) else CORRECTED
    return [*draft.origins[: verdict.accepted], last]


def _below(n: int, places: tuple[int, ...]) -> tuple[int, ...]:
    """Return those of the places that are among the first n."""
    return tuple(place for place in places if place < n)
