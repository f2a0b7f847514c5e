"""An answer that is asked on with has the tokens that the model wrote, and is not read again."""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from engine.prompt.respelling import as_held
from engine.settings import SamplingSettings
from tests.engine.in_process import conversation, loaded
from tests.pair import pair, user

PIECES = [b"", b"a", b"b", b"ab", b"ba", b"aba", b"", b"b"]
"""Tokens 0 and 6 are no text; 2 and 7 are spelled alike."""
ANYTHING = SamplingSettings(temperature=2.0, top_k=0, top_p=1.0, min_p=0.0)
TOKENS = st.lists(st.integers(0, len(PIECES) - 1), max_size=12)


def spelled(tokens: Sequence[int]) -> list[bytes | int]:
    """Return the text of tokens, cut where one is none."""
    parts: list[bytes | int] = [b""]
    for token in tokens:
        last = parts[-1]
        if not PIECES[token]:
            parts += [token, b""]
        elif isinstance(last, bytes):
            parts[-1] = last + PIECES[token]
    return parts


@given(TOKENS, TOKENS)
def test_no_letter_and_no_control_token_is_changed(prompt: list[int], held: list[int]) -> None:
    assert spelled(as_held(prompt, held, PIECES.__getitem__)) == spelled(prompt)


@given(TOKENS, TOKENS)
def test_all_that_was_evaluated_is_kept_where_a_prompt_begins_with_its_text(
    held: list[int], more: list[int]
) -> None:
    respelled = [other for token in held for other in {3: [1, 2], 5: [3, 1]}.get(token, [token])]
    assert as_held([*respelled, 6, *more], [*held, 6], PIECES.__getitem__) == [*held, 6, *more]


def test_a_control_token_stands_for_itself_alone() -> None:
    assert as_held([1, 6, 3], [1, 0, 1, 2], PIECES.__getitem__) == [1, 6, 3]
    assert as_held([3, 6, 1], [1, 2, 6, 4], PIECES.__getitem__) == [1, 2, 6, 1]


def test_the_second_turn_evaluates_only_what_is_new_however_the_first_was_written() -> None:
    questions = [user("What does os.path.join do?"), user("And isabs?")]
    with loaded(pair("auto")) as engine:
        n_respelled = 0
        for seed in range(16):
            sampling = replace(ANYTHING, seed=seed)
            first, second = conversation(engine, questions, sampling, "auto", 48)
            if "\ufffd" in first.text:  # bytes that are no text do not come back
                continue
            written = [token for token in first.token_ids if not engine.model.is_end(token)]
            found = engine.model.tokenize("\n" + first.text, special=False)[1:]
            n_respelled += found[: len(written)] != written
            assert second.stats.cached_tokens >= first.stats.prompt_tokens + len(written) - 1
        assert n_respelled > 0
