"""A pipe in the folder of models is waited for by no command."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from tests.app.models.pulling import CONTENT, FILE, NAME, target
from tests.hub.server import Hub
from tests.patience import PATIENCE_S


def ended(*words: str) -> int:
    """Run a command in a process of its own; return its exit code."""
    command = [sys.executable, "-m", "app.cli", *words]
    return subprocess.run(command, capture_output=True, timeout=PATIENCE_S).returncode


@pytest.mark.parametrize("suffix", [".json", ".part", ".part.json", ".lock"])
def test_a_pipe_beside_a_model_gives_way_to_what_belongs_there(hub: Hub, suffix: str) -> None:
    target().parent.mkdir(parents=True)
    os.mkfifo(target().with_name(FILE + suffix))
    assert ended("list", "--installed") == 0
    assert ended("pull", NAME) == 0
    assert target().read_bytes() == CONTENT


@pytest.mark.parametrize("suffix", [".json.new", ".part.json.new"])
def test_a_pipe_where_something_is_to_be_written_ends_the_pull(hub: Hub, suffix: str) -> None:
    target().parent.mkdir(parents=True)
    os.mkfifo(target().with_name(FILE + suffix))
    assert ended("list", "--installed") == 0
    assert ended("pull", NAME) == 1


def test_a_pipe_in_the_place_of_a_model_is_none(hub: Hub) -> None:
    target().parent.mkdir(parents=True)
    os.mkfifo(target())
    assert ended("list", "--installed") == 0
    assert ended("pull", NAME) == 0
    assert target().read_bytes() == CONTENT
