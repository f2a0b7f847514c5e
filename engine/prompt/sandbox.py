"""Where chat templates run: foreign code in Jinja's sandbox, with what it is written for.

What one operation would take for ever over is refused; a deadline is the caller's (template.py).
"""

from __future__ import annotations

import json
from collections.abc import Sized
from datetime import datetime
from typing import Any

from jinja2 import Environment, nodes
from jinja2.exceptions import SecurityError
from jinja2.ext import Extension, loopcontrols
from jinja2.parser import Parser
from jinja2.runtime import Context
from jinja2.sandbox import ImmutableSandboxedEnvironment

from engine.errors import TemplateError
from engine.limits import MAX_PROMPT_CHARS


class Refused(TemplateError):
    """The template called raise_exception."""


class _Environment(ImmutableSandboxedEnvironment):
    """Refuses what takes for ever in one operation, where no deadline can interrupt."""

    intercepted_binops = frozenset(["*", "**"])

    def call_binop(self, context: Context, operator: str, left: Any, right: Any) -> Any:
        """Multiply, unless the result would be longer than any prompt."""
        lengths = [len(side) for side in (left, right) if isinstance(side, Sized)]
        counts = [side for side in (left, right) if isinstance(side, int)]
        too_long = bool(lengths and counts) and lengths[0] * counts[0] > MAX_PROMPT_CHARS
        if operator == "**" or too_long:
            raise SecurityError(f"{operator} of this size is not for templates")
        return super().call_binop(context, operator, left, right)


class _Generation(Extension):
    """`{% generation %}`: marks, for training, what the model wrote; it is rendered as it is."""

    tags = {"generation"}  # noqa: RUF012 (as in the base)

    def parse(self, parser: Parser) -> list[nodes.Node]:
        """Return what is inside."""
        parser.stream.skip()
        return parser.parse_statements(("name:endgeneration",), drop_needle=True)


def environment() -> Environment:
    """Return the environment that chat templates are written for: the transformers library's."""
    made = _Environment(
        trim_blocks=True, lstrip_blocks=True, extensions=[loopcontrols, _Generation]
    )
    made.filters["tojson"] = _to_json
    made.globals["raise_exception"] = _refuse
    made.globals["strftime_now"] = lambda form: datetime.now().strftime(form)
    return made


def _to_json(
    value: Any,
    ensure_ascii: bool = False,
    indent: int | str | None = None,
    separators: tuple[str, str] | None = None,
    sort_keys: bool = False,
) -> str:
    return json.dumps(
        value,
        ensure_ascii=ensure_ascii,
        indent=indent,
        separators=separators,
        sort_keys=sort_keys,
    )


def _refuse(message: str) -> None:
    raise Refused(f"The model's chat template refuses these messages: {message}.")
