"""Messages to prompt tokens, by the chat template of the GGUF.

The template's own text may hold special tokens; what people and models wrote never does: where a
message contains the spelling of one, its text is tokenized apart from the template's. How
templates run, and what replaces one that cannot be used: rendering.py.

A picture passes the template as a random word, so that no text can spell one; its tokens and places
(pictures.py) then take the word's place.

A template may open the thinking for the model. The tag is then the prompt's, but of the answer's
text: `Prompt.opened` says so, and an answer that is gone on with has it once.
"""

from __future__ import annotations

import re
import secrets
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from engine.errors import PromptTooLong, TemplateError
from engine.limits import MAX_PROMPT_CHARS
from engine.messages import Message, Picture
from engine.prompt.pictures import seen_by
from engine.prompt.rendering import Rendering
from engine.prompt.tags import any_of, controlled, opened, suits

LEAD = "\n"
"""Joins with no text that comes behind it, where that matters."""
PIECE = 2**15
"""Characters of a text that are looked at at a time."""
OVERLAP = 2**12
"""Characters that two pieces share: more than any special token has."""
FALLBACK_STOP = ("<|im_end|>",)
BLIND = seen_by(None, "")


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

    def tokenize(self, text: str, *, special: bool) -> list[int]:
        """Split text into tokens, and add none to them."""


@dataclass(frozen=True, slots=True)
class Prompt:
    """opened: the thinking tag at its end, with which the answer's text is to begin; "" if none."""

    tokens: list[int]
    opened: str = ""


class ChatTemplate:
    """Renders messages and tokenizes the result.

    source: Jinja text, None for the fallback; `notice` then says so, else it is "". `stop` holds
    the strings that end an answer beside the model's own end tokens. see: the tokens of a picture.
    """

    def __init__(
        self,
        source: str | None,
        vocabulary: Vocabulary,
        see: Callable[[Picture], list[int]] = BLIND,
    ) -> None:
        self._vocabulary = vocabulary
        self._see = see
        tags = controlled(vocabulary.tokenize)
        self._lead = _lead(vocabulary)
        self._tags = re.compile(f"({any_of(tags)})") if tags else None
        self._bos = _text(vocabulary, vocabulary.bos)
        self._rendering = Rendering(source, self._bos, _text(vocabulary, vocabulary.eos))
        self.notice = self._rendering.notice
        self.stop: tuple[str, ...] = FALLBACK_STOP if self._rendering.is_fallback else ()

    def thinks(self) -> bool | None:
        """Whether the model thinks first unless it is told; None if the template has no switch."""
        return self._rendering.thinks()

    def tokens(self, messages: Sequence[Message], think: bool | None = None) -> list[int]:
        """Return the tokens of the prompt for these messages. think, raises: as `prompt`."""
        return self.prompt(messages, think).tokens

    def prompt(self, messages: Sequence[Message], think: bool | None = None) -> Prompt:
        """Return the prompt for these messages, up to where the answer begins.

        think: what the template's switch is set to, None leaves it alone. If the last message is
        the assistant's, it is the beginning of the answer, to be gone on with.
        Raises TemplateError if the template fails, takes too long, or refuses the messages;
        PictureError if a picture cannot be seen; PromptTooLong if it would take long to find out.
        """
        n_chars = sum(len(message.content) for message in messages)
        if n_chars > MAX_PROMPT_CHARS:
            told = (
                f"There are {n_chars:,} characters, and {MAX_PROMPT_CHARS:,} at most can be asked."
            )
            raise PromptTooLong(told, "Shorten the question, or start a new chat.")
        if len(messages) > 1 and messages[-1].role == "assistant":
            begun = messages[-1].content
            return self._gone_on(self._prompt(messages[:-1], think, begun), begun)
        return self._prompt(messages, think)

    def _prompt(self, messages: Sequence[Message], think: bool | None, begun: str = "") -> Prompt:
        """Render and tokenize. An answer that has begun keeps its thought, or has none, however the
        switch is set now, and also where the template opens one without being asked.
        """
        hidden: dict[str, str | list[int]] = {}
        shown = [{"role": m.role, "content": self._hidden(m, hidden)} for m in messages]
        text = self._rendering.render(shown, think)
        if begun and self._rendering.switches and not suits(text, begun):
            others = (self._rendering.render(shown, other) for other in (None, True, False))
            text = next((other for other in others if suits(other, begun)), text)
        if begun and not begun.startswith(opened(text)):
            text = text.removesuffix(opened(text))
        tokens = self._tokenized(text, hidden)
        if tokens and tokens[-1] < 0:
            raise TemplateError("The model's chat template puts nothing behind the picture.")
        return Prompt(tokens, opened(text))

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
            for token in (self._tag(part) if i % 2 else self._continued(part))
        ]
        return Prompt([*prompt.tokens, *tokens])

    def _tag(self, text: str) -> list[int]:
        return self._vocabulary.tokenize(text, special=True)

    def _continued(self, text: str) -> list[int]:
        """Tokenize text that goes on with other text: it is no beginning, before which some
        vocabularies (SentencePiece's) put a space.
        """
        tokenize, lead = self._vocabulary.tokenize, self._lead
        found = tokenize(LEAD + text, special=False) if lead else []
        is_led = bool(lead) and found[: len(lead)] == lead
        return found[len(lead) :] if is_led else tokenize(text, special=False)

    def _tokenized(self, text: str, hidden: dict[str, str | list[int]]) -> list[int]:
        """Tokenize what was rendered. hidden: the messages' own texts, and the tokens of pictures,
        by their stand-ins.
        """
        if not all(stand_in in text for stand_in in hidden):
            raise TemplateError(
                "The model's chat template changes what it is given, so text that spells control "
                "tokens, and pictures, cannot be kept apart.",
                "Rephrase it, or leave them out.",
            )
        is_lacking = self._vocabulary.adds_bos and self._bos and not text.startswith(self._bos)
        tokens = [self._vocabulary.bos] if is_lacking else []
        if not hidden:
            return tokens + self._vocabulary.tokenize(text, special=True)
        for part in re.split("(" + "|".join(map(re.escape, hidden)) + ")", text):
            found = hidden.get(part, part)
            if isinstance(found, list):
                tokens += found
            elif part:
                tokens += self._vocabulary.tokenize(found, special=part not in hidden)
        return tokens

    def _hidden(self, message: Message, hidden: dict[str, str | list[int]]) -> str:
        """Return a message's text behind stand-ins for its pictures, or a stand-in for the text
        too if it spells a special token.
        """
        content = message.content
        parts: list[str | list[int]] = [self._see(picture) for picture in message.pictures]
        shown = ""
        if self._spells_control(content):
            parts.append(content)
            content = ""
        for part in parts:
            stand_in = f"message-{secrets.token_hex(16)}"
            hidden[stand_in] = part
            shown += stand_in
        return shown + content

    def _spells_control(self, text: str) -> bool:
        """Whether text spells a special token. It is looked at in pieces, of which the first that
        does is enough: llama.cpp takes as long as the square of how many there are in one.
        """
        tokenize, n = self._vocabulary.tokenize, max(1, len(text) - OVERLAP)
        pieces = (text[at : at + PIECE + OVERLAP] for at in range(0, n, PIECE))
        return any(tokenize(it, special=True) != tokenize(it, special=False) for it in pieces)


def _text(vocabulary: Vocabulary, token: int) -> str:
    return vocabulary.token_text(token).decode("utf-8", "replace") if token >= 0 else ""


def _lead(vocabulary: Vocabulary) -> list[int]:
    """Return the tokens of LEAD; none where a text behind it is what it is at a beginning."""
    first, lead, led = (vocabulary.tokenize(it, special=False) for it in ("a", LEAD, LEAD + "a"))
    return lead if led[: len(lead)] == lead and led[len(lead) :] != first else []
