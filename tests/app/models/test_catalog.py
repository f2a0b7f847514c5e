"""models.toml: the shipped catalogue holds together; a person's own file adds to it, or one line
says which entry of it is wrong."""

from __future__ import annotations

import codecs
import hashlib
from pathlib import Path
from typing import get_args

import pytest
from gguf import GGUFReader

from app.errors import CatalogError
from app.models.catalog import DEFAULT_PAIR, Catalog, ModelSpec, PairSpec, Tier, load_catalog
from engine import drafters

SHIPPED = load_catalog()
MODELS = pytest.mark.parametrize("model", SHIPPED.models.values(), ids=SHIPPED.models)
PAIRS = pytest.mark.parametrize("pair", SHIPPED.pairs.values(), ids=SHIPPED.pairs)
DRAFTED = pytest.mark.parametrize(
    ("target", "draft"),
    [SHIPPED.members(pair) for pair in SHIPPED.pairs.values() if pair.draft],
    ids=[name for name, pair in SHIPPED.pairs.items() if pair.draft],
)
EMBEDDED = pytest.mark.parametrize("name", ["demo-target", "demo-draft"])
LONGEST_SENTENCE = 119


def written(folder: Path, content: str | bytes) -> Path:
    path = folder / "models.toml"
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def with_own(folder: Path, content: str) -> Catalog:
    return load_catalog(written(folder, content))


def test_a_dozen_pairs_ship_and_every_tier_is_served() -> None:
    assert len(SHIPPED.pairs) >= 12
    assert {pair.tier for pair in SHIPPED.pairs.values()} == set(get_args(Tier))


def test_the_pair_that_is_opened_by_itself_is_embedded() -> None:
    assert all(model.embedded for model in SHIPPED.members(SHIPPED.pair(DEFAULT_PAIR)))


def test_some_pairs_need_no_draft_model() -> None:
    assert sum(pair.draft is None for pair in SHIPPED.pairs.values()) >= 3


def test_every_model_belongs_to_a_pair() -> None:
    used = [model for pair in SHIPPED.pairs.values() for model in SHIPPED.files(pair)]
    assert [name for name, model in SHIPPED.models.items() if model not in used] == []


def test_no_file_and_no_sum_is_listed_twice() -> None:
    models = SHIPPED.models.values()
    sources = [model.source for model in models]
    sums = [model.sha256 for model in models if model.sha256]
    assert len(set(sources)) == len(sources)
    assert len(set(sums)) == len(sums)


def test_no_two_pairs_have_the_same_title() -> None:
    assert len({pair.title for pair in SHIPPED.pairs.values()}) == len(SHIPPED.pairs)


@MODELS
def test_every_model_has_a_licence(model: ModelSpec) -> None:
    assert model.licence not in ("", "unknown")


@MODELS
def test_nothing_that_ships_lies_on_somebodys_disk(model: ModelSpec) -> None:
    assert model.path is None


@MODELS
def test_a_cache_holds_as_many_bytes_in_every_layer(model: ModelSpec) -> None:
    assert (model.kv_bytes_per_token is None) == (model.layers is None)
    if model.kv_bytes_per_token is not None and model.layers is not None:
        numbers, rest = divmod(model.kv_bytes_per_token, 2 * 2 * model.layers)
        assert rest == 0, "K and V, two bytes each"
        assert numbers % 64 == 0, "whole heads"


@PAIRS
def test_a_pair_says_for_whom_it_is_in_one_short_sentence(pair: PairSpec) -> None:
    assert pair.for_whom.endswith(".")
    assert pair.for_whom.count(". ") == 0
    assert len(pair.for_whom) <= LONGEST_SENTENCE


@PAIRS
def test_a_pair_names_a_drafter_that_there_is_and_that_it_can_have(pair: PairSpec) -> None:
    assert pair.drafter in drafters.names()
    if pair.draft is None:
        assert pair.drafter == "lookup"
    else:
        assert pair.drafter == "auto"


@PAIRS
def test_a_pair_is_opened_with_no_more_context_than_its_models_have(pair: PairSpec) -> None:
    known = [model.context for model in SHIPPED.members(pair) if model.context]
    assert known
    assert (pair.ctx_size or 0) <= min(known)


@DRAFTED
def test_a_draft_model_is_smaller_than_its_target(target: ModelSpec, draft: ModelSpec) -> None:
    for figure in ("size", "layers", "kv_bytes_per_token"):
        large, small = getattr(target, figure), getattr(draft, figure)
        assert large is None or small is None or small < large, figure


@DRAFTED
def test_a_draft_model_has_nearly_its_targets_vocabulary(
    target: ModelSpec, draft: ModelSpec
) -> None:
    assert target.vocabulary is not None
    assert draft.vocabulary == pytest.approx(target.vocabulary, rel=0.01)


@EMBEDDED
def test_an_embedded_file_is_the_one_that_is_listed(name: str) -> None:
    model = SHIPPED.models[name]
    assert model.own_path is not None
    content = model.own_path.read_bytes()
    assert model.size == len(content)
    assert model.sha256 == hashlib.sha256(content).hexdigest()


@EMBEDDED
def test_an_embedded_files_figures_are_its_own(name: str) -> None:
    model = SHIPPED.models[name]
    fields = GGUFReader(str(model.own_path)).fields

    def said(key: str) -> int:
        return int(fields[f"llama.{key}"].contents())

    attention = {f"{part}_length": said(f"attention.{part}_length") for part in ("key", "value")}
    in_layer = said("attention.head_count_kv") * sum(attention.values()) * 2
    assert model.layers == said("block_count")
    assert model.heads == said("attention.head_count")
    assert model.kv_bytes_per_token == in_layer * said("block_count")
    assert model.vocabulary == said("vocab_size")
    assert model.context == said("context_length")


def test_an_own_file_that_is_not_there_changes_nothing(tmp_path: Path) -> None:
    assert load_catalog(tmp_path / "models.toml") == SHIPPED


def test_an_own_file_adds_pairs_of_own_files_and_shipped_drafts(tmp_path: Path) -> None:
    got = with_own(
        tmp_path,
        """
        [models.tuned]
        path = "~/tuned.gguf"

        [pairs.tuned]
        title = "Tuned"
        for_whom = "Me."
        target = "tuned"
        draft = "qwen3-0.6b"
        """,
    )
    assert set(got.pairs) == {*SHIPPED.pairs, "tuned"}
    target, draft = got.members(got.pair("tuned"))
    assert target.own_path == Path.home() / "tuned.gguf"
    assert target.source == str(target.own_path)
    assert draft == SHIPPED.models["qwen3-0.6b"]


def test_an_own_model_takes_the_place_of_the_shipped_one_in_every_pair(tmp_path: Path) -> None:
    got = with_own(tmp_path, '[models."qwen3-0.6b"]\npath = "mine.gguf"\n')
    assert got.members(got.pair("qwen3-8b"))[1] == ModelSpec(path=str(tmp_path / "mine.gguf"))
    assert got.pairs == SHIPPED.pairs


def test_a_path_that_is_not_whole_begins_where_its_file_lies(tmp_path: Path) -> None:
    for given, path in (
        ("mine.gguf", tmp_path / "mine.gguf"),
        ("../models/mine.gguf", tmp_path / "../models/mine.gguf"),
        (str(tmp_path / "x" / "mine.gguf"), tmp_path / "x" / "mine.gguf"),
        ("~/mine.gguf", Path.home() / "mine.gguf"),
    ):
        got = with_own(tmp_path, f"[models.mine]\npath = '{given}'\n")
        assert got.models["mine"].own_path == path


def test_an_own_pair_takes_the_place_of_the_shipped_one_as_a_whole(tmp_path: Path) -> None:
    got = with_own(
        tmp_path, '[pairs.demo]\ntitle = "Mine"\nfor_whom = "Me."\ntarget = "demo-target"\n'
    )
    assert got.pair("demo") == PairSpec(title="Mine", for_whom="Me.", target="demo-target")
    assert {**got.pairs, "demo": SHIPPED.pair("demo")} == SHIPPED.pairs


def test_a_pair_that_is_nearly_there_is_asked_about() -> None:
    with pytest.raises(CatalogError, match=r"named 'Demo'\. Did you mean demo\? Known pairs: "):
        SHIPPED.pair("Demo")


@pytest.mark.parametrize("name", ["./own.gguf", "Qwen/Qwen3-0.6B-GGUF:Q8_0"])
def test_a_file_that_is_given_as_a_pair_is_told_how_it_is_opened(name: str) -> None:
    with pytest.raises(CatalogError, match=rf"named '{name}'\. A file is opened by --model\. K"):
        SHIPPED.pair(name)


def test_a_pair_that_is_not_there_is_answered_with_those_that_are() -> None:
    with pytest.raises(CatalogError) as caught:
        SHIPPED.pair("qwen3-9b")
    assert "'qwen3-9b'" in str(caught.value)
    assert all(name in str(caught.value) for name in SHIPPED.pairs)


MODEL = '[models.mine]\npath = "m.gguf"\n'
HOSTED = '[models.mine]\nrepo = "a/b"\n'
PAIR = '[pairs.mine]\ntitle = "t"\nfor_whom = "f"\ntarget = "demo-target"\n'
FAULTS: dict[str, tuple[str | bytes, tuple[str, ...]]] = {
    "unknown key": (MODEL + 'colour = "red"', ("models.mine.colour",)),
    "unknown setting": (PAIR + "settings = { heat = 1 }", ("pairs.mine.settings.heat",)),
    "wrong type": (MODEL + 'size = "big"', ("models.mine.size", "'big'")),
    "no size": (MODEL + "size = 0", ("models.mine.size",)),
    "a size of no disk": (MODEL + f"size = {2**50}", ("models.mine.size", f"below {2**50}")),
    "heads without end": (MODEL + f"heads = {2**40}", ("models.mine.heads", f"below {2**40}")),
    "306 digits": (MODEL + f"kv_bytes_per_token = {10**305}", ("models.mine.kv_bytes_per_token",)),
    "a context that wraps": (PAIR + "ctx_size = 4294967808", ("pairs.mine.ctx_size", "4294967808")),
    "a context without end": (PAIR + f"ctx_size = {10**305}", ("pairs.mine.ctx_size", "below")),
    "a context of nothing": (PAIR + "ctx_size = 63", ("pairs.mine.ctx_size", "64 or more")),
    "no such drafter": (
        PAIR + 'drafter = "magic"',
        ("pairs.mine.drafter: should be auto or draft_model or lookup or none, found 'magic'",),
    ),
    "sum too short": (MODEL + 'sha256 = "c0ffee"', ("models.mine.sha256", "'c0ffee'")),
    "sum in capitals": (MODEL + f'sha256 = "{"A" * 64}"', ("models.mine.sha256",)),
    "commit is a branch": (HOSTED + 'file = "m.gguf"\ncommit = "main"', ("models.mine.commit",)),
    "no source": ('[models.mine]\nlicence = "MIT"', ("models.mine", "path")),
    "two sources": (MODEL + 'repo = "a/b"\nfile = "m.gguf"', ("models.mine", "repo", "path")),
    "repo without file": (HOSTED, ("models.mine", "repo and file")),
    "file without repo": (MODEL + 'file = "m.gguf"', ("models.mine", "repo and file")),
    "file leaves its folder": (HOSTED + 'file = "a/../../m.gguf"', ("models.mine", "file")),
    "file from the root": (HOSTED + 'file = "/m.gguf"', ("models.mine.file", "'/m.gguf'")),
    "file is no GGUF": (HOSTED + 'file = "m.safetensors"', ("models.mine.file",)),
    "embedded leaves its folder": ('[models.mine]\nembedded = "../m"', ("models.mine.embedded",)),
    "no such target": (
        PAIR.replace("demo-t", "no-t"),
        ("pairs.mine.target", "'no-target'", "add [models.no-target]"),
    ),
    "no such draft": (PAIR + 'draft = "nothing"', ("pairs.mine.draft", "'nothing'")),
    "no title": (PAIR.replace("title", "#"), ("pairs.mine.title",)),
    "no such tier": (PAIR + 'tier = "9 GB"', ("pairs.mine.tier", "'9 GB'")),
    "a path with a NUL": (
        '[models.mine]\npath = "~m\\u0000.gguf"',
        ("models.mine.path: should be a name or a path, found",),
    ),
    "a path of nothing": ('[models.mine]\npath = ""', ("models.mine.path",)),
    "name with spaces": ('[models."My Model"]\npath = "m.gguf"', ("models.My Model",)),
    "entry is no table": ("[models]\nmine = 3", ("models.mine",)),
    "section is no table": ("pairs = 3", ("pairs", "[models.…] and [pairs.…]")),
    "unknown section": ('[drafts.mine]\npath = "m.gguf"', ("drafts", "[models.…] and [pairs.…]")),
    "not TOML": ("[models.mine\n", ("line 1",)),
    "given twice": (MODEL + MODEL, ("line 3",)),
    "nested for ever": ("a = " + "{a=" * 3000, ("nests too deeply",)),
    "not UTF-8": (MODEL.encode() + b'notes = "caf\xe9"', ("no UTF-8 text",)),
}


@pytest.mark.parametrize(("content", "named"), FAULTS.values(), ids=FAULTS)
def test_a_fault_of_an_own_file_is_one_line_naming_file_entry_and_field(
    content: str | bytes, named: tuple[str, ...], tmp_path: Path
) -> None:
    path = written(tmp_path, content)
    with pytest.raises(CatalogError) as caught:
        load_catalog(path)
    line = str(caught.value)
    assert "\n" not in line
    assert [part for part in (str(path), *named) if part not in line] == []


def test_a_fault_of_the_shipped_file_is_not_laid_at_the_persons_door(tmp_path: Path) -> None:
    shipped = tmp_path / "shipped.toml"
    shipped.write_text(PAIR)
    with pytest.raises(CatalogError, match=r"shipped\.toml: pairs\.mine\.target"):
        load_catalog(written(tmp_path, '[models.demo-target]\npath = "m.gguf"'), shipped)


def test_a_byte_order_mark_is_read_over(tmp_path: Path) -> None:
    own = written(tmp_path, codecs.BOM_UTF8 + MODEL.encode())
    assert "mine" in load_catalog(own).models


def test_a_drafter_is_written_as_the_flag_takes_it(tmp_path: Path) -> None:
    own = load_catalog(written(tmp_path, PAIR + 'drafter = "draft-model"'))
    assert own.pairs["mine"].drafter == "draft_model"


@pytest.mark.parametrize(
    ("target", "why"), [("models.toml", "symbolic links"), ("nowhere", "No such file")]
)
def test_a_link_that_leads_nowhere_is_named(target: str, why: str, tmp_path: Path) -> None:
    own = tmp_path / "models.toml"
    own.symlink_to(target)
    with pytest.raises(CatalogError, match=rf"Cannot read {own}: .*{why}"):
        load_catalog(own)


def test_a_folder_in_the_files_place_is_named(tmp_path: Path) -> None:
    with pytest.raises(CatalogError, match=f"{tmp_path} is no file"):
        load_catalog(tmp_path)
