"""What a setting may be is what the engine takes, found without importing it."""

from __future__ import annotations

from pathlib import Path

import pytest

from app.models import needs
from app.settings import values
from engine import DEFAULT_MAX_CTX, PairSettings, SamplingSettings, drafters, verifiers
from engine.llama import attention


def test_every_way_to_verify_and_every_drafter_is_offered() -> None:
    assert values.verifier_names() == verifiers.names()
    assert values.drafter_names() == drafters.names()


def test_a_file_makes_a_choice(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(values, "ENGINE", tmp_path)
    (tmp_path / "verifiers").mkdir()
    for name in ("__init__", "two", "one"):
        (tmp_path / "verifiers" / f"{name}.py").touch()
    assert values.verifier_names() == ["one", "two"]


@pytest.mark.parametrize(
    ("line", "uses"),
    [
        ("USES_DRAFT_MODEL = True", True),
        ("USES_DRAFT_MODEL: Final = True  # the large one", True),
        ("USES_DRAFT_MODEL = False", False),
        ("OTHER = True", False),
        ('"""\nUSES_DRAFT_MODEL = True\n"""', False),
    ],
)
def test_a_file_says_that_it_drafts_with_a_draft_model(
    line: str, uses: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(values, "ENGINE", tmp_path)
    (tmp_path / "drafters").mkdir()
    (tmp_path / "drafters" / "new.py").write_text(f"import x\n\n{line}")
    assert values.uses_draft_model("new") is uses


def test_the_default_way_to_verify_is_the_engines() -> None:
    assert PairSettings(target="").verify == values.DEFAULT_VERIFY


def test_which_drafters_load_a_draft_model_is_known_without_the_engine() -> None:
    for name in drafters.names():
        assert values.uses_draft_model(name) is drafters.uses_draft_model(name), name
    assert not values.uses_draft_model("no-such")


def test_the_defaults_that_help_names_are_the_engines() -> None:
    drawn = SamplingSettings()
    at = {"temp": drawn.temperature, "top_k": drawn.top_k}
    at |= {"top_p": drawn.top_p, "min_p": drawn.min_p}
    assert at == values.SAMPLED
    assert values.MOST_CTX == DEFAULT_MAX_CTX


def test_the_types_of_a_cache_are_the_same_everywhere() -> None:
    assert list(attention.CACHE_TYPES) == list(needs.CACHE_SHARE) == list(values.CACHE_TYPES)
