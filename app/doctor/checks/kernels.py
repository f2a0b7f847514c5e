"""Checks of llama.cpp's build and of the engine, by what the embedded pair did when asked."""

from __future__ import annotations

import re
from pathlib import Path

from app.doctor.facts import FOLDERS_FIRST, Check, Checker, Facts
from app.doctor.mending import rebuild, restoring_demo
from app.doctor.trial import Answered
from app.paths import in_the_way

CRASHES = "SIG(ILL|SEGV|BUS|ABRT|FPE|TRAP)"
"""How kernels end the engine that are not for this processor."""
LOOK = 'See "{}" for why, and start the doctor again.'
OLD_KERNELS_COST = "1.5 to 2.9 times slower"

# Our names of instruction sets, and llama.cpp's.
KERNELS = {
    "avx2": "AVX2",
    "avx512": "AVX512",
    "amx_int8": "AMX_INT8",
    "neon": "NEON",
    "dotprod": "DOTPROD",
    "i8mm": "MATMUL_INT8",
    "sve": "SVE",
}


def check_build(facts: Facts) -> Check:
    """Name the versions; warn when llama.cpp lacks an instruction set that the processor has."""
    version = facts.versions
    if not version.llama:
        return Check("build", "fail", "llama-cpp-python is not installed", rebuild(facts))
    found = f"Slipstream {version.slipstream}, Python {version.python}"
    found += f", llama-cpp-python {version.llama}"
    if not isinstance(facts.trial, Answered):
        return Check("build", "ok", found)
    ready = facts.trial.ready
    built_with = built_kernels(ready.system_info)
    wanted = [KERNELS[name] for name in facts.hardware.cpu.features if name in KERNELS]
    missing = [label for label in wanted if label not in built_with]
    if missing and ready.device == "CPU":
        lacking = f"{found}, built without {', '.join(missing)}"
        return Check("build", "warn", lacking, rebuild(facts))
    return Check("build", "ok", f"{found} for {ready.device}")


def check_pictures(facts: Facts) -> Check:
    """See that llama.cpp was built with what reads pictures."""
    version = facts.versions
    if not version.llama:
        return Check("pictures", "ok", "unknown without llama-cpp-python")
    if not version.has_eyes:
        found = "llama.cpp was built without its library for pictures (mtmd)"
        return Check("pictures", "warn", found, rebuild(facts))
    return Check("pictures", "ok", "can be read by models with a projector (mmproj)")


def check_demo(facts: Facts) -> Check:
    """See that the embedded pair is there: the other checks ask it."""
    bad = [str(file) for file in facts.demo if not _is_gguf(file)]
    if bad:
        found = f"{' and '.join(bad)}: missing, or not a GGUF file"
        return Check("demo", "fail", found, restoring_demo())
    return Check("demo", "ok", f"{', '.join(str(file) for file in facts.demo)}")


def check_kernels(facts: Facts) -> Check:
    """See that the embedded pair answered, and by which kernels."""
    trial = facts.trial
    anew = rebuild(facts)
    if not isinstance(trial, Answered):
        is_crash = re.search(CRASHES, trial.reason) is not None
        mend = anew if is_crash else LOOK.format(facts.paths.doctor_log)
        if any(map(in_the_way, facts.paths.folders)):
            mend = FOLDERS_FIRST
        if not all(map(_is_gguf, facts.demo)):
            mend = restoring_demo()
        return Check("kernels", "fail", f"the demo did not answer: {trial.reason}", mend)
    stats = trial.finished.stats
    speed = f" at {stats.decode_tps:.0f} tokens/s" if stats.decode_tps else ""
    found = f"the demo answered with {stats.output_tokens} tokens{speed}"
    if trial.crash:
        how = re.search(r"SIG\w+|exit code \d+", trial.crash)
        found += f" without the optimised kernels ({OLD_KERNELS_COST}):"
        found += f" these end the engine, {how[0] if how else trial.crash}"
        return Check("kernels", "warn", found, anew)
    if trial.ready.gpu_crash:
        found += " on the processor alone: "
        how = re.search(r"SIG\w+", trial.ready.gpu_crash)
        if how is None:
            found += f"{facts.device} has no room, even for so small a model"
            return Check("kernels", "warn", found, "Close other programs that use the GPU.")
        found += f"what {facts.device} computes ends the engine, {how[0]}"
        return Check("kernels", "warn", found, f"With the GPU's newest driver: {anew}")
    used = ", ".join(built_kernels(trial.ready.system_info)) or "plain kernels"
    return Check("kernels", "ok", f"{found} by {used}; {_threads(facts, trial)}")


def _threads(facts: Facts, trial: Answered) -> str:
    """Say how many threads there were, and why not as many as cores: it is run as in the chat."""
    threads, cores = trial.ready.threads, facts.hardware.cpu.physical_cores
    spared = ", as in the chat: one core is left to the screen" if threads == cores - 1 else ""
    return f"threads: {threads}{spared}"


def check_speculation(facts: Facts) -> Check:
    """Say who drafts for the demo, and why somebody does not."""
    if not isinstance(facts.trial, Answered):
        return Check("speculation", "warn", "unknown without an answer", "Mend the kernels first.")
    ready = facts.trial.ready
    notices = [*ready.notices, *facts.trial.finished.notices]
    if notices or not ready.drafters:
        found = " ".join(notices) or "no drafter is at work"
        return Check("speculation", "warn", found, f"Read {facts.paths.doctor_log}")
    return Check("speculation", "ok", f"the demo drafts with {', '.join(ready.drafters)}")


def built_kernels(system_info: str) -> list[str]:
    """Return those of KERNELS that llama.cpp says it was built with: "AVX2 = 1 | …"."""
    built_with = set(re.findall(r"(\w+) = 1\b", system_info))
    return [label for label in KERNELS.values() if label in built_with]


def _is_gguf(file: Path) -> bool:
    try:
        with file.open("rb") as opened:
            return opened.read(4) == b"GGUF"
    except OSError:
        return False


OF_TRIAL: tuple[Checker, ...] = (check_kernels, check_speculation)
"""Checks that say nothing without an answer of the demo's."""
CHECKS: tuple[Checker, ...] = (check_build, check_pictures, check_demo, *OF_TRIAL)
