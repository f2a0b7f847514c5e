"""Asking, stopping, asking again: what a person does in a chat."""

from __future__ import annotations

import pytest

from app.tui.widgets.answer_text import AnswerText
from app.tui.widgets.transcript import Transcript
from app.tui.widgets.welcome import DEMO_EXAMPLES, Welcome
from engine import PLAIN, Span
from tests.app.tui.driving import SIZES, Chat, drive
from tests.app.tui.fakes import Answer, FakeEngine, whole, words

JOIN = words("It joins path components with one separator between them.")
LONG = words("\n\n".join(f"Paragraph {n} of a long answer." for n in range(40)))

at_both_sizes = pytest.mark.parametrize("size", SIZES, ids=["80x24", "160x50"])


@at_both_sizes
def test_a_question_and_its_answer_are_on_the_screen(size: tuple[int, int]) -> None:
    async def scenario(chat: Chat) -> None:
        await chat.ready()
        await chat.ask("What does os.path.join do?")
        await chat.answered()
        assert chat.shows("What does os.path.join do?")
        assert chat.shows(whole(JOIN))

    drive(scenario, FakeEngine(Answer(JOIN)), size)


def test_the_second_question_carries_the_first_and_its_answer() -> None:
    async def scenario(chat: Chat) -> None:
        await chat.ready()
        await chat.ask("first")
        await chat.answered(1)
        await chat.ask("second")
        await chat.answered(2)
        roles = [(message.role, message.content) for message in chat.engine.asked[1]]
        assert roles == [("user", "first"), ("assistant", whole(JOIN)), ("user", "second")]

    drive(scenario, FakeEngine(Answer(JOIN)))


@pytest.mark.parametrize("key", ["ctrl+j", "shift+enter", "alt+enter"])
def test_enter_sends_and_the_new_line_keys_do_not(key: str) -> None:
    async def scenario(chat: Chat) -> None:
        await chat.ready()
        await chat.pilot.press("a", key, "b")
        assert chat.prompt.text == "a\nb"
        assert not chat.turns
        await chat.pilot.press("enter")
        await chat.answered()
        assert chat.engine.asked[0][-1].content == "a\nb"
        assert chat.prompt.text == ""

    drive(scenario, FakeEngine())


def test_an_empty_question_is_not_sent() -> None:
    async def scenario(chat: Chat) -> None:
        await chat.ready()
        await chat.pilot.press("space", "enter")
        assert not chat.turns

    drive(scenario, FakeEngine())


def test_the_text_streams_before_the_answer_is_whole() -> None:
    async def scenario(chat: Chat) -> None:
        await chat.ask("question")
        await chat.until(lambda: chat.shows(whole(JOIN[:4]).strip()))
        assert chat.state == "answering"
        assert not chat.shows(JOIN[5].text)
        chat.engine.release()
        await chat.answered()
        assert chat.shows(whole(JOIN))

    drive(scenario, FakeEngine(Answer(JOIN, hold_after=4)))


def test_typing_goes_on_while_an_answer_streams() -> None:
    async def scenario(chat: Chat) -> None:
        await chat.ask("question")
        await chat.until(lambda: chat.state == "answering")
        await chat.pilot.press("n", "e", "x", "t")
        assert chat.prompt.text == "next"
        assert chat.state == "answering"

    drive(scenario, FakeEngine(Answer(JOIN, hold_after=4)))


def test_a_question_asked_meanwhile_waits_in_sight_and_is_answered_next() -> None:
    async def scenario(chat: Chat) -> None:
        await chat.ask("first")
        await chat.until(lambda: chat.state == "answering")
        await chat.ask("second")
        await chat.until(lambda: chat.shows("next, when this answer is done"))
        assert len(chat.engine.asked) == 1
        chat.engine.release()
        await chat.answered(2)
        assert [asked[-1].content for asked in chat.engine.asked] == ["first", "second"]

    drive(scenario, FakeEngine(Answer(JOIN, hold_after=4), Answer(JOIN)))


@pytest.mark.parametrize("said", ["", " \n", "<think>\nHm.\n</think>\n\n"])
def test_an_answer_of_nothing_says_so(said: str) -> None:
    async def scenario(chat: Chat) -> None:
        await chat.ready()
        await chat.ask("Why?")
        await chat.until(lambda: chat.shows("the model said nothing; Ctrl+R asks again"))
        await chat.pilot.press("ctrl+r")
        await chat.answered()
        assert chat.shows("Because.") and not chat.shows("said nothing")

    nothing = Answer([Span(said, PLAIN)] if said else [])
    drive(scenario, FakeEngine(nothing, Answer(words("Because."))))


@pytest.mark.parametrize("key", ["escape", "ctrl+c"])
def test_stopping_keeps_the_text_and_says_so(key: str) -> None:
    async def scenario(chat: Chat) -> None:
        await chat.ask("question")
        await chat.until(lambda: chat.shows(whole(JOIN[:4]).strip()))
        await chat.pilot.press(key)
        await chat.answered()
        assert chat.shows(whole(JOIN[:4]).strip())
        assert chat.shows("stopped")
        assert chat.app.is_running

    drive(scenario, FakeEngine(Answer(JOIN, hold_after=4)))


@pytest.mark.parametrize("keys", [("ctrl+c", "ctrl+c"), ("ctrl+q",)], ids=["ctrl+c", "ctrl+q"])
def test_quitting_closes_the_engine(keys: tuple[str, ...]) -> None:
    engine = FakeEngine()

    async def scenario(chat: Chat) -> None:
        await chat.ready()
        await chat.pilot.press(*keys)
        await chat.until(lambda: not chat.app.is_running)

    drive(scenario, engine)
    assert engine.closed
    assert not engine.alive


def test_quitting_while_the_model_loads_closes_the_engine() -> None:
    engine = FakeEngine(hold_load=True)

    async def scenario(chat: Chat) -> None:
        await chat.until(lambda: chat.engine.loads == 1)
        await chat.pilot.press("ctrl+q")

    drive(scenario, engine)
    assert not engine.alive


def test_quitting_while_an_answer_streams_closes_the_engine() -> None:
    engine = FakeEngine(Answer(JOIN, hold_after=4, deaf=True))

    async def scenario(chat: Chat) -> None:
        await chat.ask("question")
        await chat.until(lambda: chat.state == "answering")
        await chat.pilot.press("ctrl+q")

    drive(scenario, engine)
    assert not engine.alive


def test_selected_text_is_copied_before_anything_quits() -> None:
    async def scenario(chat: Chat) -> None:
        await chat.ready()
        chat.prompt.insert("keep this")
        chat.prompt.select_all()
        await chat.pilot.press("ctrl+c")
        assert chat.app.clipboard == "keep this"
        assert chat.app.is_running

    drive(scenario, FakeEngine())


def test_retry_asks_the_last_question_again_in_its_place() -> None:
    async def scenario(chat: Chat) -> None:
        await chat.ready()
        await chat.ask("question")
        await chat.answered()
        await chat.pilot.press("ctrl+r")
        await chat.until(lambda: len(chat.engine.asked) == 2)
        await chat.answered()
        assert len(chat.turns) == 1
        assert chat.shows("Another answer.")
        assert not chat.shows(whole(JOIN))
        assert chat.engine.asked[1] == chat.engine.asked[0]

    drive(scenario, FakeEngine(Answer(JOIN), Answer(words("Another answer."))))


@pytest.mark.parametrize("key", ["ctrl+n", "ctrl+l"])
def test_a_new_chat_forgets_the_old_one(key: str) -> None:
    async def scenario(chat: Chat) -> None:
        await chat.ready()
        await chat.ask("first")
        await chat.answered()
        await chat.pilot.press(key)
        await chat.until(lambda: chat.transcript.query_one(Welcome).display)
        await chat.until(lambda: chat.shows("Runs on this machine alone"))
        assert not chat.turns
        assert not chat.shows("Loading")
        await chat.ask("second")
        await chat.answered()
        assert [message.content for message in chat.engine.asked[1]] == ["second"]

    drive(scenario, FakeEngine(Answer(JOIN)))


@pytest.mark.parametrize("how", ["click", "key"])
def test_an_example_can_be_chosen(how: str) -> None:
    async def scenario(chat: Chat) -> None:
        await chat.ready()
        await chat.until(lambda: chat.shows("Runs on this machine alone"))
        await chat.pilot.pause()
        if how == "click":
            await chat.pilot.click("Welcome OptionList", offset=(4, 1))
            expected = DEMO_EXAMPLES[1]
        else:
            await chat.pilot.press("shift+tab", "enter")
            expected = DEMO_EXAMPLES[0]
        await chat.answered()
        assert chat.engine.asked[0][-1].content == expected
        assert not chat.screen.query_one(Welcome).display

    drive(scenario, FakeEngine())


def test_the_view_sticks_to_the_end_unless_the_reader_has_scrolled_up() -> None:
    async def scenario(chat: Chat) -> None:
        await chat.ask("question")
        await chat.until(lambda: len(chat.turns) == 1 and chat.transcript.max_scroll_y > 20)
        await chat.until(lambda: chat.transcript.scroll_y == chat.transcript.max_scroll_y)
        await chat.pilot.press("pageup")
        await chat.pilot.pause()
        read = chat.transcript.scroll_y
        assert read < chat.transcript.max_scroll_y
        chat.engine.release()
        await chat.answered()
        assert chat.transcript.scroll_y == read

    drive(scenario, FakeEngine(Answer(LONG, hold_after=len(LONG) // 2)))


def test_who_reads_further_up_is_told_of_a_note_and_shown_one_that_was_asked_for() -> None:
    async def scenario(chat: Chat) -> None:
        await chat.ask("question")
        await chat.answered()
        await chat.until(lambda: chat.transcript.max_scroll_y > 20)
        await chat.pilot.press("pageup")
        await chat.until(lambda: not chat.transcript.is_followed)
        await chat.transcript.note("Something happened.")
        await chat.until(lambda: chat.shows("new text below"))
        assert not chat.shows("Something happened.")
        await chat.screen.action_act("remember", "")
        await chat.until(lambda: chat.shows("New chats know nothing about you"))
        assert chat.shows("Something happened.") and not chat.shows("new text below")

    drive(scenario, FakeEngine(Answer(LONG)))


def test_the_whole_answer_ends_up_in_the_markdown() -> None:
    async def scenario(chat: Chat) -> None:
        await chat.ask("question")
        await chat.answered()
        assert chat.screen.query_one(AnswerText).source == whole(LONG)
        assert chat.transcript.scroll_y == chat.transcript.max_scroll_y
        assert chat.shows("Paragraph 39 of a long answer.")

    drive(scenario, FakeEngine(Answer(LONG)))


def test_a_refused_question_says_why_and_the_chat_goes_on() -> None:
    async def scenario(chat: Chat) -> None:
        await chat.ask("much too long")
        await chat.answered(1)
        assert chat.shows("The prompt is too long.")
        await chat.ask("short")
        await chat.answered(2)
        assert chat.engine.loads == 1
        assert chat.shows(whole(JOIN))

    drive(scenario, FakeEngine(Answer(JOIN, fail_after=0), Answer(JOIN)))


def test_what_is_typed_goes_to_the_prompt_wherever_the_focus_is() -> None:
    async def scenario(chat: Chat) -> None:
        await chat.ready()
        await chat.pilot.press("shift+tab")
        assert not chat.prompt.has_focus
        await chat.pilot.press("h", "i")
        assert chat.prompt.text == "hi"
        await chat.pilot.click(Transcript)
        await chat.pilot.press("!")
        assert chat.prompt.text == "hi!"

    drive(scenario, FakeEngine())


def test_the_footer_offers_what_makes_sense_now() -> None:
    async def scenario(chat: Chat) -> None:
        await chat.ready()
        await chat.until(lambda: chat.shows("^g Colours"))
        assert not chat.shows("Retry")
        await chat.ask("question")
        await chat.until(lambda: chat.shows("esc Stop"))
        assert chat.shows("Esc or Ctrl+C stops the answer")
        chat.engine.release()
        await chat.answered()
        await chat.until(lambda: chat.shows("^r Retry"))
        assert not chat.shows("esc Stop")

    drive(scenario, FakeEngine(Answer(JOIN, hold_after=2)))


def test_that_answers_were_made_without_the_draft_model_is_said_once() -> None:
    failed = "The draft model failed, and the answer went on without it."

    async def scenario(chat: Chat) -> None:
        await chat.ready()
        for n in (1, 2):
            await chat.ask(f"question {n}")
            await chat.answered(n)
        await chat.until(lambda: chat.shows(failed))
        assert chat.text.count(failed) == 1

    drive(scenario, FakeEngine(Answer(JOIN, notices=[failed])), SIZES[1])
