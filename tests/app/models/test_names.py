"""What a person may call a model, and what each name stands for."""

from __future__ import annotations

import pytest

from app.errors import CatalogError, PullError
from app.models import hub as hub_facts
from app.models.catalog import Catalog, load_catalog
from app.models.names import found_on_hub, is_on_hub, named, spec_of
from app.models.retrying import Patience
from tests.app.models.pulling import BRISK, REPO
from tests.hub.server import Hub

CATALOG = load_catalog()
NONE = Catalog()
SPLIT = [f"big-Q8_0-{i:05}-of-00003.gguf" for i in (1, 2, 3)]
FILES = ["m-Q4_K_M.gguf", "m-Q4_K_S.gguf", "m-Q5_K_M.gguf", "bf/m-BF16.gguf", *SPLIT]


@pytest.fixture
def files(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The files of every repository."""
    files = list(FILES)

    def files_of(repo: str, patience: Patience) -> dict[str, int | None]:
        return dict.fromkeys(files)

    monkeypatch.setattr(hub_facts, "files_of", files_of)
    return files


def found(name: str) -> list[str | None]:
    return [spec.file for spec in found_on_hub(name, NONE, BRISK).models]


def test_a_pair_stands_for_its_models_the_target_first() -> None:
    for name, pair in CATALOG.pairs.items():
        it = named(name, CATALOG)
        assert (it.name, it.pair) == (name, name)
        assert it.models == tuple(CATALOG.files(pair))


def test_a_model_of_the_catalogue_stands_for_itself() -> None:
    alone = [name for name in CATALOG.models if name not in CATALOG.pairs]
    assert alone
    for name in alone:
        assert named(name, CATALOG).models == (CATALOG.models[name],)


@pytest.mark.parametrize("before", ["", "hf.co/", "https://huggingface.co/"])
def test_a_file_of_the_hub_is_written_in_three_ways(before: str) -> None:
    (spec,) = named(f"{before}a.b/c-d_e:f/g h.gguf", NONE).models
    assert (spec.repo, spec.file) == ("a.b/c-d_e", "f/g h.gguf")
    assert is_on_hub(f"{before}a.b/c-d_e:f/g h.gguf")


@pytest.mark.parametrize("wanted", ["Q5_K_M", "q5_k_m", "m-Q5_K_M.gguf", "bf16"])
def test_a_quantisation_picks_its_file(files: list[str], wanted: str) -> None:
    (file,) = found(f"{REPO}:{wanted}")
    assert file in FILES and wanted.lower() in str(file).lower()


@pytest.mark.parametrize(
    ("wanted", "file"),
    [
        ("Q6_K", "X-Q6_K.gguf"),
        ("q6_k_l", "X-Q6_K_L.gguf"),
        ("F16", "X-F16.gguf"),
        ("X-Q6_K", "X-Q6_K.gguf"),
    ],
)
def test_a_whole_name_is_no_part_of_a_longer_one(files: list[str], wanted: str, file: str) -> None:
    files[:] = ["X-BF16.gguf", "X-F16.gguf", "X-Q6_K.gguf", "X-Q6_K_L.gguf"]
    assert found(f"{REPO}:{wanted}") == [file]


@pytest.mark.parametrize("wanted", [":Q8_0", f":{SPLIT[0]}", f":{SPLIT[1]}", f":{SPLIT[2]}"])
def test_a_model_in_parts_is_all_its_parts(files: list[str], wanted: str) -> None:
    assert found(REPO + wanted) == SPLIT


def test_a_count_of_no_parts_is_a_name_like_any_other() -> None:
    (spec,) = named(f"{REPO}:m-00001-of-00000.gguf", NONE).models
    assert spec.file == "m-00001-of-00000.gguf"


def test_a_repository_with_one_model_needs_no_more_words(files: list[str]) -> None:
    files[:] = SPLIT
    assert found(REPO) == SPLIT


@pytest.mark.parametrize(
    ("name", "line"),
    [
        (f"{REPO}:Q4_K", rf"Say which one: {REPO} has m-Q4_K_M\.gguf, m-Q4_K_S\.gguf\."),
        (REPO, r"Say which one: .*m-Q5_K_M"),
        (f"{REPO}:Q9", r"None of its files is called 'Q9': .*m-Q5_K_M"),
    ],
)
def test_who_names_several_is_asked_which(files: list[str], name: str, line: str) -> None:
    with pytest.raises(CatalogError, match=line):
        found(name)


@pytest.mark.parametrize("odd", ["m--F32.gguf", "model (1).gguf", "-m.gguf"])
def test_a_repository_alone_picks_no_file_for_how_its_name_is_written(
    files: list[str], odd: str
) -> None:
    files[:] = ["m-Q4_K_M.gguf", odd, "m-Q8_0.gguf"]
    with pytest.raises(CatalogError) as told:
        found(REPO)
    assert str(told.value) == f"Say which one: {REPO} has m-Q4_K_M.gguf, {odd}, m-Q8_0.gguf."


def test_a_long_list_is_cut(files: list[str]) -> None:
    files[:] = [f"m-{i}.gguf" for i in range(2000)]
    with pytest.raises(CatalogError, match=r"m-11\.gguf and 1988 more\.$"):
        found(REPO)
    files[:] = []
    with pytest.raises(CatalogError, match=r"has no GGUF files; look for .* ends in -GGUF\.$"):
        found(REPO)


@pytest.mark.parametrize(
    "file",
    ["../m.gguf", "a/../../m.gguf", "/etc/m.gguf", "C:/m.gguf", "a\\m.gguf", "\x1b[2Jm.gguf"],
)
def test_a_name_never_leads_out_of_its_folder(files: list[str], file: str) -> None:
    for name in (REPO, f"{REPO}:{file}"):
        files[:] = [file]
        with pytest.raises(CatalogError, match=r"leads to a place, that Slipstream takes in no "):
            found(name)


def test_what_is_not_taken_is_not_offered(files: list[str], hub: Hub) -> None:
    for file in ("m-Q4_K_M.gguf", "it's-Q4_K_S.gguf", "m;Q4_0.gguf"):
        hub.add(REPO, file, b"GGUF")
    files[:] = ["m-Q4_K_M.gguf", "it's-Q4_K_S.gguf", "m;Q4_0.gguf"]
    with pytest.raises(
        CatalogError, match=r"Say which one: .* m-Q4_K_M\.gguf, it's-Q4_K_S\.gguf\.$"
    ):
        found(f"{REPO}:Q4")
    with pytest.raises(PullError) as told:
        hub_facts.look_up(spec_of(f"{REPO}:other.gguf"), BRISK)
    assert "it's-Q4_K_S.gguf" in str(told.value) and "m;Q4_0.gguf" not in str(told.value)


@pytest.mark.parametrize(
    "name",
    ["", "nothing", "a/b/c", "../x:m.gguf", "a/..:m.gguf", "a/b:m.bin", "a" * 5000, "a\0b"],
)
def test_a_name_of_nothing_says_what_names_there_are(name: str) -> None:
    with pytest.raises(CatalogError, match=r"OWNER/REPO:FILE\.gguf") as told:
        named(name, CATALOG)
    assert len(str(told.value)) < 250


@pytest.mark.parametrize(
    ("name", "near"),
    [("Qwen3-0.6B", "qwen3-0.6b"), ("Demo", "demo"), ("demo-targe", "demo-target")],
)
def test_a_name_that_is_nearly_one_is_answered_with_that(name: str, near: str) -> None:
    with pytest.raises(CatalogError, match=rf"named '{name}'\. Did you mean {near}\? "):
        named(name, CATALOG)
    with pytest.raises(CatalogError, match=r"named 'zzz'\. `slipstream list`"):
        named("zzz", CATALOG)


def test_what_is_no_file_of_the_hub_is_a_path() -> None:
    assert spec_of("some/where/m.gguf").path == "some/where/m.gguf"
    assert not is_on_hub("m.gguf")


def test_the_names_are_asked_of_the_hub(hub: Hub) -> None:
    for file in (*FILES, "README.md", "m-Q4_K_M.gguf.txt"):
        hub.add(REPO, file, b"GGUF")
    assert set(FILES) < set(hub_facts.files_of(REPO, BRISK))
    assert found(f"{REPO}:q5_k_m") == ["m-Q5_K_M.gguf"]
    with pytest.raises(PullError, match="knows no repository someone/nothing"):
        found("someone/nothing:q8")
