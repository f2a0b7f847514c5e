"""A long answer streams smoothly: it arrives whole, and one tick costs the same at its end."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import pytest
from textual import events
from textual.geometry import Size
from textual.widgets._markdown import MarkdownBullet, MarkdownTable

from app.tui.text import slices
from app.tui.widgets.answer_blocks import Fence
from app.tui.widgets.answer_slice import AnswerSlice
from engine import Span
from tests.app.tui.driving import NARROW, Chat, drive
from tests.app.tui.fakes import Answer, FakeEngine
from tests.long_answer import long_answer, long_fence, origins, tokens

TEXT = long_answer()
STEP = 25
"""Tokens that come at once, as between two drains at some 400 a second."""


def spans(text: str) -> list[Span]:
    """Cut a text into what one tick brings."""
    pieces = ["".join(some) for some in batched(tokens(text), STEP)]
    return [Span(*both) for both in zip(pieces, origins(len(pieces)), strict=True)]


def batched(pieces: Sequence[str], n: int) -> list[Sequence[str]]:
    return [pieces[at : at + n] for at in range(0, len(pieces), n)]


def shown_code(chat: Chat) -> str:
    """Return all code blocks as they are on the screen or above it."""
    return "\n".join(fence.code for fence in chat.screen.query(Fence))


def test_ten_thousand_tokens_arrive_whole_and_in_order_as_markdown() -> None:
    async def scenario(chat: Chat) -> None:
        await chat.ask("question")
        await chat.answered()
        assert chat.turns[0].text == TEXT
        headings = [f"Part {n}" for n in range(1, TEXT.count("## Part") + 1)]
        found = [each._content.plain for each in chat.screen.query("MarkdownH2").results()]
        assert found == headings  # type: ignore[comparison-overlap]
        assert len(chat.screen.query(MarkdownTable)) == TEXT.count("|---|---:|")
        assert len(chat.screen.query(MarkdownBullet)) == TEXT.count("- **")
        code = [part.partition("\n")[2].rstrip("\n") for part in TEXT.split("```")[1::2]]
        assert shown_code(chat).splitlines() == "\n".join(code).splitlines()

    drive(scenario, FakeEngine(Answer(spans(TEXT))))


@pytest.mark.parametrize(
    ("text", "in_sight"),
    [(long_answer(5000), 100), (long_fence(5000), 0)],
    ids=["mixed", "one code block"],
)
def test_the_work_of_a_tick_does_not_grow_with_the_answer(
    monkeypatch: pytest.MonkeyPatch, text: str, in_sight: int
) -> None:
    """in_sight: by how many widgets what is in sight late may exceed what is early."""
    parsed: list[int] = []
    laid_out: list[int] = []
    add = AnswerSlice.add

    async def counted(part: AnswerSlice, more: str, references: dict[str, object]) -> None:
        await add(part, more, references)
        parsed.append(len(part.shown))

    async def scenario(chat: Chat) -> None:
        monkeypatch.setattr(AnswerSlice, "add", counted)
        await chat.ask("question")
        answer = spans(text)
        for place in itertools.count():
            await chat.until(lambda place=place: len(parsed) > place)  # type: ignore[misc]
            laid_out.append(len(chat.screen._compositor.full_map))
            if chat.turns[0].over or sum(len(s.text) for s in answer) <= len(chat.turns[0].text):
                break
        early, late = len(laid_out) // 4, 3 * len(laid_out) // 4
        assert max(parsed) < 4000
        assert len(laid_out) > 20
        parts = len(chat.turns[0].parts)
        # A tick that comes late has more at once; work that grows shows in the least of them too.
        assert min(laid_out[late:]) < max(laid_out[:early]) + parts + in_sight

    drive(scenario, FakeEngine(Answer(spans(text), pace_s=0.02)))


def test_the_beginning_of_a_line_that_tells_nothing_waits_for_more_but_not_for_ever() -> None:
    async def scenario(chat: Chat) -> None:
        await chat.ask("question")
        await chat.until(lambda: chat.turns[0].text.startswith("A list:"))
        for _ in range(20):
            await chat.pilot.pause(0.02)
        assert chat.turns[0].text == "A list:\n\n"
        chat.engine.release()
        await chat.answered()
        assert chat.turns[0].text == "A list:\n\n- one\n\n12."

    pieces = ["A list:\n\n", "- ", "one", "\n\n12."]
    drive(scenario, FakeEngine(Answer([Span(p, "plain") for p in pieces], hold_after=2)))


def test_a_storm_of_sizes_while_an_answer_streams_leaves_the_right_text() -> None:
    sizes = [Size(20 + 6 * n % 181, 6 + 7 * n % 55) for n in range(30)]
    text = long_answer(2000)

    async def scenario(chat: Chat) -> None:
        await chat.ask("question")
        await chat.until(lambda: len(chat.turns[0].text) > 200)
        for size in [*sizes, Size(*NARROW)]:
            chat.app.post_message(events.Resize(size, size))
            await chat.until(lambda size=size: chat.screen.size == size)  # type: ignore[misc]
        chat.engine.release()
        await chat.answered()
        assert chat.turns[0].text == text
        await chat.until(lambda: chat.shows("tokens ·"))
        last = text.rstrip().splitlines()[-1].strip("|` ")[:30]
        assert chat.shows(" ".join(last.split())), chat.text

    drive(scenario, FakeEngine(Answer(spans(text), pace_s=0.01, hold_after=40)))


def test_a_reader_who_has_scrolled_up_is_left_alone_until_the_end() -> None:
    text = long_answer(3000)

    async def scenario(chat: Chat) -> None:
        await chat.ask("question")
        await chat.until(lambda: len(chat.turns[0].text) > 3000)
        await chat.until(lambda: chat.transcript.scroll_y > 2 * chat.transcript.size.height)
        await chat.pilot.press("pageup", "pageup")
        await chat.pilot.pause()
        at, seen, shown = chat.transcript.scroll_y, transcript_of(chat), chat.turns[0].text
        assert at > 0
        chat.engine.release()
        await chat.until(lambda: chat.turns[0].over)
        assert len(shown) < len(text)
        assert chat.turns[0].text == text
        await chat.pilot.pause()
        assert chat.transcript.scroll_y == at
        still_seen = transcript_of(chat)  # less the line that tells of new text below
        assert still_seen == seen[: len(still_seen)] and len(still_seen) >= len(seen) - 1
        await chat.pilot.press(*["pagedown"] * 60)
        await chat.until(lambda: chat.shows("tokens ·"))

    drive(scenario, FakeEngine(Answer(spans(text), hold_after=60)))


def test_after_a_resize_what_is_far_from_sight_is_folded_anew() -> None:
    async def scenario(chat: Chat) -> None:
        await chat.ask("question")
        await chat.answered()
        await chat.pilot.resize_terminal(100, 30)
        far = chat.turns[0].parts[:5]
        await chat.until(lambda: all(part.size.width > NARROW[0] for part in far))
        await chat.until(
            lambda: all(part.arrange(part.size).placements == [] for part in far),
        )
        assert any(part.arrange(part.size).placements for part in chat.turns[0].parts[-2:])

    drive(scenario, FakeEngine(Answer(spans(long_answer(4000)))))


def transcript_of(chat: Chat) -> list[str]:
    """Return what is seen of the answer, without the scroll bar."""
    region = chat.transcript.region
    return [line[: region.right - 2] for line in chat.lines[region.y : region.bottom]]


def test_code_that_was_cut_while_it_streamed_is_highlighted_as_a_whole() -> None:
    inside = "\n".join(f"if {n}:" for n in range(120))
    text = f'```python\nx = """\n{inside}\n"""\n```\n'

    async def scenario(chat: Chat) -> None:
        await chat.ask("question")
        await chat.answered()
        parts = list(chat.screen.query(Fence))
        whole, at = Fence.highlight("\n".join(part.code for part in parts), "python"), 0
        for part in parts:
            spans_there = whole[at : at + len(part.code)].spans
            assert part._highlighted_code.spans == spans_there
            at += len(part.code) + 1
        alone = [Fence.highlight(part.code, "python").spans for part in parts]
        assert [part._highlighted_code.spans for part in parts] != alone

    drive(scenario, FakeEngine(Answer(spans(text))))


def test_a_link_that_is_named_at_the_end_works_at_the_beginning() -> None:
    text = f"See [the page][1].\n\n{long_answer(1500)}\n```\n\n[1]: https://example.org\n"

    async def scenario(chat: Chat) -> None:
        await chat.ask("question")
        await chat.answered()
        first = chat.turns[0].parts[0].children[0]
        assert first._content.plain == "See the page."  # type: ignore[attr-defined]

    drive(scenario, FakeEngine(Answer(spans(text))))


PROSE = "\n\n".join(f"Paragraph {n}: {'and so on ' * 30}." for n in range(20))


@pytest.mark.parametrize(
    "text", [long_answer(1500), long_fence(1500), PROSE], ids=["mixed", "code", "prose"]
)
def test_slices_are_seen_as_if_they_were_one(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    seen: list[list[str]] = []
    counts: list[int] = []

    async def scenario(chat: Chat) -> None:
        await chat.ask("question")
        await chat.answered()
        counts.append(len(chat.turns[0].parts))
        seen.append(transcript_of(chat))

    high = (NARROW[0], 400)
    drive(scenario, FakeEngine(Answer(spans(text))), high)
    monkeypatch.setattr(slices, "SIZE", 10**9)
    drive(scenario, FakeEngine(Answer(spans(text))), high)
    assert counts[0] > counts[1] == 1
    assert seen[0] == seen[1]
