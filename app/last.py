"""What the person was at when the app ended: the pair that was used last, the open chats, and what
was typed there and not sent.

It is kept in a small file, written whole or not at all. A file that cannot be read, or says what is
not true any more, is as good as none: coming back is a courtesy.
"""

from __future__ import annotations

import argparse
import os
import shlex
from pathlib import Path

import msgspec

from app.chat.unsent import KeptUnsent
from app.errors import CatalogError
from app.models.projector import NONE, beside
from app.models.store import Store
from app.paths import Paths
from app.private_file import write_private
from app.settings.config import ChatSettings, settings_from


class Last(msgspec.Struct, frozen=True, omit_defaults=True):
    """pair: a pair's name in the catalogue; else model, model_draft and mmproj: files; mmproj is
    `none` where the one beside the model was not wanted. chat: the number in the history of the one
    that was shown, None before there is any; open: those of all that were open, in their order.
    unsent: what was typed in them.
    """

    pair: str | None = None
    model: str | None = None
    model_draft: str | None = None
    mmproj: str | None = None
    chat: int | None = None
    open: tuple[int, ...] = ()
    unsent: tuple[KeptUnsent, ...] = msgspec.field(default=(), name="drafts")

    @property
    def chosen(self) -> dict[str, str]:
        """Return the settings that choose the pair."""
        given = {"pair": self.pair, "model": self.model, "model_draft": self.model_draft}
        given["mmproj"] = self.mmproj
        return {name: value for name, value in given.items() if value is not None}

    def with_pair(self, settings: object) -> Last:
        """Return it with the pair of these settings as the last one."""
        if not isinstance(settings, ChatSettings):
            return self
        if settings.name:
            named = Last(pair=settings.name)
        else:
            pair = settings.pair
            mmproj = pair.mmproj or (NONE if beside(Path(pair.target)) else None)
            named = Last(model=pair.target, model_draft=pair.draft, mmproj=mmproj)
        return msgspec.structs.replace(named, chat=self.chat, open=self.open, unsent=self.unsent)


def read_last(path: Path) -> Last:
    """Return what was kept."""
    try:
        return msgspec.json.decode(path.read_bytes(), type=Last)
    except (OSError, ValueError, RecursionError):
        return Last()


def write_last(path: Path, last: Last) -> None:
    """Keep it. Raises OSError."""
    write_private(path, msgspec.json.encode(last))


def settings_or_last(args: argparse.Namespace, last: Last) -> tuple[ChatSettings, str]:
    """Return the settings of the start: where no pair is named, those of the pair used last.

    Also returns a line that says why that pair does not come back, or not with what it saw by, ""
    where there is nothing to say. Raises as `settings_from` does.
    """
    lost: list[str] = []

    def chosen() -> dict[str, str]:
        for file in filter(None, (last.model, last.model_draft)):
            if not os.path.isfile(file):
                raise CatalogError(_gone(file))
        if last.mmproj is None or last.mmproj == NONE or os.path.isfile(last.mmproj):
            return last.chosen
        lost.append(last.mmproj)
        return msgspec.structs.replace(last, mmproj=None).chosen

    try:
        settings = settings_from(args, chosen)
        blind = lost if settings.pair.mmproj is None else []
        told = (
            f"{file} is not there any more: {settings.title} takes text only." for file in blind
        )
        return settings, "".join(told)
    except CatalogError as error:
        settings = settings_from(args)  # of a pair that is named, this raises the same
        return (
            settings,
            f"The model used last does not come back: {error} This is {settings.title}.",
        )


def _gone(file: str) -> str:
    """Say that a model that was used last is gone, and how it comes back. Raises CatalogError where
    it may be there and cannot be found.
    """
    store = Store(Paths().models_dir)
    source = store.source_of(Path(file))
    if source:
        store.check()
    again = f" `slipstream pull {shlex.quote(source)}` downloads it." if source else ""
    return f"{file} is not there any more.{again}"
