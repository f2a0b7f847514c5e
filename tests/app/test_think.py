"""Whether a model thinks first comes from flag, environment or file, and reaches its template."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import pytest

from app.cli import build_parser
from app.errors import SettingsError
from app.paths import Paths
from app.settings.config import settings_from
from app.settings.values import NO_SWITCH
from tests import tiny
from tests.app.test_ask import slipstream
from tests.engine.prompt.test_think_switch import DEEPSEEK, QWEN3
from tests.tiny.vocabulary import CHAT_TEMPLATE

pytestmark = pytest.mark.usefixtures("known_costs")


def think(*flags: str) -> bool | None:
    return settings_from(build_parser().parse_args(["chat", *flags])).think


def write_file(text: str) -> None:
    Paths().ensure().settings_file.write_text(text)


def test_each_source_wins_over_the_next_and_none_leaves_the_template_alone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert think() is None
    write_file("think = false")
    assert think() is False
    monkeypatch.setenv("SLIPSTREAM_THINK", "true")
    assert think() is True
    assert think("--no-think") is False
    monkeypatch.setenv("SLIPSTREAM_THINK", "false")
    assert think("--think") is True


def test_what_is_neither_on_nor_off_is_one_clear_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SLIPSTREAM_THINK", "perhaps")
    with pytest.raises(SettingsError, match=r"^SLIPSTREAM_THINK: .*found 'perhaps'"):
        settings_from(argparse.Namespace())


@pytest.mark.parametrize("template", [QWEN3, DEEPSEEK])
def test_ask_tells_the_model_and_shows_nothing_of_the_thought_that_the_template_closed(
    template: str, tmp_path: Path
) -> None:
    path = tiny.write("llama", tmp_path / "target.gguf", template=template)

    def asked(*flags: str) -> dict[str, object]:
        given = ("--model", str(path), "--predict", "4", "--temp", "0", "--json", *flags)
        done = slipstream("ask", "hi", *given)
        assert done.returncode == 0 and NO_SWITCH not in done.stderr, done.stderr
        answer: dict[str, object] = json.loads(done.stdout)
        return answer

    prompts = {
        flag: asked(*flag.split())["stats"]["prompt_tokens"]  # type: ignore[index]
        for flag in ("", "--think", "--no-think")
    }
    assert prompts["--think"] != prompts["--no-think"]
    assert prompts[""] == prompts["--think" if template == QWEN3 else "--no-think"]
    assert "think>" not in str(asked("--no-think")["text"])


def test_a_model_without_a_switch_answers_as_ever_and_that_is_said(tmp_path: Path) -> None:
    path = tiny.write("llama", tmp_path / "target.gguf", template=CHAT_TEMPLATE)
    flags = ("--model", str(path), "--predict", "4", "--seed", "1")
    plain, told = slipstream("ask", "hi", *flags), slipstream("ask", "hi", *flags, "--no-think")
    assert told.stdout == plain.stdout and told.returncode == 0
    assert NO_SWITCH in told.stderr and NO_SWITCH not in plain.stderr
