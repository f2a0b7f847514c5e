"""Machines that people have, as `look` would find them."""

from __future__ import annotations

from app.hardware import GIB, Memory
from app.models.machine import Device, Machine


def machine(total: float, available: float, *devices: Device, disk: float = 100.0) -> Machine:
    """Sizes in GB."""
    memory = Memory(int(total * GIB), int(available * GIB))
    return Machine(memory, devices, int(disk * GIB))


def gpu(free: float, total: float, name: str = "CUDA0") -> Device:
    return Device(name, int(free * GIB), int(total * GIB))


def shared(free: float, total: float, name: str) -> Device:
    return Device(name, int(free * GIB), int(total * GIB), is_integrated=True)


MACHINES = {
    "a board with 1 GB": machine(0.9, 0.4),
    "a laptop with 4 GB": machine(3.8, 2.6),
    "a Jetson with 8 GB": machine(7.4, 6.0, shared(5.9, 7.4, "CUDA0")),
    "a Mac with 16 GB": machine(16, 10, shared(10.6, 10.6, "MTL0")),
    "a laptop with 16 GB": machine(15.6, 11),
    "a GPU with 8 GB": machine(32, 27, gpu(7.4, 8)),
    "a GPU with 12 GB": machine(32, 27, gpu(11.3, 12)),
    "a GPU with 24 GB": machine(32, 27, gpu(23.3, 24)),
    "two GPUs": machine(64, 50, gpu(23.3, 24), gpu(11.3, 12, "CUDA1")),
}
