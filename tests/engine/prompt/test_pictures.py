"""Pictures among tokens, against fakes: their places, what a cache keeps of them, their cells."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.cache.rollback import Drop, Kind, Replay, Snapshots
from engine.cache.tokens import PREFILL_CHUNK, TokenCache
from engine.errors import PictureError, PromptTooLong, RollbackRefused
from engine.messages import Picture
from engine.prompt import pictures
from engine.prompt.pictures import Sight, stretches, text_only, whole
from engine.session import Session
from tests.engine.eyes import CAT, DOG, Eyes, shown
from tests.engine.fakes import VOCAB, TableDecoder


@pytest.fixture
def cat(tmp_path: Path) -> Picture:
    return shown(tmp_path, "cat", CAT)


@pytest.fixture
def dog(tmp_path: Path) -> Picture:
    return shown(tmp_path, "dog", DOG)


def test_places_are_below_zero_one_for_each_position_and_never_shared(
    cat: Picture, dog: Picture
) -> None:
    eyes = Eyes(TableDecoder())
    sight = Sight(eyes)
    seen, other = sight.tokens(cat), sight.tokens(dog)
    places = [token for token in (*seen, *other) if token < 0]
    assert len(set(places)) == len(places) == 5 + 7 + 5
    assert [token for token in seen if token >= 0] == [3, 4]
    assert sight.tokens(cat) == seen
    assert (eyes.cuts, eyes.encoded) == (2, 0)


def test_cells_are_counted_where_they_are_more_than_positions(cat: Picture) -> None:
    for wider in (0, 3):
        sight = Sight(Eyes(TableDecoder(), wider))
        tokens = [1, *sight.tokens(cat), 2]
        assert sight.cells(tokens) == len(tokens) + 2 * wider


def test_the_context_is_full_by_cells(cat: Picture) -> None:
    decoder = TableDecoder(n_ctx=40)
    sight = Sight(Eyes(decoder, wider=9))
    session = Session(decoder, sight=sight)
    prompt = [1, *sight.tokens(cat), 2]
    room = decoder.n_ctx - len(prompt) - 2 * 9
    session.begin([*prompt, *[1] * (room - 1)])
    assert session.used == decoder.n_ctx - 1
    with pytest.raises(PromptTooLong, match="has 40 tokens and the context 40"):
        session.begin([*prompt, *[1] * room])


PIECES = st.lists(st.sampled_from(["cat", "dog", 1, 2]), max_size=6)


@given(prompts=st.lists(PIECES, min_size=1, max_size=5))
@pytest.mark.parametrize("rollback", [Drop, Snapshots, Replay])
def test_a_cache_never_holds_a_part_of_a_tile_and_always_what_it_says(
    rollback: Kind, prompts: list[list[str | int]], tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.getbasetemp()
    by_name = {"cat": shown(folder, "cat", CAT), "dog": shown(folder, "dog", DOG)}
    decoder = TableDecoder(
        can_drop=rollback is not Replay, n_snapshots=4 * (rollback is Snapshots), n_batch=4
    )
    sight = Sight(Eyes(decoder))
    cache = TokenCache(decoder, rollback, sight.look)
    for pieces in prompts:
        prompt = [1]
        for piece in pieces:
            prompt += sight.tokens(by_name[piece]) if isinstance(piece, str) else [piece]
        prompt.append(2)
        n = cache.align(prompt)
        assert cache.tokens == prompt[:n] and len(decoder.held) == n
        assert whole(prompt, n) == n
        assert cache.prefill(prompt, lambda: False)
        pending = prompt[len(cache) :]
        assert 0 < len(pending) <= PREFILL_CHUNK and min(pending) >= 0
        assert cache.tokens == prompt[: len(cache)] and len(decoder.held) == len(cache)
        assert [token for token in decoder.held if token < VOCAB] == text_only(cache.tokens)
        cache.mark()
        cache.extend(pending, 1)
        if rollback is not Snapshots or len(pending) > 1:
            cache.keep(len(prompt) - 1)
            assert len(decoder.held) == len(cache) == len(prompt) - 1


def test_no_part_of_a_tile_is_left_of_a_shorter_text(cat: Picture) -> None:
    sight = Sight(Eyes(TableDecoder()))
    tokens = [1, *sight.tokens(cat), 2]
    starts = {i for i, token in enumerate(tokens) if token >= 0} | {2, 8, len(tokens)}
    assert {whole(tokens, n) for n in range(len(tokens) + 1)} == starts
    touching = [1, *tokens[2:7], *tokens[8:15], 2]  # no text between two tiles
    assert [whole(touching, n) for n in (1, 5, 6, 7, 12, 13)] == [1, 1, 6, 6, 6, 13]


def test_a_cache_that_is_cut_anywhere_keeps_whole_tiles(cat: Picture) -> None:
    decoder = TableDecoder()
    sight = Sight(Eyes(decoder))
    prompt = [1, *sight.tokens(cat), 2]
    cache = TokenCache(decoder, Drop, sight.look)
    for n in range(1, len(prompt) + 1):
        cache.align(prompt)
        cache.prefill(prompt, lambda: False)
        kept = cache.align(prompt[:n])
        assert kept == len(decoder.held) == whole(prompt, min(n - 1, len(prompt) - 1))


@pytest.mark.parametrize("rollback", [Snapshots, Replay])
def test_no_way_but_dropping_leads_back_over_a_tile(cat: Picture, rollback: Kind) -> None:
    decoder = TableDecoder(can_drop=rollback is Snapshots, n_snapshots=4 * (rollback is Snapshots))
    sight = Sight(Eyes(decoder))
    cache = TokenCache(decoder, rollback, sight.look)
    cache.extend([1, 2, 5], 0)
    cache.mark()
    prompt = [1, 2, 5, *sight.tokens(cat), 7]
    assert cache.prefill(prompt, lambda: False)
    for n in (3, len(prompt) - 2):
        with pytest.raises(RollbackRefused):
            cache.keep(n)
    assert len(decoder.held) == len(cache) == len(prompt) - 1
    assert cache.align([1, 2, 6]) == 0 == len(decoder.held)


def test_snapshots_of_the_text_before_a_tile_are_not_taken_for_its_own(tmp_path: Path) -> None:
    decoder = TableDecoder(n_snapshots=4)
    sight = Sight(Eyes(decoder))
    cache = TokenCache(decoder, Snapshots, sight.look)
    prompt = [1, 2, *sight.tokens(shown(tmp_path, "small", b"2")), 7]
    assert cache.prefill(prompt, lambda: False) and len(cache) == 5
    with pytest.raises(RollbackRefused):
        cache.keep(3)


def test_a_tile_is_evaluated_once_and_a_cancel_seen_between_two(cat: Picture) -> None:
    decoder = TableDecoder()
    eyes = Eyes(decoder)
    sight = Sight(eyes)
    cache = TokenCache(decoder, Drop, sight.look)
    prompt = [1, *sight.tokens(cat), 2]
    assert not cache.prefill(prompt, lambda: eyes.encoded == 1)
    assert eyes.decoded == [2] and len(cache) == 7
    cache.align(prompt)
    assert cache.prefill(prompt, lambda: False)
    assert eyes.decoded == [2, 8] and (eyes.cuts, eyes.encoded) == (1, 2)


def test_stretches_are_what_stands_around_tiles() -> None:
    assert list(stretches([1, 2])) == [[1, 2]]
    assert list(stretches([])) == [[]]
    assert list(stretches([1, -1, -2, 2, -4, 3])) == [[1], [2], [3]]
    assert list(stretches([-1, -2, 2, -4])) == [[], [2], []]


def test_embeddings_are_kept_up_to_a_size_the_latest_longest(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pictures, "KEPT_BYTES", 2 * 5 * 16)
    decoder = TableDecoder()
    eyes = Eyes(decoder)
    sight = Sight(eyes)
    seen = [shown(tmp_path, f"{i}", b"5" + b" " * i) for i in range(4)]

    def look(i: int) -> None:
        decoder.held.clear()
        sight.look(sight.tokens(seen[i])[1], 0)

    for i in (0, 1, 0):
        look(i)
    assert eyes.encoded == 2
    look(2)  # 1 goes
    look(0)
    assert eyes.encoded == 3
    look(1)  # 2 goes
    look(0)
    assert eyes.encoded == 4
    look(2)  # 1 goes
    look(1)  # 0 goes
    assert eyes.encoded == eyes.cuts == 6, "pixels stay no longer than they are wanted"


@pytest.mark.parametrize(("n", "n_cut_again"), [(4, 0), (6, 3)])
def test_new_pictures_are_cut_once_up_to_a_size(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, n: int, n_cut_again: int
) -> None:
    monkeypatch.setattr(pictures, "READ_CELLS", 4 * 12)
    decoder = TableDecoder()
    eyes = Eyes(decoder)
    sight = Sight(eyes)
    prompt = [1]
    for i in range(n):
        prompt += sight.tokens(shown(tmp_path, f"{i}", CAT + b" " * i))
    assert len(eyes.with_pixels) <= 4 * 2
    assert TokenCache(decoder, Drop, sight.look).prefill([*prompt, 2], lambda: False)
    assert (eyes.encoded, eyes.cuts) == (2 * n, n + n_cut_again)
    assert not eyes.with_pixels


def test_a_picture_must_be_the_file_that_was_attached(cat: Picture, tmp_path: Path) -> None:
    sight = Sight(Eyes(TableDecoder()))
    other = Picture(path=cat.path, id=hashlib.sha256(b"another").hexdigest())
    with pytest.raises(PictureError, match="cat has changed since it was attached"):
        sight.tokens(other)
    with pytest.raises(PictureError, match="no cannot be read: No such file"):
        sight.tokens(Picture(path=str(tmp_path / "no"), id=cat.id[::-1]))
    assert sight.tokens(cat)


def test_pictures_without_a_projector_are_refused_with_what_to_do(cat: Picture) -> None:
    see = pictures.seen_by(None, "")
    with pytest.raises(PictureError, match="--mmproj"):
        see(cat)
