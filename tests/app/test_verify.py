"""`slipstream verify` and what it says."""

from __future__ import annotations

import argparse
import json
import subprocess
import sys

import msgspec
import pytest

from app.commands.verify import FIXED, add_arguments
from app.proof_report import as_json, as_text, judge
from engine import Acceptance, Comparison, Proof, Ready
from tests.app.doctor.test_trial import ready
from tests.pair import ROOT

pytestmark = pytest.mark.usefixtures("known_costs")


def comparison(drafter: str = "auto", **changes: object) -> Comparison:
    facts: dict[str, object] = {
        "answers": 20,
        "equal": 20,
        "at_near_ties": 0,
        "different": 0,
        "tokens": 900,
        "accepted": 80,
        "tested": 100,
    }
    return Comparison(drafter=drafter, **(facts | changes))  # type: ignore[arg-type]


def proof(*comparisons: Comparison, **changes: object) -> Proof:
    facts: dict[str, object] = {
        "id": 3,
        "temperatures": [0.0, 0.8],
        "draft_lengths": [0, 1, 2],
        "questions": 3,
        "cells": 20,
        "planned": 20,
        "comparisons": list(comparisons),
        "replayed": 50,
        "replayed_same": 50,
        "replayed_near_ties": 0,
        "replayed_wrong": 0,
        "width_noise": 0.0,
        "tie_margin": 0.0,
        "near_ties": 0,
        "n_tokens": 50,
        "acceptance": [
            Acceptance(way="coupled", expected=0.91, observed=0.9, tested=200),
            Acceptance(way="top token", expected=0.82, observed=None, tested=0),
        ],
        "acceptance_positions": 300,
        "differences": [],
        "seconds": 7.0,
    }
    return Proof(**(facts | changes))  # type: ignore[arg-type]


DRAFTING = ready(drafters=["lookup"])
OFF: Ready = ready(drafters=[], notices=["Speculation is off: no way back."])


def test_equal_answers_are_exact() -> None:
    verdict = judge(DRAFTING, proof(comparison(), comparison("oracle")))
    assert verdict.kind == "exact" and verdict.holds
    assert verdict.line.startswith("EXACT: all 40 drafted answers")


@pytest.mark.parametrize(
    "found",
    [
        proof(comparison(equal=19, at_near_ties=1)),
        proof(comparison(), replayed_same=49, replayed_near_ties=1),
    ],
    ids=["answer", "replay"],
)
def test_near_ties_are_said(found: Proof) -> None:
    verdict = judge(DRAFTING, found)
    assert verdict.kind == "exact but for near-ties" and verdict.holds


@pytest.mark.parametrize(
    "found",
    [
        proof(comparison(equal=19, different=1), comparison("oracle")),
        proof(comparison(), replayed_same=49, replayed_wrong=1),
    ],
    ids=["answer", "replay"],
)
def test_any_other_difference_fails(found: Proof) -> None:
    verdict = judge(DRAFTING, found)
    assert verdict.kind == "differs" and not verdict.holds
    assert verdict.line.startswith("DIFFERS")


def test_without_speculation_it_says_why() -> None:
    found = proof()
    verdict = judge(OFF, found)
    assert verdict.kind == "plain" and verdict.holds
    text = as_text(OFF, found, verdict)
    assert "Speculation is off: no way back." in text.splitlines()
    assert "Seeded equality" not in text and "What this proves" not in text


def test_a_noise_that_was_not_seen_is_no_difference_of_at_most_nothing() -> None:
    found = proof(comparison(), tie_margin=0.3, near_ties=2)
    text = " ".join(as_text(DRAFTING, found, judge(DRAFTING, found)).split())
    assert "at most 0" not in text
    assert "none was seen here" in text and "closer than 0.3 count as near-ties: 2 of 50" in text


def test_the_text_holds_every_drafter_the_noise_and_what_differs() -> None:
    found = proof(
        comparison("garbage", tested=0, accepted=0),
        comparison(equal=18, at_near_ties=2),
        cells=7,
        width_noise=0.012,
        tie_margin=0.05,
        near_ties=4,
        differences=["auto, draft length 3: token 7 is 1"],
    )
    text = as_text(DRAFTING, found, judge(DRAFTING, found))
    lines = [line.split() for line in text.splitlines()]
    assert ["garbage", "20", "20", "0", "0", "900", "-"] in lines
    assert ["auto", "20", "18", "2", "0", "900", "80.0%"] in lines
    assert ["coupled", "91.00%", "90.0%", "of", "200"] in lines
    assert ["top", "token", "82.00%", "-"] in lines
    for part in ("7 of these 20 answers", "0.012", "0.05", "4 of 50", "token 7 is 1", "near_ties"):
        assert part in " ".join(text.split())
    assert "Nothing was drafted by: garbage." in " ".join(text.split())
    assert text.split("\n\n")[-1].startswith("EXACT but for near-ties")
    assert max(map(len, text.splitlines())) <= 80


@pytest.mark.parametrize(
    ("device", "batch_invariant", "info", "remedies"),
    [
        ("CPU", False, "CPU : AVX2 = 1 | LLAMAFILE = 1 |", ["--batch-invariant"]),
        ("CPU", False, "CPU : AVX2 = 1 |", ["--batch-invariant"]),
        ("CPU", True, "CPU : AVX2 = 1 | LLAMAFILE = 1 |", ["GGML_LLAMAFILE=OFF"]),
        ("CPU", True, "CPU : AVX2 = 1 |", []),
        ("CUDA0", False, "CPU : AVX2 = 1 | LLAMAFILE = 1 |", []),
    ],
)
def test_whose_words_parted_is_told_of_kernels_with_which_they_do_not(
    device: str, batch_invariant: bool, info: str, remedies: list[str]
) -> None:
    here = msgspec.structs.replace(
        DRAFTING, device=device, batch_invariant=batch_invariant, system_info=info
    )
    parted = proof(comparison(equal=19, at_near_ties=1), width_noise=1.2, tie_margin=2.8)
    text = " ".join(as_text(here, parted, judge(here, parted)).split())
    assert (f"{device}, batch-invariant, threads: " in text) == batch_invariant
    assert "a function of the target alone, but for near-ties." in text
    assert [it for it in ("--batch-invariant", "GGML_LLAMAFILE=OFF") if it in text] == remedies
    alike = proof(comparison(), width_noise=1.2, tie_margin=2.8)
    text = " ".join(as_text(here, alike, judge(here, alike)).split())
    assert "a function of the target alone. Whoever" in text and "--batch-" not in text


def test_hostile_paths_are_harmless() -> None:
    hostile = ready(target="/tmp/\x1b]0;pwned\x07.gguf")
    found = proof(comparison())
    assert "\x1b" not in as_text(hostile, found, judge(hostile, found))


def test_the_object_has_verdict_pair_and_figures() -> None:
    found = proof(comparison(), comparison("oracle"))
    printed = json.loads(as_json(DRAFTING, found, judge(DRAFTING, found)))
    assert printed["verdict"] == "exact" and printed["summary"].startswith("EXACT")
    assert printed["drafters"] == ["lookup"] and printed["rollback"] == "drop"
    assert printed["comparisons"][0] == msgspec.to_builtins(comparison())
    assert printed["acceptance"][0]["expected"] == 0.91
    assert not {"type", "id"} & printed.keys()


def verify(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "app.cli", "verify", *arguments],
        capture_output=True,
        text=True,
        cwd=ROOT,
        stdin=subprocess.DEVNULL,
        timeout=300,
    )


def test_the_embedded_pair_is_exact_on_this_machine() -> None:
    done = verify("--json", "--seconds", "1", "--seed", "7")
    assert done.returncode == 0, done.stderr
    printed = json.loads(done.stdout)
    assert printed["verdict"] in {"exact", "exact but for near-ties"}
    assert {c["drafter"] for c in printed["comparisons"]} >= {"auto", "draft_model", "lookup"}
    assert sum(c["different"] for c in printed["comparisons"]) == 0
    ways = {way["way"]: way["expected"] for way in printed["acceptance"]}
    assert ways["coupled"] > ways["rejection"] - 0.06
    assert done.stderr == ""


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--seconds", "0"), "--seconds must be from 1 to 86400, found 0."),
        (("--seconds", "nan"), "--seconds must be"),
        (("nonsense",), "nonsense"),
        (("--drafter", "none"), "unrecognized arguments: --drafter"),
        (("--logit-bias", "99999999+1"), "the vocabulary has 4096 tokens"),
        (("--model", "/nowhere/x.gguf"), "/nowhere/x.gguf"),
    ],
    ids=str,
)
def test_bad_input_is_one_line(arguments: tuple[str, ...], said: str) -> None:
    done = verify(*arguments)
    assert done.returncode in {1, 2} and done.stdout == ""
    assert said in done.stderr and done.stderr.count("\n") == 1


def test_its_flags_are_those_of_the_chat_and_its_own() -> None:
    parser = argparse.ArgumentParser()
    add_arguments(parser)
    args = parser.parse_args(["demo", "--json", "--top-k", "5"])
    assert (args.pair, args.json, args.top_k, args.seconds) == ("demo", True, 5, 90.0)


def test_it_offers_no_flag_for_what_the_proof_chooses_itself() -> None:
    parser = argparse.ArgumentParser()
    add_arguments(parser)
    told = parser.format_help().replace("-\n", "-")
    offered, _, chosen = told.partition("These cannot be set")
    for name in FIXED:
        flag = "--" + name.replace("_", "-")
        assert f"{flag} " not in offered and "temp 0.8" not in offered
        assert flag in chosen
