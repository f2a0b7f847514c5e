"""The error of a model or a context that llama.cpp refuses to make: whether it is for want of
memory, as the first error says that was heard, and what to do then.
"""

from __future__ import annotations

import re

from engine.errors import ModelFileError, NoRoom
from engine.llama import log

FULL = re.compile(r"(?<!bad_)alloc|out.?of.?(device|host)?.?memory|insufficient memory", re.I)
"""What the backends say of memory that is not to be had; bad_alloc stands for a damaged header."""


def refusal(what: str, if_full: str, otherwise: str = "") -> ModelFileError:
    """Return it. what: was not to be made; if_full, otherwise: what to do for want of memory, and
    where that is not why.
    """
    why = log.first_complaint()
    message = f"llama.cpp cannot {what}: {why}."
    return NoRoom(message, if_full) if FULL.search(why) else ModelFileError(message, otherwise)
