"""What is wrong is said of the source that it stands in, in one line."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from app.cli import build_parser
from app.errors import AppError, SettingsError
from app.models.catalog import PairSpec
from app.paths import Paths
from app.prompts.personas import Persona
from app.settings.fields import Settings
from app.settings.settings_file import SettingsFile
from app.settings.sources import FLAGS_ALONE, Sources
from tests.app.settings.test_config import settings, write_file


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("temp = 'hot'", "temp: should be a number, found 'hot'."),
        ("predict = true", "predict: should be a number, found true."),
        ("temp = false", "temp: should be a number, found false."),
        ("threads = true", "threads: should be a number, found true."),
        ("logit_bias = {15 = true}", "logit_bias: 15: should be a number, found true."),
        ("memory = 'perhaps'", "memory: should be true or false, found 'perhaps'."),
        ("threads_draft = 0", "threads_draft: should be 1 or more, found 0."),
        ("gpu_layers_draft = 'all'", "gpu_layers_draft: should be auto or a whole number from 0"),
        ("draft_tokens = 999", "draft_tokens: should be auto or a whole number from 0 to 128, fo"),
        ("ctx_size = 10", "ctx_size: should be 64 or more, found 10."),
        ("cache_type_draft = 'q4_0'", "cache_type_draft: should be f16 or q8_0, found 'q4_0'."),
        ("drafter = 'magic'", "drafter: should be auto or draft_model or lookup or none, found"),
        (f"top_k = {2**31}", "top_k: should be below 2147483648, found 2147483648."),
        ("top_p = 7", "top_p: must be above 0 and at most 1 (off), found 7."),
        ("system = 3", "system: should be text in quotes, found 3."),
        ("pair = ''", "pair: should be a name or a path, found nothing."),
        ('model = "a\\u0000b"', "model: should be a name"),
        ("model = '/no/x.gguf'", "model: There is no file /no/x.gguf; check the path."),
        ("model = '~'\nmodel_draft = 'y'", "model_draft: There is no file y; check the path."),
        ("pair = 'nope'", "pair: There is no pair named 'nope'. Known pairs: demo"),
        ("persona = 'x'", "persona: There is no persona 'x'; there are Plain"),
        ("model_draft = 'x'", "model_draft needs --model"),
        ("temprature = 1.0", "temprature: there is no such key; the nearest is temp."),
        ("top-p = 1.0", "top-p: there is no such key; the nearest is top_p."),
        ("zzz = 1.0", "zzz: there is no such key; take it out."),
        ("temperature = 1.0", "temperature: there is no such key; the nearest is temp."),
        ("system_prompt = 'x'", "system_prompt: there is no such key; the nearest is system."),
        ("gpu = 1", "gpu: there is no such key; the nearest is gpu_layers."),
        ("modle = 'x'", "modle: there is no such key; the nearest is model."),
        ("max_tokens = 9", "max_tokens: there is no such key; take it out."),
        ("private = true", "private: is for one start alone: slipstream chat --private."),
        ("stop = 'x'", "stop: is for one start alone: slipstream ask --stop."),
    ],
)
def test_what_is_wrong_in_the_file_is_said_of_the_file(text: str, message: str) -> None:
    write_file(text)
    with pytest.raises(AppError) as refused:
        settings()
    assert str(refused.value).startswith(f"{Paths().settings_file}: {message}")


@pytest.mark.parametrize(("flag", "command"), FLAGS_ALONE.items())
def test_what_is_said_to_be_a_flag_is_one_and_no_setting(flag: str, command: str) -> None:
    given = [] if flag in ("new", "private", "inline", "json") else ["x"]
    args = build_parser().parse_args([command, f"--{flag}", *given])
    assert getattr(args, flag)
    assert flag not in Settings.model_fields


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("SLIPSTREAM_TEMP", "hot", "should be a number, found 'hot'."),
        ("SLIPSTREAM_TEMP", "", "should be a number, found nothing."),
        ("slipstream_top_p", "7", "must be above 0 and at most 1 (off), found '7'."),
        ("SLIPSTREAM_THINK", "maybe", "should be true or false, found 'maybe'."),
        ("SLIPSTREAM_PAIR", "nope", "There is no pair named 'nope'."),
        ("SLIPSTREAM_MODEL", "me/x:y.gguf", "me/x:y.gguf is not installed"),
        ("SLIPSTREAM_MODEL", "/no/x.gguf", "There is no file /no/x.gguf; check the path."),
        ("SLIPSTREAM_PERSONA", "x", "There is no persona 'x'"),
        ("SLIPSTREAM_PERSONA", "", "There is no persona ''"),
        ("SLIPSTREAM_SYSTEM", "caf\udce9", "it is no UTF-8 text."),
        ("SLIPSTREAM_PAIR", "", "should be a name or a path, found nothing."),
    ],
)
def test_what_is_wrong_in_a_variable_is_said_of_the_variable(
    name: str, value: str, message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_file("temp = 1\ntop_p = 1\nthink = true\npair = 'demo'\npersona = 'plain'\n")
    monkeypatch.setenv(name, value)
    with pytest.raises(AppError) as refused:
        settings()
    assert str(refused.value).startswith(f"{name}: {message}")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (
            b"temp = \n",
            "Cannot read {path}: line 1, `temp =`: the value should be text in quotes, a number, "
            "a list, true or false.",
        ),
        (
            b"seed = 1\n\xff\xfe",
            "Cannot read {path}: line 2 is no UTF-8 text; save the file as UTF-8.",
        ),
        (None, "{path} is no file: it should be a text file."),
    ],
)
def test_a_file_that_cannot_be_read_is_refused_with_the_reason(
    content: bytes | None, message: str
) -> None:
    path = Paths().ensure().settings_file
    path.mkdir() if content is None else path.write_bytes(content)
    with pytest.raises(SettingsError) as refused:
        settings()
    assert str(refused.value) == message.format(path=path)


def test_a_path_that_was_just_typed_or_was_chosen_is_left_to_the_engine() -> None:
    write_file("model = '/no/x.gguf'")
    assert settings("--model", "y.gguf").pair.target.endswith("y.gguf")
    assert settings("--pair", "demo").name == "demo"


def test_a_choice_of_models_by_flags_is_not_mixed_with_other_sources(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    for name, file in (("MODEL", "theirs.gguf"), ("MODEL_DRAFT", "draft.gguf")):
        (tmp_path / file).touch()
        monkeypatch.setenv(f"SLIPSTREAM_{name}", str(tmp_path / file))
    assert Path(settings().pair.target).name == "theirs.gguf"
    assert Path(settings("--pair", "demo").pair.target).name == "target.gguf"
    assert settings("--model", "mine.gguf").pair.draft is None


@pytest.mark.parametrize(
    ("text", "variable", "notify"),
    [
        ("bell = false", None, "off"),
        ("bell = true", None, "bell"),
        ("bell = false\nnotify = 'desktop'", None, "desktop"),
        ("", "0", "off"),
        ("", "true", "bell"),
        ("bell = true", "no", "off"),
        ("notify = 'desktop'", "0", "desktop"),
    ],
)
def test_a_bell_of_an_older_version_is_understood(
    text: str, variable: str | None, notify: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_file(text)
    if variable is not None:
        monkeypatch.setenv("SLIPSTREAM_BELL", variable)
    assert settings().habits.notify == notify
    assert settings("--notify", "bell").habits.notify == "bell"


def test_a_notice_that_is_forgotten_takes_the_older_bell_along() -> None:
    write_file("bell = false\ntheme = 'slipstream-light'\n")
    SettingsFile(Paths().settings_file).unset("notify")
    assert Paths().settings_file.read_text("utf-8") == "theme = 'slipstream-light'\n"


CHOSEN = "model = 'f.gguf'\nmodel_draft = 'g.gguf'\nmmproj = 'h.gguf'\npair = 'nope'\ntemp = 0.25\n"


@pytest.mark.parametrize("text", [CHOSEN, "model_draft = 'g.gguf'\ntemp = 0.25\n"])
def test_a_choice_of_models_by_a_variable_hides_all_of_the_files(
    text: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    write_file(text)
    monkeypatch.setenv("SLIPSTREAM_PAIR", "demo")
    assert settings().name == "demo"
    assert settings().sampling.temperature == 0.25
    monkeypatch.delenv("SLIPSTREAM_PAIR")
    (tmp_path / "mine.gguf").touch()
    monkeypatch.setenv("SLIPSTREAM_MODEL", str(tmp_path / "mine.gguf"))
    pair = settings().pair
    assert (Path(pair.target).name, pair.draft, pair.mmproj) == ("mine.gguf", None, None)


def test_two_choices_by_variables_are_refused_unless_a_flag_chooses(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("SLIPSTREAM_PAIR", "demo")
    monkeypatch.setenv("slipstream_model", "mine.gguf")
    with pytest.raises(SettingsError, match=r"^Give SLIPSTREAM_PAIR or slipstream_model, not both"):
        settings()
    assert settings("--pair", "demo").name == "demo"


PAIR = PairSpec.model_validate(
    {"title": "A", "for_whom": "b", "target": "t", "ctx_size": 4096, "settings": {"temp": 0.6}}
)


def winner(
    name: str,
    text: str = "",
    env: Mapping[str, str] | None = None,
    spec: PairSpec | None = None,
    persona: Persona | None = None,
    **flags: object,
) -> str:
    """Return which source wins. text: of the settings file."""
    write_file(text)
    sources = Sources.read(flags, env or {}, Paths().settings_file)
    return sources.winner(name, spec, persona)


def test_the_first_source_that_speaks_wins() -> None:
    mine = "temp = 0.3\n"
    assert winner("temp", mine, {"SLIPSTREAM_TEMP": "1"}, PAIR, temp=0.0) == "flag"
    for name in ("SLIPSTREAM_TEMP", "slipstream_temp"):
        assert winner("temp", mine, {name: "1"}, PAIR) == "environment"
    assert winner("temp", mine, spec=PAIR) == "file"
    assert winner("temp", spec=PAIR) == "pair"
    assert winner("temp") == "default"
    assert winner("ctx_size", mine, spec=PAIR) == "pair"
    assert winner("top_p", mine, spec=PAIR) == "default"
    assert winner("drafter", mine, spec=PAIR) == "default", "the pair leaves it open"


def test_a_choice_made_by_flags_is_made_whole_by_flags() -> None:
    mine = "pair = 'demo'\n"
    assert winner("pair", mine, model="m.gguf") == "flag"
    assert winner("model_draft", mine, pair="demo") == "flag"
    assert winner("pair", mine) == "file"


def test_what_a_variable_hides_is_said_to_come_from_there() -> None:
    mine = "model = 'x.gguf'\nmmproj = 'y.gguf'\ntemp = 1.0\n"
    chosen, beside = {"SLIPSTREAM_PAIR": "demo"}, {"SLIPSTREAM_MODEL_DRAFT": "d.gguf"}
    for name, found in (("mmproj", "environment"), ("model", "environment"), ("temp", "file")):
        assert winner(name, mine, chosen) == found
        assert winner(name, mine, beside) == "file"


def test_the_hubs_own_switch_counts_as_the_environment() -> None:
    assert winner("offline", env={"HF_HUB_OFFLINE": "1"}) == "environment"
    assert winner("offline", env={"HF_HUB_OFFLINE": "0"}) == "default"


def test_a_persona_or_a_prompt_that_is_stronger_stands_for_both() -> None:
    teacher, mine = Persona(system="Teach.", temp=0.4), "persona = 'Teacher'\n"
    for name, found in (("system", "persona"), ("persona", "file"), ("top_k", "default")):
        assert winner(name, mine, persona=teacher) == found
    assert winner("temp", mine, persona=teacher) == "persona"
    assert winner("temp", f"{mine}temp = 1.0\n", persona=teacher) == "file"
    for name in ("persona", "system"):
        assert winner(name, mine, system="Be kind.") == "flag"
        assert winner(name, mine, {"SLIPSTREAM_SYSTEM": "Be brief."}) == "environment"


@pytest.mark.parametrize("flags", [{}, {"system": "a"}, {"persona": "plain"}, {"temp": 0.5}])
@pytest.mark.parametrize("env", [{}, {"system": "b"}, {"persona": "concise"}, {"temp": "0.7"}])
@pytest.mark.parametrize("file", [{}, {"system": "c"}, {"persona": "teacher"}, {"temp": 0.9}])
def test_what_holds_is_what_the_source_that_is_said_to_win_gives(
    flags: dict[str, object], env: dict[str, str], file: dict[str, object]
) -> None:
    write_file("".join(f"{name} = {value!r}\n" for name, value in file.items()))
    variables = {f"SLIPSTREAM_{name.upper()}": value for name, value in env.items()}
    sources = Sources.read(flags, variables, Paths().settings_file)
    given = {"flag": flags, "environment": env, "file": file, "default": {}}
    for name in ("persona", "temp"):
        value = given[sources.winner(name, None, None)].get(name)
        assert getattr(sources.joined(), name) == (value if name == "persona" else _number(value))


def _number(value: object) -> float | None:
    return None if value is None else float(str(value))
