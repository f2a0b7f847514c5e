"""--limit-rate: what it may say, and that all downloads together stay below it."""

from __future__ import annotations

import time
from dataclasses import dataclass

import pytest

from app.errors import SettingsError
from app.models import limit as limits
from app.models.catalog import ModelSpec
from app.models.limit import BURST_S, Limit
from app.models.pull import Pull, plan
from app.models.stream import CHUNK
from tests.app.models.pulling import BRISK, REPO, model, pull, said, store
from tests.hub.server import Hub


@dataclass
class Clock:
    """A time that passes only in sleep."""

    now: float = 100.0

    def monotonic(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.now += seconds


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr(limits, "time", clock)
    return clock


def rate_of(text: str, clock: Clock) -> float:
    """Return the bytes a second that a limit lets through in the long run."""
    limit = Limit.parse(text)
    limit.spend(10**9)  # more than any burst
    begin = clock.now
    for _ in range(400):
        limit.spend(limit.chunk)
    return 400 * limit.chunk / (clock.now - begin)


@pytest.mark.parametrize(
    ("text", "rate"),
    [
        ("1000", 1e3),
        ("500k", 5e5),
        ("500kB", 5e5),
        ("2.5M", 2.5e6),
        (" 2m ", 2e6),
        ("1G", 1e9),
        ("3b", 3.0),
    ],
)
def test_a_rate_is_kept(clock: Clock, text: str, rate: float) -> None:
    assert rate_of(text, clock) == pytest.approx(rate, rel=0.02)


@pytest.mark.parametrize(
    "text", ["", "k", "fast", "-1", "0", "0k", "0.9", "1e-320", "nan", "inf", "1e999", "1T"]
)
def test_what_is_no_rate_is_a_wrong_use(
    hub: Hub, text: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(
        SettingsError, match=r"is no rate of 1 byte or more; write 500k, 2\.5M or 1G"
    ):
        Limit.parse(text)
    assert pull(f"--limit-rate={text}", f"{REPO}:any.gguf") == 2
    assert said(capsys).startswith("--limit-rate: ")
    assert hub.requests == []


def test_without_a_limit_nothing_waits(clock: Clock) -> None:
    limit = Limit.parse(None)
    for _ in range(100):
        limit.spend(10**9)
    assert (clock.now, limit.chunk) == (100.0, CHUNK)


@pytest.mark.parametrize("rate", [0.5, 10.0, 1e5, 1e12])
def test_a_chunk_is_never_long_in_coming(rate: float) -> None:
    assert 1 <= Limit(rate).chunk <= max(1, min(CHUNK, BURST_S * rate))


def test_who_paused_may_not_catch_up_on_more_than_a_burst(clock: Clock) -> None:
    limit = Limit(1000.0)
    limit.spend(1000)
    clock.now += 3600.0
    begin = clock.now
    limit.spend(1000)
    assert clock.now - begin == pytest.approx(1.0 - BURST_S)


def test_two_files_share_the_limit(hub: Hub) -> None:
    specs = [ModelSpec(repo=REPO, file=f"{name}.gguf") for name in "ab"]
    for i, spec in enumerate(specs):
        hub.add(REPO, str(spec.file), model(1_500_000, seed=i))
    begin = time.monotonic()
    Pull(store(), lambda _: None, Limit(10e6), BRISK).run(plan("it", specs, store(), BRISK))
    assert time.monotonic() - begin > 0.3 - BURST_S
    assert all(store().find(spec) for spec in specs)
