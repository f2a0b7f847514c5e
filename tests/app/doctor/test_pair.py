"""The doctor says who drafts for the pair that the chat opens, without loading it."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest

from app.doctor.checks.pair import ALONE, check_pair
from app.doctor.examine import look
from app.doctor.facts import Check
from app.last import Last, write_last
from app.paths import Paths


def check() -> Check:
    return check_pair(dataclasses.replace(look(), paths=Paths()))


@pytest.fixture
def lone(tmp_path: Path) -> Path:
    """A model without a draft model."""
    path = tmp_path / "lone.gguf"
    path.write_bytes(b"GGUF")
    return path


def test_of_a_pair_with_a_draft_model_both_draft() -> None:
    found = Check("this pair", "ok", "Slipstream demo: drafting with lookup, draft_model")
    assert check() == found


def test_where_the_settings_file_has_nobody_draft_it_is_named() -> None:
    file = Paths().ensure().settings_file
    file.write_text('drafter = "none"')
    found = check()
    assert found.status == "warn"
    assert found.found == "Slipstream demo: speculation off: --drafter none"
    assert "--drafter auto" in found.mend and str(file) in found.mend


def test_where_a_variable_has_nothing_drafted_it_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SLIPSTREAM_DRAFT_TOKENS", "0")
    found = check()
    assert found.status == "warn"
    assert found.found == "Slipstream demo: speculation off: --draft-tokens 0"
    assert "SLIPSTREAM_DRAFT_TOKENS" in found.mend


def test_where_a_catalogue_has_nobody_draft_it_is_named() -> None:
    Paths().ensure().own_catalog.write_text(
        '[pairs.mine]\ntitle = "Mine"\nfor_whom = "me"\ntier = "any"\n'
        'target = "demo-target"\ndrafter = "none"\n'
    )
    write_last(Paths().last_file, Last(pair="mine"))
    assert str(Paths().own_catalog) in check().mend


def test_of_the_model_used_last_a_missing_draft_model_is_told_of(
    lone: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_last(Paths().last_file, Last(model=str(lone)))
    assert check() == Check("this pair", "ok", f"lone: drafting with {ALONE}")
    monkeypatch.setenv("SLIPSTREAM_DRAFTER", "lookup")
    assert check() == Check("this pair", "ok", "lone: drafting with lookup")
    monkeypatch.setenv("SLIPSTREAM_DRAFTER", "draft_model")
    found = check()
    assert (found.status, found.found) == ("warn", "lone: speculation off: there is no draft model")
    assert "--model-draft" in found.mend


def test_a_draft_model_that_was_given_in_vain_is_told_of(lone: Path) -> None:
    write_last(Paths().last_file, Last(model=str(lone), model_draft=str(lone)))
    assert check() == Check("this pair", "ok", "lone: drafting with lookup, draft_model")
    file = Paths().ensure().settings_file
    file.write_text('drafter = "lookup"')
    found = check()
    assert found.status == "warn"
    assert found.found == "lone: drafting with lookup; the draft model is not used"
    assert found.mend == f"Give --drafter auto, or take that out: {file}: drafter."


def test_broken_settings_are_left_to_the_check_of_the_settings() -> None:
    Paths().ensure().settings_file.write_text("temp = [")
    assert check().status == "ok" and "unknown" in check().found
