"""What cannot be understood of a message is left out, whatever the file holds there."""

from __future__ import annotations

import json
import zlib
from collections.abc import Callable
from pathlib import Path

import pytest

from app.errors import HistoryError
from app.history import History
from app.history.bring_in import MOST_NESTED
from app.history.figures import (
    UNMEASURED,
    unpack_attachments,
    unpack_figures,
    unpack_settings,
    unpack_spans,
)
from app.history.steps import unpack_steps

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
