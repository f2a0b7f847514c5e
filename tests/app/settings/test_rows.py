"""What a setting's value looks like, where it comes from, and what a change of it does."""

from __future__ import annotations

import argparse
import dataclasses
from pathlib import Path

import msgspec
import pytest

from app.errors import SettingsError
from app.paths import Paths
from app.settings.config import ChatSettings, settings_for_pair
from app.settings.habits import HABITS, USUAL
from app.settings.rows import (
    ROWS,
    Now,
    SettingsNow,
    Value,
    parsed,
    shown,
    turned,
    typed,
)
from app.tui.preferences.setting_sources import (
    AT_LOAD,
    AT_START,
    LOADING,
    SAMPLING,
    Looks,
    changed,
    settings_now,
    with_chosen,
)
from app.tui.widgets.setting_list import laid_out
from engine import DEFAULT_MAX_CTX, SamplingSettings

LOOKS = Looks("dark", ("dark", "light"))


def of_demo() -> SettingsNow:
    return settings_now(argparse.Namespace(), {"pair": "demo"}, {}, LOOKS)


@pytest.mark.parametrize("width", [0, 5, 30, 50, 76])
def test_a_row_never_exceeds_the_width(width: int) -> None:
    now = Now("x" * 200, None, "chat")
    assert laid_out(ROWS["system"], now, width).cell_length <= width


@pytest.mark.parametrize(
    "name, text, value",
    [
        ("temp", " 0,5 ", 0.5),
        ("temp", "1", 1.0),
        ("top_k", "0", 0),
        ("seed", "", None),
        ("seed", "random", None),
        ("seed", "7", 7),
        ("predict", "256", 256),
        ("predict", "No limit", None),
        ("draft_tokens", "AUTO", "auto"),
        ("draft_tokens", "4", 4),
        ("memory", "off", False),
        ("system", " two\nlines ", " two\nlines "),
        ("system", "", None),
        ("think", "auto", None),
        ("think", "off", False),
    ],
)
def test_what_is_typed_becomes_a_value(name: str, text: str, value: Value | None) -> None:
    found = parsed(ROWS[name], text)
    assert (found, type(found)) == (value, type(value))


@pytest.mark.parametrize(
    "name, text",
    [
        ("temp", ""),
        ("temp", "warm"),
        ("top_k", "1.5"),
        ("gpu_layers", "-1"),
        ("draft_tokens", "²"),
        ("memory", "perhaps"),
        ("drafter", "nobody"),
        ("seed", "9" * 5000),
        ("think", "perhaps"),
    ],
)
def test_what_is_no_value_is_refused_in_one_line(name: str, text: str) -> None:
    with pytest.raises(SettingsError) as error:
        parsed(ROWS[name], text, ("auto", "none"))
    assert str(error.value).startswith(ROWS[name].label)
    assert len(str(error.value)) < 200


def test_the_context_that_nobody_says_is_told_with_its_limit() -> None:
    assert shown(ROWS["ctx_size"], None) == f"the model's, up to {DEFAULT_MAX_CTX}"


def test_every_value_is_shown_and_typed_as_it_is_read() -> None:
    for name, now in of_demo().items():
        row = ROWS[name]
        assert shown(row, now.value)
        if now.value is not None or row.nothing:
            assert parsed(row, typed(row, now.value), now.choices) == now.value


def test_a_switch_that_may_be_left_alone_has_three_positions_and_others_two() -> None:
    for name, positions in (("think", [None, True, False]), ("memory", [True, False])):
        for step in (1, -1):
            seen = [value := positions[0]]
            for _ in positions[1:]:
                seen.append(value := turned(ROWS[name], value, step))
            assert sorted(map(str, seen)) == sorted(map(str, positions))
            assert turned(ROWS[name], value, step) == positions[0]


def test_every_row_is_known_to_what_says_the_values() -> None:
    assert set(of_demo()) == set(ROWS)
    assert set(SAMPLING) | set(LOADING) <= set(ROWS)


def test_a_pair_says_what_no_other_source_does(own_folders: Path) -> None:
    file = Paths().own_catalog
    file.parent.mkdir(parents=True, exist_ok=True)
    target = own_folders / "t.gguf"
    target.write_bytes(b"GGUF")
    file.write_text(
        f'[models.t]\npath = "{target}"\n[pairs.mine]\ntitle = "Mine"\nfor_whom = "me"\n'
        'target = "t"\nctx_size = 512\nsettings = { temp = 0.1 }\n'
    )
    now = settings_now(argparse.Namespace(), {"pair": "mine"}, {}, LOOKS)
    assert (now["temp"].value, now["temp"].source) == (0.1, "pair")
    assert (now["ctx_size"].value, now["ctx_size"].source) == (512, "pair")
    assert now["top_k"].source == "default"


def test_files_by_path_have_their_own_settings_whatever_else_is_named(own_folders: Path) -> None:
    file = Paths().settings_file
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text('pair = "demo"\n')
    target = str(own_folders / "t.gguf")
    usual = SamplingSettings().temperature
    for args in (argparse.Namespace(), argparse.Namespace(pair="demo")):
        now = settings_now(args, {"model": target}, {}, LOOKS)
        assert (now["temp"].value, now["temp"].source) == (usual, "default")
    assert of_demo()["temp"].source == "pair"


def test_another_pair_gets_what_was_chosen_in_this_chat_and_keeps_all_else() -> None:
    settings = settings_for_pair(argparse.Namespace(), "demo")
    chosen: dict[str, Value | None] = {"temp": 1.5, "think": False, "ctx_size": 512}
    pair = msgspec.structs.replace(settings.pair, n_ctx=512)
    assert with_chosen(settings, chosen) == dataclasses.replace(
        settings, sampling=settings.sampling.at(1.5), think=False, pair=pair
    )
    assert with_chosen(settings, {}) == settings


def test_a_change_reaches_the_chat_or_says_when() -> None:
    settings: ChatSettings = settings_for_pair(argparse.Namespace(), "demo")
    for name, now in of_demo().items():
        after, effect = changed(settings, name, now.value)
        if name in SAMPLING or name in ("system", "think", "predict", *HABITS):
            assert effect == ""
        elif name in LOADING:
            assert effect == AT_LOAD
        else:
            assert (after, effect) == (settings, AT_START)
    warmer, _ = changed(settings, "temp", 1.5)
    assert warmer == dataclasses.replace(settings, sampling=settings.sampling.at(1.5))
    assert changed(settings, "think", False)[0].think is False
    assert changed(settings, "predict", 7)[0].predict == 7
    assert changed(settings, "frame", "none")[0].habits == dataclasses.replace(USUAL, frame="none")
    assert changed(settings, "memory", False)[0].pair.memory is None
    assert changed(settings, "gpu_layers", "auto")[0].pair.gpu_layers is None
    assert changed(settings, "drafter", "auto")[0].pair.drafter == "auto"
    assert changed(settings, "ctx_size", 512)[0].pair.n_ctx == 512
    assert changed(settings, "seed", None)[0].sampling.seed != settings.sampling.seed
