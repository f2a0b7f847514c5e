"""What cannot be understood of a message is left out, whatever the file holds there."""

from __future__ import annotations

import json
import zlib
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest

from app.errors import HistoryError
from app.history import History
from app.history.bring_in import MOST_NESTED
from app.history.figures import (
    MOST,
    UNMEASURED,
    Figures,
    pack_figures,
    unpack_attachments,
    unpack_figures,
    unpack_settings,
    unpack_spans,
)
from app.history.steps import unpack_steps
from engine import DrafterStats, Stats
from tests.app.tui.fakes import stats_at

DEEP = "[" * 100_000


@pytest.mark.parametrize(
    "packed", [b"\x93\x91\xa1\xff\x91\x01\x91\x00", b"\xc1", b"\x91" * 100_000, b"\x93\x90"]
)
def test_bytes_that_are_damaged_are_no_spans_and_no_steps(packed: bytes) -> None:
    assert unpack_spans(packed, "text") == []
    assert unpack_steps(zlib.compress(packed)) == unpack_steps(packed) == []


@pytest.mark.parametrize(
    ("unpack", "nothing"),
    [(unpack_figures, UNMEASURED), (unpack_attachments, ()), (unpack_settings, {})],
)
@pytest.mark.parametrize(
    "packed", [DEEP, '{"x":' + DEEP, '[{"x":' + DEEP, "{", '{"\ud800": 1}', "\ufffd"]
)
def test_a_text_that_is_damaged_holds_nothing(
    unpack: Callable[[str], object], nothing: object, packed: str
) -> None:
    assert unpack(packed) == nothing


@pytest.mark.parametrize("is_list", [True, False])
def test_settings_that_nest_too_deeply_are_refused_and_others_come_in(
    history: History, path: Path, is_list: bool
) -> None:
    def exported(depth: int) -> bytes:
        around = ("[", "]") if is_list else ('{"a":', "}")
        inside = f"{around[0] * depth}1{around[1] * depth}"
        chat = f'{{"title": "t", "messages": [], "settings": {{"it": {inside}}}}}'
        return f'{{"format": "slipstream-chats", "version": 1, "chats": [{chat}]}}'.encode()

    for depth in (MOST_NESTED, 300, 100_000):
        with pytest.raises(HistoryError, match=r"^Nothing was imported: .* nests too deeply\.$"):
            history.import_json(exported(depth))
    (chat,) = history.import_json(exported(MOST_NESTED - 1)).chats
    assert json.loads(history.export_json([chat]))["chats"][0]["settings"].keys() == {"it"}


SOUND = msgspec.structs.replace(
    stats_at(6), tested_at=[6, 3], accepted_at=[6, 1], near_ties=[2], ttft_s=None, decode_s=3.5
)
ODD: dict[str, dict[str, object]] = {
    "more tokens than can be": {"output_tokens": MOST},
    "a count of 300 digits": {"drafted": 10**300},
    "fewer than none": {"steps": -1},
    "a time without end": {"ttft_s": 1e308},
    "a time that a file cannot tell": {"decode_s": float("inf")},
    "a speed below standing still": {"decode_tps": -1.0},
    "a drafter's count": {"drafters": {"lookup": DrafterStats(1, MOST, 1)}},
    "a place in the text": {"near_ties": [4, -1]},
    "more accepted than tested": {"tested_at": [9, 1], "accepted_at": [9, 10**15]},
}


@pytest.mark.parametrize("change", ODD.values(), ids=ODD)
def test_figures_that_cannot_have_been_measured_are_left_out(change: dict[str, object]) -> None:
    odd = Figures(msgspec.structs.replace(SOUND, **change), seed=7)
    assert unpack_figures(msgspec.json.encode(odd).decode()) == UNMEASURED
    assert pack_figures(odd) == ""
    sound = Figures(SOUND, seed=7, context_used=MOST - 1)
    assert unpack_figures(pack_figures(sound)) == sound


def test_a_chat_with_odd_figures_comes_in_without_them(history: History) -> None:
    def brought_in(stats: Stats, **file: object) -> bytes:
        figures = {"stats": msgspec.to_builtins(stats), "seed": 7}
        attachment = {"name": "a.py", "text": "x", "size_bytes": 1, **file}
        messages = [
            {"role": "user", "content": "Why?", "attachments": [attachment]},
            {"role": "assistant", "content": "So.", "parent": 0, "figures": figures},
        ]
        chats = [{"title": "T", "messages": messages}]
        return json.dumps({"format": "slipstream-chats", "version": 1, "chats": chats}).encode()

    (chat,) = history.import_json(
        brought_in(msgspec.structs.replace(SOUND, tested_at=[1], accepted_at=[10**15]))
    ).chats
    assert history.flush()
    answer = history.chat(chat).messages[-1]
    assert (answer.content, answer.figures) == ("So.", UNMEASURED)
    for odd in ({"size_bytes": 10**320}, {"size_bytes": MOST}, {"of_lines": MOST}):
        with pytest.raises(HistoryError, match=r"^Nothing was imported: [^\n]+$"):
            history.import_json(brought_in(SOUND, **odd))
    (whole,) = history.import_json(brought_in(SOUND, size_bytes=MOST - 1)).chats
    assert history.flush()
    asked, answer = history.chat(whole).messages
    assert asked.attachments[0].size_bytes == MOST - 1 and answer.figures.stats == SOUND
