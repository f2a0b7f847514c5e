"""A full context is said where it happens, with what can be done; nothing is left out unasked."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import msgspec
import pytest
from textual.widgets import OptionList

from app.files.attachments import pasted
from app.history import History
from app.tui.turns.fullness import Full
from app.tui.widgets.full_choice import FullChoice
from app.tui.widgets.left_out import LeftOut
from tests.app.recorded import opened
from tests.app.tui.branching import act, check
from tests.app.tui.driving import SIZES, Chat, Scenario, drive
from tests.app.tui.fakes import READY, Answer, words
from tests.app.tui.small_engine import N_CTX, SmallEngine

REPLY = Answer(words("one two three"))
at_both_sizes = pytest.mark.parametrize("size", SIZES, ids=["80x24", "160x50"])


def play(
    tmp_path: Path, scenario: Scenario, *answers: Answer, size: tuple[int, int] = SIZES[0]
) -> None:
    history = History.open(tmp_path / "history.db")
    drive(scenario, SmallEngine(*(answers or (REPLY,))), size, history=history)


async def talk(chat: Chat, *questions: str) -> None:
    await chat.ready()
    for question in questions:
        n = len(chat.turns) + 1
        await chat.ask(question)
        await chat.answered(n)


async def offered(chat: Chat) -> Full:
    """Wait until something is offered, and return what is full."""
    await chat.until(lambda: chat.screen.query_one(FullChoice).full is not None)
    await chat.pilot.pause()
    full = chat.screen.full
    assert full is not None
    return full


async def gone(chat: Chat) -> None:
    await chat.until(lambda: not chat.screen.full_choice.display)


def lines(chat: Chat) -> list[str]:
    return [str(line.content) for line in chat.transcript.query(LeftOut)]


def asked(chat: Chat) -> list[str]:
    """Return the questions that the engine got last."""
    return [message.content for message in chat.engine.asked[-1] if message.role == "user"]


THREE = ("a b c", "d e f", "g h i")
"""With their answers 18 tokens."""


@at_both_sizes
def test_a_question_that_does_not_fit_says_so_exactly_and_offers_choices(
    tmp_path: Path, size: tuple[int, int]
) -> None:
    async def scenario(chat: Chat) -> None:
        await talk(chat, *THREE, "j k l m")
        full = await offered(chat)
        assert (full.used, full.n_ctx, full.left_out, full.then) == (22, N_CTX, 2, 10)
        assert chat.shows("Too long: 22 tokens with what came before; the context holds 20.")
        assert chat.shows("Leave out the 2 oldest turns and ask again (10 of 20 tokens)")
        assert chat.shows("Summarise the 2 oldest turns and ask again")
        assert chat.shows("Start a new chat with this question")
        assert chat.shows("Change the question")
        assert chat.turns[-1].question == "j k l m" and len(chat.engine.asked) == 3

    play(tmp_path, scenario, size=size)


@pytest.mark.parametrize("size", [(50, 16), (50, 15), (50, 13), (50, 12), (80, 11)])
def test_where_there_is_little_room_the_choices_scroll_and_the_prompt_is_whole(
    tmp_path: Path, size: tuple[int, int]
) -> None:
    async def scenario(chat: Chat) -> None:
        await talk(chat, *THREE)
        await chat.pilot.press("ctrl+n")
        await chat.ask("x")
        await chat.answered(1)
        await chat.pilot.press("alt+p")
        await chat.ask("j k l m")
        full = await offered(chat)
        await chat.until(lambda: chat.prompt.region.bottom == size[1] - 1)
        choices = chat.screen.query_one(FullChoice)
        assert choices.region.bottom <= chat.prompt.region.y
        await chat.pilot.press(*["down"] * (len(full.choices) - 1))
        last = full.choices[-1][1].split(",")[0][:20]
        await chat.until(lambda: chat.shows(last))

    play(tmp_path, scenario, size=size)


@at_both_sizes
def test_leaving_out_asks_again_and_marks_what_is_not_sent(
    tmp_path: Path, size: tuple[int, int]
) -> None:
    async def scenario(chat: Chat) -> None:
        await talk(chat, *THREE, "j k l m")
        await offered(chat)
        await chat.pilot.press("enter")
        await gone(chat)
        await chat.until(lambda: len(chat.engine.asked) == 4 and chat.state == "ready")
        assert asked(chat) == ["g h i", "j k l m"]
        await chat.until(lambda: len(lines(chat)) == 1)
        assert "The 2 turns above are not sent" in lines(chat)[0]
        assert [view.has_class("-left-out") for view in chat.turns] == [True, True, False, False]
        order = [type(child).__name__ for child in chat.turns[0].parent.children]  # type: ignore[union-attr]
        turns = [name for name in order if name not in ("Static", "LegendLine")]
        assert turns[1:5] == ["TurnView", "TurnView", "LeftOut", "TurnView"]
        await chat.ask("n")
        await chat.answered(5)
        assert asked(chat) == ["g h i", "j k l m", "n"], "it stays so for what is asked then"
        check(chat)

    play(tmp_path, scenario, size=size)


def test_a_click_chooses_too_and_the_question_moves_to_a_new_chat(tmp_path: Path) -> None:
    async def scenario(chat: Chat) -> None:
        await talk(chat, *THREE, "j k l m")
        await offered(chat)
        old = chat.screen.asking.recorder.chat  # type: ignore[union-attr]
        await chat.pilot.click(chat.screen.full_choice.query_one(OptionList), offset=(4, 2))
        await chat.until(lambda: len(chat.engine.asked) == 4 and chat.state == "ready")
        await chat.answered(1)
        assert asked(chat) == ["j k l m"]
        assert [view.question for view in chat.turns] == ["j k l m"]
        history = chat.screen.history
        assert history is not None and old is not None and history.flush()
        said = [m.content for m in history.chat(old).path() if m.role == "user"]
        assert said == list(THREE), "it has left the chat that it came from"

    play(tmp_path, scenario)


def test_a_choice_is_about_the_turn_that_is_full_whichever_is_selected(tmp_path: Path) -> None:
    async def scenario(chat: Chat) -> None:
        await talk(chat, *THREE, "j k l m")
        await offered(chat)
        chat.transcript.select(chat.turns[0])
        await chat.pilot.press("down", "down", "down", "enter")
        await chat.until(lambda: chat.prompt.text == "j k l m")
        assert (editing := chat.screen.asking.editing) and editing.view is chat.turns[-1]

    play(tmp_path, scenario)


def test_changing_the_question_puts_it_into_the_prompt_in_its_place(tmp_path: Path) -> None:
    async def scenario(chat: Chat) -> None:
        await talk(chat, *THREE, "j k l m")
        await offered(chat)
        await chat.pilot.press("down", "down", "down", "enter")
        await gone(chat)
        assert chat.prompt.text == "j k l m"
        chat.prompt.text = ""
        await chat.ask("j")
        await chat.answered(4)
        assert asked(chat) == [*THREE, "j"]
        assert not lines(chat)

    play(tmp_path, scenario)


def test_a_question_that_is_too_long_alone_is_changed_or_gets_a_larger_context(
    tmp_path: Path,
) -> None:
    async def scenario(chat: Chat) -> None:
        await talk(chat, "a", " ".join("x" * 25))
        full = await offered(chat)
        assert [name for name, _ in full.choices] == ["edit", "settings"]
        assert chat.shows("Too long: 25 tokens; the context holds 20.")
        assert chat.shows("Set a larger context in F2; then choose the pair again in Ctrl+O")

    play(tmp_path, scenario)


def test_of_a_file_that_is_too_long_the_first_lines_are_sent_and_marked(tmp_path: Path) -> None:
    async def scenario(chat: Chat) -> None:
        await talk(chat)
        file = pasted("".join(f"line{n}\n" for n in range(60)))
        await chat.screen.asking.ask("why?", (file,))
        full = await offered(chat)
        assert [name for name, _ in full.choices] == ["send-head", "edit", "settings"]
        assert chat.shows("Send the first 3 of 60 lines of Pasted text 1 (15 of 20 tokens)")
        await chat.pilot.press("enter")
        await chat.answered(1)
        (sent,) = chat.engine.asked
        assert "line2\n```" in sent[0].content and "the first 3 of 60" in sent[0].content
        await chat.until(lambda: chat.shows("Pasted text 1 (the first 3 of 60 lines, 410 B)"))
        turn = chat.screen.session.conversation.turns[0]
        history, recorder = chat.screen.history, chat.screen.asking.recorder
        assert history is not None and recorder is not None and recorder.chat is not None
        assert history.flush()
        assert opened(recorder, recorder.chat)[0].attachments == turn.attachments == (file.head(3),)

    play(tmp_path, scenario)


def test_an_answer_at_the_end_of_the_context_goes_on_without_the_oldest_turns(
    tmp_path: Path,
) -> None:
    async def scenario(chat: Chat) -> None:
        await talk(chat, *THREE[:2], "j k l")
        full = await offered(chat)
        assert (full.is_cut, full.used, full.left_out, full.then) == (True, N_CTX, 1, 14)
        assert chat.shows("The context is full (20 of 20 tokens)")
        await chat.pilot.press("enter")
        await chat.until(lambda: len(chat.engine.asked) == 4 and chat.state == "ready")
        await chat.answered(3)
        last = chat.engine.asked[-1]
        assert (last[-1].role, last[-1].content) == ("assistant", "1 2 3 4 5")
        assert asked(chat) == ["d e f", "j k l"]
        assert chat.turns[-1].text == "1 2 3 4 5 6 7"
        await chat.until(lambda: len(lines(chat)) == 1)
        assert "The turn above is not sent" in lines(chat)[0]

    play(tmp_path, scenario, REPLY, REPLY, Answer(words("1 2 3 4 5")), Answer(words(" 6 7")))


def test_going_on_in_a_full_context_says_that_it_is_full_and_loses_nothing(tmp_path: Path) -> None:
    async def scenario(chat: Chat) -> None:
        await talk(chat, *THREE[:2], "j k l")
        await offered(chat)
        engine = chat.engine
        assert isinstance(engine, SmallEngine)
        await act(chat, "continue")
        assert not engine.refused, "it is not offered here"
        await chat.screen.asking.go_on()
        await chat.until(lambda: engine.refused == 1 and chat.screen.session.is_idle)
        await chat.until(lambda: chat.turns[-1].over)
        await offered(chat)
        turn = chat.screen.session.conversation.turns[-1]
        assert (turn.answer, turn.reason) == ("1 2 3 4 5", "context")

    play(tmp_path, scenario, REPLY, REPLY, Answer(words("1 2 3 4 5")))


def test_who_is_typing_keeps_the_focus_and_escape_gives_it_back(tmp_path: Path) -> None:
    async def scenario(chat: Chat) -> None:
        await talk(chat, *THREE, "j k l m")
        await offered(chat)
        choices = chat.screen.full_choice.query_one(OptionList)
        assert choices.has_focus
        await chat.pilot.press("escape")
        assert chat.prompt.has_focus
        await chat.pilot.press("x")
        assert chat.prompt.text == "x"
        assert chat.screen.full_choice.display

    play(tmp_path, scenario)


def test_what_is_left_out_holds_on_its_branch_and_after_reopening(tmp_path: Path) -> None:
    async def scenario(chat: Chat) -> None:
        await talk(chat, *THREE, "j k l m")
        await offered(chat)
        await chat.pilot.press("enter")
        await chat.until(lambda: len(lines(chat)) == 1)
        await chat.answered(4)
        await chat.pilot.press("ctrl+r")
        await chat.until(lambda: len(chat.engine.asked) == 5 and chat.state == "ready")
        assert asked(chat) == ["g h i", "j k l m"], "asking again leaves out as much"
        recorder = chat.screen.asking.recorder
        assert recorder is not None and recorder.chat is not None
        kept = recorder.chat
        await act(chat, "undo")
        await chat.until(lambda: not lines(chat))
        chat.prompt.text = ""
        assert chat.screen.session.conversation.left_out == 0, "the branch above sends all"
        await chat.ask("n")
        await chat.answered(4)
        await chat.pilot.press("alt+left")
        await chat.until(lambda: len(lines(chat)) == 1)
        await act(chat, "new")
        await chat.until(lambda: not chat.turns and not lines(chat))
        recorder = chat.screen.asking.recorder
        assert recorder is not None
        await chat.screen.asking.show_turns(opened(recorder, kept))
        chat.screen.show_state()
        await chat.until(lambda: len(lines(chat)) == 1)
        assert [turn.left_out for turn in chat.screen.session.conversation.turns] == [0, 0, 0, 2]

    play(tmp_path, scenario)


def test_a_refused_question_is_offered_the_choices_again_when_its_chat_is_reopened(
    tmp_path: Path,
) -> None:
    async def scenario(chat: Chat) -> None:
        await talk(chat, *THREE, "j k l m")
        await offered(chat)
        recorder = chat.screen.asking.recorder
        assert recorder is not None and recorder.chat is not None
        kept = recorder.chat
        await act(chat, "new")
        await gone(chat)
        recorder = chat.screen.asking.recorder
        assert recorder is not None
        await chat.screen.asking.show_turns(opened(recorder, kept))
        chat.screen.show_state()
        assert (await offered(chat)).left_out == 2

    play(tmp_path, scenario)


def test_the_meter_warns_from_85_percent_on(tmp_path: Path) -> None:
    async def scenario(chat: Chat) -> None:
        await talk(chat, *THREE[:2])
        assert chat.screen.figures.few_left is None
        await chat.ask("g h")
        await chat.answered(3)
        assert chat.screen.figures.few_left == 3
        assert chat.shows("room for 3")

    play(tmp_path, scenario)


def test_a_cut_answer_goes_on_as_it_is_where_there_is_room_again(tmp_path: Path) -> None:
    async def scenario(chat: Chat) -> None:
        await talk(chat, *THREE[:2], "j k l")
        await offered(chat)
        chat.screen.figures = replace(
            chat.screen.figures, ready=msgspec.structs.replace(READY, n_ctx=2 * N_CTX)
        )
        chat.screen.full_choice.full = None
        chat.screen.show_state()
        await chat.until(lambda: chat.shows("There is room for this now: 20 of 40 tokens."))
        await chat.pilot.press("enter")
        engine = chat.engine
        assert isinstance(engine, SmallEngine)
        await chat.until(lambda: engine.refused == 1)

    play(tmp_path, scenario, REPLY, REPLY, Answer(words("1 2 3 4 5")))


def test_nothing_is_chosen_about_a_full_context_while_a_question_is_on_its_way(
    tmp_path: Path,
) -> None:
    async def scenario(chat: Chat) -> None:
        await talk(chat, *THREE, "j k l m")
        await offered(chat)
        async with chat.screen.asking.changing:
            chat.prompt.focus()
            chat.prompt.insert("and then?")
            chat.app.simulate_key("enter")
            await chat.until(lambda: bool(chat.screen.asking.on_way))
            assert chat.screen.full is None
            await chat.screen.action_act("move")
        await chat.until(lambda: len(chat.turns) == 5)
        assert [view.question for view in chat.turns] == [*THREE, "j k l m", "and then?"]
        assert len(chat.screen.tabs.open) == 1

    play(tmp_path, scenario)
