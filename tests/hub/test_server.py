"""The test hub is a Hub to the real client, which works against it unmodified."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import huggingface_hub
import pytest
from huggingface_hub import HfApi, hf_hub_download, hf_hub_url
from huggingface_hub.errors import (
    GatedRepoError,
    HfHubHTTPError,
    RemoteEntryNotFoundError,
    RepositoryNotFoundError,
    RevisionNotFoundError,
)
from huggingface_hub.file_download import get_hf_file_metadata

from tests.hub.misbehaviour import DropAfter
from tests.hub.seeing import CONTENT, FILE, REPO, SHA256
from tests.hub.server import Hub
from tests.patience import PATIENCE_S

TOKEN = "hf_of_the_test"


@pytest.fixture(autouse=True)
def no_client_left() -> Iterator[None]:
    """Close the connections that the real client keeps."""
    yield
    huggingface_hub.close_session()


def api(hub: Hub, token: str | bool = False) -> HfApi:
    return HfApi(endpoint=hub.endpoint, token=token)


def download(hub: Hub, folder: Path, token: str | bool = False, revision: str = "main") -> bytes:
    path = hf_hub_download(
        REPO, FILE, revision=revision, cache_dir=folder, token=token, endpoint=hub.endpoint
    )
    return Path(path).read_bytes()


def test_the_real_client_reads_hash_and_size_of_every_file(hub: Hub) -> None:
    hub.add(REPO, "notes/README.md", b"# notes")
    info = api(hub).model_info(REPO, files_metadata=True)
    found = {sibling.rfilename: sibling for sibling in info.siblings or []}
    assert set(found) == {FILE, "notes/README.md"}
    lfs = found[FILE].lfs
    assert lfs is not None
    assert (found[FILE].size, lfs.sha256, lfs.size) == (len(CONTENT), SHA256, len(CONTENT))
    assert info.card_data is not None and info.card_data["license"] == "mit"
    assert api(hub).model_info(REPO, revision=info.sha).sha == info.sha


def test_files_without_blobs_are_names_only(hub: Hub) -> None:
    (sibling,) = api(hub).model_info(REPO).siblings or []
    assert (sibling.rfilename, sibling.size, sibling.lfs) == (FILE, None, None)


def test_the_real_client_walks_the_tree(hub: Hub) -> None:
    hub.add(REPO, "a/b/c.txt", b"c")
    shallow = [entry.path for entry in api(hub).list_repo_tree(REPO)]
    deep = [entry.path for entry in api(hub).list_repo_tree(REPO, recursive=True)]
    under = [entry.path for entry in api(hub).list_repo_tree(REPO, "a/b")]
    assert shallow == [FILE, "a"]
    assert deep == [FILE, "a", "a/b", "a/b/c.txt"]
    assert under == ["a/b/c.txt"]


def test_the_real_client_reads_the_redirect(hub: Hub) -> None:
    url = hf_hub_url(REPO, FILE, endpoint=hub.endpoint)
    metadata = get_hf_file_metadata(url, token=False)
    assert (metadata.etag, metadata.size) == (SHA256, len(CONTENT))
    assert metadata.commit_hash == api(hub).model_info(REPO).sha
    assert metadata.location.startswith(f"{hub.cdn}/{REPO}/")


def test_the_real_client_downloads_what_was_added(hub: Hub, tmp_path: Path) -> None:
    assert hashlib.sha256(download(hub, tmp_path)).hexdigest() == SHA256
    assert hub.sent_bytes(FILE) == len(CONTENT)


def test_the_real_client_finds_the_hub_through_its_environment(hub: Hub, tmp_path: Path) -> None:
    told = {"HF_ENDPOINT": hub.endpoint, "HF_HOME": str(tmp_path), "HF_HUB_DISABLE_XET": "1"}
    code = f"from huggingface_hub import hf_hub_download as d; print(d({REPO!r}, {FILE!r}))"
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, **told},
        check=True,
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
    )
    assert Path(done.stdout.strip()).read_bytes() == CONTENT


def test_a_file_from_disk_arrives_whole(hub: Hub, tmp_path: Path) -> None:
    source = tmp_path / "source.gguf"
    source.write_bytes(CONTENT * 300)
    hub.add(REPO, FILE, source)
    assert download(hub, tmp_path / "cache") == CONTENT * 300


def test_an_empty_file_arrives_empty(hub: Hub, tmp_path: Path) -> None:
    hub.add(REPO, FILE, b"")
    assert download(hub, tmp_path) == b""


def test_the_real_client_goes_on_where_it_was_cut_off(hub: Hub, tmp_path: Path) -> None:
    size, cut = 24 << 20, 22 << 20
    hub.add(REPO, FILE, bytes(size))
    hub.misbehave(DropAfter(cut), times=1)
    assert download(hub, tmp_path) == bytes(size)
    whole, rest = (r.range for r in hub.requests if r.host == "cdn")
    start = int(str(rest).removeprefix("bytes=").removesuffix("-"))
    assert (whole, 0 < start <= cut) == (None, True)
    assert hub.sent_bytes(FILE) == cut + size - start


def test_a_new_commit_moves_main_and_leaves_the_old_one(hub: Hub, tmp_path: Path) -> None:
    old = api(hub).model_info(REPO).sha
    new = hub.add(REPO, FILE, b"second")
    assert api(hub).model_info(REPO).sha == new != old
    assert download(hub, tmp_path) == b"second"
    assert download(hub, tmp_path, revision=str(old)) == CONTENT


def test_a_token_opens_a_gated_repository_and_never_reaches_the_cdn(
    hub: Hub, tmp_path: Path
) -> None:
    hub.token = TOKEN
    hub.add(REPO, FILE, CONTENT, gated=True)
    assert download(hub, tmp_path, token=TOKEN) == CONTENT
    tokens = {(r.host, r.headers.get("authorization")) for r in hub.requests}
    assert tokens == {("hub", f"Bearer {TOKEN}"), ("cdn", None)}


def test_a_gated_repository_is_listed_but_not_served_without_a_token(
    hub: Hub, tmp_path: Path
) -> None:
    hub.token = TOKEN
    hub.add(REPO, FILE, CONTENT, gated=True)
    assert api(hub).model_info(REPO).gated == "manual"
    with pytest.raises(GatedRepoError) as caught:
        download(hub, tmp_path)
    assert caught.value.response.status_code == 401


def test_a_private_repository_looks_missing_without_a_token(hub: Hub) -> None:
    hub.token = TOKEN
    hub.add(REPO, FILE, CONTENT, private=True)
    assert api(hub, TOKEN).model_info(REPO).private is True
    with pytest.raises(RepositoryNotFoundError):
        api(hub).model_info(REPO)


def test_a_wrong_token_is_refused_even_for_what_is_public(hub: Hub) -> None:
    with pytest.raises(HfHubHTTPError, match="Invalid credentials") as caught:
        api(hub, "hf_wrong").model_info(REPO)
    assert caught.value.response.status_code == 401


def test_whoami_knows_the_token_alone(hub: Hub) -> None:
    hub.token = TOKEN
    assert api(hub).whoami(token=TOKEN)["name"] == "tester"
    with pytest.raises(HfHubHTTPError):
        api(hub).whoami(token="hf_wrong")


def test_what_is_missing_is_named(hub: Hub, tmp_path: Path) -> None:
    with pytest.raises(RepositoryNotFoundError):
        api(hub).model_info("someone/nothing")
    with pytest.raises(RevisionNotFoundError):
        api(hub).model_info(REPO, revision="nothing")
    with pytest.raises(RemoteEntryNotFoundError):
        hf_hub_download(
            REPO, "nothing.gguf", cache_dir=tmp_path, token=False, endpoint=hub.endpoint
        )
