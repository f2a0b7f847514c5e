"""`slipstream ask`, as people and scripts run it: a process with a terminal, a pipe, or neither."""

from __future__ import annotations

import json
import os
import pty
import signal
import subprocess
import sys

import pytest

from app.paths import Paths
from tests.patience import PATIENCE_S
from tests.terminal import read_all

pytestmark = pytest.mark.usefixtures("known_costs")

QUESTION = "What does os.path.join do?"
FIELDS = {
    "prompt_tokens",
    "cached_tokens",
    "output_tokens",
    "steps",
    "drafted",
    "accepted",
    "tested",
    "acceptance_rate",
    "draft_efficiency",
    "mean_acceptance_length",
    "near_ties",
    "ttft_s",
    "prefill_tps",
    "decode_tps",
    "plain_tps",
    "speedup",
    "drafters",
    "engine_overhead_s",
}


def slipstream(*args: str, stdin: str | None = None) -> subprocess.CompletedProcess[str]:
    given = {"stdin": subprocess.DEVNULL} if stdin is None else {"input": stdin}
    return subprocess.run(
        [sys.executable, "-m", "app.cli", *args],
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        **given,
    )


def answered(*args: str) -> dict[str, object]:
    done = slipstream("ask", QUESTION, "--json", *args)
    assert done.returncode == 0, done.stderr
    answer: dict[str, object] = json.loads(done.stdout)
    return answer


def test_it_answers_on_stdout_and_reports_on_stderr() -> None:
    done = slipstream("ask", QUESTION)
    assert done.returncode == 0
    assert "Join two or more pathname components" in done.stdout
    assert "\x1b" not in done.stdout + done.stderr
    assert "tok/s" in done.stderr and "seed" in done.stderr


def test_json_is_one_object_with_the_contracts_fields() -> None:
    answer = answered("--seed", "7", "--temp", "0.8")
    assert {"text", "token_ids", "finish_reason", "seed", "stats"} <= answer.keys()
    assert (answer["verify"], answer["rollback"]) == ("coupled", "drop")
    stats = answer["stats"]
    assert isinstance(stats, dict)
    assert stats.keys() >= FIELDS
    assert answer["seed"] == 7
    assert answer["finish_reason"] == "stop"
    assert stats["output_tokens"] == len(answer["token_ids"])  # type: ignore[arg-type]
    drafters = stats["drafters"].values()
    assert stats["drafted"] == sum(share["drafted"] for share in drafters)


def test_the_same_seed_gives_the_same_tokens_with_every_drafter() -> None:
    flags = ("--seed", "7", "--temp", "0.8", "--drafter")
    tokens = [
        answered(*flags, name)["token_ids"] for name in ("none", "lookup", "draft_model", "auto")
    ]
    assert tokens[1:] == tokens[:1] * 3


def test_rejection_verifies_where_it_is_asked_to() -> None:
    answer = answered("--verify", "rejection", "--temp", "0.8", "--predict", "8")
    assert answer["verify"] == "rejection"
    assert answer["text"]


def test_a_token_that_is_biased_away_is_not_said() -> None:
    first, *_ = answered("--predict", "1")["token_ids"]  # type: ignore[misc]
    assert first not in answered("--logit-bias", f"{first}-100")["token_ids"]  # type: ignore[operator]
    (said,) = answered("--predict", "1", "--logit-bias", "7+1e6")["token_ids"]  # type: ignore[misc]
    assert said == 7


def test_speculation_that_is_off_says_why() -> None:
    done = slipstream("ask", QUESTION, "--json", "--predict", "1", "--draft-tokens", "0")
    reason = "Speculation is off: --draft-tokens is 0."
    answer = json.loads(done.stdout)
    assert (answer["drafter"], answer["notices"]) == ("none", [reason])
    assert done.stderr.splitlines() == [f"slipstream: {reason}"]


def test_it_reads_a_question_from_a_pipe_and_adds_one_to_words() -> None:
    done = slipstream("ask", stdin=QUESTION)
    assert "Join two or more" in done.stdout
    both = slipstream("ask", "--json", "--predict", "1", "What does", "this do?", stdin="len")
    alone = slipstream("ask", "--json", "--predict", "1", "What does this do?\n\nlen")
    counts = [json.loads(done.stdout)["stats"]["prompt_tokens"] for done in (both, alone)]
    assert counts[0] == counts[1]


def test_a_prompt_by_name_is_filled_with_words_and_what_is_piped() -> None:
    folder = Paths().ensure().prompts_dir
    folder.mkdir()
    (folder / "What.md").write_text("# Of a function\nWhat does {{input}} do?\n")
    for args, stdin in ((("os.path.join",), None), ((), "os.path.join\n")):
        done = slipstream("ask", "--prompt", "what", *args, stdin=stdin)
        assert "Join two or more pathname components" in done.stdout, done.stderr


def test_a_pipe_that_nobody_writes_to_is_not_waited_for() -> None:
    read_end, write_end = os.pipe()
    try:
        done = subprocess.run(
            [sys.executable, "-m", "app.cli", "ask", QUESTION],
            stdin=read_end,
            capture_output=True,
            text=True,
            timeout=PATIENCE_S,
        )
    finally:
        os.close(read_end)
        os.close(write_end)
    assert "Join two or more" in done.stdout
    assert "nothing came through the pipe" in done.stderr


def test_predict_and_stop_end_the_answer() -> None:
    cut = json.loads(slipstream("ask", QUESTION, "--json", "--predict", "3").stdout)
    assert (cut["finish_reason"], len(cut["token_ids"])) == ("length", 3)
    stopped = json.loads(slipstream("ask", QUESTION, "--json", "--stop", "path").stdout)
    assert stopped["finish_reason"] == "stop"
    assert "path" not in stopped["text"]
    assert stopped["text"].startswith("Join two or more ")


def test_to_a_terminal_it_streams_and_nothing_foreign_reaches_it() -> None:
    leader, follower = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "app.cli", "ask", QUESTION],
        stdin=follower,
        stdout=follower,
        stderr=subprocess.DEVNULL,
    )
    os.close(follower)
    shown = read_all(leader)
    os.close(leader)
    assert process.wait(timeout=PATIENCE_S) == 0
    assert b"Join two or more" in shown
    assert b"\x1b" not in shown


@pytest.mark.parametrize(
    ("args", "code", "said"),
    [
        (("ask", "hi", "--model", "nowhere.gguf"), 2, "--model: there is no file nowhere.gguf"),
        (("ask", "hi", "--model", __file__), 1, "no GGUF"),
        (("ask", "hi", "--top-p", "7"), 2, "--top-p: must be above 0"),
        (
            ("ask", "hi", "--typical", "2"),
            2,
            "--typical-p: must be above 0 and at most 1 (off), found 2",
        ),
        (
            ("ask", "hi", "--repeat-last-n", "-2"),
            2,
            "--repeat-last-n: must be -1 (all), 0 (off) or",
        ),
        (
            ("ask", "hi", "--presence-penalty", "inf"),
            2,
            "--presence-penalty: should be a finite number",
        ),
        (("ask", "hi", "--logit-bias", "5*1"), 2, "15043-1.5 or 15043-inf, found '5*1'"),
        (("ask", "hi", "--logit-bias", "99999+1"), 2, "the vocabulary has 4096 tokens"),
        (("ask", "hi", "--verify", "magic"), 2, "rejection"),
        (("ask", "hi", "--drafter", "magic"), 2, "invalid choice: 'magic'"),
        (("ask", "hi", "--pair", "nope"), 2, "no pair named 'nope'"),
        (("ask", "word " * 4000), 1, "--ctx-size"),
        (("ask",), 2, "nothing was asked"),
        (("ask", " ", "\n"), 2, "nothing was asked"),
        (("ask", "hi", "--temp", "warm"), 2, "--temp"),
        (("ask", "hi", "--gpu-layers", "x"), 2, "neither auto nor a count"),
        (("ask", "hi", "--ctx-size", "10"), 2, "--ctx-size: should be 64 or more, found 10"),
        (("ask", "hi", "--draft-tokens", "999"), 2, "from 0 to 128, found 999"),
        (("ask", "hi", "--prompt", "x\x1b"), 2, "There is no prompt 'x'; there are explain, impr"),
        (("asq", "hi"), 2, "asq"),
    ],
    ids=lambda value: str(value)[:30],
)
def test_bad_input_gets_one_clear_line(args: tuple[str, ...], code: int, said: str) -> None:
    done = slipstream(*args)
    assert done.returncode == code
    assert said in done.stderr
    assert "Traceback" not in done.stderr
    assert done.stdout == ""
    assert len(done.stderr.strip().splitlines()) == 1


def test_interrupted_it_keeps_what_there_is_and_exits_130() -> None:
    hot = ("--temp", "2", "--top-k", "0", "--top-p", "1", "--min-p", "0", "--draft-tokens", "1")
    process = subprocess.Popen(
        [sys.executable, "-m", "app.cli", "ask", "Tell me all.", *hot],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    first = process.stdout.read(1)
    process.send_signal(signal.SIGINT)
    rest, errors = process.communicate(timeout=PATIENCE_S)
    assert first + rest
    assert "Traceback" not in errors
    if "stopped" in errors:  # it may have ended by itself just before
        assert process.returncode == 130


def test_help_imports_nothing_heavy() -> None:
    script = (
        "import sys; from app.cli import build_parser; build_parser().format_help();"
        "heavy = {'numpy', 'textual', 'pydantic', 'llama_cpp', 'msgspec', 'asyncio', 'jinja2'};"
        "print(sorted((heavy | {'engine'}) & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert done.stdout.strip() == "[]", done.stderr


@pytest.mark.parametrize("args", [("--help",), ("ask", "--help"), ("--version",)])
def test_help_and_version_exit_with_0(args: tuple[str, ...]) -> None:
    done = slipstream(*args)
    assert done.returncode == 0
    assert "slipstream" in done.stdout
