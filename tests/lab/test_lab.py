"""Laws of the lab's comparisons: what is swept, who is held to what, and what must be noticed."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from types import SimpleNamespace

import pytest

from app.bench.taskset import builtin
from engine.cache.tokens import TokenCache
from tests.engine.in_process import answer, loaded
from tests.lab import compare, compared, overhead, turns
from tests.lab.compared import Answer, duel, rates, table, verdict
from tests.lab.contenders import Run, renderer
from tests.lab.sweep import ALL_LENGTHS, FINALISTS, LENGTHS, settings, sweep
from tests.pair import TARGET, pair, user

TILES = (8, 12, 16, 32)


def answered(contender: str, tps: float, text: str = "a b c d e", **of_answer: object) -> Answer:
    """An answer of a contender; what is not said is as in all others."""
    where = {"quant": "q", "temperature": 0.0, "task": "chat", "item": 0, "round": 0}
    ids = tuple(map(ord, text))
    near_ties = of_answer.pop("near_ties", ())
    run = Run(text, len(ids), tps, token_ids=ids, near_ties=near_ties)  # type: ignore[arg-type]
    return Answer(contender=contender, run=run, speedup=tps / 10, **{**where, **of_answer})  # type: ignore[arg-type]


def parsed(monkeypatch: pytest.MonkeyPatch, *words: str) -> SimpleNamespace:
    monkeypatch.setattr(sys, "argv", ["compare", *words])
    return compare.arguments()  # type: ignore[return-value]


# Who is asked what


def test_a_pair_of_a_real_model_is_asked_the_general_set(monkeypatch: pytest.MonkeyPatch) -> None:
    ours = compare.planned(parsed(monkeypatch, "--tasks", "chat"))
    real = compare.planned(parsed(monkeypatch, "--tasks", "chat", "--source", str(TARGET)))
    assert ours[0][2] == builtin("demo").tasks[0].items[0]
    assert real[0][2] == builtin("general").tasks[0].items[0]
    with pytest.raises(SystemExit):
        parsed(monkeypatch, "--source", "no-such-file.gguf")


def test_peers_are_asked_as_the_models_template_has_it() -> None:
    asked = renderer(TARGET)((("user", "Hello"), ("assistant", "Hi"), ("user", "Bye")))
    assert asked == (
        "<|im_start|>user\nHello<|im_end|>\n<|im_start|>assistant\nHi<|im_end|>\n"
        "<|im_start|>user\nBye<|im_end|>\n<|im_start|>assistant\n"
    )


# The sweep


def test_the_swept_lengths_just_fill_every_tile_of_the_kernels() -> None:
    for lengths in (LENGTHS, ALL_LENGTHS):
        assert {rows - 1 for rows in TILES} <= set(lengths)
        tried = list(settings(lengths))
        assert len(tried) == len(set(tried)), "each setting once"


def test_the_best_of_a_sweep_is_the_best_when_timed_again() -> None:
    asked: list[str] = []

    async def timed(setting: str) -> float:
        asked.append(setting)
        lucky = setting == "3" and asked.count(setting) == 1
        return 100.0 if lucky else float(setting)

    tried = [str(n) for n in range(1, 9)]
    found = asyncio.run(sweep(tried, timed, ["chat"]))
    assert max(found.once, key=found.once.__getitem__) == "3"
    assert found.best == "8"
    assert len(found.again) == FINALISTS
    again = asked[len(tried) :]
    assert again == ["3", "8", "7", "6", "5", "5", "6", "7", "8", "3"], "there and back"
    assert "chat" in str(found)


def test_a_setting_that_does_not_work_is_left_out_of_the_sweep() -> None:
    async def timed(setting: str) -> float:
        if setting != "good":
            raise RuntimeError("no such type")
        return 1.0

    found = asyncio.run(sweep(["bad", "good"], timed, ["chat"]))
    assert found.best == "good" and list(found.once) == ["good"]
    with pytest.raises(RuntimeError):
        asyncio.run(sweep(["bad"], timed, ["chat"]))


@pytest.mark.parametrize(
    ("tasks", "swept"),
    [("maths", {"maths"}), ("chat,maths", {"chat"}), ("creative", {"creative"})],
)
def test_settings_are_swept_on_the_tasks_that_there_are(
    tasks: str, swept: set[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    jobs = compare.planned(parsed(monkeypatch, "--tasks", tasks))  # type: ignore[arg-type]
    assert {task.name for task, *_ in compare.swept_on(jobs)} == swept


def test_a_comparison_of_no_task_says_so_before_anything_is_timed(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        parsed(monkeypatch, "--tasks", "sums")
    assert "sums" in capsys.readouterr().err


# Rounds


class Listener:
    """A contender that notes when it is asked, and for how much."""

    plain = "none"

    def __init__(self, name: str, heard: list[tuple[str, int]]) -> None:
        self.name, self._heard = name, heard

    async def answer(self, messages: object, temperature: float, predict: int, seed: int) -> Run:
        self._heard.append((self.name, predict))
        return Run("said", 1, 1.0)


def test_everybody_begins_an_answer_before_it_is_timed_and_nobody_is_always_first(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    heard: list[tuple[str, int]] = []
    args = parsed(monkeypatch, "--rounds", "4", "--tasks", "chat,code", "--predict", "99")
    everybody = [Listener(name, heard) for name in compared.OURS]
    jobs = compare.planned(args)  # type: ignore[arg-type]

    async def measured() -> list[list[compared.Answer]]:
        asked = compare.rounds(args, "q", jobs, everybody)  # type: ignore[arg-type]
        return [answers async for answers in asked]

    found = asyncio.run(measured())
    assert len(found) == 4 * len(jobs), "each prompt's answers are there as soon as they are given"
    assert all([a.contender for a in answers] == list(compared.OURS) for answers in found)
    warm, timed = heard[::2], heard[1::2]
    assert [name for name, _ in warm] == [name for name, _ in timed]
    assert {n for _, n in warm} == {compare.WARM_TOKENS} and {n for _, n in timed} == {99}
    order = [name for name, _ in timed]
    blocks = [order[at : at + len(everybody)] for at in range(0, len(order), len(everybody))]
    before = [block.index("auto") < block.index("draft_model") for block in blocks]
    assert 0 < sum(before) < len(blocks)


def test_what_was_measured_until_ctrl_c_is_shown_and_written(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    async def interrupted(*_: object) -> AsyncIterator[list[Answer]]:
        yield [answered("none", 10.0), answered("auto", 20.0)]
        raise asyncio.CancelledError

    monkeypatch.setattr(compare, "measure", interrupted)
    parsed(monkeypatch, "--no-peers", "--json", str(tmp_path / "a.json"))
    asyncio.run(compare.main())
    assert "| chat | 2.00 |" in capsys.readouterr().out
    assert len(json.loads((tmp_path / "a.json").read_text())["answers"]) == 2


def test_whoever_has_begun_an_answer_has_read_its_prompt() -> None:
    asked = [user("What is in the module os?")]
    with loaded(pair("draft_model", draft_tokens=2, threads=1)) as engine:
        answer(engine, asked, drafter="draft_model", predict=compare.WARM_TOKENS)
        draft, prompt = engine.parts().draft_cache, engine.template.tokens(asked)
        assert draft is not None and draft.tokens[: len(prompt)] == prompt


# What is printed


def test_the_better_lookup_of_the_bindings_is_the_rival_in_each_table() -> None:
    found = []
    for temperature, default, two in ((0.0, 5.0, 8.0), (0.8, 16.0, 8.0)):
        for name, tps in zip(("lookup", *compared.LOOKUPS), (20.0, default, two), strict=True):
            found.append(answered(name, tps, temperature=temperature))
    text = rates(found)
    assert "T 0: tokens/s of lookup over bindings lookup: 4.00" in text
    assert "T 0: tokens/s of lookup over the better of both, bindings lookup 2: 2.50" in text
    assert "T 0.8: tokens/s of lookup over the better of both, bindings lookup: 1.25" in text


def test_a_ratio_says_how_many_of_the_texts_are_the_same() -> None:
    found = [answered("auto", 20.0), answered("auto", 20.0, "other", round=1)]
    found += [answered("server best", 10.0, round=n) for n in (0, 1)]
    assert "2.00 (2.00 to 2.00 by task; 1 of 2 texts the same)" in str(
        duel(found, "auto", "server best")
    )


def test_two_plain_runs_stand_beside_the_ratios() -> None:
    found = [answered("none", 10.0 + n, round=n) for n in range(4)]
    found += [answered("server plain", 10.0, round=n) for n in range(4)]
    assert "two plain runs differ by" in rates(found)
    assert "1.00 to 1.30 in 4 answers" in rates(found)


def test_seeded_texts_of_our_drafters_are_compared_with_plain_ones() -> None:
    found = [answered("none", 10.0, temperature=0.8, round=n) for n in range(3)]
    found += [
        answered("auto", 20.0, temperature=0.8),
        answered("auto", 20.0, "a b X d e", temperature=0.8, round=1, near_ties=(4,)),
        answered("auto", 20.0, "a X c d e", temperature=0.8, round=2, near_ties=(4,)),
        answered("server plain", 9.0, "else", temperature=0.8),
    ]
    said = verdict(found)
    assert "seeded text as plain's, auto: 1 of 3, 1 of the others from a near tie on" in said
    assert "seeded text as ours, server plain: 0 of 1" in said


def test_a_row_is_marked_where_programs_said_different_things() -> None:
    found = [answered(name, 10.0, task=task) for name in ("none", "auto") for task in "xy"]
    found += [answered("server best", 10.0, task="x"), answered("server best", 9.0, "no", task="y")]
    rows = table(found).splitlines()
    assert [row.split("|")[1].strip() for row in rows if row.startswith(("| x", "| y"))] == [
        "x",
        "y *",
    ]


def test_what_a_drafted_token_costs_is_told_where_there_are_any() -> None:
    assert "5 us a drafted token, 4.0 of them a step" in overhead.row([overhead.Spent(40.0, 2, 8)])
    assert "drafted" not in overhead.row([overhead.Spent(40.0, 2, 0)])


# The second turn


def forgetful(n: int) -> object:
    """Return an `align` that keeps n tokens less than it could."""
    align = TokenCache.align

    def keep_less(cache: TokenCache, tokens: list[int]) -> int:
        kept = align(cache, tokens)
        cache.keep(max(0, kept - n))
        return len(cache)

    return keep_less


@pytest.mark.parametrize("n", [0, 1, 10_000])
def test_tokens_that_are_evaluated_again_are_noticed(
    n: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(turns, "FIRST", 16)
    with loaded(pair("draft_model", draft_tokens=2, threads=1)) as engine:
        monkeypatch.setattr(TokenCache, "align", forgetful(n))
        turn = turns.second_turn(engine)
    assert turn.target.is_exact == turn.draft.is_exact == (n == 0)
    assert turn.target.new.stop == turn.draft.new.stop
    assert 0 < len(turn.target.new) < turn.target.new.stop
