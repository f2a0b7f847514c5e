"""What a model thought is folded away, and the answer alone is the answer, however it streams."""

from __future__ import annotations

from collections.abc import Iterable

import pytest
from rich.color import Color

from app.chat.branches import Places
from app.chat.conversation import Turn
from app.files.attachments import pasted
from app.thoughts import split, without_thinking
from app.tui.widgets.answer_text import AnswerText
from app.tui.widgets.thinking import Divider, Thinking, duration
from app.tui.widgets.turn_view import TurnView
from engine import Delta
from tests.app.terminal.test_sanitise import HOSTILE_AT_ONCE
from tests.app.tui.driving import SIZES, Chat, drive
from tests.app.tui.fakes import Answer, FakeEngine, Span, stats_at, whole, words

THOUGHT = "<think>\nFirst one thing, then another.\n</think>\n\nIt **joins** path components."
TEXTS = {
    "none": "It joins `<think>` and paths.",
    "one": THOUGHT,
    "open": "<think>never ends",
    "unopened": "Let me see. Hm.\n</think>\nThe answer.",
    "two": "Before.\n<think>one</think>\nBetween.\n<think>two</think>After.",
    "channels": "<|channel|>analysis<|message|>hm<|end|>"
    "<|start|>assistant<|channel|>final<|message|>So.",
    "code": "```\n<think>\n```\n",
    "torn": "<think>a < b </thin and </think> c <thi",
    "blank": "<think>\n\n</think>\n\nAt once.",
}
ORIGINS = ("lookup", "draft_model", "plain")

at_both_sizes = pytest.mark.parametrize("size", SIZES, ids=["80x24", "160x50"])
any_text = pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS.keys())


def spans_of(text: str, length: int) -> list[Span]:
    """Cut a text into spans of a length, their origins taken in turn."""
    starts = range(0, len(text), length)
    return [Span(text[at : at + length], ORIGINS[n % 3]) for n, at in enumerate(starts)]


def origins(spans: Iterable[Span]) -> list[tuple[str, str]]:
    return [(character, span.origin) for span in spans for character in span.text]


def cut_at_once(text: str, spans: list[Span]) -> list[tuple[str, str]]:
    """Return the answer's characters and origins by the offsets of the whole text's parts."""
    marked = origins(spans)
    parts = [part for part in split(text) if part.kind == "answer"]
    return [one for part in parts for one in marked[part.start : part.start + len(part.text)]]


@any_text
@pytest.mark.parametrize("length", [1, 2, 3, 7, 1000])
def test_the_answer_and_its_origins_are_those_of_the_whole_text(text: str, length: int) -> None:
    spans, divider = spans_of(text, length), Divider()
    shown: list[Span] = []
    for fresh in [*(divider.feed([span]) for span in spans), divider.finish(text)]:
        shown = [*fresh.spans] if fresh.anew else [*shown, *fresh.spans]
    assert origins(shown) == cut_at_once(text, spans)
    assert whole(shown) == divider.answer == without_thinking(text)
    assert divider.thinking == [part for part in split(text) if part.kind == "thinking"]


@any_text
def test_going_on_after_the_end_gives_the_same_as_never_having_ended(text: str) -> None:
    spans = spans_of(text, 3)
    for end in range(len(spans)):
        divider, shown = Divider(), list[Span]()
        steps = [divider.feed(spans[:end]), divider.finish(whole(spans[:end]))]
        divider.go_on()
        steps += [divider.feed(spans[end:]), divider.finish(text)]
        for fresh in steps:
            shown = [*fresh.spans] if fresh.anew else [*shown, *fresh.spans]
        assert origins(shown) == cut_at_once(text, spans)


@any_text
@pytest.mark.parametrize("is_longer", [True, False])
def test_an_answer_that_is_another_by_now_is_given_as_far_as_it_is_new(
    text: str, is_longer: bool
) -> None:
    spans = spans_of(text, 3)
    for end in range(len(spans)):
        divider, shown = Divider(), list[Span]()
        before = spans[:end] if is_longer else [Span("other\n\n", "plain"), *spans[:end]]
        steps = [divider.feed(before), divider.finish(whole(before))]
        steps += [divider.renew(spans), divider.finish(text)]
        assert is_longer or steps[2].anew
        for fresh in steps:
            shown = [*fresh.spans] if fresh.anew else [*shown, *fresh.spans]
        assert origins(shown) == cut_at_once(text, spans)


def test_an_answer_without_thinking_is_given_as_it_comes() -> None:
    divider = Divider()
    spans = words("It joins path components.")
    assert [divider.feed([span]).spans for span in spans] == [[span] for span in spans]
    assert not divider.finish(whole(spans)).anew


@pytest.mark.parametrize(
    ("seconds", "written"), [(0.4, "0 s"), (12.9, "12 s"), (59.9, "59 s"), (61, "1 min 1 s")]
)
def test_durations_are_whole_seconds(seconds: float, written: str) -> None:
    assert duration(seconds) == written


def test_the_line_counts_the_seconds_of_thinking_alone() -> None:
    now = [100.0]
    view, divider = Thinking(lambda: now[0]), Divider()
    for at, text in ((100, "<think>one two"), (103.2, " three"), (112.5, "</think>So"), (200, ".")):
        now[0] = at
        divider.feed([Span(text, "plain")])
        view.grow(divider.thinking, divider.is_thinking)
        if at == 103.2:
            assert view.line == "thinking… 3 s"
    divider.finish("<think>one two three</think>So.")
    view.finish(divider.thinking)
    assert view.line == "thought for 12 s, 3 words"


@at_both_sizes
def test_thinking_is_one_line_while_it_streams_and_when_it_is_done(size: tuple[int, int]) -> None:
    spans = words(THOUGHT)

    async def scenario(chat: Chat) -> None:
        await chat.ask("question")
        await chat.until(lambda: chat.shows("thinking…"))
        assert not chat.shows("First one")
        chat.engine.release()
        await chat.answered()
        await chat.until(lambda: chat.shows("5 words"))
        assert chat.shows("It joins path components.")
        assert not chat.shows("First one")
        assert not chat.shows("think>")
        assert chat.turns[0].text == "It **joins** path components."
        assert chat.screen.query_one(AnswerText).source == chat.turns[0].text

    drive(scenario, FakeEngine(Answer(spans, hold_after=3)), size)


@at_both_sizes
@pytest.mark.parametrize("how", ["click", "method"])
def test_thinking_is_opened_and_closed(size: tuple[int, int], how: str) -> None:
    async def toggle(chat: Chat) -> None:
        if how == "click":
            await chat.pilot.click(".fold--line")
        else:
            chat.turns[0].toggle_thinking()

    async def scenario(chat: Chat) -> None:
        await chat.ask("question")
        await chat.answered()
        await toggle(chat)
        await chat.until(lambda: chat.shows("First one thing, then another."))
        assert chat.turns[0].text == "It **joins** path components."
        await toggle(chat)
        await chat.until(lambda: not chat.shows("First one"))

    drive(scenario, FakeEngine(Answer(words(THOUGHT))), size)


def test_what_is_open_grows_while_it_is_thought() -> None:
    async def scenario(chat: Chat) -> None:
        await chat.ask("question")
        await chat.until(lambda: chat.shows("thinking…"))
        chat.turns[0].toggle_thinking()
        await chat.until(lambda: chat.shows("First one"))
        assert not chat.shows("another")
        chat.engine.release()
        await chat.until(lambda: chat.shows("First one thing, then another."))
        await chat.answered()
        assert chat.shows("First one thing, then another.")

    drive(scenario, FakeEngine(Answer(words(THOUGHT), hold_after=3)))


def test_what_turns_out_to_be_thinking_leaves_the_answer() -> None:
    spans = words("Let me see now.\n</think>\nThe answer is here.")

    async def scenario(chat: Chat) -> None:
        await chat.ask("question")
        await chat.until(lambda: chat.shows("Let me see"))
        chat.engine.release()
        await chat.answered()
        assert chat.turns[0].text == "The answer is here."
        assert not chat.shows("Let me see")
        assert chat.shows("thought, 4 words")

    drive(scenario, FakeEngine(Answer(spans, hold_after=3)))


def test_thinking_that_is_stopped_says_so_and_is_kept() -> None:
    async def scenario(chat: Chat) -> None:
        await chat.ask("question")
        await chat.until(lambda: chat.shows("thinking…"))
        await chat.pilot.press("escape")
        await chat.answered()
        await chat.until(lambda: chat.shows("3 words, cut off"))
        assert chat.turns[0].text == ""
        chat.turns[0].toggle_thinking()
        await chat.until(lambda: chat.shows("First one"))

    drive(scenario, FakeEngine(Answer(words(THOUGHT), hold_after=3)))


def test_asking_again_forgets_what_was_thought() -> None:
    async def scenario(chat: Chat) -> None:
        await chat.ask("question")
        await chat.answered()
        await chat.until(lambda: chat.shows("5 words"))
        await chat.pilot.press("ctrl+r")
        await chat.until(lambda: len(chat.engine.asked) == 2)
        await chat.answered()
        await chat.until(lambda: not chat.shows("words"))
        assert chat.turns[0].text == "At once."
        chat.turns[0].toggle_thinking()
        await chat.pilot.pause()
        assert not chat.screen.query_one(Thinking).display

    drive(scenario, FakeEngine(Answer(words(THOUGHT)), Answer(words("At once."))))


async def restored(chat: Chat, turn: Turn) -> TurnView:
    """Show a turn that was over before."""
    await chat.ready()
    view = TurnView(77, turn.question)
    await chat.transcript.show([(view, turn)], [Places()])
    await chat.pilot.pause()
    return view


def turn_of(spans: list[Span]) -> Turn:
    return Turn("q", answer=whole(spans), reason="stop", stats=stats_at(3), spans=spans)


@at_both_sizes
def test_a_restored_turn_has_its_thinking_folded_and_no_duration(size: tuple[int, int]) -> None:
    async def scenario(chat: Chat) -> None:
        view = await restored(chat, turn_of(words(THOUGHT)))
        await chat.until(lambda: chat.shows("thought, 5 words"))
        assert view.text == "It **joins** path components."
        assert not chat.shows("First one")
        view.toggle_thinking()
        await chat.until(lambda: chat.shows("First one thing, then another."))

    drive(scenario, FakeEngine(), size)


def test_a_turn_that_is_gone_on_with_keeps_what_was_thought() -> None:
    spans = words(THOUGHT)

    async def scenario(chat: Chat) -> None:
        view = await restored(chat, turn_of(spans[:-2]))
        await view.begin(keeping=True)
        view.grow(Delta(1, spans[-2:], stats_at(3), 4, 24))
        await chat.until(lambda: chat.shows("It joins path components."))
        await view.end(turn_of(spans), Places())
        assert view.text == "It **joins** path components."
        await chat.until(lambda: chat.shows("thought, 5 words"))

    drive(scenario, FakeEngine())


def colour(chat: Chat, word: str) -> Color | None:
    """Return the background of a word that stands on the screen."""
    for line in chat.segments():
        cells = [(c, s.style.bgcolor if s.style else None) for s in line for c in s.text]
        at = "".join(character for character, _ in cells).find(word)
        if at >= 0:
            (found,) = {ground for _, ground in cells[at : at + len(word)]}
            return found
    raise AssertionError(f"{word!r} is not on the screen")


@pytest.mark.parametrize("ending", ["streaming", "done"])
def test_the_answers_words_keep_their_colours_behind_the_thinking(ending: str) -> None:
    spans = [
        Span("<think>dra", "lookup"),
        Span("ft</think>\n\nPlain", "plain"),
        Span(" guessed", "lookup"),
        Span(" drafted", "draft_model"),
        Span(" end", "plain"),
    ]

    async def scenario(chat: Chat) -> None:
        await chat.ask("question")
        await chat.until(lambda: chat.shows("Plain guessed drafted"))
        if ending == "done":
            chat.engine.release()
            await chat.answered()
        shown = [colour(chat, word) for word in ("Plain", "guessed", "drafted")]
        assert len(set(shown)) == 3

    drive(scenario, FakeEngine(Answer(spans, hold_after=4)))


@pytest.mark.parametrize("text", HOSTILE_AT_ONCE.values(), ids=HOSTILE_AT_ONCE.keys())
def test_hostile_thinking_is_harmless(text: str) -> None:
    async def scenario(chat: Chat) -> None:
        view = await restored(chat, turn_of([Span(f"<think>[b]x[/b] {text}</think>So.", "plain")]))
        view.toggle_thinking()
        await chat.until(lambda: chat.shows("[b]x[/b]"))
        assert not {"\x1b", "\x9b", "\x07", "\u202e"} & set("".join(chat.lines))
        assert chat.shows("So.")

    drive(scenario, FakeEngine(), (120, 40))


def test_what_went_with_a_question_stands_below_it() -> None:
    async def scenario(chat: Chat) -> None:
        await chat.ready()
        await chat.transcript.add_turn(TurnView(1, "[b]why[/b]?", (pasted("a\nb\n"),)))
        await chat.until(lambda: chat.shows("[b]why[/b]? ▌ Pasted text 1 (2 lines, 4 B)"))
        assert [view.question for view in chat.turns] == ["[b]why[/b]?"]

    drive(scenario, FakeEngine())
