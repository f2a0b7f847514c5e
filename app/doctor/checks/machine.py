"""Checks of the machine itself: processor, memory, graphics."""

from __future__ import annotations

from app.doctor.facts import Check, Checker, Facts
from app.doctor.mending import rebuild
from app.hardware import GIB
from app.sizes import memory_size

LOW_MEMORY_BYTES = GIB
CPU = "CPU"


def check_processor(facts: Facts) -> Check:
    """Name the processor; warn of one without the instruction sets that make it usable."""
    cpu = facts.hardware.cpu
    cores = f"{cpu.physical_cores} cores"
    if cpu.slow_cores:
        cores = f"{cpu.physical_cores} fast cores that compute and {cpu.slow_cores} slow ones"
    found = f"{cpu.name}, {cores}, {' '.join(cpu.features) or 'plain'}"
    if not {"avx2", "neon"}.intersection(cpu.features):
        return Check("processor", "warn", found, "Expect slow answers: choose models under 1 GB.")
    return Check("processor", "ok", found)


def check_memory(facts: Facts) -> Check:
    """Warn when hardly any memory is left."""
    memory = facts.hardware.memory
    found = f"{memory_size(memory.available_bytes)} of {memory_size(memory.total_bytes)} free"
    if memory.available_bytes < LOW_MEMORY_BYTES:
        return Check("memory", "warn", found, "Close other programs before you load a model.")
    return Check("memory", "ok", found)


def check_huge_pages(facts: Facts) -> Check:
    """Warn of a Linux that grants none: the processor then loses time finding the weights."""
    memory = facts.hardware.memory
    granted = memory.huge_pages
    if granted == "never":
        whom = "madvise" if memory.asks_for_pages else "always"
        mend = f"echo {whom} | sudo tee /sys/kernel/mm/transparent_hugepage/enabled"
        return Check("huge pages", "warn", "switched off: the processor answers slower", mend)
    if granted == "madvise" and not memory.asks_for_pages:
        return Check("huge pages", "ok", "not asked for: glibc is older than 2.35")
    return Check("huge pages", "ok", f"granted ({granted})" if granted else "the system's affair")


def check_gpu(facts: Facts) -> Check:
    """Name the GPU: one that the system does not tell of as llama.cpp does. Warn of one that this
    build of llama.cpp leaves idle.
    """
    gpus, device = facts.hardware.gpus, facts.device
    if not gpus and device in ("", CPU):
        return Check("gpu", "ok", "none that was recognised; the processor does the work")
    if not gpus:
        return Check("gpu", "ok", f"{device}, which llama.cpp found")
    sizes = [f", {memory_size(gpu.memory_bytes)}" if gpu.memory_bytes else "" for gpu in gpus]
    found = "; ".join(gpu.name + size for gpu, size in zip(gpus, sizes, strict=True))
    if device == CPU:
        idle = f"{found}; this build of llama.cpp does not use it"
        return Check("gpu", "warn", idle, rebuild(facts))
    return Check("gpu", "ok", found)


CHECKS: tuple[Checker, ...] = (check_processor, check_memory, check_huge_pages, check_gpu)
