"""What cannot be seen: projectors that are refused at load, and pictures that cannot be read."""

from __future__ import annotations

import asyncio
import builtins
import hashlib
from collections.abc import Callable
from pathlib import Path

import pytest

from engine import EngineClient, Finished, ModelFileError, PictureError
from engine.llama import context, log, mtmd
from engine.llama.model import Model
from engine.messages import Picture
from tests.engine.in_process import GREEDY, PREDICT, answer, loaded
from tests.engine.seeing import (
    QUESTION,
    WIDTH,
    Pair,
    reference,
    user,
    written,
)
from tests.pair import load
from tests.tiny.projector import picture, write_projector


@pytest.fixture(scope="module")
def pair(tmp_path_factory: pytest.TempPathFactory) -> Pair:
    return written("idefics3", "llama", tmp_path_factory.mktemp("pair"))


@pytest.fixture
def cat(tmp_path: Path) -> Picture:
    return picture(tmp_path / "cat.png", 112, 56, seed=1)


@pytest.fixture
def dog(tmp_path: Path) -> Picture:
    return picture(tmp_path / "dog.png", 84, 84, seed=2)


@pytest.fixture
def wanted(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The limits of cells that projectors were opened with, in their order."""
    limits: list[int] = []
    opened = mtmd._opened

    def spy(path: str, model: Model, params: object) -> int:
        limits.append(params.image_max_tokens)  # type: ignore[attr-defined]
        return opened(path, model, params)

    monkeypatch.setattr(mtmd, "_opened", spy)
    return limits


def missing(folder: Path) -> Path:
    return folder / "nowhere.gguf"


def no_gguf(folder: Path) -> Path:
    path = folder / "text.gguf"
    path.write_text("no model at all")
    return path


def damaged(folder: Path) -> Path:
    path = write_projector("mlp", folder / "damaged.gguf", WIDTH)
    path.write_bytes(path.read_bytes()[:200])
    return path


def cut_short(folder: Path) -> Path:
    path = write_projector("mlp", folder / "short.gguf", WIDTH)
    path.write_bytes(path.read_bytes()[:-1000])
    return path


def too_wide(folder: Path) -> Path:
    return write_projector("mlp", folder / "wide.gguf", 2 * WIDTH)


def deaf_and_blind(folder: Path) -> Path:
    return write_projector("mlp", folder / "blind.gguf", WIDTH, has_vision=False)


def by_place(folder: Path) -> Path:
    return write_projector("mlp", folder / "placed.gguf", WIDTH, says="hunyuanvl")


@pytest.mark.parametrize(
    ("make", "why"),
    [
        (missing, "No such file"),
        (no_gguf, "is no GGUF file"),
        (damaged, "is damaged"),
        (cut_short, "is cut short"),
        (too_wide, r"n_embd = 64\) and mmproj \(n_embd = 128"),
        (deaf_and_blind, "cannot use the projector"),
        (by_place, "kind that is not supported: hunyuanvl"),
    ],
)
def test_a_projector_that_cannot_be_used_is_a_notice_and_the_pair_answers(
    make: Callable[[Path], Path], why: str, pair: Pair, cat: Picture, tmp_path: Path
) -> None:
    with loaded(pair.settings(mmproj=str(make(tmp_path)), draft=None)) as engine:
        ready = engine.ready(1)
        (notice,) = ready.notices
        assert not ready.sees
        assert notice.startswith("Pictures are off: ") and "\n" not in notice
        assert str(tmp_path) in notice
        with pytest.raises(PictureError, match=why) as caught:
            answer(engine, [user(QUESTION, cat)])
        assert str(caught.value) == notice
        assert answer(engine, [user(QUESTION)]).token_ids


def test_where_a_projector_ended_the_process_a_picture_is_refused_with_that(
    pair: Pair, cat: Picture
) -> None:
    why = "Pictures are off: loading p.gguf failed (SIGABRT)."
    with loaded(pair.settings(mmproj=None, sight_refused=why, draft=None)) as engine:
        ready = engine.ready(1)
        assert not ready.sees and ready.notices == [why]
        with pytest.raises(PictureError, match="SIGABRT"):
            answer(engine, [user(QUESTION, cat)])


def test_a_projector_that_wants_tokens_of_another_model_is_refused(
    pair: Pair, tmp_path: Path
) -> None:
    other = written("mlp", "qwen2", tmp_path, controls=())
    with loaded(other.settings(mmproj=str(pair.projector), draft=None)) as engine:
        (notice,) = engine.ready(1).notices
    assert "wants tokens that this model lacks" in notice


def test_a_picture_that_must_see_all_of_itself_is_never_split(
    tmp_path: Path, wanted: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    pair = written("gemma3", "gemma3", tmp_path)
    log.capture()
    model = Model(str(pair.target), gpu_layers=0)
    for most, tries in ((4, [-1]), (3, [-1, 3])):  # it makes 4 cells of every picture
        monkeypatch.setattr(context, "BATCH_TOKENS", most)
        wanted.clear()
        narrow = context.Context(model, 64, threads=1)
        try:
            mtmd.Projector(str(pair.projector), model, narrow, 1, False).free()
            assert most == 4
        except ModelFileError as error:
            assert most == 3 and "too much of a picture" in str(error)
        assert wanted == tries
        narrow.free()
    model.free()


@pytest.mark.parametrize(
    ("n_ctx", "tries", "most"),
    [(8192, [-1, 1024], 1024), (1024, [-1, 512], 512), (64, [-1, 256], 256)],
)
def test_a_photo_takes_half_a_context_at_most_and_never_all_that_its_kind_can_make(
    tmp_path: Path, wanted: list[int], n_ctx: int, tries: list[int], most: int
) -> None:
    pair = written("qwen2vl_merger", "qwen2vl", tmp_path)
    log.capture()
    model = Model(str(pair.target), gpu_layers=0)
    narrow = context.Context(model, n_ctx, threads=1)
    photo = Path(picture(tmp_path / "photo.png", 2000, 1500).path).read_bytes()
    projector = mtmd.Projector(str(pair.projector), model, narrow, 1, False)
    try:
        tile = next(part for part in projector.cut(photo) if isinstance(part, mtmd.Tile))
        assert wanted == tries
        assert most // 2 < tile.n_cells <= most
    finally:
        projector.free()
        narrow.free()
        model.free()


def test_a_tile_that_cannot_be_smaller_is_taken_as_it_is(tmp_path: Path, wanted: list[int]) -> None:
    pair = written("mlp", "llama", tmp_path)
    with pytest.MonkeyPatch.context() as patch, loaded(pair.settings(draft=None)) as engine:
        assert engine.ready(1).sees and wanted == [-1]
        patch.setattr(mtmd, "MOST_CELLS", 5)  # it makes 16 cells of every picture
        with loaded(pair.settings(draft=None)) as again:
            assert again.ready(1).sees and wanted == [-1, -1, 5]


def test_what_a_build_takes_for_a_video_is_no_picture_and_is_released(
    pair: Pair, cat: Picture, monkeypatch: pytest.MonkeyPatch
) -> None:
    freed: list[int] = []
    library = mtmd.mtmd
    monkeypatch.setattr(
        library,
        "mtmd_helper_bitmap_init_from_buf_wrapper",
        lambda *_: library.mtmd_helper_bitmap_wrapper(11, 22),
    )
    with loaded(pair.settings(draft=None)) as engine, monkeypatch.context() as patch:
        patch.setattr(library, "mtmd_bitmap_free", freed.append)
        patch.setattr(library, "mtmd_helper_video_free", freed.append)
        with pytest.raises(PictureError, match="is no picture that can be read"):
            answer(engine, [user(QUESTION, cat)])
    assert freed == [11, 22]


def test_a_build_without_the_library_refuses_pictures_alone(
    pair: Pair, cat: Picture, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = builtins.__import__

    def lacking(name: str, *args: object, **kwargs: object) -> object:
        if name == "engine.llama.mtmd":
            raise FileNotFoundError("Shared library with base name 'mtmd' not found")
        return real(name, *args, **kwargs)  # type: ignore[arg-type]

    monkeypatch.setattr(builtins, "__import__", lacking)
    with loaded(pair.settings(draft=None)) as engine:
        (notice,) = engine.ready(1).notices
        assert not engine.ready(1).sees and "this build of llama.cpp leaves out" in notice
        with pytest.raises(PictureError, match="leaves out the library"):
            answer(engine, [user(QUESTION, cat)])
        assert answer(engine, [user(QUESTION)]).token_ids


def test_a_picture_that_cannot_be_read_is_one_clear_line_and_the_engine_lives(
    pair: Pair, cat: Picture, tmp_path: Path
) -> None:
    gone = picture(tmp_path / "gone.png", seed=3)
    changed = picture(tmp_path / "changed.png", seed=4)
    Path(gone.path).unlink()
    picture(Path(changed.path), seed=5)
    broken, text, sound, empty = (
        _file(tmp_path / name, data)
        for name, data in (
            ("broken.png", Path(cat.path).read_bytes()[:60]),
            ("notes.txt", b"no picture at all"),
            ("song.wav", b"RIFF\x24\0\0\0WAVEfmt " + bytes(28)),
            ("empty.png", b""),
        )
    )
    with loaded(pair.settings()) as engine:
        for wrong, why in (
            (gone, "No such file"),
            (changed, "has changed"),
            (broken, "no picture that can be read"),
            (text, "no picture that can be read"),
            (sound, "no picture that can be read"),
            (empty, "no picture that can be read"),
        ):
            for ask in (answer, lambda e, m: e.count(m, None)):
                with pytest.raises(PictureError, match=why) as caught:
                    ask(engine, [user(QUESTION, wrong)])
                assert wrong.path in str(caught.value) and "\n" not in str(caught.value)
        assert answer(engine, [user(QUESTION, cat)]).token_ids


def _file(path: Path, data: bytes) -> Picture:
    path.write_bytes(data)
    return Picture(path=str(path), id=hashlib.sha256(data).hexdigest())


def test_a_picture_that_was_seen_may_go_away(pair: Pair, tmp_path: Path) -> None:
    seen = picture(tmp_path / "seen.png", seed=6)
    with loaded(pair.settings()) as engine:
        first = answer(engine, [user(QUESTION, seen)])
        Path(seen.path).unlink()
        again = answer(engine, [user(QUESTION, seen)])
    assert first.token_ids == again.token_ids


def test_the_engine_process_answers_about_pictures(
    pair: Pair, cat: Picture, dog: Picture, tmp_path: Path
) -> None:
    async def run() -> None:
        client = EngineClient(tmp_path / "engine.log")
        try:
            ready = await load(client, pair.settings())
            assert ready.sees and not ready.notices
            messages = [user(QUESTION, cat, dog)]
            counted = await client.count(messages)
            events = [event async for event in client.ask(messages, GREEDY, PREDICT)]
            assert isinstance(events[-1], Finished)
            assert events[-1].token_ids == reference(pair, QUESTION, [cat, dog], PREDICT)
            assert events[-1].stats.prompt_tokens == counted
            with pytest.raises(PictureError, match=r"nowhere\.png cannot be read: No such file"):
                wrong = Picture(path="nowhere.png", id=cat.id[::-1])
                [event async for event in client.ask([user(QUESTION, wrong)], GREEDY, PREDICT)]
            assert not (await load(client, pair.settings(mmproj=None))).sees
            with pytest.raises(PictureError, match="it has no projector"):
                [event async for event in client.ask(messages, GREEDY, PREDICT)]
            events = [event async for event in client.ask([user(QUESTION)], GREEDY, PREDICT)]
            assert isinstance(events[-1], Finished) and events[-1].token_ids
        finally:
            await client.close()

    asyncio.run(run())
