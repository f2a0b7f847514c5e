"""Runs the real loop over fakes, and token by token as the law that it must equal."""

from __future__ import annotations

from collections.abc import Sequence

from engine.drafters.none import Plain
from engine.policy.fixed_length import FixedLength
from engine.sampling.sampler import Sampler
from engine.session import Session
from engine.speculate import speculate
from engine.types import Drafter, Step, Verifier
from engine.verifiers.coupled import Coupled
from tests.engine.fakes import END, ScriptedReader, TableDecoder

PROMPT = (5, 6, 7, 5, 6, 7, 5, 6)


def run(
    drafter: Drafter | None = None,
    sampler: Sampler | None = None,
    length: int = 4,
    n: int = 80,
    prompt: Sequence[int] = PROMPT,
    target: TableDecoder | None = None,
    verifier: Verifier | None = None,
    session: Session | None = None,
) -> tuple[ScriptedReader, list[Step]]:
    """Answer `prompt` with the real loop and return what was read and the steps."""
    from tests.engine.fakes import sampler as default_sampler

    sampler = sampler or default_sampler()
    drafter = drafter or Plain()
    session = session or Session(target or TableDecoder())
    reader = ScriptedReader(n)
    session.begin(prompt)
    assert session.prefill(lambda: False)
    verifier = verifier or Coupled(sampler)
    drafter.begin(session.tokens, verifier)
    policy = FixedLength(length)
    steps = list(speculate(session, drafter, verifier, policy, reader))
    return reader, steps


def one_by_one(sampler: Sampler, n: int = 80, prompt: Sequence[int] = PROMPT) -> list[int]:
    """Draw token by token from the table, with no loop, cache, session or drafter at all."""
    table, tokens = TableDecoder(), list(prompt)
    while len(tokens) - len(prompt) < n:
        row = table.row(tokens).astype("float32")
        tokens.append(sampler.draw(row, tokens, len(tokens)).token)
        if tokens[-1] == END:
            break
    return tokens[len(prompt) :]
