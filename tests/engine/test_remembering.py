"""What an engine process indexes of earlier answers: bounded, and never a text half."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine import assemble, memory
from engine.drafters.lookup import Lookup
from engine.fixed_length import FixedAllowance
from tests.engine.fakes import picker
from tests.engine.in_process import loaded
from tests.pair import pair

TEXTS = [[1000 * n + i for i in range(20)] for n in range(1, 40)]


def test_an_engine_that_has_said_very_much_indexes_what_is_kept_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(memory, "LARGEST", 120)
    monkeypatch.setattr(assemble, "MOST_RECALLED", 240)
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
