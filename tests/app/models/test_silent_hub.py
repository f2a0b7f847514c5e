"""A Hub that says nothing is waited for a while, which one is told, and then no longer."""

from __future__ import annotations

import threading
import time
from dataclasses import replace
from typing import Any

import pytest

from app.errors import PullError
from app.models import hub as asking
from app.models.retrying import Patience
from tests.app.models.pulling import BRISK, FILE, REPO, SOON, SPEC, having, model, pull, target
from tests.hub.answers import Place
from tests.hub.misbehaviour import Hang, ServerError
from tests.hub.server import Hub


def n_asked(hub: Hub) -> int:
    return sum(request.path.startswith("/api/models/") for request in hub.requests)


@pytest.mark.parametrize(("answer_s", "most"), [(0.0, 1), (0.4, 2)])
def test_all_tries_together_have_one_time(hub: Hub, answer_s: float, most: int) -> None:
    hub.misbehave(Hang(at=Place.API))
    patience = replace(SOON, tries=100, answer_s=answer_s)
    with pytest.raises(PullError, match="Cannot reach the Hub for someone/model"):
        asking.look_up(SPEC, patience)
    assert 1 <= n_asked(hub) <= most


def test_a_hub_that_answers_that_it_cannot_is_asked_as_often_as_ever(hub: Hub) -> None:
    hub.misbehave(ServerError(503, at=Place.API))
    with pytest.raises(
        PullError, match="The Hub answers 503 Service Unavailable for someone/model"
    ):
        asking.look_up(SPEC, replace(BRISK, answer_s=0.0))
    assert n_asked(hub) == BRISK.tries


def test_nobody_waits_for_silence_much_longer_than_half_a_minute(
    hub: Hub, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = [0.0]
    patience = Patience(sleep=lambda s: now.__setitem__(0, now[0] + s))

    def silent(*_: object) -> None:
        now[0] += patience.connect_s
        raise asking_error()

    monkeypatch.setattr(asking, "_asked", silent)
    monkeypatch.setattr(time, "monotonic", lambda: now[0])
    with pytest.raises(PullError, match="Cannot reach the Hub"):
        asking.look_up(SPEC, patience)
    assert patience.connect_s < now[0] < 30


def asking_error() -> Exception:
    from huggingface_hub.errors import HfHubHTTPError

    return HfHubHTTPError.__bases__[0]("read timeout")


@pytest.fixture
def timers(monkeypatch: pytest.MonkeyPatch) -> list[threading.Timer]:
    """All that are started from here on."""
    begun: list[threading.Timer] = []
    start = threading.Timer.start
    monkeypatch.setattr(threading.Timer, "start", lambda self: (begun.append(self), start(self)))
    return begun


def test_one_is_told_that_the_hub_is_waited_for(
    hub: Hub, capsys: pytest.CaptureFixture[str]
) -> None:
    hub.misbehave(Hang(at=Place.API), times=1)
    with having(replace(SOON, tries=100, silent_s=0.05)):
        assert pull() == 0
    assert "The Hub has not answered yet" in capsys.readouterr().err
    assert target().name == FILE


def test_a_hub_that_answers_that_it_cannot_is_not_said_to_be_silent(
    hub: Hub, timers: list[threading.Timer], capsys: pytest.CaptureFixture[str]
) -> None:
    def pause(_: float) -> None:
        (timer,) = timers
        timer.function()  # its time is over in this pause

    hub.misbehave(ServerError(503, at=Place.API), times=1)
    with having(replace(BRISK, sleep=pause)):
        assert pull() == 0
    told = "The Hub answers 503 Service Unavailable: still trying again (Ctrl+C ends it)."
    err = capsys.readouterr().err
    assert told in err.splitlines() and "has not answered" not in err


@pytest.mark.usefixtures("brisk")
def test_a_hub_that_answers_at_once_is_not_said_to_be_waited_for(
    hub: Hub, timers: list[threading.Timer], capsys: pytest.CaptureFixture[str]
) -> None:
    assert pull() == 0
    assert timers and not any(timer.is_alive() for timer in timers)
    assert "has not answered" not in capsys.readouterr().err


@pytest.mark.usefixtures("brisk")
def test_each_question_is_waited_for_by_itself(hub: Hub, monkeypatch: pytest.MonkeyPatch) -> None:
    waiting: list[list[threading.Thread]] = []
    ask = asking._asked

    def asked(*about: Any) -> Any:
        waiting.append([it for it in threading.enumerate() if isinstance(it, threading.Timer)])
        return ask(*about)

    monkeypatch.setattr(asking, "_asked", asked)
    parts = [f"big-{i:05}-of-00002.gguf" for i in (1, 2)]
    for seed, part in enumerate(parts):
        hub.add(REPO, part, model(1000, seed))
    assert pull(f"{REPO}:big") == 0
    timers = [timer for (timer,) in waiting]
    assert len(timers) == len(set(timers)) == 3


NO_NETWORK = (
    "[Errno -3] Temporary failure in name resolution",
    "[Errno -2] Name or service not known",
    "[Errno 8] nodename nor servname provided, or not known",
    "[Errno 101] Network is unreachable",
    "[Errno 113] No route to host",
)


@pytest.mark.parametrize("said", [*NO_NETWORK, "[Errno 111] Connection refused"])
def test_where_nothing_leads_to_the_hub_it_is_given_up_soon(
    said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    now, tries = [0.0], []

    def refused(*_: object) -> None:
        tries.append(now[0])
        raise type(asking_error())(said)

    monkeypatch.setattr(asking, "_asked", refused)
    monkeypatch.setattr(time, "monotonic", lambda: now[0])
    with pytest.raises(PullError, match="Cannot reach the Hub"):
        asking.look_up(SPEC, Patience(sleep=lambda s: now.__setitem__(0, now[0] + s)))
    assert len(tries) > 1 and now[0] < 3


@pytest.mark.parametrize("said", NO_NETWORK)
def test_without_a_network_one_is_told_what_works_without(
    said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(*_: object) -> None:
        raise type(asking_error())(said)

    monkeypatch.setattr(asking, "_asked", refused)
    with pytest.raises(PullError) as told:
        asking.look_up(SPEC, replace(BRISK, tries=1))
    assert str(told.value) == (
        "Cannot reach the Hub for someone/model: there is no network that leads there. Models that "
        "are installed work without one, and so does the built-in pair, demo."
    )
