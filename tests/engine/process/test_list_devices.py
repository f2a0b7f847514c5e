"""list_devices.py: one JSON list on standard output, whatever else is printed."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from tests.patience import PATIENCE_S

COMMAND = (sys.executable, "-P", "-m", "engine.process.list_devices")
KEYS = {"name", "description", "kind", "total_bytes", "free_bytes", "packing"}


def test_the_processor_is_listed_from_any_folder(tmp_path: Path) -> None:
    done = subprocess.run(
        COMMAND, capture_output=True, cwd=tmp_path, check=True, timeout=PATIENCE_S
    )
    devices = json.loads(done.stdout)
    assert all(set(device) == KEYS for device in devices)
    assert all(device["kind"] in ("cpu", "gpu", "integrated") for device in devices)
    (processor,) = [device for device in devices if device["kind"] == "cpu"]
    assert processor["name"] == "CPU"
    assert 0 < processor["free_bytes"] <= processor["total_bytes"]


def test_what_drivers_print_stays_out_of_the_list() -> None:
    program = (
        "import os, engine.llama.devices as devices\n"
        "devices.list_devices = lambda: os.write(1, b'chatter') and []\n"
        "from engine.process.list_devices import main\n"
        "main()\n"
    )
    done = subprocess.run((sys.executable, "-c", program), capture_output=True, timeout=PATIENCE_S)
    assert (json.loads(done.stdout), b"chatter" in done.stderr) == ([], True)
