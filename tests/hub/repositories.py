"""The repositories of the test hub, and the answers the real Hub would give about them.

Contract: `answer` is honest; nothing here knows of misbehaviour but for `edit`, which every file
passes through before it is listed or served. Followed from the client's side, in huggingface_hub
2.4: `hf_raise_for_status`, `get_hf_file_metadata`, `ModelInfo`, `RepoFile`.

A new file joins the repository's newest commit; a file under a name it already has starts a new
commit, and the old one stays at its address. A gated repository is listed to everyone but serves
its files only with the token; a private one looks missing without it.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from urllib.parse import parse_qs, quote, unquote, urlsplit

from tests.hub.answers import (
    Answer,
    Asked,
    Place,
    Request,
    Version,
    file_page,
    json_page,
    new_version,
    page,
    redirect,
    refusal,
)

Edit = Callable[[Version], Version]

_REPO = r"/(?P<repo>[^/]+/[^/]+)"
_HUB_ROUTES = (
    ("whoami", Place.API, r"/api/whoami-v2"),
    ("tree", Place.API, rf"/api/models{_REPO}/tree/(?P<revision>[^/]+)(?:/(?P<path>.+))?"),
    ("info", Place.API, rf"/api/models{_REPO}(?:/revision/(?P<revision>[^/]+))?"),
    ("resolve", Place.RESOLVE, rf"{_REPO}/resolve/(?P<revision>[^/]+)/(?P<path>.+)"),
)
_CDN_ROUTES = (("file", Place.CDN, rf"{_REPO}/(?P<revision>[^/]+)/(?P<path>.+)"),)


class Refused(Exception):
    """Why a request gets no more than this answer."""

    def __init__(self, answer: Answer) -> None:
        super().__init__(answer)
        self.answer = answer


@dataclass(frozen=True, slots=True)
class Repository:
    """One model repository: who may read it, and its files by commit, the newest last."""

    name: str
    gated: bool = False
    private: bool = False
    licence: str = "mit"
    commits: Mapping[str, Mapping[str, Version]] = field(default_factory=dict)

    @property
    def head(self) -> str:
        """The commit that `main` stands for."""
        return next(reversed(list(self.commits)), "")

    def with_file(self, version: Version, commit: str | None) -> Repository:
        """Return the repository with one more file, in this commit or in the one that is due."""
        files = self.commits.get(self.head, {})
        due = commit or self.head
        if not due or (commit is None and version.name in files):
            told = f"{self.name} {self.head} {version.name} {version.etag}"
            due = hashlib.sha1(told.encode()).hexdigest()
        older = {sha: kept for sha, kept in self.commits.items() if sha != due}
        return replace(self, commits={**older, due: {**files, version.name: version}})


@dataclass(slots=True)
class Repositories:
    """All that the hub holds. `add` swaps whole repositories, so that readers need no lock."""

    endpoint: str
    cdn: str
    token: str | None = None
    held: dict[str, Repository] = field(default_factory=dict)

    def add(
        self,
        repo: str,
        file: str,
        content: bytes | Path,
        sha256: str | None,
        commit: str | None,
        gated: bool,
        private: bool,
    ) -> str:
        """Hold one more file; return the commit that holds it."""
        old = replace(self.held.get(repo, Repository(repo)), gated=gated, private=private)
        self.held[repo] = old.with_file(new_version(file, content, sha256), commit)
        return self.held[repo].head

    def understand(self, request: Request) -> Asked:
        """Return what the request asks for; its kind is "" where no route leads."""
        path = urlsplit(request.path).path
        for kind, place, pattern in _HUB_ROUTES if request.host == "hub" else _CDN_ROUTES:
            if match := re.fullmatch(pattern, path):
                found = {key: unquote(text) for key, text in match.groupdict().items() if text}
                return Asked(request, place, kind, self.endpoint, **found)
        place = Place.API if request.host == "hub" else Place.CDN
        return Asked(request, place, "", self.endpoint)

    def answer(self, asked: Asked, edit: Edit) -> Answer:
        """Answer as the real Hub, or its CDN, does."""
        try:
            match asked.kind:
                case "whoami":
                    return self._whoami(asked)
                case "info":
                    return self._info(asked, edit)
                case "tree":
                    return self._tree(asked, edit)
                case "resolve":
                    return self._resolve(asked, edit)
                case "file":
                    return self._file(asked, edit)
        except Refused as refused:
            return refused.answer
        return refusal(404, "", "Sorry, we can't find the page you are looking for.")

    def _whoami(self, asked: Asked) -> Answer:
        if not self._known(asked):
            raise Refused(refusal(401, "", "Invalid username or password."))
        return json_page(200, {"type": "user", "id": "1", "name": "tester", "orgs": []}, {})

    def _info(self, asked: Asked, edit: Edit) -> Answer:
        repository = self._readable(asked)
        commit, files = _snapshot(repository, asked.revision)
        blobs = parse_qs(urlsplit(asked.request.path).query).get("blobs", ["false"])[0]
        sibling = _sibling_with_blob if blobs.lower() == "true" else _sibling
        told = {
            "_id": hashlib.sha1(repository.name.encode()).hexdigest()[:24],
            "id": repository.name,
            "modelId": repository.name,
            "author": repository.name.split("/")[0],
            "sha": commit,
            "lastModified": "2026-01-01T00:00:00.000Z",
            "private": repository.private,
            "gated": "manual" if repository.gated else False,
            "disabled": False,
            "tags": ["gguf", f"license:{repository.licence}"],
            "cardData": {"license": repository.licence},
            "siblings": [sibling(edit(version)) for version in files.values()],
        }
        return json_page(200, told, {})

    def _tree(self, asked: Asked, edit: Edit) -> Answer:
        _, files = _snapshot(self._readable(asked), asked.revision)
        query = parse_qs(urlsplit(asked.request.path).query)
        folder = f"{asked.path}/" if asked.path else ""
        under = [version for name, version in files.items() if name.startswith(folder)]
        if not under:
            raise Refused(refusal(404, "EntryNotFound", "Entry not found"))
        rows: dict[str, dict[str, object]] = {}
        for version in under:
            parts = version.name.removeprefix(folder).split("/")
            for depth in range(1, len(parts)):
                name = folder + "/".join(parts[:depth])
                rows[name] = {"type": "directory", "oid": _oid(name), "size": 0, "path": name}
            rows[version.name] = _tree_row(edit(version))
        if query.get("recursive", ["false"])[0].lower() != "true":
            rows = {n: row for n, row in rows.items() if "/" not in n.removeprefix(folder)}
        return json_page(200, list(rows.values()), {})

    def _resolve(self, asked: Asked, edit: Edit) -> Answer:
        repository = self._readable(asked)
        if repository.gated and not self._known(asked):
            told = (
                f"Access to model {repository.name} is restricted. You must have access to it"
                " and be authenticated to access it. Please log in."
            )
            raise Refused(refusal(401, "GatedRepo", told))
        commit, files = _snapshot(repository, asked.revision)
        stamp = {"X-Repo-Commit": commit}
        if asked.path not in files:
            missing = refusal(404, "EntryNotFound", "Entry not found")
            raise Refused(replace(missing, headers={**missing.headers, **stamp}))
        version = edit(files[asked.path])
        headers = {**stamp, "ETag": f'"{version.blob_id}"', "Accept-Ranges": "bytes"}
        if version.sha256 is not None:
            headers["X-Linked-Etag"] = f'"{version.sha256}"'
        if version.stated_size is not None:
            headers["X-Linked-Size"] = str(version.stated_size)
        return redirect(self._signed(replace(asked, revision=commit)), headers)

    def _file(self, asked: Asked, edit: Edit) -> Answer:
        files = self.held.get(asked.repo, Repository("")).commits.get(asked.revision, {})
        signed = f"{self.cdn}{asked.request.path}" == self._signed(asked)
        if not signed or asked.path not in files:
            return access_denied()
        return file_page(edit(files[asked.path]), asked.request)

    def _readable(self, asked: Asked) -> Repository:
        """Return the repository where this client may know of it."""
        known = self._known(asked)
        if not known and "authorization" in asked.request.headers:
            raise Refused(refusal(401, "", "Invalid credentials in Authorization header"))
        repository = self.held.get(asked.repo)
        if repository is None or (repository.private and not known):
            raise Refused(refusal(404 if known else 401, "RepoNotFound", "Repository not found"))
        return repository

    def _known(self, asked: Asked) -> bool:
        given = asked.request.headers.get("authorization")
        return self.token is not None and given == f"Bearer {self.token}"

    def _signed(self, asked: Asked) -> str:
        """Return the CDN's address of a file, which is of no use without its signature."""
        path = f"/{asked.repo}/{asked.revision}/{quote(asked.path)}"
        return f"{self.cdn}{path}?Expires=4102444800&Signature={_oid(path)}&Key-Pair-Id=TEST"


def access_denied() -> Answer:
    """Return the CDN's answer to an address that is not signed, or no longer."""
    text = b"<?xml version='1.0'?><Error><Code>AccessDenied</Code></Error>"
    return page(403, text, "application/xml", {})


def _snapshot(repository: Repository, revision: str) -> tuple[str, Mapping[str, Version]]:
    commit = repository.head if revision == "main" else revision
    if commit not in repository.commits:
        raise Refused(refusal(404, "RevisionNotFound", f"Invalid rev id: {revision}"))
    return commit, repository.commits[commit]


def _oid(text: str) -> str:
    return hashlib.sha1(text.encode()).hexdigest()


def _sibling(version: Version) -> dict[str, object]:
    return {"rfilename": version.name}


def _sibling_with_blob(version: Version) -> dict[str, object]:
    told: dict[str, object] = {"rfilename": version.name, "blobId": version.blob_id}
    if version.stated_size is not None:
        told["size"] = version.stated_size
    if version.sha256 is not None:
        size = version.stated_size
        told["lfs"] = {"sha256": version.sha256, "size": size, "pointerSize": 135}
    return told


def _tree_row(version: Version) -> dict[str, object]:
    size = version.stated_size
    told: dict[str, object] = {"type": "file", "oid": version.blob_id, "path": version.name}
    told["size"] = size
    if version.sha256 is not None:
        told["lfs"] = {"oid": version.sha256, "size": size, "pointerSize": 135}
    return told
