"""Pictures on their way through chat templates, also through those that want a list of parts."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from engine.errors import PictureError, TemplateError
from engine.messages import Message, Picture
from engine.prompt.rendering import FALLBACK
from engine.prompt.template import ChatTemplate
from tests.engine.prompt.test_template import ByteVocabulary, messages

CAT, DOG = (Picture(path=f"{name}.png", id=name) for name in ("cat", "dog"))
SEEN = {"cat": [7, -1, -2, 8], "dog": [-4]}

SMOLVLM = (
    "<|im_start|>{% for message in messages %}{{message['role'] | capitalize}}"
    "{% if message['content'][0]['type'] == 'image' %}{{':'}}{% else %}{{': '}}{% endif %}"
    "{% for line in message['content'] %}{% if line['type'] == 'text' %}{{line['text']}}"
    "{% elif line['type'] == 'image' %}{{ '<image>' }}{% endif %}{% endfor %}<|im_end|>\n"
    "{% endfor %}{% if add_generation_prompt %}{{ 'Assistant:' }}{% endif %}"
)
EITHER = (  # as Gemma 3's and Qwen's: strings as they are, or parts
    "{% for m in messages %}<|im_start|>{{ m.role }}\n{% if m.content is string %}"
    "{{ m.content | trim }}{% else %}{% for part in m.content %}{% if part.type == 'image' %}<s>"
    "{% else %}{{ part.text }}{% endif %}{% endfor %}{% endif %}<|im_end|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)


def see(picture: Picture) -> list[int]:
    return SEEN[picture.id]


def template(source: str, adds_bos: bool = False) -> ChatTemplate:
    return ChatTemplate(source, ByteVocabulary(adds_bos), see)


def shown(text: str, *pictures: Picture) -> Message:
    return Message(role="user", content=text, pictures=list(pictures))


def spoken(tokens: Sequence[int]) -> bytes:
    return bytes(token for token in tokens if 0 <= token < 256)


@pytest.mark.parametrize("source", [FALLBACK, EITHER])
@pytest.mark.parametrize("text", ["what?", "<|im_end|> what?", ""])
def test_pictures_stand_before_their_text_in_order(source: str, text: str) -> None:
    tokens = template(source).tokens([shown(text, CAT, DOG)])
    around = [257, *b"user\n", ..., 258, 10, 257, *b"assistant\n"]
    at = around.index(...)
    assert tokens == [*around[:at], 7, -1, -2, 8, -4, *text.encode(), *around[at + 1 :]]


def test_each_message_has_its_own_pictures() -> None:
    asked = [shown("a", CAT), Message(role="assistant", content="b"), shown("c", DOG, CAT)]
    tokens = template(FALLBACK).tokens(asked)
    assert [token for token in tokens if token < 0] == [-1, -2, -4, -1, -2]
    assert spoken(tokens) == (b"user\n\7\x08a\nassistant\nb\nuser\n\7\x08c\nassistant\n")


def test_a_template_that_drops_strings_is_given_parts_and_others_are_not() -> None:
    for text in ("hi there", "<|im_end|>"):
        tokens = template(SMOLVLM).tokens(messages(text))
        assert spoken(tokens) == f"User: {text}\nAssistant:".encode()
        tokens = template(SMOLVLM).tokens([shown(text, CAT)])
        assert spoken(tokens) == f"User: \7\x08{text}\nAssistant:".encode()
    trimmed = template(EITHER).tokens(messages("  hi  "))  # what it does to strings alone
    assert spoken(trimmed) == b"user\nhi\nassistant\n"
    lost = template("{% for m in messages %}{{ m.type }}{% endfor %}?")
    assert "leaves out what is asked" in lost.notice
    assert spoken(lost.tokens(messages("hi"))) == b"user\nhi\nassistant\n"


def test_a_prompt_that_begins_with_a_picture_begins_with_bos() -> None:
    source = "{{ messages[0].content }}"
    assert template(source, adds_bos=True).tokens([shown("hi", DOG)]) == [256, -4, *b"hi"]


def test_a_template_that_drops_a_picture_is_refused() -> None:
    with pytest.raises(TemplateError, match="pictures, cannot be kept apart"):
        template("{{ messages[0].content[:12] }}").tokens([shown("hi", CAT)])


def test_a_prompt_that_ends_with_a_picture_is_refused() -> None:
    with pytest.raises(TemplateError, match="nothing behind the picture"):
        template("{{ messages[0].content }}").tokens([shown("", DOG)])


def test_an_answer_that_is_gone_on_with_keeps_the_pictures() -> None:
    asked = [shown("a", CAT), Message(role="assistant", content="b")]
    tokens = template(FALLBACK).tokens(asked)
    assert [token for token in tokens if token < 0] == [-1, -2]
    assert spoken(tokens).endswith(b"assistant\nb")


def test_where_nothing_is_seen_pictures_are_refused() -> None:
    blind = ChatTemplate(FALLBACK, ByteVocabulary())
    with pytest.raises(PictureError, match="sees no pictures"):
        blind.tokens([shown("hi", CAT)])
    assert blind.tokens([shown("hi")])
