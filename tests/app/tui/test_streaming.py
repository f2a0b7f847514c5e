"""Rendering an answer survives whatever happens to it meanwhile, and comes out the same."""

from __future__ import annotations

import asyncio

import pytest
from textual.app import App, ComposeResult
from textual.containers import Vertical
from textual.widget import Widget
from textual.widgets._markdown import MarkdownHorizontalRule

from app.tui.text.origins import Origins
from app.tui.text.shown_blocks import shown_blocks
from app.tui.text.slices import SIZE
from app.tui.widgets.answer_blocks import Paragraph
from app.tui.widgets.answer_slice import AnswerSlice
from app.tui.widgets.answer_text import AnswerText
from app.tui.widgets.prompt import Prompt
from app.tui.widgets.transcript import Transcript
from engine import Span
from tests.app.tui.driving import Chat, drive
from tests.app.tui.fakes import Answer, FakeEngine, whole, words

LIST = words("Members:\n\n- first one\n- second one\n\n```python\nx = 1\n```\n\nThe end.")


@pytest.mark.parametrize("ending", ["answered", "stopped", "removed"])
def test_an_answer_that_ends_while_it_is_rendered_does_not_interrupt_that(
    monkeypatch: pytest.MonkeyPatch, ending: str
) -> None:
    rendering, go_on = asyncio.Event(), asyncio.Event()
    interrupted: list[BaseException] = []
    add = AnswerSlice.add

    async def slow(part: AnswerSlice, text: str, references: dict[str, object]) -> None:
        rendering.set()
        try:
            await go_on.wait()
            await add(part, text, references)
        except BaseException as error:
            interrupted.append(error)
            raise

    async def scenario(chat: Chat) -> None:
        monkeypatch.setattr(AnswerSlice, "add", slow)
        chat.screen.post_message(Prompt.Submitted("question"))  # a pilot's key would wait for it
        await chat.until(rendering.is_set)
        if ending == "answered":
            chat.engine.release()
        else:
            chat.app.simulate_key("escape" if ending == "stopped" else "alt+w")
        await chat.until(lambda: chat.state == "ready")
        go_on.set()
        if ending == "removed":
            await chat.until(lambda: not chat.turns)
        else:
            await chat.answered()
        assert not interrupted
        assert chat.app.is_running

    drive(scenario, FakeEngine(Answer(LIST, hold_after=8)))


def test_answers_in_quick_succession_all_arrive_whole() -> None:
    async def scenario(chat: Chat) -> None:
        for number in range(1, 8):
            await chat.ask(f"question {number}")
        await chat.answered(7)
        assert [view.text for view in chat.turns] == [whole(LIST)] * 7

    drive(scenario, FakeEngine(Answer(LIST)), (80, 60))


def test_chats_in_quick_succession_leave_an_empty_one() -> None:
    async def scenario(chat: Chat) -> None:
        for _ in range(6):
            await chat.ask("question")
            await chat.until(lambda: chat.shows("second"))
            await chat.pilot.press("alt+w")
        await chat.ready()
        assert not chat.turns
        await chat.ask("last")
        await chat.until(lambda: chat.shows("second"))
        chat.engine.release()
        await chat.answered()
        assert chat.shows("The end.")

    drive(scenario, FakeEngine(Answer(LIST, hold_after=4)), (80, 60))


def test_a_scroll_that_goes_on_while_the_transcript_goes_does_no_harm() -> None:
    async def scenario(chat: Chat) -> None:
        transcript = chat.screen.query_one(Transcript)
        await chat.ask("question")
        await chat.answered()
        await transcript.remove()
        transcript.set_reactive(Transcript.scroll_y, 1.0)
        transcript.scroll_y = 0.0
        assert transcript.scroll_y == 0.0

    drive(scenario, FakeEngine(Answer(LIST)))


def test_what_is_rendered_while_the_app_is_taken_down_is_left_out() -> None:
    async def scenario(chat: Chat) -> None:
        await chat.ask("question")
        await chat.answered()
        late = AnswerSlice(Origins(), 0, "", False)
        await late.add("A paragraph.\n\n- a list", {})
        assert not late.children

    drive(scenario, FakeEngine(Answer(LIST)))


class OneAnswer(App[None]):
    def compose(self) -> ComposeResult:
        yield Vertical(AnswerText())


def shown_of(widget: Widget) -> list[object]:
    """Return the words of each block, in turn, and how they are styled."""
    content = getattr(widget, "_content", None)
    own = [(content.plain, content.spans)] if isinstance(widget, Paragraph) and content else []
    return own + [words for child in widget.children for words in shown_of(child)]


NAMING = [
    "as a[^1] and [b][1]\n\n[a]: ../b [c]: d\n\nThe end [a].",
    'see [a] and [b]\n\n[a]: http://a.b/c "title" more\n[b]: /d\n\nThe end.',
    "[a], [b] and [c]\n\n> [a]: /d\n> [b]:\n>   /e\n\nand\n\n- [c]: /f\n- [c]\n\n[d]\n\n[d]: /g",
]


@pytest.mark.parametrize("is_over", [False, True], ids=["cut", "stopped"])
@pytest.mark.parametrize("text", NAMING)
def test_an_answer_looks_the_same_wherever_it_was_cut_when_it_came(
    text: str, is_over: bool
) -> None:
    async def shown(answer: AnswerText, beginning: str) -> list[object]:
        await answer.restart()
        answer.feed([Span(beginning, "plain")])
        answer._rest_until = 0.0
        await (answer.finish(beginning) if is_over else answer._drain())
        await answer.finish(text)
        return shown_of(answer)

    async def scenario() -> None:
        app = OneAnswer()
        async with app.run_test():
            answer = app.query_one(AnswerText)
            at_once = await shown(answer, "")
            assert at_once
            for end in range(1, len(text)):
                assert await shown(answer, text[:end]) == at_once, text[:end]

    asyncio.run(scenario())


@pytest.mark.parametrize("text", ["- one\n\n  ---\n\n  two\n- three", "> one\n>\n> ---\n>\n> two"])
def test_a_line_across_a_list_or_quotation_stands_in_it_and_once(text: str) -> None:
    async def scenario() -> None:
        app = OneAnswer()
        async with app.run_test():
            part = AnswerSlice(Origins(), 0, "", False)
            await app.query_one(Vertical).mount(part)
            for character in text:
                await part.add(character, {})
            [block] = part.children
            assert len(part.query(MarkdownHorizontalRule)) == 1
            assert len(block.query(MarkdownHorizontalRule)) == 1

    asyncio.run(scenario())


def test_code_that_came_part_by_part_is_one_block_with_its_own_blank_lines() -> None:
    parts = [f"def f{n}():\n    return {n}\n\n\n" for n in range(SIZE // 20)]
    text = f"```python\n{''.join(parts)}```"

    async def scenario() -> None:
        app = OneAnswer()
        async with app.run_test():
            answer = app.query_one(AnswerText)
            for piece in ["```python\n", *parts]:
                answer.feed([Span(piece, "plain")])
                answer._rest_until = 0.0
                await answer._drain()
            await answer.finish(text)
            assert len(answer.parts) > 1
            [block] = shown_blocks(answer.parts)
            assert block.source == text
            assert block.code is not None
            assert block.code.code == "".join(parts).rstrip()

    asyncio.run(scenario())
