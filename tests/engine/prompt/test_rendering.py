"""A chat template that asks for too much, or leaves out what is asked, is never what is used; one
that leaves out the system prompt is given it in the first question.
"""

from __future__ import annotations

import subprocess
import sys

import pytest

from engine.errors import TemplateError
from engine.prompt import rendering
from engine.prompt.rendering import FALLBACK, Rendering
from engine.system.deadline import OVERDUE
from engine.system.memory_limit import STATM
from tests.patience import PATIENCE_S

ASKED = [{"role": "user", "content": "hi"}]
NESTED = "{% set ns = namespace(a=[1], b=[1]) %}{% for _ in range(60) %}"
NESTED += "{% set ns.a = [ns.a, ns.a] %}{% set ns.b = [ns.b, ns.b] %}{% endfor %}"
ENDLESS = f"""
from engine.prompt import rendering
rendering.DEADLINE_S = 0.1
rendering.deadline.__globals__["GRACE_S"] = 0.1
rendering.Rendering({NESTED + "{{ ns.a == ns.b }}"!r}, "", "").render([], None)
"""


def failing(source: str) -> str:
    """Return a template that does this for the question that is ASKED, and no other."""
    said = "{{ messages[0].content }}"
    return f"{{% if messages[0].content == 'hi' %}}{source}{{% endif %}}{said}"


def rendered(source: str) -> str:
    return Rendering(source, "", "").render(ASKED, None)


@pytest.mark.parametrize(
    "source",
    [
        "You are a poet.",
        " ",
        "{{ none }}",
        "7",
        "{% for m in messages if m.role == 'system' %}{{ m.content }}{% endfor %}assistant:",
        "You chose your type.",
    ],
)
def test_a_template_that_leaves_out_the_question_is_replaced_and_says_so(source: str) -> None:
    template = Rendering(source, "", "")
    assert template.notice.endswith("leaves out what is asked; using ChatML.")
    assert template.is_fallback
    assert template.render(ASKED, None) == Rendering(FALLBACK, "", "").render(ASKED, None)


@pytest.mark.parametrize(
    "source",
    [
        "{{ messages[-1].content | upper }}",
        "{{ messages | tojson }}",
        "{% for m in messages %}{{ m.content.strip() }}{% endfor %}",
        "{{ raise_exception('no') if messages[0].role == 'system' }}{{ messages[0].content }}",
        "{% if messages[0].role != 'system' %}{{ 1 / 0 }}{% endif %}{{ messages[1].content }}",
    ],
)
def test_a_template_that_shows_it_in_its_own_way_or_refuses_some_is_kept(source: str) -> None:
    assert not Rendering(source, "", "").is_fallback


@pytest.mark.parametrize(
    ("source", "why"),
    [
        ("{{ raise_exception('never') }}", "refuses these messages: never"),
        ("{{ messages[0].content + 1 }}{# type #}", "fails: TypeError("),
        ("{{ messages[0].content[0].text + '' }}", "fails: UndefinedError("),
        ("{{ strftime('%Y') }}", "fails: UndefinedError("),
        ("{{ 1 / 0 if messages[0].role == 'user' }}{{ a.b }}", "fails: ZeroDivisionError("),
    ],
)
def test_a_template_that_always_fails_is_replaced_and_says_why(source: str, why: str) -> None:
    template = Rendering(source, "", "")
    assert template.is_fallback and template.render(ASKED, None) == rendered(FALLBACK)
    assert f"The model's chat template {why}" in template.notice
    assert template.notice.endswith("; using ChatML.") and ".;" not in template.notice


USER_ALONE = (
    "{% for m in messages %}{% if m.role == 'user' %}<|user|>{{ m.content }}"
    "{% elif m.role == 'assistant' %}<|assistant|>{{ m.content }}{% endif %}{% endfor %}"
)
PARTS_ALONE = USER_ALONE.replace("m.content", "m.content[0].text") + "{# type #}"


@pytest.mark.parametrize("source", [USER_ALONE, PARTS_ALONE], ids=["text", "parts"])
def test_a_system_prompt_that_a_template_would_leave_out_is_put_into_the_question(
    source: str,
) -> None:
    said = [{"role": "system", "content": "Be brief."}, *ASKED]
    template = Rendering(source, "", "")
    assert template.render(said, None) == "<|user|>Be brief.\n\nhi"
    assert template.render(said[:1], None) == "<|user|>Be brief."
    assert template.render(ASKED, None) == "<|user|>hi"


def test_a_template_that_shows_the_system_prompt_gets_it_as_it_is() -> None:
    said = [{"role": "system", "content": "Be brief."}, *ASKED]
    source = "{% for m in messages %}{{ m.role }}: {{ m.content }};{% endfor %}"
    assert Rendering(source, "", "").render(said, None) == "system: Be brief.;user: hi;"


@pytest.mark.skipif(not STATM.exists(), reason="this system does not say what is mapped")
@pytest.mark.parametrize(
    "source",
    [
        "{{ messages[0].role | center(3000000000) | length }}",
        "{{ 'a'.ljust(3000000000) | length }}",
        "{{ '%3000000000s' % 1 }}",
        "{{ ('a' * 1000).replace('a', messages[0].role ~ 'b' * 3000000) | length }}",
        "{% set ns = namespace(x='a' * 4000000) %}{% for _ in range(12) %}"
        "{% set ns.x = ns.x ~ ns.x %}{% endfor %}{{ ns.x | length }}",
    ],
    ids=["filter", "call", "format", "replace", "concatenation"],
)
def test_a_template_that_takes_too_much_memory_is_refused_it(
    source: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rendering, "DEADLINE_S", PATIENCE_S)
    resource = pytest.importorskip("resource")
    before = resource.getrlimit(resource.RLIMIT_AS)
    with pytest.raises(TemplateError, match="more than 512 MiB of memory"):
        rendered(failing(source))
    assert resource.getrlimit(resource.RLIMIT_AS) == before, "only while the template runs"


@pytest.mark.skipif(OVERDUE is None, reason="this system ends nothing that is overdue")
def test_what_a_template_does_for_ever_in_one_operation_ends_the_process() -> None:
    process = subprocess.run([sys.executable, "-c", ENDLESS], timeout=PATIENCE_S)
    assert OVERDUE is not None and process.returncode == -OVERDUE


def test_a_long_reason_why_a_template_is_broken_is_cut() -> None:
    assert len(Rendering("{% " + "x" * 10**6 + " %}", "", "").notice) < 2200
