"""A projector of a few lines: its picture files are the lengths of their tiles."""

from __future__ import annotations

import hashlib
from pathlib import Path

import numpy as np

from engine.messages import Picture
from tests.engine.fakes import VOCAB, TableDecoder

CAT, DOG = b"5 7", b"5"
"""A fake picture file: the positions of its tiles. A cell more than positions makes a tile wide."""


class FakeTile:
    """Evaluating it makes the decoder hold what stands for its places."""

    def __init__(self, eyes: Eyes, n_positions: int, n_cells: int) -> None:
        self.n_positions, self.n_cells = n_positions, n_cells
        self._eyes = eyes
        eyes.with_pixels.add(self)

    def encode(self) -> np.ndarray:
        assert self in self._eyes.with_pixels, "encoded without pixels"
        self._eyes.encoded += 1
        return np.zeros((self.n_cells, 4), np.float32)

    def forget(self) -> None:
        self._eyes.with_pixels.discard(self)

    def decode(self, embeddings: np.ndarray, start: int) -> None:
        held = self._eyes.decoder.held
        assert start == len(held) and len(embeddings) == self.n_cells
        held += [VOCAB + self.n_positions] * self.n_positions
        self._eyes.decoded.append(start)


class Eyes:
    """A `Projector` that reads fake files, for a target that is a table."""

    def __init__(self, decoder: TableDecoder, wider: int = 0) -> None:
        self.decoder, self.encoded, self.cuts = decoder, 0, 0
        self.decoded: list[int] = []
        self.with_pixels: set[FakeTile] = set()
        self._wider = wider

    def cut(self, data: bytes) -> list[FakeTile | list[int]]:
        self.cuts += 1
        tiles = [FakeTile(self, int(n), int(n) + self._wider) for n in data.split()]
        return [[3], *(part for tile in tiles for part in (tile, [4]))][:-1]

    def free(self) -> None:
        pass


def shown(folder: Path, name: str, data: bytes) -> Picture:
    (folder / name).write_bytes(data)
    return Picture(path=str(folder / name), id=hashlib.sha256(data).hexdigest())
