"""Every flag is a setting, and what it cannot be is a wrong usage."""

from __future__ import annotations

import argparse

import pytest

from app.cli import build_parser
from app.settings import chat_flags, flags
from app.settings.fields import Settings


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


@pytest.mark.parametrize(
    ("words", "name", "value"),
    [
        ("-m F.gguf", "model", "F.gguf"),
        ("-md F.gguf", "model_draft", "F.gguf"),
        ("-c 4096", "ctx_size", 4096),
        ("-n 80", "predict", 80),
        ("--n-predict 80", "predict", 80),
        ("-s 7", "seed", 7),
        ("-t 4", "threads", 4),
        ("-ngl 20", "gpu_layers", 20),
        ("-ngl=20", "gpu_layers", 20),
        ("--n-gpu-layers auto", "gpu_layers", "auto"),
        ("--temperature 0.5", "temp", 0.5),
        ("--typical 0.5", "typical_p", 0.5),
    ],
)
def test_the_other_names_that_llama_cpp_has_are_taken(words: str, name: str, value: object) -> None:
    given = {key: found for key, found in vars(parsed(*words.split())).items() if found is not None}
    assert given == {name: value}


def test_help_and_errors_have_one_name_of_each(capsys: pytest.CaptureFixture[str]) -> None:
    said = parser().format_help()
    assert "--gpu-layers N|auto" in said and "--temp T" in said
    assert "-ngl" not in said and "--temperature" not in said
    with pytest.raises(SystemExit):
        parsed("-c", "many")
    assert "argument --ctx-size: " in capsys.readouterr().err


def test_no_two_flags_have_a_name_in_common() -> None:
    made = parser()
    ours = [name for action in made._actions for name in action.option_strings]
    others = made._option_string_actions.keys() - set(ours)
    assert len(ours) == len(set(ours)) and others >= {"-m", "-md", "-n", "-ngl", "--typical"}
    for name in ours:
        assert name in made._option_string_actions[name].option_strings


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


def test_help_names_the_defaults() -> None:
    said = " ".join(parser().format_help().split())
    assert "temp 0.8, top-k 40, top-p 0.95, min-p 0.05" in said
    assert "the model's up to 8192" in said
    assert "as many as fit (default: auto)" in said and "context (default: f16)" in said


def test_help_says_what_flags_do_in_the_words_of_the_settings() -> None:
    said = " ".join(parser().format_help().split())
    assert "what guesses ahead: auto, draft_model, lookup, none (default: auto)" in said
    assert "a seed gives the same answer with any drafter (default: coupled)" in said
    assert "0 always takes the likeliest word" in said


def test_the_memory_is_switched_by_a_pair_of_flags() -> None:
    assert parsed("--no-memory").memory is False and parsed("--memory").memory is True


def test_what_the_chat_does_by_itself_is_one_of_a_few_words() -> None:
    assert parsed("--titles", "model").titles == "model"
    assert parsed("--notify", "off").notify == "off"
    assert parsed("--frame", "keys").frame == "keys"
    for words in (("--titles", "first words"), ("--notify", "loudly"), ("--frame", "golden")):
        with pytest.raises(SystemExit):
            parsed(*words)


@pytest.mark.parametrize("question", ["-t option of nc: what is it?", "-std=c++20 means what?"])
def test_a_question_that_begins_like_a_short_flag_is_one(question: str) -> None:
    assert build_parser().parse_args(["ask", question]).question == [question]


def test_two_names_of_one_flag_leave_no_choice_where_both_begin_so() -> None:
    assert build_parser().parse_args(["ask", "--tem", "0.5", "hi"]).temp == 0.5


def test_what_only_looks_at_a_model_takes_the_short_name_of_its_context_too() -> None:
    assert build_parser().parse_args(["info", "demo", "-c", "4096"]).ctx_size == 4096
