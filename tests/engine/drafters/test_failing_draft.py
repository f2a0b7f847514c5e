"""A draft model that fails in mid-answer costs speed, and is never silently gone."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from engine import assemble
from engine.answer import Answer
from engine.arrays import Logits
from engine.cache.rollback import Replay
from engine.cache.tokens import TokenCache
from engine.costs import calibration
from engine.drafters.auto import Cascade
from engine.drafters.draft_model import DraftModel
from engine.drafters.lookup import Lookup
from engine.errors import DecodeError
from engine.llama.model import Model
from engine.loading import models
from engine.messages import Ask, Delta
from engine.proof.answers import Questioner
from engine.verifiers.coupled import Coupled
from engine.verifiers.rejection import Rejection
from tests.engine.fakes import VOCAB, TableDecoder, picker, sampler
from tests.engine.in_process import GREEDY, answer, loaded
from tests.engine.running import PROMPT, run
from tests.pair import DRAFT, pair, user

MADE_FOR = 64
"""Tokens, where a draft model was made for fewer than its target."""


class Failing(TableDecoder):
    """A draft model that works up to some position, and then computes no numbers or none at all."""

    def __init__(self, how: str) -> None:
        super().__init__(closeness=0.9, key=1)
        self.how, self.most, self.is_spoilt = how, 14, False

    def decode(self, tokens: Sequence[int], start: int, n_rows: int) -> Logits:
        if start + len(tokens) <= self.most and not self.is_spoilt:
            return super().decode(tokens, start, n_rows)
        self.held += tokens[:1]  # it may have begun
        if self.how == "refuses":
            raise DecodeError("llama.cpp failed to decode 1 tokens.")
        self.held += tokens[1:]
        self.is_spoilt = True  # NaN in a cell that is masked out is NaN all the same
        return np.full((n_rows, VOCAB), np.nan, np.float32)

    def clear(self) -> None:
        super().clear()
        self.is_spoilt = False


class Counting(TableDecoder):
    """Counts from 1 to 7, again and again."""

    def row(self, context: Sequence[int]) -> np.ndarray:
        return 9.0 * (np.arange(VOCAB) == context[-1] % 7 + 1)


@pytest.mark.parametrize("how", ["refuses", "NaN"])
@pytest.mark.parametrize("verify", [Coupled, Rejection])
@pytest.mark.parametrize("temperature", [0.0, 0.8])
def test_an_answer_goes_on_without_a_draft_model_that_fails(
    verify: type[Coupled] | type[Rejection], temperature: float, how: str
) -> None:
    drawn, decoder = sampler(temperature), Failing(how)
    drafter = DraftModel(TokenCache(decoder), VOCAB)
    reader, steps = run(drafter, drawn, verifier=verify(drawn))
    why = {"refuses": "llama.cpp failed to decode 1 tokens.", "NaN": "no numbers (NaN)."}[how]
    assert len(PROMPT) + len(reader.tokens) > 16 and drafter.failure.endswith(why)
    assert sum(len(step.draft.tokens) for step in steps) > 0 == len(steps[-1].draft.tokens)
    assert decoder.held == [], "what it computed is not to be trusted"
    if verify is Coupled:
        assert reader.tokens == run(sampler=drawn)[0].tokens


@pytest.mark.parametrize("how", ["refuses", "NaN"])
def test_a_draft_model_that_failed_is_tried_again_in_the_next_answer(how: str) -> None:
    decoder = Failing(how)
    drafter = DraftModel(TokenCache(decoder), VOCAB)
    run(drafter)
    assert drafter.failure
    decoder.most = 512
    _, steps = run(drafter)
    assert not drafter.failure and steps[-1].draft.tokens


def test_a_draft_model_that_cannot_go_back_to_the_next_prompt_reads_it_anew(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def fail(*_: object) -> None:
        raise DecodeError("llama.cpp does not take back its state.")

    decoder = TableDecoder(key=1, closeness=0.9, can_drop=False)
    cache = TokenCache(decoder, Replay)
    drafter = DraftModel(cache, VOCAB)
    run(drafter)
    assert decoder.held
    monkeypatch.setattr(cache, "align", fail)
    drafter.begin(PROMPT, picker())
    assert decoder.held == [] and not drafter.failure


def test_the_lookup_goes_on_where_the_draft_model_fails() -> None:
    drafter = Cascade([Lookup(), DraftModel(TokenCache(Failing("NaN")), VOCAB)])
    _, steps = run(drafter, target=Counting(), prompt=[1, 2, 3])
    assert "went on without it" in drafter.failure
    assert steps[-1].draft.origins[:1] == ("lookup",)


@pytest.mark.parametrize("drafter", ["auto", "draft_model"])
@pytest.mark.parametrize("working", [0, 3])
def test_who_asks_is_told_and_gets_the_same_answer(
    drafter: str, working: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = [user("What does os.path.join do?")]
    with loaded(pair(drafter, 4)) as engine:
        plain = answer(engine, asked)
        cache = engine.parts().draft_cache
        assert cache is not None
        decode, done = cache.decoder.decode, []

        def fail(tokens: Sequence[int], start: int, n_rows: int) -> Logits:
            done.append(start)
            if len(done) > working:
                raise DecodeError("no room")
            return decode(tokens, start, n_rows)

        monkeypatch.setattr(cache.decoder, "decode", fail)
        found = answer(engine, asked, drafter=drafter)
        assert found.token_ids == plain.token_ids and not plain.notices
        (notice,) = found.notices
        assert "draft model failed" in notice and notice.endswith("no room")
        questioner = Questioner(engine, 8)
        done.clear()
        with pytest.raises(DecodeError, match="draft model failed"):
            questioner.say(0, questioner.coupled(GREEDY), engine.drafter, 4)


@pytest.mark.parametrize("where", ["probe", "measure"])
def test_a_draft_model_that_cannot_even_be_tried_is_left_out_with_a_notice(
    where: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    module = models if where == "probe" else calibration
    does, n_called = getattr(module, where), []

    def fail(*args: object, **more: object) -> object:
        n_called.append(1)
        is_drafts = len(n_called) > 1 if where == "probe" else args[1] is not None
        if is_drafts:
            raise DecodeError("llama.cpp failed to decode 1 tokens.")
        return does(*args, **more)

    monkeypatch.setattr(module, where, fail)
    with loaded(pair(costs=None)) as engine:
        (notice,) = engine.notices
        assert "The draft model is not used" in notice and "failed to decode" in notice
        assert engine.parts().draft_cache is None and not engine.curves.has_draft
        assert engine.ready(1).draft_refused == "llama.cpp failed to decode 1 tokens."
        assert engine.ready(1).draft is None and engine.drafter.members == ("lookup",)
        assert answer(engine, [user("What is len?")], drafter="lookup").text


def test_of_an_answer_that_fails_in_the_middle_all_that_was_read_is_told() -> None:
    asked = [user("What does os.path.join do?")]
    with loaded(pair("none")) as engine:
        whole = answer(engine, asked)
        decode, said, n = engine.decoder.decode, [], []

        def fail(tokens: Sequence[int], start: int, n_rows: int) -> Logits:
            n.append(1)
            if len(n) > 12:
                raise DecodeError("no more")
            return decode(tokens, start, n_rows)

        engine.decoder.decode = fail  # type: ignore[method-assign]
        events = Answer(engine, Ask(1, asked, GREEDY, predict=24), lambda: False).events()
        with pytest.raises(DecodeError, match="no more"):
            said.extend(events)
        deltas = [event for event in said if isinstance(event, Delta)]
        text = "".join(span.text for delta in deltas for span in delta.spans)
        assert whole.text.startswith(text)
        assert deltas[-1].stats.output_tokens >= 11
        assert len(text) >= len(b"".join(map(engine.model.piece, whole.token_ids[:11])).decode())


class Short(Model):
    """A model, and the draft model was made for less than the target."""

    def __init__(self, path: str, *others: object) -> None:
        super().__init__(path, *others)  # type: ignore[arg-type]
        if path == str(DRAFT):
            self.n_ctx_train = MADE_FOR


def test_what_a_draft_model_reads_has_to_be_earned_back_before_its_context_ends(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    rooms = list[int]()
    monkeypatch.setattr(models, "Model", Short)
    monkeypatch.setattr(assemble, "may_repay", lambda *args: bool(rooms.append(args[-1])))
    with loaded(pair("draft_model")) as engine:
        for predict in (400, 3):
            found = answer(engine, [user("word")], drafter="draft_model", predict=predict)
            assert rooms.pop() == min(predict, MADE_FOR - found.stats.prompt_tokens)


@pytest.mark.parametrize("n_words", [5, 600], ids=["in the answer", "in the prompt"])
def test_where_the_draft_models_context_ends_drafting_does_and_the_answer_goes_on(
    n_words: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = [user("word " * n_words)]
    monkeypatch.setattr(models, "Model", Short)
    with loaded(pair("draft_model", 4)) as engine:
        cache = engine.parts().draft_cache
        assert cache is not None and cache.decoder.n_ctx == MADE_FOR < engine.session.n_ctx
        assert engine.notices == [
            "The draft model was made for 64 tokens, and the context has 2048: behind those it "
            "drafts nothing."
        ]
        plain, found = (
            answer(engine, asked, drafter=d, predict=400) for d in ("none", "draft_model")
        )
        assert found.token_ids == plain.token_ids and not found.notices
        assert bool(found.stats.drafted) == (n_words == 5)
        assert len(cache) <= MADE_FOR
        assert answer(engine, [user("What is len?")], drafter="draft_model").stats.drafted
