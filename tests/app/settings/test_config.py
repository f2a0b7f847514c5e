"""Flags win over the environment, that over the file, that over the pair, that over defaults."""

from __future__ import annotations

import argparse
import os
from pathlib import Path

import pytest

from app.errors import CatalogError, SettingsError
from app.models.catalog import load_catalog
from app.models.store import Store
from app.paths import Paths
from app.settings.chat_flags import add_habit_arguments, add_theme_argument
from app.settings.config import EVERY_LAYER, is_offline, settings_from
from app.settings.flags import add_model_arguments
from app.settings.logit_bias import BANNED
from engine import SamplingSettings


def settings(*flags: str):  # type: ignore[no-untyped-def]
    parser = argparse.ArgumentParser()
    parser.add_argument("--pair")
    add_model_arguments(parser)
    add_theme_argument(parser)
    add_habit_arguments(parser)
    return settings_from(parser.parse_args(flags))


def write_file(text: str) -> None:
    path = Paths().ensure().settings_file
    path.write_text(text)


def test_each_source_wins_over_the_next(monkeypatch: pytest.MonkeyPatch) -> None:
    assert settings("--model", "m.gguf").sampling.temperature == 0.8
    assert settings().sampling.temperature == 0.0, "the demo pair recommends it"
    write_file("temp = 0.3\ntop_k = 9\n")
    assert settings().sampling.temperature == 0.3
    monkeypatch.setenv("SLIPSTREAM_TEMP", "0.4")
    assert settings().sampling.temperature == 0.4
    got = settings("--temp", "0.5").sampling
    assert (got.temperature, got.top_k) == (0.5, 9)


@pytest.mark.parametrize(
    ("name", "setting", "values"),
    [
        ("temp", "temperature", (0.1, 0.2, 0.3, 0.4)),
        ("top_k", "top_k", (1, 2, 3, 4)),
        ("typical_p", "typical_p", (0.1, 0.2, 0.3, 0.4)),
        ("top_p", "top_p", (0.1, 0.2, 0.3, 0.4)),
        ("min_p", "min_p", (0.1, 0.2, 0.3, 0.4)),
        ("repeat_penalty", "repeat_penalty", (1.1, 1.2, 1.3, 1.4)),
        ("presence_penalty", "presence_penalty", (1.5, -1.0, 0.5, 0.0)),
        ("frequency_penalty", "frequency_penalty", (1.5, -1.0, 0.5, 0.0)),
        ("repeat_last_n", "repeat_last_n", (256, 128, 0, -1)),
    ],
)
def test_every_source_can_give_how_tokens_are_drawn(
    name: str,
    setting: str,
    values: tuple[float, ...],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    pair, file, variable, flag = values
    models = tmp_path / "models.toml"
    models.write_text(
        "[models.t]\nembedded='target.gguf'\n"
        f"[pairs.demo]\ntitle='D'\nfor_whom='me'\ntarget='t'\nsettings={{{name}={pair}}}"
    )
    monkeypatch.setattr("app.settings.config.load_catalog", lambda own: load_catalog(own, models))
    assert getattr(settings().sampling, setting) == pair
    write_file(f"{name} = {file}")
    assert getattr(settings().sampling, setting) == file
    monkeypatch.setenv(f"SLIPSTREAM_{name.upper()}", str(variable))
    assert getattr(settings().sampling, setting) == variable
    assert getattr(settings("--" + name.replace("_", "-"), str(flag)).sampling, setting) == flag


def test_what_no_source_gives_is_the_engines_default() -> None:
    got = settings("--model", "m.gguf", "--seed", "0").sampling
    assert got == SamplingSettings()


def test_typical_has_both_names_of_llama_cpp() -> None:
    assert settings("--typical", "0.5").sampling.typical_p == 0.5
    assert settings("--typical-p", "0.5").sampling.typical_p == 0.5


def test_biases_of_one_token_add_up() -> None:
    flags = ("--logit-bias", "15043+1", "--logit-bias", "29-.5", "--logit-bias", "15043-1.5e0")
    assert settings(*flags).sampling.logit_bias == {15043: -0.5, 29: -0.5}
    assert settings("--logit-bias", "7-inf").sampling.logit_bias == {7: BANNED}
    with pytest.raises(SettingsError, match=r"15043-inf, found 'abc'\.$"):
        settings("--logit-bias", "abc")


def test_biases_of_one_source_replace_those_of_the_next(monkeypatch: pytest.MonkeyPatch) -> None:
    write_file("[logit_bias]\n15043 = 1\n29 = -2.5")
    assert settings().sampling.logit_bias == {15043: 1.0, 29: -2.5}
    write_file("[logit_bias]\n15043 = -inf")
    assert settings().sampling.logit_bias == {15043: BANNED}
    write_file("[logit_bias]\n15043 = 1\n29 = -2.5")
    monkeypatch.setenv("SLIPSTREAM_LOGIT_BIAS", "29+1, 30-100")
    assert settings().sampling.logit_bias == {29: 1.0, 30: -100.0}
    assert settings("--logit-bias", "7+2").sampling.logit_bias == {7: 2.0}
    monkeypatch.setenv("SLIPSTREAM_LOGIT_BIAS", "")
    assert settings().sampling.logit_bias == {}


@pytest.mark.parametrize(
    "word",
    [
        "x",
        "7",
        "+1",
        "7+",
        "7*1",
        "7+-1",
        "-7+1",
        "7+inf",
        "7+1e999",
        "7+1_0",
        "7+1,x",
        f"{2**31}+1",
    ],
)
def test_a_wrong_bias_is_one_clear_line(word: str) -> None:
    with pytest.raises(SettingsError, match=r"^--logit-bias: .*, found .*\.$"):
        settings(f"--logit-bias={word}")


@pytest.mark.parametrize("value", ["[1, 2]", "3", "{ a = 1 }", "{ -5 = 1 }", "{ 5 = inf }", "'x'"])
def test_a_wrong_table_of_biases_is_named(value: str) -> None:
    write_file(f"logit_bias = {value}")
    with pytest.raises(SettingsError, match=r"settings\.toml: logit_bias: .*, found .*\.$"):
        settings()


def test_how_drafts_are_verified_comes_from_every_source(monkeypatch: pytest.MonkeyPatch) -> None:
    assert settings().pair.verify == "coupled"
    write_file("verify = 'rejection'")
    assert settings().pair.verify == "rejection"
    assert settings("--verify", "coupled").pair.verify == "coupled"
    monkeypatch.setenv("SLIPSTREAM_VERIFY", "magic")
    with pytest.raises(
        SettingsError, match=r"^SLIPSTREAM_VERIFY: .*coupled or rejection, found 'magic'"
    ):
        settings()


@pytest.mark.parametrize(
    ("name", "field", "values"),
    [
        ("threads_draft", "draft_threads", (1, 2, 3)),
        ("gpu_layers_draft", "draft_gpu_layers", (7, 9, 0)),
        ("cache_type_draft", "draft_cache_type", ("q8_0", "f16", "q8_0")),
    ],
)
def test_every_source_can_give_what_the_draft_model_has_of_its_own(
    name: str, field: str, values: tuple[object, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    file, variable, flag = values
    others = ("--threads", "6", "--gpu-layers", "4", "--cache-type", "q8_0")
    assert getattr(settings(*others).pair, field) is None, "the target's"
    write_file(f"{name} = {file!r}")
    assert getattr(settings().pair, field) == file
    monkeypatch.setenv(f"SLIPSTREAM_{name.upper()}", str(variable))
    assert getattr(settings().pair, field) == variable
    pair = settings("--" + name.replace("_", "-"), str(flag)).pair
    assert getattr(pair, field) == flag
    assert (pair.threads, pair.gpu_layers, pair.cache_type) == (None, None, "f16")


def test_every_source_can_ask_for_batch_invariance(monkeypatch: pytest.MonkeyPatch) -> None:
    assert not settings().pair.batch_invariant
    write_file("batch_invariant = true")
    assert settings().pair.batch_invariant
    monkeypatch.setenv("SLIPSTREAM_BATCH_INVARIANT", "false")
    assert not settings().pair.batch_invariant
    assert settings("--batch-invariant").pair.batch_invariant
    monkeypatch.delenv("SLIPSTREAM_BATCH_INVARIANT")
    assert not settings("--no-batch-invariant").pair.batch_invariant


def test_auto_offloads_the_draft_model_whatever_the_target_has(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    auto = ("--gpu-layers-draft", "auto")
    assert settings(*auto).pair.draft_gpu_layers is None, "the target's, which is all"
    assert settings("--gpu-layers", "0", *auto).pair.draft_gpu_layers == EVERY_LAYER
    monkeypatch.setenv("SLIPSTREAM_GPU_LAYERS_DRAFT", "5")
    assert settings("--gpu-layers", "0", *auto).pair.draft_gpu_layers == EVERY_LAYER


def test_a_memory_is_kept_unless_a_source_says_no(monkeypatch: pytest.MonkeyPatch) -> None:
    kept = str(Paths().memory_dir)
    assert settings().pair.memory == kept
    write_file("memory = false")
    assert settings().pair.memory is None
    monkeypatch.setenv("SLIPSTREAM_MEMORY", "true")
    assert settings().pair.memory == kept
    assert settings("--no-memory").pair.memory is None
    monkeypatch.setenv("SLIPSTREAM_MEMORY", "false")
    write_file("memory = true")
    assert settings().pair.memory is None
    assert settings("--memory").pair.memory == kept


def test_memory_is_data_and_costs_are_a_cache(own_folders: Path) -> None:
    pair = settings("--model", "m.gguf").pair
    assert pair.memory is not None and Path(pair.memory).parent == Paths().data_dir
    assert pair.costs is not None and Path(pair.costs).parent == Paths().cache_dir
    assert Path(pair.memory).is_relative_to(own_folders)
    assert not Path(pair.memory).exists() and not Path(pair.costs).exists()


def test_without_flags_the_embedded_pair_is_chosen() -> None:
    pair = settings().pair
    assert Path(pair.target).name == "target.gguf"
    assert pair.draft is not None and Path(pair.draft).name == "draft.gguf"
    assert (pair.drafter, pair.draft_tokens, pair.gpu_layers) == ("auto", None, None)


def test_a_pair_that_is_not_installed_says_how_to_get_it() -> None:
    with pytest.raises(CatalogError, match=r"not installed: .*`slipstream pull qwen3-8b`"):
        settings("--pair", "qwen3-8b")
    with pytest.raises(CatalogError, match=r"`slipstream pull me/x:y.gguf`"):
        settings("--model", "me/x:y.gguf")


def test_an_installed_pair_is_opened_as_the_catalogue_says() -> None:
    store = Store(Paths().models_dir)
    catalog = load_catalog()
    for spec in catalog.members(catalog.pairs["qwen3-8b"]):
        path = store.path_of(spec)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"GGUF")
        os.truncate(path, spec.size or 4)  # sparse: the size alone is looked at
    got = settings("--pair", "qwen3-8b")
    assert Path(got.pair.target) == store.path_of(catalog.models["qwen3-8b"])
    assert got.pair.n_ctx == catalog.pairs["qwen3-8b"].ctx_size
    assert settings("--pair", "qwen3-8b", "--ctx-size", "777").pair.n_ctx == 777
    name = catalog.models["qwen3-8b"].source
    assert Path(settings("--model", name).pair.target) == store.path_of(catalog.models["qwen3-8b"])


@pytest.mark.parametrize(
    "variable", ["HF_HUB_OFFLINE", "TRANSFORMERS_OFFLINE", "SLIPSTREAM_OFFLINE"]
)
def test_offline_comes_from_flag_file_or_environment(
    variable: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert not is_offline(argparse.Namespace(offline=None))
    assert is_offline(argparse.Namespace(offline=True))
    monkeypatch.setenv(variable, "1")
    assert is_offline(argparse.Namespace(offline=None))
    monkeypatch.delenv(variable)
    write_file("offline = true")
    assert is_offline(argparse.Namespace(offline=None))


def test_files_are_a_pair_too() -> None:
    got = settings("--model", "a.gguf", "--model-draft", "b.gguf", "--draft-tokens", "3")
    assert (Path(got.pair.target).name, got.pair.draft_tokens, got.title) == ("a.gguf", 3, "a")


def test_every_answer_has_a_seed_and_a_given_one_is_kept() -> None:
    assert settings("--seed", "7").sampling.seed == 7
    assert settings().sampling.seed != settings().sampling.seed


@pytest.mark.parametrize(
    ("flags", "message"),
    [
        (("--seed", "-1"), "--seed"),
        (("--predict", "0"), "--predict"),
        (("--ctx-size", "0"), "--ctx-size"),
        (("--threads", "0"), "--threads"),
        (("--threads-draft", "0"), "--threads-draft"),
        (("--model-draft", "b.gguf"), "--model-draft needs --model"),
        (("--pair", "demo", "--model", "a.gguf"), "not both"),
    ],
)
def test_a_wrong_flag_is_named(flags: tuple[str, ...], message: str) -> None:
    with pytest.raises(SettingsError, match=message):
        settings(*flags)


def test_an_unknown_pair_is_refused_with_the_known_ones() -> None:
    with pytest.raises(CatalogError, match=r"'nope'.*demo"):
        settings("--pair", "nope")


def test_folders_are_private(own_folders: Path) -> None:
    paths = Paths().ensure()
    for folder in (paths.data_dir, paths.config_dir, paths.cache_dir, paths.log_dir):
        assert folder.is_relative_to(own_folders)
        assert folder.stat().st_mode & 0o077 == 0


@pytest.mark.parametrize("value", ["nan", "inf"])
def test_a_number_that_is_none_is_refused(value: str) -> None:
    with pytest.raises(SettingsError, match="--temp"):
        settings("--temp", value)


@pytest.mark.parametrize(
    ("flag", "value"), [("--temp", "-1"), ("--top-p", "7"), ("--typical", "0"), ("--min-p", "2")]
)
def test_a_range_is_checked_before_anything_is_loaded(flag: str, value: str) -> None:
    with pytest.raises(SettingsError, match=r"^--[a-z-]+: must be .* found"):
        settings(flag, value)
