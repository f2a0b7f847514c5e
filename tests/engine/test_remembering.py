"""What an engine process indexes of earlier answers: bounded, and never a text half; and that an
answer is kept whose asker goes as soon as it has it.
"""

from __future__ import annotations

import asyncio
import fcntl
import threading
from pathlib import Path

import pytest

from engine import EngineClient, Finished, Message, SamplingSettings
from engine.drafters.lookup import Lookup
from engine.drafting import memory, recall
from engine.policy.fixed_length import FixedAllowance
from tests.engine.fakes import picker
from tests.engine.in_process import loaded
from tests.pair import load, pair

TEXTS = [[1000 * n + i for i in range(20)] for n in range(1, 40)]


def test_an_engine_that_has_said_very_much_indexes_what_is_kept_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(memory, "LARGEST", 120)
    monkeypatch.setattr(recall, "MOST_INDEXED", 240)
    with loaded(pair("lookup", memory=str(tmp_path))) as engine:
        index = engine.parts().memory
        assert index is not None
        for text in TEXTS:
            engine.remember(text)
            assert engine.parts().memory is index, "drafters hold it"
            assert 0 < len(index) <= 240 and index.states < 1000
        drafter = Lookup(index)
        drafter.begin(TEXTS[-1][:10], picker())
        assert list(drafter.propose(TEXTS[-1][:10], FixedAllowance(4)).tokens) == TEXTS[-1][10:14]
        drafter.begin(TEXTS[0][:10], picker())
        assert not drafter.propose(TEXTS[0][:10], FixedAllowance(4)).tokens


def test_an_answer_is_kept_though_its_asker_goes_at_once(tmp_path: Path) -> None:
    folder = tmp_path / "memory"
    folder.mkdir(mode=0o700)

    async def ask() -> None:
        client = EngineClient(tmp_path / "engine.log")
        try:
            await load(client, pair("lookup", memory=str(folder)))
            asked = [Message(role="user", content="What does os.path.join do?")]
            with (folder / memory.LOCK).open("w") as lock:
                fcntl.flock(lock, fcntl.LOCK_EX)
                threading.Timer(0.3, fcntl.flock, (lock.fileno(), fcntl.LOCK_UN)).start()
                async for event in client.ask(asked, SamplingSettings(temperature=0.0)):
                    if isinstance(event, Finished):
                        break
                await client.close()
        finally:
            await client.close()

    asyncio.run(ask())
    assert memory.held(folder).texts == 1
