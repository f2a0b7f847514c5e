"""What llama.cpp could compute on, as one JSON list: `python -P -m engine.process.list_devices`.

A program of its own, as starting a GPU's driver may take a process down. An entry has name,
description, kind ("cpu", "gpu" or "integrated"), total_bytes, free_bytes and packing; see Device in
llama/devices.py. Whatever else is said goes to standard error.
"""

from __future__ import annotations

import os

import msgspec


def main() -> None:
    """Print the list."""
    answer = os.dup(1)
    os.dup2(2, 1)  # drivers print to standard output as they please
    from engine.llama.devices import list_devices

    with os.fdopen(answer, "wb") as out:
        out.write(msgspec.json.encode(list_devices()) + b"\n")


if __name__ == "__main__":
    main()
