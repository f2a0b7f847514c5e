"""A chat becomes an example of what was said there, and begins others with just that."""

from __future__ import annotations

from app.chat.conversation import Conversation
from app.chat.example_chat import ExampleChat
from app.chat.given_turns import as_example, given
from tests.app.tui.fakes import FakeEngine


def test_what_is_given_is_the_example_that_is_made_of_it() -> None:
    turns = (("  image: x\n  ports: 80", "Yes."), ("And  this?", "No."))
    conversation = Conversation(FakeEngine(), system="  Rules:\n    be brief")
    conversation.turns = given(turns)
    assert as_example(conversation) == ExampleChat("  Rules:\n    be brief", turns)
