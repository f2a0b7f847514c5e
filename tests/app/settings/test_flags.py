"""The choices that flags offer are the engine's, found without importing it."""

from __future__ import annotations

import argparse
from pathlib import Path

import pytest

from app.models import needs
from app.settings import chat_flags, flags
from app.settings.fields import Settings
from engine import DEFAULT_MAX_CTX, PairSettings, SamplingSettings, drafters, verifiers
from engine.llama import context


def test_every_way_to_verify_and_every_drafter_is_offered() -> None:
    assert flags.verifier_names() == verifiers.names()
    assert flags.drafter_names() == drafters.names()


def test_a_file_makes_a_choice(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(flags, "ENGINE", tmp_path)
    (tmp_path / "verifiers").mkdir()
    for name in ("__init__", "two", "one"):
        (tmp_path / "verifiers" / f"{name}.py").touch()
    assert flags.verifier_names() == ["one", "two"]


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
    monkeypatch.setattr(flags, "ENGINE", tmp_path)
    (tmp_path / "drafters").mkdir()
    (tmp_path / "drafters" / "new.py").write_text(f"import x\n\n{line}")
    assert flags.uses_draft_model("new") is uses


def test_the_default_way_to_verify_is_the_engines() -> None:
    assert PairSettings(target="").verify == flags.DEFAULT_VERIFY


def parser() -> argparse.ArgumentParser:
    made = argparse.ArgumentParser()
    flags.add_model_arguments(made)
    flags.add_think_argument(made)
    chat_flags.add_theme_argument(made)
    chat_flags.add_habit_arguments(made)
    return made


def test_the_name_of_a_setting_leads_its_flags() -> None:
    led = {action.dest: action.option_strings[0] for action in parser()._actions}
    named = {name: f"--{name.replace('_', '-')}" for name in led if name in Settings.model_fields}
    assert named.keys() > {"typical_p", "top_p"}
    assert {name: led[name] for name in named} == named


def parsed(*words: str) -> argparse.Namespace:
    return parser().parse_args(words)


def test_every_flag_is_a_setting_and_says_nothing_unless_given() -> None:
    silent = vars(parsed())
    assert set(silent.values()) == {None}
    assert silent.keys() == Settings.model_fields.keys() - {"pair"}


def test_the_draft_model_has_flags_of_its_own() -> None:
    args = parsed("--threads-draft", "2", "--gpu-layers-draft", "3", "--cache-type-draft", "q8_0")
    assert (args.threads_draft, args.gpu_layers_draft, args.cache_type_draft) == (2, 3, "q8_0")
    assert (args.threads, args.gpu_layers, args.cache_type) == (None, None, None)
    assert parsed("--gpu-layers-draft", "auto").gpu_layers_draft == "auto"


@pytest.mark.parametrize(
    "words",
    [
        ("--gpu-layers-draft", "-1"),
        ("--gpu-layers-draft", "all"),
        ("--threads-draft", "many"),
        ("--cache-type-draft", "q4_0"),
        ("--no-memory", "please"),
    ],
    ids=" ".join,
)
def test_what_a_flag_cannot_be_is_a_wrong_usage(
    words: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        parsed(*words)
    assert ended.value.code == 2 and words[1] in capsys.readouterr().err


def test_the_defaults_that_help_names_are_the_engines() -> None:
    drawn = SamplingSettings()
    at = {"temp": drawn.temperature, "top_k": drawn.top_k}
    at |= {"top_p": drawn.top_p, "min_p": drawn.min_p}
    assert at == flags.SAMPLED
    assert flags.MOST_CTX == DEFAULT_MAX_CTX
    said = " ".join(parser().format_help().split())
    assert "temp 0.8, top-k 40, top-p 0.95, min-p 0.05" in said
    assert "the model's up to 8192" in said


def test_the_memory_is_switched_by_a_pair_of_flags() -> None:
    assert parsed("--no-memory").memory is False and parsed("--memory").memory is True


def test_the_types_of_a_cache_are_the_same_everywhere() -> None:
    assert list(context.CACHE_TYPES) == list(needs.CACHE_SHARE) == list(flags.CACHE_TYPES)


def test_what_the_chat_does_by_itself_is_one_of_a_few_words() -> None:
    assert parsed("--titles", "model").titles == "model"
    assert parsed("--notify", "off").notify == "off"
    assert parsed("--frame", "keys").frame == "keys"
    for words in (("--titles", "first words"), ("--notify", "loudly"), ("--frame", "golden")):
        with pytest.raises(SystemExit):
            parsed(*words)
