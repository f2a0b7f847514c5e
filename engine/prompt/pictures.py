"""Pictures among the tokens of a prompt.

A picture is text tokens, which its model wants around it, and tiles: what the projector makes
embeddings of. A tile stands in the committed tokens as places, ids below 0 that no vocabulary has:
one for each position that it takes. Places belong to a picture's content and to the tile, so equal
prefixes of two prompts show equal pictures, and what a cache holds is never evaluated again. A tile
is evaluated as a whole; the draft model and the lookup are told the text alone.

Where positions have two dimensions (M-RoPE), a tile takes more cells of the cache than positions.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, TypeAlias

from engine.errors import PictureError
from engine.messages import Picture

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

KEPT_BYTES = 64 * 2**20
"""Embeddings that are kept, so that another branch or a new answer does not make them again."""
READ_CELLS = 4096
"""Cells of the pictures whose pixels are kept until they are encoded."""


Embeddings: TypeAlias = "npt.NDArray[np.float32]"
"""`[cells, width] float32`: what the target takes in place of tokens."""


class Tile(Protocol):
    """A part of a picture that is evaluated as a whole."""

    n_positions: int
    n_cells: int

    def encode(self) -> Embeddings:
        """Return its embeddings, as long as it has its pixels. Raises DecodeError."""

    def forget(self) -> None:
        """Release its pixels."""

    def decode(self, embeddings: Embeddings, start: int) -> None:
        """Evaluate it at positions start… of the target's cache. Raises DecodeError."""


class Projector(Protocol):
    """What makes a picture something that the target can read."""

    def cut(self, data: bytes) -> Sequence[Tile | list[int]]:
        """Return the tiles and text tokens of a picture file. Raises PictureError: what is wrong
        with it, to stand behind its name.
        """

    def free(self) -> None:
        """Release the weights. Safe to call twice."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where a tile belongs: which one it is of which picture."""

    picture: str
    nth: int
    tile: Tile


class Sight:
    """The pictures seen since the pair was loaded."""

    def __init__(self, projector: Projector) -> None:
        self._projector = projector
        self._paths: dict[str, str] = {}
        self._tokens: dict[str, list[int]] = {}
        self._places: dict[int, Place] = {}
        self._wider: dict[int, int] = {}  # cells beyond positions, by a tile's first place
        self._next = -1
        self._read: dict[str, list[Tile]] = {}
        self._embeddings: dict[int, Embeddings] = {}

    def free(self) -> None:
        """Release the projector. Safe to call twice."""
        self._projector.free()

    def tokens(self, picture: Picture) -> list[int]:
        """Return a picture's tokens and places; nothing is encoded. Raises PictureError."""
        self._paths[picture.id] = picture.path
        found = self._tokens.get(picture.id)
        if found is None:
            found = self._tokens[picture.id] = self._numbered(picture.id)
        return found

    def cells(self, tokens: Sequence[int]) -> int:
        """Return how many cells of a cache these tokens take."""
        return len(tokens) + sum(self._wider.get(token, 0) for token in tokens if self._wider)

    def look(self, place: int, start: int) -> int:
        """Evaluate the tile with this first place at positions start…; return how many it takes.

        Raises PictureError or DecodeError.
        """
        tile = self._places[place].tile
        tile.decode(self._encoded(place), start)
        return tile.n_positions

    def _numbered(self, picture: str) -> list[int]:
        """Cut a picture, and give its tiles their places, with one between two tiles left out."""
        tokens: list[int] = []
        tiles = 0
        for part in self._cut(picture):
            if isinstance(part, list):
                tokens += part
                continue
            self._places[self._next] = Place(picture, tiles, part)
            if part.n_cells > part.n_positions:
                self._wider[self._next] = part.n_cells - part.n_positions
            tokens += range(self._next, self._next - part.n_positions, -1)
            self._next -= part.n_positions + 1
            tiles += 1
        return tokens

    def _encoded(self, place: int) -> Embeddings:
        """Return the embeddings, those that were kept if they were; the latest stay longest."""
        found = self._embeddings.pop(place, None)
        if found is None:
            found = self._encode(self._places[place])
        self._embeddings[place] = found
        kept = sum(embeddings.nbytes for embeddings in self._embeddings.values())
        while kept > KEPT_BYTES and len(self._embeddings) > 1:
            kept -= self._embeddings.pop(next(iter(self._embeddings))).nbytes
        return found

    def _encode(self, at: Place) -> Embeddings:
        """Make a tile's embeddings; a picture's last one releases its pixels."""
        if at.picture not in self._read:
            self._cut(at.picture)
        tiles = self._read[at.picture]
        found = tiles[at.nth].encode()
        if at.nth == len(tiles) - 1:
            self._forget(at.picture)
        return found

    def _forget(self, picture: str) -> None:
        for tile in self._read.pop(picture):
            tile.forget()

    def _cut(self, picture: str) -> Sequence[Tile | list[int]]:
        """Read a picture's file; keep its tiles ready, and few others'."""
        path = self._paths[picture]
        try:
            parts = self._projector.cut(_content(path, picture))
        except PictureError as error:
            raise PictureError(f"{path} {error.args[0]}", error.hint) from None
        self._read[picture] = [part for part in parts if not isinstance(part, list)]
        cells = sum(tile.n_cells for tiles in self._read.values() for tile in tiles)
        while cells > READ_CELLS and len(self._read) > 1:
            oldest = next(iter(self._read))
            cells -= sum(tile.n_cells for tile in self._read[oldest])
            self._forget(oldest)
        return parts


def seen_by(sight: Sight | None, why_not: str) -> Callable[[Picture], list[int]]:
    """Return what turns a picture into tokens; where there is no sight it raises PictureError.

    why_not: what is wrong with the projector, "" if there is none.
    """
    if sight is not None:
        return sight.tokens

    def refuse(_: Picture) -> list[int]:
        if why_not:
            raise PictureError(why_not)
        raise PictureError(
            "This model sees no pictures: it has no projector.", "Give one with --mmproj."
        )

    return refuse


def text_only(tokens: Sequence[int]) -> list[int]:
    """Return the tokens without the places of pictures."""
    return [token for token in tokens if token >= 0]


def stretches(tokens: Sequence[int]) -> Iterator[Sequence[int]]:
    """Yield what stands before, between and behind pictures; it may be empty."""
    start = 0
    for i, token in enumerate(tokens):
        if token < 0:
            if start < i or i == 0:
                yield tokens[start:i]
            start = i + 1
    yield tokens[start:]


def next_place(tokens: Sequence[int], start: int) -> int | None:
    """Return where the first place from `start` on stands; None if there is none."""
    return next((at for at in range(start, len(tokens)) if tokens[at] < 0), None)


def whole(tokens: Sequence[int], n: int) -> int:
    """Return n, or how many tokens there are before the tile that tokens[:n] has a part of."""
    while 0 < n < len(tokens) and tokens[n] < 0 and tokens[n - 1] == tokens[n] + 1:
        n -= 1
    return n


def _content(path: str, picture: str) -> bytes:
    """Return the bytes of a picture's file. Raises PictureError, to stand behind its name."""
    try:
        data = Path(path).read_bytes()
    except OSError as error:
        reason = error.strerror or str(error)
        raise PictureError(f"cannot be read: {reason}.", "Attach the picture again.") from None
    if hashlib.sha256(data).hexdigest() != picture:
        raise PictureError("has changed since it was attached.", "Attach the picture again.")
    return data
