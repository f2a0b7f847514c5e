"""A target goes as far as it is asked to, a draft model as far as it was made for: both is said."""

from __future__ import annotations

import pytest

from engine.loading.reach import draft_context, notices


@pytest.mark.parametrize(
    ("n_ctx", "made_for", "draft_ctx", "said"),
    [
        (2048, 2048, 2048, []),
        (2048, 4096, None, []),
        (4096, 2048, None, ["longer than the 2048 that this model was trained for"]),
        (4096, 4096, 2048, ["draft model was made for 2048 tokens, and the context has 4096"]),
        (4096, 2048, 1024, ["this model was trained for", "draft model was made for 1024"]),
    ],
)
def test_what_a_context_is_too_long_for_is_said(
    n_ctx: int, made_for: int, draft_ctx: int | None, said: list[str]
) -> None:
    found = list(notices(n_ctx, made_for, draft_ctx))
    for notice, words in zip(found, said, strict=True):
        assert words in notice


def test_a_draft_model_is_opened_no_further_than_its_target() -> None:
    assert (draft_context(2048, 4096), draft_context(4096, 2048)) == (2048, 2048)
