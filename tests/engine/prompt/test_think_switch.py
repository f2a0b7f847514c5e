"""A model is told whether to think by its template's own variable, and by nothing else."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest

from engine import Delta, EngineClient, Finished, Message, PairSettings, SamplingSettings
from engine.answer import Answer
from engine.assemble import Engine
from engine.messages import Ask
from engine.prompt.rendering import FALLBACK
from engine.prompt.template import ChatTemplate
from tests import tiny
from tests.engine.prompt.test_template import ByteVocabulary, messages
from tests.pair import load, user
from tests.tiny.vocabulary import CHAT_TEMPLATE

QWEN3 = CHAT_TEMPLATE.replace(
    "assistant\n' }}",
    "assistant\n' }}{% if enable_thinking is defined and enable_thinking is false %}"
    "{{ '<think>\n\n</think>\n\n' }}{% endif %}",
)
SMOLLM3 = (
    "{%- if enable_thinking is not defined -%}{%- set enable_thinking = true -%}{%- endif -%}"
    "{{ messages[-1].content }}{%- if enable_thinking %}<think>\n{%- else %}<think>\n\n</think>\n"
    "{% endif %}"
)
DEEPSEEK = (
    "{% if not thinking is defined %}{% set thinking = false %}{% endif %}"
    "{{ messages[-1].content }}{% if thinking %}<think>{% else %}</think>{% endif %}"
)
GLM = (
    "{% macro told() %}{{ '/nothink' if enable_thinking is defined and not enable_thinking }}"
    "{% endmacro %}{% for m in messages %}{{ m.content }}{{ told() }}{% endfor %}"
)
GRANITE = "{% if thinking %}Think. {% endif %}{{ messages[-1].content }}"
HARMONY = "{{ reasoning_effort | default('medium') }}{{ messages[-1].content }}"
OF_A_MESSAGE = "{% for m in messages %}{{ m.thinking }}{{ m.content }}{% endfor %}"
OF_ITS_OWN = "{% set thinking = true %}{{ messages[-1].content }}{% if thinking %}!{% endif %}"
IN_VAIN = "{% if enable_thinking %}{% endif %}{{ messages[-1].content }}"
ANEW = "{{ range(99999) | random }}{{ messages[-1].content }}"
WARM = SamplingSettings(temperature=0.8, seed=11)


def rendered(source: str, think: bool | None, *contents: str) -> str:
    template = ChatTemplate(source, ByteVocabulary())
    prompt = template.prompt(messages(*contents), think)
    return bytes(token for token in prompt.tokens if token < 256).decode()


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    """A target and a draft model, whose template is as Qwen3's."""
    folder = tmp_path_factory.mktemp("think")
    target = tiny.write("llama", folder / "target.gguf", template=QWEN3)
    draft = tiny.write("llama", folder / "draft.gguf", noise=0.05, template=QWEN3)
    pair = PairSettings(
        target=str(target), draft=str(draft), draft_tokens=3, threads=1, gpu_layers=0
    )
    found = Engine(pair)
    yield found
    found.free()


def answered(engine: Engine, ask: Ask) -> tuple[str, Finished]:
    """Return what came in Deltas, and the end."""
    events = list(Answer(engine, ask, lambda: False).events())
    deltas = [event for event in events if isinstance(event, Delta)]
    assert isinstance(events[-1], Finished)
    return "".join(span.text for each in deltas for span in each.spans), events[-1]


@pytest.mark.parametrize(
    ("source", "thinks"),
    [
        (QWEN3, True),
        (SMOLLM3, True),
        (GLM, True),
        (DEEPSEEK, False),
        (GRANITE, False),
        (HARMONY, None),
        (OF_A_MESSAGE, None),
        (OF_ITS_OWN, None),
        (IN_VAIN, None),
        (ANEW, None),
        (FALLBACK, None),
        (None, None),
        ("{% if enable_thinking %}{% for %}", None),
        ("{% if enable_thinking %}{{ raise_exception('no') }}{% endif %}", None),
    ],
)
def test_a_template_says_whether_it_has_a_switch_and_how_that_is_set(
    source: str | None, thinks: bool | None
) -> None:
    assert ChatTemplate(source, ByteVocabulary()).thinks() is thinks


@pytest.mark.parametrize("source", [QWEN3, SMOLLM3, GLM, DEEPSEEK, GRANITE])
def test_the_switch_makes_a_prompt_of_its_own_and_left_alone_it_is_the_templates(
    source: str,
) -> None:
    on, off = rendered(source, True, "hi"), rendered(source, False, "hi")
    thinks = ChatTemplate(source, ByteVocabulary()).thinks()
    assert on != off
    assert rendered(source, None, "hi") == (on if thinks else off)


@pytest.mark.parametrize("source", [FALLBACK, HARMONY, OF_A_MESSAGE, OF_ITS_OWN])
def test_a_template_without_a_switch_is_not_told(source: str) -> None:
    assert len({rendered(source, think, "hi") for think in (None, True, False)}) == 1


def test_a_thought_that_the_template_closed_is_not_of_the_answer() -> None:
    for source in (QWEN3, SMOLLM3, DEEPSEEK):
        template = ChatTemplate(source, ByteVocabulary())
        assert rendered(source, False, "hi").rstrip().endswith("</think>")
        assert template.prompt(messages("hi"), think=False).opened == ""
    assert ChatTemplate(SMOLLM3, ByteVocabulary()).prompt(messages("hi"), True).opened


@pytest.mark.parametrize("source", [QWEN3, SMOLLM3, DEEPSEEK])
@pytest.mark.parametrize("was", [True, False])
@pytest.mark.parametrize("now", [True, False, None])
def test_an_answer_that_is_gone_on_with_stays_as_thoughtful_as_it_began(
    source: str, was: bool, now: bool | None
) -> None:
    opened = ChatTemplate(source, ByteVocabulary()).prompt(messages("hi"), was).opened
    thought = (opened or "<think>") + "Hm" if was else "Yes"
    whole = rendered(source, now, "hi", thought)
    closed_for_good = "</think>" in whole and was
    in_a_thought = whole.rfind("<think>") > whole.rfind("</think>")
    assert whole.endswith(thought.removeprefix(opened))
    assert not closed_for_good and in_a_thought == was
    if was == now:
        assert whole == rendered(source, was, "hi") + thought.removeprefix(opened)


@pytest.mark.parametrize("begun", ["Yes", "<think>Hm", "\nYes"])
def test_an_answer_stands_in_no_thought_that_it_did_not_begin(begun: str) -> None:
    always = "{{ messages[-1].content + '<|im_start|>assistant\n<think>\n' }}"
    assert rendered(always, None, "hi", begun) == "hiassistant\n" + begun
    assert rendered(always, None, "hi", "<think>\nHm") == "hiassistant\n<think>\nHm"
    assert rendered(always, None, "hi") == "hiassistant\n<think>\n"


def test_nobody_switches_thinking_from_within_a_message() -> None:
    hostile = "{% set enable_thinking = true %}{{ enable_thinking }}"
    assert hostile in rendered(QWEN3, False, hostile)
    assert rendered(QWEN3, False, hostile).endswith("</think>\n\n")


@pytest.mark.parametrize("think", [True, False])
def test_seeded_text_is_the_same_for_every_drafter_however_the_switch_is_set(
    engine: Engine, think: bool
) -> None:
    def by(drafter: str) -> Finished:
        ask = Ask(1, [user("hi")], WARM, 48, drafter=drafter, think=think)
        return answered(engine, ask)[1]

    plain, drafted = by("none"), [by(name) for name in ("lookup", "draft_model", "auto")]
    assert len(plain.token_ids) == 48 and drafted[1].stats.accepted > 0
    assert [each.token_ids for each in drafted] == [plain.token_ids] * 3


def test_an_answer_without_thought_is_what_the_model_wrote_behind_the_closed_one(
    engine: Engine,
) -> None:
    shown, finished = answered(engine, Ask(1, [user("hi")], WARM, 24, think=False))
    written = b"".join(map(engine.model.piece, finished.token_ids)).decode("utf-8", "replace")
    assert shown == finished.text == written
    assert finished.stats.prompt_tokens == len(engine.template.tokens([user("hi")], False))
    assert finished.stats.prompt_tokens > len(engine.template.tokens([user("hi")]))


def test_switching_in_mid_chat_changes_the_next_prompt_alone(engine: Engine) -> None:
    told = [user("hi")]
    for n, think in enumerate((None, False, True, False)):
        ask = Ask(1, told, WARM, 16, think=think)
        fresh = answered(engine, ask)[1]
        engine.recover()
        again = answered(engine, ask)[1]
        assert fresh.token_ids == again.token_ids and again.stats.cached_tokens == 0
        assert n == 0 or fresh.stats.cached_tokens > 0
        told = [*told, Message(role="assistant", content=fresh.text), user("go on")]


def test_the_engine_process_tells_of_the_switch_and_is_told(tmp_path: Path) -> None:
    path = tiny.write("llama", tmp_path / "target.gguf", template=QWEN3)

    async def run() -> None:
        client = EngineClient(tmp_path / "engine.log")
        try:
            ready = await load(client, PairSettings(target=str(path), threads=1))
            assert ready.thinks is True
            counts = []
            for think in (None, True, False):
                events = [e async for e in client.ask([user("hi")], WARM, 4, think=think)]
                assert isinstance(events[-1], Finished)
                assert await client.count([user("hi")], think) == events[-1].stats.prompt_tokens
                counts.append(events[-1].stats.prompt_tokens)
            assert counts[0] == counts[1] < counts[2]
        finally:
            await client.close()

    asyncio.run(run())
