"""Messages to the text of a prompt, by the chat template of the GGUF.

Templates are foreign code: they run in a sandbox (sandbox.py), with bounds on the time they take,
on their memory and on what they write. One that cannot be used is replaced by ChatML.

Whether the model thinks first, a template may leave to a variable: SWITCHES names those that are
known here. gpt-oss's `reasoning_effort` is none: it can be less, but not off.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from jinja2 import meta

from engine.errors import TemplateError
from engine.limits import MAX_PROMPT_CHARS
from engine.prompt.sandbox import Refused, environment
from engine.system.deadline import deadline
from engine.system.memory_limit import memory_limit

DEADLINE_S = 2.0
LATE = f"The model's chat template ran for more than {DEADLINE_S:.0f} s."
MOST_BYTES = 512 * 2**20
GREEDY = f"The model's chat template takes more than {MOST_BYTES >> 20} MiB of memory."
FALLBACK_NAME = "ChatML"
FALLBACK = (
    "{% for message in messages %}<|im_start|>{{ message.role }}\n{{ message.content }}<|im_end|>\n"
    "{% endfor %}{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)
QUESTION = "4096735182"
"""Comes out of a template as it went in, whatever that does to letters and white space."""
SWITCHES = frozenset(("enable_thinking", "thinking"))
"""Qwen3, GLM 4.5, SmolLM3 and others have the first one; DeepSeek V3.1, Granite and Kimi K2.5 the
other. True: think first."""

Messages = Sequence[dict[str, str]]


class Rendering:
    """A chat template that is ready to render.

    source: Jinja text, None for the fallback, which also replaces what cannot be used; `notice`
    then says so, else it is "". bos, eos: the texts of these tokens.
    """

    def __init__(self, source: str | None, bos: str, eos: str) -> None:
        self._bos, self._eos = bos, eos
        self.switches: frozenset[str] = frozenset()
        self._wants_parts = False
        reason = self._unusable(source)
        self.is_fallback = bool(reason)
        self.notice = f"{reason}; using {FALLBACK_NAME}." if reason else ""
        if self.is_fallback:
            self.switches = frozenset()
            self._template = environment().from_string(FALLBACK)
        self._drops_system = self._tried("system", self._wants_parts)[0] is False

    def thinks(self) -> bool | None:
        """Whether the model thinks first unless it is told; None if the template has no switch."""
        if not self.switches:
            return None
        asked = [{"role": "user", "content": "?"}]
        try:
            on, off, untold = (self.render(asked, think) for think in (True, False, None))
        except TemplateError:
            return None
        return None if on == off else untold != off

    def render(self, messages: Messages, think: bool | None) -> str:
        """Return the text of the prompt. Raises TemplateError if the template fails, takes too
        much, or refuses the messages, also with the system prompt in the first question. That is
        where it goes, too, if the template would leave it out.
        """
        has_system = bool(messages) and messages[0]["role"] == "system"
        if has_system and self._drops_system:
            return self.render(_without_system(messages), think)
        try:
            return self._render(messages, think, self._wants_parts)
        except Refused as refused:
            if has_system:
                return self.render(_without_system(messages), think)
            raise TemplateError(str(refused)) from None

    def _unusable(self, source: str | None) -> str:
        """Compile and try the template. Return why it cannot be used, "" if it can: that it fails
        for all that is tried, or leaves out what is asked.
        """
        if source is None:
            return "The model has no chat template, as those made to go on with a text have none"
        try:
            self._compile(source)
        except Exception as error:  # a template may fail in any way it likes
            return f"The model's chat template is broken ({TemplateError(str(error))})"
        shows, why = self._tried("user", in_parts=False)
        if not shows and "type" in source:
            self._wants_parts = bool(self._tried("user", in_parts=True)[0])
        if shows or self._wants_parts:
            return ""
        if shows is False:
            return "The model's chat template leaves out what is asked"
        return why if self._tried("system", in_parts=False)[0] is None else ""

    def _compile(self, source: str) -> None:
        with _bounds():
            jinja = environment()
            parsed = jinja.parse(source)
            self.switches = SWITCHES & meta.find_undeclared_variables(parsed)
            self._template = jinja.from_string(parsed)

    def _tried(self, role: str, in_parts: bool) -> tuple[bool | None, str]:
        """Return whether what a role says first reaches the prompt; None where the template fails,
        and why it does.
        """
        asked = [{"role": role, "content": QUESTION}]
        if role == "system":
            asked.append({"role": "user", "content": "?"})
        try:
            return QUESTION in self._render(asked, None, in_parts), ""
        except TemplateError as error:
            return None, str(error).rstrip(".")

    def _render(self, messages: Messages, think: bool | None, in_parts: bool) -> str:
        try:
            with _bounds():
                return self._rendered(messages, think, in_parts)
        except TemplateError:
            raise
        except Exception as error:  # a template may fail in any way it likes
            raise TemplateError(f"The model's chat template fails: {error!r}.") from None

    def _rendered(self, messages: Messages, think: bool | None, in_parts: bool) -> str:
        parts, n_chars = [], 0
        told = {} if think is None else dict.fromkeys(self.switches, think)
        for part in self._template.generate(
            told,
            messages=[_in_parts(it) for it in messages] if in_parts else messages,
            add_generation_prompt=True,
            tools=None,  # as templates are used to find them
            documents=None,
            bos_token=self._bos,
            eos_token=self._eos,
        ):
            n_chars += len(part)
            if n_chars > MAX_PROMPT_CHARS:
                raise TemplateError(
                    f"The model's chat template wrote more than {MAX_PROMPT_CHARS} characters."
                )
            parts.append(part)
        return "".join(parts)


@contextmanager
def _bounds() -> Iterator[None]:
    """Let foreign code take so much and no more. Raises TemplateError."""
    try:
        with deadline(DEADLINE_S, LATE), memory_limit(MOST_BYTES):
            yield
    except MemoryError:
        raise TemplateError(GREEDY) from None


def _without_system(messages: Messages) -> Messages:
    """Put the system prompt at the head of the first question, where templates know no system."""
    system, *rest = messages
    if not rest:
        return [{"role": "user", "content": system["content"]}]
    first = {**rest[0], "content": f"{system['content']}\n\n{rest[0]['content']}"}
    return [first, *rest[1:]]


def _in_parts(message: dict[str, str]) -> dict[str, object]:
    """Give a message its text as templates of models that see want it."""
    return {**message, "content": [{"type": "text", "text": message["content"]}]}
