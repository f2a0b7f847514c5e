"""A draft model that lacks the target's last ids drafts all the same, whatever the text holds."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.loading.narrow import STAND_IN, Narrow
from engine.settings import PairSettings, SamplingSettings
from tests import tiny
from tests.engine.fakes import TableDecoder
from tests.engine.in_process import GREEDY, answer, loaded
from tests.pair import measured_costs, user
from tests.tiny.vocabulary import CHAT_TEMPLATE

EXTRA = "<|extra|>"
WARM = SamplingSettings(temperature=0.8, seed=7)


@pytest.mark.parametrize("sampling", [GREEDY, WARM], ids=["greedy", "warm"])
@pytest.mark.parametrize("arch", ["llama", "mamba2"])
def test_a_prompt_with_ids_that_the_draft_model_lacks_is_drafted_for(
    tmp_path: Path, arch: str, sampling: SamplingSettings
) -> None:
    template = EXTRA + CHAT_TEMPLATE
    target = tiny.write(arch, tmp_path / "target.gguf", controls=(EXTRA,), template=template)
    draft = tiny.write(arch, tmp_path / "draft.gguf")
    settings = PairSettings(
        target=str(target),
        draft=str(draft),
        drafter="draft_model",
        draft_tokens=4,
        costs=str(measured_costs()),
    )
    with loaded(settings) as engine:
        assert not engine.notices
        asked = [user("Why is that so?")]
        cache = engine.parts().draft_cache
        assert cache is not None and cache.decoder.n_vocab < engine.model.n_vocab
        plain = answer(engine, asked, sampling)
        found = answer(engine, asked, sampling, drafter="draft_model")
        assert max(engine.session.tokens) >= cache.decoder.n_vocab, "the template's token"
        assert not found.notices
        assert found.stats.drafted > 20
        assert found.token_ids == plain.token_ids


def test_what_is_lacked_is_evaluated_as_another_and_all_else_as_it_is() -> None:
    inner = TableDecoder()
    narrow = Narrow(inner)
    narrow.decode([3, inner.n_vocab - 1, inner.n_vocab, 900], 0, 1)
    assert inner.held == [3, inner.n_vocab - 1, STAND_IN, STAND_IN]
    narrow.drop(1)
    assert inner.held == [3]
    assert narrow.decode_s == inner.decode_s
