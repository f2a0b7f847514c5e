"""A benchmark as one JSON object: every figure, derived and raw."""

from __future__ import annotations

import json
from typing import Any

import msgspec

from app.bench.changes import changes
from app.bench.result import Result
from app.bench.summary import summarise


def as_json(result: Result, former: Result | None) -> str:
    """Return the object: the result, which `--against` reads, with its summary and the changes.

    All of it is ASCII, which any stream can carry, and what is no number is null.
    """
    whole: dict[str, Any] = msgspec.to_builtins(result)
    whole["exact"] = result.exact
    whole["summary"] = msgspec.to_builtins(summarise(result))
    whole["against"] = None if former is None else _against(result, former)
    return json.dumps(msgspec.json.decode(msgspec.json.encode(whole)))


def _against(result: Result, former: Result) -> dict[str, Any]:
    return {
        "date": former.date,
        "versions": former.setup.versions,
        "same_setup": not result.other_than(former),
        "changes": [
            {"task": task, "temperature": temperature, "drafter": drafter, "change": change}
            for (task, temperature, drafter), change in changes(result, former).items()
        ],
    }
