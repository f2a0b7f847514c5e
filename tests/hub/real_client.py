"""The Hub's real client, as it is where nobody has told it anything."""

from __future__ import annotations

import pytest
from huggingface_hub import constants

SWITCHES = ("HF_HUB_OFFLINE", "HF_HUB_DISABLE_IMPLICIT_TOKEN")
"""Variables that are on or off; it reads them as it is imported."""
VARIABLES = (
    *SWITCHES,
    *("TRANSFORMERS_OFFLINE", "HF_TOKEN", "HUGGING_FACE_HUB_TOKEN", "HF_TOKEN_PATH"),
)


@pytest.fixture(autouse=True)
def untold(monkeypatch: pytest.MonkeyPatch) -> None:
    """Hide from it, here and in processes that are started, what the variables here say."""
    for name in VARIABLES:
        monkeypatch.delenv(name, raising=False)
    for name in SWITCHES:
        monkeypatch.setattr(constants, name, False)
