"""What a proof says, in plain words: one line for the verdict, a table for the figures, and what
floating point leaves open.
"""

from __future__ import annotations

import json
import textwrap
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import msgspec

from app.terminal.sanitise import one_line
from engine import Comparison, Proof, Ready

COLUMNS = 80
LLAMAFILE = "LLAMAFILE = 1"
"""In llama.cpp's line on itself: it has kernels that sum wide batches otherwise."""
INVARIANT = (
    "With --batch-invariant the words are the same throughout, and drafts checked more slowly."
)
REBUILD = (
    "What is not quantised, or at IQ4_NL, has kernels that do so even here. A build without them: "
    "CMAKE_ARGS=-DGGML_LLAMAFILE=OFF packaging/run, once."
)

Kind = Literal["exact", "exact but for near-ties", "plain", "differs"]


@dataclass(frozen=True, slots=True)
class Verdict:
    """kind: "plain" when speculation is off; line: the whole of it for a person."""

    kind: Kind
    line: str

    @property
    def holds(self) -> bool:
        """Whether the promise was kept."""
        return self.kind != "differs"


def judge(ready: Ready, proof: Proof) -> Verdict:
    """Say whether drafting changed anything."""
    answers = sum(c.answers for c in proof.comparisons)
    different = sum(c.different for c in proof.comparisons)
    near = sum(c.at_near_ties for c in proof.comparisons)
    if different or proof.replayed_wrong:
        return Verdict(
            "differs",
            f"DIFFERS: {different} of {answers} drafted answers are not plain decoding's, and "
            f"{proof.replayed_wrong} of {proof.replayed} tokens came out otherwise in the replay. "
            "This must not be: please report it.",
        )
    again = f"{proof.replayed_same} of {proof.replayed} tokens came out the same in the replay"
    if not ready.drafters:
        return Verdict(
            "plain", f"PLAIN: speculation is off, so nothing can change the text; {again}."
        )
    if near or proof.replayed_near_ties:
        return Verdict(
            "exact but for near-ties",
            f"EXACT but for near-ties: {answers - near} of {answers} drafted answers are plain "
            f"decoding's, token by token, and {again}; all others part at reported near-ties.",
        )
    return Verdict(
        "exact",
        f"EXACT: all {answers} drafted answers are plain decoding's, token by token, and all "
        f"{proof.replayed} tokens came out the same in the replay.",
    )


def as_json(ready: Ready, proof: Proof, verdict: Verdict) -> str:
    """Write one object: the verdict, the pair, and every figure of the proof."""
    facts = msgspec.to_builtins(proof)
    for field in ("type", "id"):
        facts.pop(field, None)
    pair = {
        name: getattr(ready, name)
        for name in (
            "target",
            "draft",
            "drafters",
            "rollback",
            "device",
            "threads",
            "batch_invariant",
            "notices",
        )
    }
    return json.dumps({"verdict": verdict.kind, "summary": verdict.line, **pair, **facts})


def as_text(ready: Ready, proof: Proof, verdict: Verdict) -> str:
    """Write what was done, what came out, what that proves, and what it does not."""
    parts = [_pair(ready), _replay(proof), _noise(proof)]
    if proof.comparisons:
        parts.insert(1, _equality(proof))
    if proof.acceptance:
        parts.append(_acceptance(proof))
    if proof.differences:
        parts.append("\n".join(["What differs:", *proof.differences]))
    if proof.comparisons:
        parts.append(_meaning(ready, proof))
    parts.append(f"{verdict.line} ({proof.seconds:.0f} s)")
    return "\n\n".join(map(_wrapped, parts))


def _wrapped(part: str) -> str:
    """Wrap each line; what is indented is a table and fits."""
    lines = part.splitlines()
    return "\n".join(line if line[:1] == " " else textwrap.fill(line, COLUMNS) for line in lines)


def _pair(ready: Ready) -> str:
    names = [Path(path).name for path in (ready.target, ready.draft) if path]
    lines = [
        f"{one_line(' + '.join(names))} on {ready.device}, {_kernels(ready)}"
        f"threads: {ready.threads}; "
        f"rejected tokens leave the cache by {ready.rollback}"
    ]
    return "\n".join([*lines, *(one_line(notice) for notice in ready.notices)])


def _kernels(ready: Ready) -> str:
    return "batch-invariant, " if ready.batch_invariant else ""


def _equality(proof: Proof) -> str:
    temperatures = ", ".join(f"{t:g}" for t in proof.temperatures)
    lines = [
        f"Seeded equality: {proof.questions} questions at temperatures {temperatures}; each "
        "drafter with its own draft length and with every one from 1 to 16.",
    ]
    if proof.cells < proof.planned:
        lines.append(
            f"There was time for {proof.cells} of these {proof.planned} answers, taken at random; "
            "a larger --seconds gives more."
        )
    lines.append(
        f"  {'drafter':<16}{'answers':>8}{'equal':>8}{'near-tie':>10}{'different':>11}"
        f"{'tokens':>9}{'accepted':>10}"
    )
    return "\n".join([*lines, *map(_row, proof.comparisons)])


def _row(c: Comparison) -> str:
    accepted = f"{c.accepted / c.tested:.1%}" if c.tested else "-"
    return (
        f"  {c.drafter:<16}{c.answers:>8}{c.equal:>8}{c.at_near_ties:>10}{c.different:>11}"
        f"{c.tokens:>9}{accepted:>10}"
    )


def _replay(proof: Proof) -> str:
    return (
        f"Replay: {proof.replayed} tokens drawn again from one-row batches by other code: "
        f"{proof.replayed_same} the same, {proof.replayed_near_ties} at near-ties, "
        f"{proof.replayed_wrong} wrong."
    )


def _noise(proof: Proof) -> str:
    if _is_noiseless(proof):
        return "Width noise: none. Batches of all widths gave the same logits to the last bit."
    seen = "none was seen here, but a longer text may show some"
    if proof.width_noise:
        seen = f"a logit differs by at most {proof.width_noise:.2g} between batch widths"
    return (
        f"Width noise: {seen}; draws closer than {proof.tie_margin:.2g} count as near-ties: "
        f"{proof.near_ties} of {proof.n_tokens} tokens."
    )


def _is_noiseless(proof: Proof) -> bool:
    return proof.width_noise == 0.0 and proof.tie_margin == 0.0


def _acceptance(proof: Proof) -> str:
    lines = [
        "Acceptance of the draft model's tokens at temperature 0.8: the exact chance, averaged "
        f"over {proof.acceptance_positions} positions of the coupled answers, and what was "
        "observed while each way wrote answers of its own, which are of other words"
    ]
    for way in proof.acceptance:
        seen = f"{way.observed:.1%} of {way.tested}" if way.observed is not None else "-"
        lines.append(f"  {way.way:<16}{way.expected:>8.2%}{seen:>18}")
    return "\n".join(lines)


def _meaning(ready: Ready, proof: Proof) -> str:
    """Say what this proves and what it leaves open."""
    idle = [c.drafter for c in proof.comparisons if not c.tested]
    parted = any(c.at_near_ties for c in proof.comparisons)
    proven = (
        "What this proves: for these models, settings and seed the text is a function of the "
        "target alone"
        + (", but for near-ties" if parted else "")
        + ". Whoever of these drafted, however long, well or badly, the same tokens came out"
        + (" up to one" if parted else "")
        + ", and each is the one that the target's own distribution and the seed's noise pick."
    )
    if idle:
        proven += f" Nothing was drafted by: {', '.join(idle)}."
    if _is_noiseless(proof):
        left = (
            "What floating point leaves open: nothing that showed here. Another machine or build "
            "may round batches of other widths otherwise."
        )
    else:
        left = (
            "What floating point leaves open: batches of other widths round otherwise, so two "
            "tokens closer than the margin may change places. Both are then draws from the "
            "target as a valid forward computed it; such positions are reported as near_ties."
        )
        if parted and ready.device == "CPU":
            left += _remedy(ready)
    return f"{proven}\n{left}"


def _remedy(ready: Ready) -> str:
    """Say what makes batches of all widths round alike, after a space; "": nothing known."""
    if not ready.batch_invariant:
        return f" {INVARIANT}"
    return f" {REBUILD}" if LLAMAFILE in ready.system_info else ""
