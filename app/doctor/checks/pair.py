"""The check of the pair that the chat opens: who is to draft for it, as its settings have it.

Nothing is loaded for that. What a load finds out, such as a draft model of another vocabulary, the
chat's own Doctor says of the pair that is loaded there.
"""

from __future__ import annotations

import argparse

from app.doctor.facts import Check, Checker, Facts
from app.errors import AppError
from app.last import read_last, settings_or_last
from app.models.given_draft import NOT_USED, is_left_out
from app.settings.config import DEFAULT_DRAFTER, ChatSettings, sources_of
from app.settings.values import uses_draft_model

NAME = "this pair"
OFF = "speculation off"
BOTH = "lookup, draft_model"
ALONE = (
    "lookup alone, for there is no draft model: a gain only where an answer repeats earlier text"
)
GIVE = "Give it a smaller model of its family: --model-draft FILE."


def check_pair(facts: Facts) -> Check:
    """Say who drafts for the pair that is opened where none is named, and why nobody does."""
    try:
        settings, _ = settings_or_last(argparse.Namespace(), read_last(facts.paths.last_file))
    except (AppError, OSError):
        return Check(NAME, "ok", "unknown as long as the settings are broken")
    pair = settings.pair
    if pair.drafter == "none":
        return _off(facts, settings, "drafter")
    if pair.draft_tokens == 0:
        return _off(facts, settings, "draft_tokens")
    if is_left_out(settings.name, pair):
        found = f"{settings.title}: drafting with {pair.drafter}; {NOT_USED}"
        return Check(NAME, "warn", found, _mend(facts, "drafter"))
    is_alone = pair.draft is None and uses_draft_model(pair.drafter)
    if is_alone and pair.drafter != DEFAULT_DRAFTER:
        return Check(NAME, "warn", f"{settings.title}: {OFF}: there is no draft model", GIVE)
    who = {DEFAULT_DRAFTER: ALONE if is_alone else BOTH}.get(pair.drafter, pair.drafter)
    return Check(NAME, "ok", f"{settings.title}: drafting with {who}")


def _off(facts: Facts, settings: ChatSettings, name: str) -> Check:
    """Say by which setting speculation is off, and where that stands."""
    value = settings.pair.drafter if name == "drafter" else settings.pair.draft_tokens
    flag = "--" + name.replace("_", "-")
    found = f"{settings.title}: {OFF}: {flag} {value}"
    return Check(NAME, "warn", found, _mend(facts, name))


def _mend(facts: Facts, name: str) -> str:
    """Say how to have another value of a setting: where the one stands that it has."""
    place = sources_of(argparse.Namespace()).place(name) or str(facts.paths.own_catalog)
    return f"Give --{name.replace('_', '-')} auto, or take that out: {place}."


CHECKS: tuple[Checker, ...] = (check_pair,)
