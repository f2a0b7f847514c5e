"""The tokens that a model wrote, in the place of those by which a prompt spells the same text.

A model may write "until" as "un" and "til". Its answer comes back as text in the next prompt, the
tokenizer chooses "until", and all behind it would have to be evaluated anew.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from engine.cache.tokens import common_prefix


def as_held(
    prompt: Sequence[int], held: Sequence[int], spelling: Callable[[int], bytes]
) -> list[int]:
    """Return the prompt with the tokens of `held` as far as they spell the same text.

    held: what was evaluated last. spelling: the bytes of a token, b"" of one that is no text, which
    only itself can stand for.
    """
    place = at, to = (common_prefix(held, prompt),) * 2
    theirs = ours = b""
    while True:
        if theirs == ours:
            place, theirs, ours = (at, to), b"", b""
            if at == len(held) or to == len(prompt):
                break
            if held[at] == prompt[to]:
                at, to = at + 1, to + 1
                continue
        if len(theirs) <= len(ours):
            more = spelling(held[at]) if at < len(held) else b""
            at, theirs = at + 1, theirs + more
        else:
            more = spelling(prompt[to]) if to < len(prompt) else b""
            to, ours = to + 1, ours + more
        if not more or not (theirs.startswith(ours) or ours.startswith(theirs)):
            break
    return [*held[: place[0]], *prompt[place[1] :]]
