"""A Hub that fails or lies: each way ends in a line of its own or is survived, what came is kept
unless it is known to be wrong, and the same command ends well once the Hub behaves."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace

import pytest

from tests.app.models.pulling import (
    CONTENT,
    FILE,
    NAME,
    REPO,
    having,
    part,
    patience_with,
    pull,
    pull_half,
    said,
    target,
)
from tests.hub.answers import Answer, Asked, Body, Place, Version, page
from tests.hub.lies import (
    Emptied,
    FlippedByte,
    Gzipped,
    Lengthened,
    Shortened,
    StatedSha256,
    StatedSize,
)
from tests.hub.misbehaviour import (
    FILE_GONE,
    LOGIN_NEEDED,
    MISSING_HOST,
    NOT_ON_THE_LIST,
    REPOSITORY_GONE,
    REVISION_GONE,
    AddressExpired,
    DropBeforeHeaders,
    Hang,
    LoginPage,
    MalformedJson,
    Misbehaviour,
    OfBody,
    RedirectLoop,
    RedirectTo,
    Refusal,
    ServerError,
    StallAfter,
    TooManyRequests,
)
from tests.hub.server import Hub

pytestmark = pytest.mark.usefixtures("brisk")

SIZE = len(CONTENT)
CUT = SIZE // 3


@dataclass(frozen=True, slots=True)
class Says(Misbehaviour):
    """The API answers 200 with this."""

    text: str
    at: Place = field(default=Place.API, kw_only=True)

    def edit_answer(self, answer: Answer, asked: Asked) -> Answer:
        return page(200, self.text.encode("utf-8", "surrogateescape"), "application/json", {})


@dataclass(frozen=True, slots=True)
class WholePage(OfBody):
    """A page as long as the file, instead of it, that does not say what it is."""

    def edit_answer(self, answer: Answer, asked: Asked) -> Answer:
        text = b"<html>Sign in to the Wi-Fi.</html>".ljust(SIZE)
        headers = {"Content-Length": str(SIZE)}
        return replace(answer, status=200, headers=headers, body=Body(text, 0, SIZE))


@dataclass(frozen=True, slots=True)
class Nothing(Misbehaviour):
    """The file is empty, and that is what everybody says."""

    def edit_version(self, version: Version) -> Version:
        return replace(version, content=b"", stated_size=0, sha256=None)


def listed(**told: object) -> str:
    """Return what the API says of a repository with one file, of which it says this."""
    import json

    sibling = {"rfilename": FILE, **told}
    return json.dumps({"id": REPO, "sha": "0" * 40, "siblings": [sibling]})


API, RESOLVE, CDN = Place.API, Place.RESOLVE, Place.CDN
NO_JSON = (
    r"^The Hub's answer about someone/model is no JSON: perhaps this network wants you to sign in "
    r"with a browser first, or HF_ENDPOINT is wrong\.$"
)
KEPT = " What .* is kept"
BUSY = r"^The Hub answers 429 Too Many Requests for someone/model\. Try again later\.$"
ODD = (
    r"^The Hub answers 418 I'm a Teapot for someone/model: check the name, or HF_ENDPOINT where "
    r"that is set\.$"
)
GATED = r"is gated: accept its licence at http://127\.0\.0\.1:\d+/someone/model, then .* HF_TOKEN"
REFUSED: dict[str, tuple[Misbehaviour, str]] = {
    "repository gone": (REPOSITORY_GONE, r"knows no repository someone/model"),
    "revision gone": (REVISION_GONE, r"someone/model has no commit main\."),
    "login needed": (LOGIN_NEEDED, GATED),
    "login needed for the file": (replace(LOGIN_NEEDED, at=RESOLVE), r"accepted its licence"),
    "not on the list": (replace(NOT_ON_THE_LIST, at=RESOLVE), r"accepted its licence"),
    "file gone": (FILE_GONE, r"answers 404 for the file"),
    "address expired": (AddressExpired(), r"localhost answers 403\. What .* is kept"),
    "redirect loop": (RedirectLoop(), r"redirects in a circle"),
    "redirect to a file": (RedirectTo("file:///etc/passwd"), r"unsafe address \(file:\)"),
    "redirect to nowhere": (RedirectTo("http://["), r"redirects to what is no address"),
    "redirect to no host": (RedirectTo(MISSING_HOST), r"name is not found\. What .* is kept"),
    "redirect to a long host": (RedirectTo(f"http://{'a' * 70}.invalid/"), r"\. What .* is kept"),
    "redirect without TLS": (RedirectTo("https://localhost:1/"), r"refused\. What .* is kept"),
    "login page": (LoginPage(), r"web page instead of the file.* sign in"),
    "login page at the hub": (LoginPage(at=RESOLVE), r"web page instead of the file"),
    "login page for the API": (LoginPage(at=API), NO_JSON),
    "page as long as the file": (WholePage(), r"is no GGUF file"),
    "malformed JSON": (MalformedJson(), NO_JSON),
    "no text": (Says("{\udcff}"), NO_JSON),
    "a list": (Says("[1, 2]"), r"makes no sense"),
    "a pit": (Says("[" * 200_000), r"makes no sense"),
    "no names": (Says(listed(rfilename=5)), r"makes no sense: a file without a name"),
    "no files": (Says(listed(rfilename="README.md")), r"no file .*; it has no GGUF files at all"),
    "sizes in words": (Says(listed(size="many")), r"makes no sense: size many"),
    "negative size": (StatedSize(-5), r"makes no sense: size -5"),
    "absurd size": (StatedSize(2**70), r"makes no sense: size \d+"),
    "no hash": (StatedSha256("zz"), r"makes no sense: sha256 zz"),
    "broken API": (
        ServerError(500, at=API),
        r"^The Hub answers 500 Internal Server Error for some",
    ),
    "broken API of no known kind": (ServerError(599, at=API), r"^The Hub answers 599 for some"),
    "odd API": (ServerError(418, at=API), ODD),
    "API that wants no such name": (
        Refusal(400, "", "Bad request", at=API),
        r"400 Bad Request for ",
    ),
    "API that is busy": (TooManyRequests(0, at=API), BUSY),
    "broken hub": (ServerError(502, at=RESOLVE), r"127\.0\.0\.1 answers 502\. What .* is kept"),
    "broken CDN": (ServerError(503), r"localhost answers 503\. What .* is kept"),
    "API asks to wait": (TooManyRequests(3600, at=API), r"asks to wait 3600 s\. Try again then\.$"),
    "CDN asks to wait": (TooManyRequests(3600), r"asks to wait 3600 s\. Try again then\.$"),
    "silent API": (Hang(at=API), r"Cannot reach the Hub .*timed out"),
    "silent hub": (Hang(at=RESOLVE), r"stopped sending\. What .* is kept"),
    "silent CDN": (Hang(), r"stopped sending\. What .* is kept"),
    "API hangs up": (DropBeforeHeaders(at=API), r"Cannot reach the Hub"),
    "CDN hangs up": (DropBeforeHeaders(), r"was cut\. What .* is kept"),
    "CDN stalls": (StallAfter(0), r"stopped sending\. What .* is kept"),
    "shortened": (Shortened(100), rf"server has {SIZE - 100} bytes, the Hub says {SIZE}"),
    "lengthened": (Lengthened(100), rf"server has {SIZE + 100} bytes, the Hub says {SIZE}"),
    "emptied": (Emptied(), rf"server has 0 bytes, the Hub says {SIZE}"),
    "smaller than stated": (StatedSize(SIZE + 1), rf"the Hub says {SIZE + 1}"),
    "larger than stated": (StatedSize(SIZE - 1), rf"the Hub says {SIZE - 1}"),
    "gzip": (Gzipped(), r"sends the file encoded \(gzip\)"),
    "odd status": (ServerError(418), r"answers 418 for the file"),
}
KNOWN_WRONG = {
    "flipped byte": (FlippedByte(CUT * 2), r"wrong hash .* thrown away"),
    "another hash": (StatedSha256("a" * 64), r"wrong hash .* expected a{12}… *\), so .* away"),
    "nothing at all, and said so": (Nothing(at=API | RESOLVE | CDN), r"is no GGUF file"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_a_refusal_has_a_line_of_its_own_and_costs_nothing(
    hub: Hub, case: str, capsys: pytest.CaptureFixture[str]
) -> None:
    behaviour, line = REFUSED[case]
    half = pull_half(hub)
    capsys.readouterr()
    hub.misbehave(behaviour)
    with having(patience_with(behaviour)):
        assert pull() == 1
    assert re.search(line, said(capsys))
    assert not target().exists()
    assert part()[:half] == CONTENT[:half]
    hub.behave()
    assert pull() == 0
    assert target().read_bytes() == CONTENT


@pytest.mark.parametrize("case", REFUSED)
def test_a_refusal_is_the_same_for_who_has_nothing_yet_but_for_what_is_kept(
    hub: Hub, case: str, capsys: pytest.CaptureFixture[str]
) -> None:
    behaviour, line = REFUSED[case]
    hub.misbehave(behaviour)
    with having(patience_with(behaviour)):
        assert pull() == 1
    told = said(capsys)
    assert re.search(line.replace(KEPT, " Try again later"), told) and "is kept" not in told
    hub.behave()
    assert pull() == 0
    assert target().read_bytes() == CONTENT


@pytest.mark.parametrize("is_begun", [False, True])
@pytest.mark.parametrize("case", KNOWN_WRONG)
def test_what_is_wrong_is_never_a_model(
    hub: Hub, case: str, is_begun: bool, capsys: pytest.CaptureFixture[str]
) -> None:
    behaviour, line = KNOWN_WRONG[case]
    if is_begun:
        pull_half(hub)
        capsys.readouterr()
    hub.misbehave(behaviour)
    assert pull() == 1
    assert re.search(line, said(capsys))
    assert not target().exists()
    hub.behave()
    assert pull() == 0
    assert target().read_bytes() == CONTENT


@pytest.mark.parametrize(
    "answer",
    [
        Refusal(401, "", "Invalid credentials in Authorization header"),
        Refusal(401, "RepoNotFound", "Invalid username or password."),  # as any other is read
    ],
    ids=["known", "other"],
)
def test_a_wrong_token_is_named(
    hub: Hub, answer: Refusal, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("HF_TOKEN", "hf_wrong")
    hub.misbehave(answer)
    assert pull() == 1
    assert re.search(r"does not accept your token.*HF_TOKEN", said(capsys))


def test_a_file_that_is_not_there_is_answered_with_those_that_are(
    hub: Hub, capsys: pytest.CaptureFixture[str]
) -> None:
    assert pull(f"{REPO}:other.gguf") == 1
    assert said(capsys) == f"{REPO} has no file other.gguf; it has {FILE}."
    assert pull("some--one/model:other.gguf") == 1
    assert said(capsys) == "some--one/model is no name that a repository of the Hub can have."
    assert NAME not in {request.path for request in hub.requests}
