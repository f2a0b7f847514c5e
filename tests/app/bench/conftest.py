"""What the benchmark's tests share."""

from __future__ import annotations

from pathlib import Path

import pytest


@pytest.fixture
def target(tmp_path: Path) -> str:
    """A target's file, as far as a benchmark reads it itself."""
    path = tmp_path / "target.gguf"
    path.write_bytes(b"GGUF")
    return str(path)
