"""The line of figures says why an answer was not drafted, and what of it was near a tie."""

from __future__ import annotations

from msgspec.structs import replace

from app.chat.summary import NOT_WORTH_IT, TOO_DEAR, summary, summary_line
from tests.app.tui.fakes import stats_at

DRAFTED = stats_at(6)
PLAIN = replace(DRAFTED, drafted=0, accepted=0, tested=0, acceptance_rate=None, speedup=1.0)


def test_an_answer_that_nobody_drafted_though_somebody_could_says_why() -> None:
    assert NOT_WORTH_IT in summary_line(PLAIN, "stop", 7, NOT_WORTH_IT)


def test_there_is_nothing_to_explain_where_nobody_could_draft_or_somebody_did() -> None:
    assert NOT_WORTH_IT not in summary_line(PLAIN, "stop", 7, "")
    assert NOT_WORTH_IT not in summary_line(DRAFTED, "stop", 7, NOT_WORTH_IT)


def test_of_an_answer_that_was_stopped_before_its_first_step_no_drafting_is_told() -> None:
    stopped = replace(PLAIN, output_tokens=0, steps=0, decode_tps=None)
    assert "drafted" not in summary(stopped, NOT_WORTH_IT)
    assert "drafted" not in summary_line(stopped, "cancelled", 7, NOT_WORTH_IT)


def test_a_gain_is_told_of_drafted_answers_alone() -> None:
    assert "≈1.7\N{MULTIPLICATION SIGN} plain" in summary_line(DRAFTED, "stop", 7, NOT_WORTH_IT)
    assert "plain" not in summary_line(PLAIN, "stop", 7, NOT_WORTH_IT)


def test_a_command_says_of_an_answer_what_the_chat_says_of_it() -> None:
    vain = replace(PLAIN, speedup=0.5)
    for stats in (DRAFTED, PLAIN, vain):
        line = summary_line(stats, "stop", 7, NOT_WORTH_IT)
        assert line.startswith(f"{summary(stats, NOT_WORTH_IT)} · ") and line.endswith("seed 7")
    assert TOO_DEAR in summary(vain)


def test_one_token_is_called_one() -> None:
    assert summary(replace(PLAIN, output_tokens=1)).startswith("1 token · ")


def test_a_time_without_end_is_not_told() -> None:
    endless = replace(DRAFTED, decode_tps=1e-320, decode_s=0.0)
    assert summary(endless).startswith("18 tokens · 0.0 tok/s")


def test_near_ties_are_counted_where_there_are_any() -> None:
    for places, said in (([], ""), ([3], "1 near-tie · "), ([3, 9], "2 near-ties · ")):
        line = summary_line(replace(DRAFTED, near_ties=places), "stop", 7, NOT_WORTH_IT)
        assert line.endswith(f" · {said}seed 7") and line.count("near-tie") == bool(places)
