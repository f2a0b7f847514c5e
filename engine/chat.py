"""Messages to prompt tokens, by the chat template of the GGUF.

The template's own text may hold special tokens; what people and models wrote never does: where a
message contains the spelling of one, its text is tokenized apart from the template's. Templates are
foreign code, so they run in Jinja's sandbox, with a deadline and a limit on their output.

A template may open the thinking for the model. The tag is then the prompt's, but of the answer's
text: `Prompt.opened` says so, and an answer that is gone on with has it once.
"""

from __future__ import annotations

import json
import re
import secrets
import signal
import threading
from collections.abc import Iterator, Sequence, Sized
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Protocol

import jinja2
from jinja2.exceptions import SecurityError
from jinja2.ext import loopcontrols
from jinja2.runtime import Context
from jinja2.sandbox import ImmutableSandboxedEnvironment

from engine.errors import TemplateError
from engine.messages import Message
from engine.tags import any_of, controlled, opened

DEADLINE_S = 2.0
MAX_PROMPT_CHARS = 4 << 20
FALLBACK_NAME = "ChatML"
FALLBACK = (
    "{% for message in messages %}<|im_start|>{{ message.role }}\n{{ message.content }}<|im_end|>\n"
    "{% endfor %}{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)
FALLBACK_STOP = ("<|im_end|>",)


class Vocabulary(Protocol):
    """What the template needs of a model."""

    @property
    def bos(self) -> int:
        """The token that begins a text, -1 if there is none."""

    @property
    def eos(self) -> int:
        """The token that ends a text, -1 if there is none."""

    @property
    def adds_bos(self) -> bool:
        """Whether prompts begin with `bos`."""

    def token_text(self, token: int) -> bytes:
        """The vocabulary's spelling of a token."""

    def tokenize(self, text: str, *, special: bool, add_bos: bool = False) -> list[int]:
        """Split text into tokens."""


@dataclass(frozen=True, slots=True)
class Prompt:
    """opened: the thinking tag at its end, with which the answer's text is to begin; "" if none."""

    tokens: list[int]
    opened: str = ""


class ChatTemplate:
    """Renders messages and tokenizes the result.

    source: Jinja text, None for the fallback; `notice` then says so, else it is "". `stop` holds
    the strings that end an answer beside the model's own end tokens.
    """

    def __init__(self, source: str | None, vocabulary: Vocabulary) -> None:
        self._vocabulary = vocabulary
        tags = controlled(vocabulary.tokenize)
        self._tags = re.compile(f"({any_of(tags)})") if tags else None
        self.notice = ""
        self.stop: tuple[str, ...] = ()
        try:
            with _deadline(DEADLINE_S):
                self._template = _environment().from_string(FALLBACK if source is None else source)
        except (jinja2.TemplateError, TemplateError, RecursionError) as error:
            source = None
            self.notice = f"The model's chat template is broken ({error}); using {FALLBACK_NAME}."
            self._template = _environment().from_string(FALLBACK)
        if source is None:
            self.stop = FALLBACK_STOP
            self.notice = self.notice or f"The model has no chat template; using {FALLBACK_NAME}."

    def tokens(self, messages: Sequence[Message]) -> list[int]:
        """Return the tokens of the prompt for these messages. Raises as `prompt`."""
        return self.prompt(messages).tokens

    def prompt(self, messages: Sequence[Message]) -> Prompt:
        """Return the prompt for these messages, up to where the answer begins.

        If the last one is the assistant's, it is the beginning of the answer, to be gone on with.
        Raises TemplateError if the template fails, takes too long, or refuses the messages.
        """
        if len(messages) > 1 and messages[-1].role == "assistant":
            return self._gone_on(self.prompt(messages[:-1]), messages[-1].content)
        hidden: dict[str, str] = {}
        shown = [{"role": m.role, "content": self._hide(m.content, hidden)} for m in messages]
        text = self._render(shown)
        return Prompt(self._tokenized(text, hidden), opened(text))

    def _gone_on(self, prompt: Prompt, begun: str) -> Prompt:
        """Add the beginning of the answer: its thinking tags are what they were, all else is text.

        It holds what the model itself wrote, and no tag can begin another message.
        """
        if not begun:
            return prompt
        text = begun.removeprefix(prompt.opened)
        parts = [text] if self._tags is None else self._tags.split(text)
        tokens = [
            token
            for i, part in enumerate(parts)
            for token in self._vocabulary.tokenize(part, special=i % 2 == 1)
        ]
        return Prompt([*prompt.tokens, *tokens])

    def _tokenized(self, text: str, hidden: dict[str, str]) -> list[int]:
        """Tokenize what was rendered. hidden: the messages' own texts by their stand-ins."""
        if not all(stand_in in text for stand_in in hidden):
            raise TemplateError(
                "The model's chat template changes what it is given, so text that spells control "
                "tokens cannot be kept apart.",
                "Rephrase it.",
            )
        bos = self._text(self._vocabulary.bos)
        add_bos = self._vocabulary.adds_bos and not (bos and text.startswith(bos))
        if not hidden:
            return self._vocabulary.tokenize(text, special=True, add_bos=add_bos)
        tokens: list[int] = []
        for part in re.split("(" + "|".join(map(re.escape, hidden)) + ")", text):
            if part:
                special = part not in hidden
                text = hidden.get(part, part)
                first = add_bos and not tokens
                tokens += self._vocabulary.tokenize(text, special=special, add_bos=first)
        return tokens

    def _hide(self, content: str, hidden: dict[str, str]) -> str:
        """Return content, or a stand-in for it if it spells a special token."""
        tokenize = self._vocabulary.tokenize
        if tokenize(content, special=True) == tokenize(content, special=False):
            return content
        stand_in = f"message-{secrets.token_hex(16)}"
        hidden[stand_in] = content
        return stand_in

    def _render(self, messages: list[dict[str, str]]) -> str:
        try:
            with _deadline(DEADLINE_S):
                return self._rendered(messages)
        except _Refused as refused:
            if messages and messages[0]["role"] == "system":
                return self._render(_without_system(messages))
            raise TemplateError(str(refused)) from None
        except TemplateError:
            raise
        except Exception as error:  # a template may fail in any way it likes
            raise TemplateError(f"The model's chat template fails: {error!r}.") from None

    def _rendered(self, messages: list[dict[str, str]]) -> str:
        parts, n_chars = [], 0
        for part in self._template.generate(
            messages=messages,
            add_generation_prompt=True,
            bos_token=self._text(self._vocabulary.bos),
            eos_token=self._text(self._vocabulary.eos),
        ):
            n_chars += len(part)
            if n_chars > MAX_PROMPT_CHARS:
                raise TemplateError(
                    f"The model's chat template wrote more than {MAX_PROMPT_CHARS} characters."
                )
            parts.append(part)
        return "".join(parts)

    def _text(self, token: int) -> str:
        return self._vocabulary.token_text(token).decode("utf-8", "replace") if token >= 0 else ""


class _Refused(TemplateError):
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


def _environment() -> _Environment:
    """The environment that chat templates are written for (that of the transformers library)."""
    environment = _Environment(trim_blocks=True, lstrip_blocks=True, extensions=[loopcontrols])
    environment.filters["tojson"] = _to_json
    environment.globals["raise_exception"] = _refuse
    environment.globals["strftime_now"] = lambda form: datetime.now().strftime(form)
    return environment


def _to_json(value: Any, indent: int | None = None) -> str:
    return json.dumps(value, ensure_ascii=False, indent=indent)


def _refuse(message: str) -> None:
    raise _Refused(f"The model's chat template refuses these messages: {message}.")


def _without_system(messages: list[dict[str, str]]) -> list[dict[str, str]]:
    """Put the system prompt at the head of the first question, where templates know no system."""
    system, *rest = messages
    if not rest:
        return [{"role": "user", "content": system["content"]}]
    first = {**rest[0], "content": f"{system['content']}\n\n{rest[0]['content']}"}
    return [first, *rest[1:]]


@contextmanager
def _deadline(seconds: float) -> Iterator[None]:
    """Interrupt the block after this long, where the system and the thread allow it."""
    can = hasattr(signal, "setitimer") and threading.current_thread() is threading.main_thread()
    if not can:
        yield
        return

    def expire(*_: object) -> None:
        raise TemplateError(f"The model's chat template ran for more than {seconds:.0f} s.")

    before = signal.signal(signal.SIGALRM, expire)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
