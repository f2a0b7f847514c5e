"""A summary in the place of the oldest turns: made, shown, kept; stopped, it changes nothing."""

from __future__ import annotations

from pathlib import Path
from typing import cast

import pytest

from app.chat.condense import EMPTY, STOPPED
from app.chat.sent import IN_SHORT
from app.history import History
from app.tui.screens.chat import ChatScreen
from app.tui.widgets.left_out import LeftOut
from app.tui.widgets.summary_view import SummaryView
from tests.app.recorded import opened
from tests.app.tui.branching import act, check
from tests.app.tui.driving import SIZES, Chat, Scenario, drive
from tests.app.tui.fakes import Answer, words
from tests.app.tui.small_engine import SmallEngine, tokens
from tests.app.tui.test_death import Late

N_CTX = 240
QUESTIONS = tuple(" ".join([name] * 30) for name in "abc")
REPLIES = tuple(Answer(words(" ".join([name] * 30))) for name in "xyz")
FOURTH = " ".join("d" * 70)
"""With the three before it there is no room for it."""
SHORT = Answer(words("They like tea."))
LAST = Answer(words("Yes."))


def play(
    tmp_path: Path,
    scenario: Scenario,
    *answers: Answer,
    size: tuple[int, int] = SIZES[0],
) -> None:
    history = History.open(tmp_path / "history.db")
    drive(scenario, SmallEngine(*REPLIES, *answers, n_ctx=N_CTX), size, history=history)


async def talk(chat: Chat) -> None:
    """Ask the three questions."""
    await chat.ready()
    for n, question in enumerate(QUESTIONS, 1):
        await chat.ask(question)
        await chat.answered(n)


async def fill(chat: Chat) -> None:
    """Ask the fourth, too, and wait for what is offered."""
    await talk(chat)
    await chat.ask(FOURTH)
    await offered(chat)


async def offered(chat: Chat) -> None:
    await chat.until(lambda: chat.screen.full is not None and chat.screen.full_choice.display)
    await chat.pilot.pause()


async def choose(chat: Chat) -> None:
    """Choose the summary in the box."""
    assert chat.shows("Summarise the 2 oldest turns and ask again")
    await chat.pilot.press("down", "enter")


async def command(chat: Chat, text: str) -> None:
    """Type a command and send it."""
    chat.prompt.focus()
    chat.prompt.text = ""
    chat.prompt.insert(text)
    await chat.pilot.press("enter")


def summaries(chat: Chat) -> list[tuple[int, str]]:
    return [(view.n, view.text) for view in chat.screen.talk.transcript.query(SummaryView)]


def kept(chat: Chat) -> list[str]:
    """Return the summaries as they are on the disk."""
    recorder, history = chat.screen.asking.recorder, chat.screen.history
    assert history is not None and recorder is not None and recorder.chat is not None
    assert history.flush()
    path = history.chat(recorder.chat).path()
    return [message.summary for message in path if message.role == "assistant"]


@pytest.mark.parametrize("size", SIZES, ids=["80x24", "160x50"])
def test_the_box_summarises_the_oldest_turns_and_asks_again(
    tmp_path: Path, size: tuple[int, int]
) -> None:
    async def scenario(chat: Chat) -> None:
        await fill(chat)
        await choose(chat)
        await chat.answered(4)
        system, third, answer, fourth = chat.engine.asked[-1]
        assert system.content == f"{IN_SHORT}\nThey like tea."
        assert (third.content, answer.content) == (QUESTIONS[2], " ".join("z" * 30))
        assert fourth.content == FOURTH
        assert chat.engine.thinks[3] is False and chat.engine.samplings[3].temperature == 0
        await chat.until(lambda: summaries(chat) == [(2, "They like tea.")])
        assert not chat.screen.query(LeftOut)
        assert [view.has_class("-left-out") for view in chat.turns] == [True, True, False, False]
        page = chat.turns[0].parent
        assert page is not None
        order = [type(child).__name__ for child in page.children if not child.has_class("-dim")]
        assert order[1:5] == ["TurnView", "TurnView", "SummaryView", "TurnView"]
        assert kept(chat) == ["", "They like tea.", "", ""]
        check(chat)

    play(tmp_path, scenario, SHORT, LAST, size=size)


def test_it_comes_back_with_the_chat_and_not_on_a_branch_that_begins_before(tmp_path: Path) -> None:
    async def scenario(chat: Chat) -> None:
        await talk(chat)
        await command(chat, "/compact")
        await chat.until(lambda: summaries(chat) == [(2, "They like tea.")])
        recorder = chat.screen.asking.recorder
        assert recorder is not None and recorder.chat is not None
        number = recorder.chat
        await act(chat, "new")
        await chat.until(lambda: not chat.turns)
        assert summaries(chat) == []
        await chat.screen.asking.show_turns(opened(recorder, number))
        chat.screen.show_state()
        await chat.until(lambda: summaries(chat) == [(2, "They like tea.")])
        chat.transcript.select(chat.turns[1])
        await chat.pilot.press("ctrl+r")
        await chat.until(lambda: not summaries(chat) and len(chat.turns) == 2)

    play(tmp_path, scenario, SHORT, LAST)


def test_the_command_summarises_all_but_the_last_turn_at_any_time(tmp_path: Path) -> None:
    async def scenario(chat: Chat) -> None:
        await talk(chat)
        await command(chat, "/compact")
        await chat.until(lambda: summaries(chat) == [(2, "They like tea.")])
        assert chat.toasts("2 turns are in the summary: 180 tokens before, 69 now.")
        await chat.until(lambda: chat.shows("They like tea."))
        assert chat.screen.figures.context_used == 69
        await chat.ask("e")
        await chat.answered(4)
        asked = [message.content for message in chat.engine.asked[-1]]
        assert asked == [f"{IN_SHORT}\nThey like tea.", QUESTIONS[2], " ".join("z" * 30), "e"]
        await command(chat, "/compact")
        await chat.until(lambda: summaries(chat) == [(3, "Tea, still.")])
        assert "Earlier summary:\nThey like tea." in chat.engine.asked[-1][0].content

    play(tmp_path, scenario, SHORT, LAST, Answer(words("Tea, still.")))


def test_a_chat_of_one_turn_has_nothing_to_summarise(tmp_path: Path) -> None:
    async def scenario(chat: Chat) -> None:
        await chat.ready()
        await command(chat, "/compact")
        assert chat.toasts("Nothing is asked yet")
        chat.prompt.text = ""
        await chat.ask("a")
        await chat.answered(1)
        await command(chat, "/compact")
        await chat.until(lambda: chat.toasts("there is nothing before it"))
        assert len(chat.engine.asked) == 1

    play(tmp_path, scenario)


def test_while_it_is_made_the_chat_says_so_and_escape_leaves_all_as_it_was(tmp_path: Path) -> None:
    async def scenario(chat: Chat) -> None:
        await fill(chat)
        before = chat.screen.session.conversation.messages()
        await choose(chat)
        await chat.until(lambda: chat.shows("● summarising"))
        await chat.until(lambda: chat.shows("Esc stops the summary · 1 word so far"))
        await chat.pilot.press("escape")
        await chat.until(lambda: chat.toasts(STOPPED))
        await offered(chat)
        assert (len(chat.engine.asked), chat.state) == (4, "ready") and chat.engine.cancels
        assert chat.screen.session.conversation.messages() == before
        assert summaries(chat) == [] and not any(kept(chat))
        await choose(chat)
        await chat.answered(4)
        assert summaries(chat) == [(2, "They like tea.")]

    play(tmp_path, scenario, Answer(SHORT.spans, hold_after=1), SHORT, LAST)


class LateSmall(Late, SmallEngine):
    """A small engine that has finished when it is ended."""


def test_a_second_escape_as_it_ends_leaves_an_engine_that_runs(tmp_path: Path) -> None:
    async def scenario(chat: Chat) -> None:
        await talk(chat)
        await command(chat, "/compact")
        await chat.until(lambda: chat.shows("Esc stops the summary · 1 word so far"))
        await chat.pilot.press("escape")
        await chat.until(lambda: chat.state == "stopping")
        await chat.pilot.press("escape")
        await chat.until(lambda: chat.toasts(STOPPED))
        await chat.ready()
        assert chat.engine.alive and chat.engine.loads == 2

    slow = Answer(SHORT.spans, hold_after=1, deaf=True)
    history = History.open(tmp_path / "history.db")
    drive(scenario, LateSmall(*REPLIES, slow, n_ctx=N_CTX), history=history)


def test_an_engine_that_dies_of_it_runs_again_and_nothing_is_lost(tmp_path: Path) -> None:
    async def scenario(chat: Chat) -> None:
        await fill(chat)
        before = chat.screen.session.conversation.messages()
        await choose(chat)
        await chat.until(lambda: chat.engine.loads == 2 and chat.state == "ready")
        await offered(chat)
        assert chat.shows("There is no summary: The engine process ended by SIGSEGV")
        assert chat.screen.session.conversation.messages() == before
        assert len(chat.turns) == 4 and not any(kept(chat))
        assert chat.shows("Leave out the 2 oldest turns")

    play(tmp_path, scenario, Answer(SHORT.spans, die_after=1), LAST)


def test_a_useless_one_is_said_and_leaving_out_is_still_offered(tmp_path: Path) -> None:
    async def scenario(chat: Chat) -> None:
        await fill(chat)
        await choose(chat)
        await chat.until(lambda: chat.shows(EMPTY.partition(".")[0]))
        await offered(chat)
        assert chat.shows("Leave out the 2 oldest turns") and summaries(chat) == []

    play(tmp_path, scenario, Answer(words(" ")), LAST)


def test_what_is_asked_meanwhile_waits_and_is_sent_with_the_summary(tmp_path: Path) -> None:
    async def scenario(chat: Chat) -> None:
        await talk(chat)
        await command(chat, "/compact")
        await chat.until(lambda: chat.shows("● summarising"))
        await chat.ask("e")
        await chat.until(lambda: chat.shows("next, when the summary is made"))
        chat.engine.release()
        await chat.answered(4)
        asked = [message.content for message in chat.engine.asked[-1]]
        assert asked == [f"{IN_SHORT}\nThey like tea.", QUESTIONS[2], " ".join("z" * 30), "e"]

    play(tmp_path, scenario, Answer(SHORT.spans, hold_after=1), LAST)


def test_own_words_take_its_place_and_off_sends_the_turns_again(tmp_path: Path) -> None:
    async def scenario(chat: Chat) -> None:
        await talk(chat)
        await command(chat, "/compact I like coffee.")
        await chat.until(lambda: summaries(chat) == [(2, "I like coffee.")])
        assert kept(chat) == ["", "I like coffee.", ""]
        await command(chat, "/compact No, tea.")
        await chat.until(lambda: summaries(chat) == [(2, "No, tea.")])
        await command(chat, "/compact off")
        await chat.until(lambda: not summaries(chat))
        assert len(chat.screen.session.conversation.messages()) == 6
        assert not any(kept(chat)) and len(chat.engine.asked) == 3

    play(tmp_path, scenario)


def test_a_summary_of_all_turns_that_are_left_is_changed_and_taken_away(tmp_path: Path) -> None:
    async def scenario(chat: Chat) -> None:
        await talk(chat)
        for left in (2, 1):
            await command(chat, "/undo")
            await chat.until(lambda left=left: len(chat.turns) == left)
            await chat.pilot.press("ctrl+u")
            if left == 2:
                await command(chat, "/compact I like coffee.")
                await chat.until(lambda: summaries(chat) == [(1, "I like coffee.")])
        assert chat.shows("summary of 1 turn, sent to the model in its place")
        await command(chat, "/compact")
        await chat.until(lambda: chat.toasts("All turns are in the summary already."))
        await command(chat, "/compact No, tea.")
        await chat.until(lambda: summaries(chat) == [(1, "No, tea.")])
        await command(chat, "/compact off")
        await chat.until(lambda: not summaries(chat))

    play(tmp_path, scenario)


def test_what_is_in_use_is_told_anew_by_own_words_off_and_another_system_prompt(
    tmp_path: Path,
) -> None:
    async def scenario(chat: Chat) -> None:
        await talk(chat)

        def is_told(n: int) -> bool:
            return chat.screen.figures.context_used == n

        now = tokens(chat.screen.session.conversation.messages())
        await command(chat, "/compact I like coffee.")
        less = tokens(chat.screen.session.conversation.messages())
        assert less != now
        await chat.until(lambda: is_told(less))
        await command(chat, "/compact off")
        await chat.until(lambda: is_told(now))
        await command(chat, "/system Be brief.")
        await chat.until(lambda: is_told(now + 2))

    play(tmp_path, scenario)


def test_a_long_summary_is_folded_and_opens(tmp_path: Path) -> None:
    async def scenario(chat: Chat) -> None:
        await talk(chat)
        await command(chat, "/compact " + " ".join(["coffee"] * 90))
        await chat.until(lambda: len(summaries(chat)) == 1)
        await chat.until(lambda: chat.shows("summary of 2 turns, sent to the model in their place"))
        assert not chat.shows("coffee coffee")
        await act(chat, "fold-summary")
        await chat.until(lambda: chat.shows("coffee coffee"))

    play(tmp_path, scenario)


def test_one_that_ends_while_another_chat_is_shown_is_that_of_its_own(tmp_path: Path) -> None:
    async def scenario(chat: Chat) -> None:
        await talk(chat)
        screen = cast(ChatScreen, chat.screen)
        first = screen.tabs.open.current
        await command(chat, "/compact")
        await chat.until(lambda: chat.shows("● summarising"))
        await act(chat, "new")
        await chat.until(lambda: screen.tabs.open.current is not first)
        assert chat.shows("busy in another chat")
        chat.engine.release()
        await chat.ready()
        assert summaries(chat) == [] and screen.session.conversation.turns == []
        await screen.tabs.show(first)
        await chat.until(lambda: summaries(chat) == [(2, "They like tea.")])

    play(tmp_path, scenario, Answer(SHORT.spans, hold_after=1), LAST)


def test_what_was_to_be_asked_with_it_is_asked_though_another_chat_is_shown(tmp_path: Path) -> None:
    async def scenario(chat: Chat) -> None:
        await fill(chat)
        tabs, first = chat.screen.tabs, chat.screen.tabs.open.current
        await choose(chat)
        await chat.until(lambda: chat.shows("● summarising"))
        await act(chat, "new")
        await chat.until(lambda: tabs.open.current is not first)
        chat.engine.release()
        await chat.until(lambda: first.has_news)
        assert chat.engine.asked[-1][-1].content == FOURTH and len(chat.engine.asked) == 5
        await tabs.show(first)
        await chat.answered(4)
        assert chat.turns[-1].text == "Yes." and summaries(chat) == [(2, "They like tea.")]

    play(tmp_path, scenario, Answer(SHORT.spans, hold_after=1), LAST)


def test_a_cut_answer_goes_on_with_a_summary_before_it(tmp_path: Path) -> None:
    async def scenario(chat: Chat) -> None:
        await talk(chat)
        await chat.ask(" ".join(["d"] * 40))
        await offered(chat)
        assert chat.shows("Summarise the oldest turn and go on with the answer")
        await chat.pilot.press("down", "enter")
        await chat.until(lambda: chat.turns[-1].text.endswith("v and the end."))
        await chat.answered(4)
        system, *_, begun = chat.engine.asked[-1]
        assert system.content == f"{IN_SHORT}\nThey like tea."
        assert (begun.role, begun.content) == ("assistant", " ".join(["v"] * 20))
        await chat.until(lambda: summaries(chat) == [(1, "They like tea.")])

    cut = Answer(words(" ".join(["v"] * 20)))
    play(tmp_path, scenario, cut, SHORT, Answer(words(" and the end.")))
