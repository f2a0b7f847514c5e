"""What is attached is what was meant, and what cannot be attached is said in one line."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from app.files.attachable import LIMIT_BYTES
from app.files.attachments import (
    LONGEST_NAME,
    Attachment,
    AttachmentError,
    attached,
    for_model,
    is_long,
    pasted,
    read,
)
from app.files.pdf import Stopper
from app.files.reader import MOST_KNOWN, Reader
from app.terminal.sanitise import one_line


def test_what_may_be_a_handle_counts_if_there_is_such_a_file(tmp_path: Path) -> None:
    text = "@alice @Makefile @types/node @pytest.mark.skip"
    assert attached(text, tmp_path) == []
    (tmp_path / "Makefile").write_text("all:\n")
    assert [each.name for each in attached(text, tmp_path)] == ["Makefile"]


def test_each_file_is_attached_once(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("a")
    (tmp_path / "link.txt").symlink_to("a.txt")
    text = f"@a.txt and @a.txt, @./a.txt, @{tmp_path}/a.txt or @link.txt"
    assert [each.name for each in attached(text, tmp_path)] == ["a.txt"]


def test_a_file_of_the_home_folder_is_found(own_folders: Path, tmp_path: Path) -> None:
    own_folders.mkdir(exist_ok=True)
    (own_folders / "x.md").write_text("mine")
    assert attached("@~/x.md", tmp_path)[0].text == "mine"


@pytest.mark.parametrize(
    ("content", "text", "encoding"),
    [
        ("ü\n".encode(), "ü\n", "UTF-8"),
        (b"\xef\xbb\xbfa\r\nb\rc", "a\nb\nc", "UTF-8"),
        ("ü".encode("utf-16"), "ü", "UTF-16"),
        ("ü".encode("utf-32"), "ü", "UTF-32"),
        (b"\x00\x00\xfe\xff\x00\x00\x00x", "x", "UTF-32"),
        ("über “x”".encode("cp1252"), "über “x”", "Windows-1252"),
        (b"\x1b[31mred\x1b[0m", "\x1b[31mred\x1b[0m", "UTF-8"),
        (b"", "", "UTF-8"),
    ],
)
def test_text_is_read_as_what_it_is(
    tmp_path: Path, content: bytes, text: str, encoding: str
) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes(content)
    got = read(path)
    assert (got.text, got.encoding, got.size_bytes) == (text, encoding, len(content))
    assert ("taken for" in got.label) == (encoding == "Windows-1252")


def refusal(path: Path) -> str:
    with pytest.raises(AttachmentError) as refused:
        read(path)
    assert "\n" not in str(refused.value) and "\x1b" not in str(refused.value)
    return str(refused.value)


def test_what_cannot_be_attached_is_said_in_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "a\x1b[2Jb\n.txt"
    assert refusal(path) == "There is no file a[2Jb .txt."
    assert refusal(tmp_path) == f"{tmp_path.name} is a folder: attach its files one by one."
    for content in (b"GIF88a\x00", bytes(range(1, 256))):
        path.write_bytes(content)
        said = "a[2Jb .txt is no text: only text, PDF and picture files can be attached."
        assert refusal(path) == said
    path.write_bytes(b"x" * (LIMIT_BYTES + 1))
    assert refusal(path) == "a[2Jb .txt is too large: 512,001 bytes, at most 512,000."
    os.mkfifo(tmp_path / "pipe")
    assert refusal(tmp_path / "pipe").startswith("pipe is a device or a pipe")
    assert refusal(tmp_path / "x\x00").startswith("Cannot read x: ")
    assert refusal(path / "deeper") == "There is no file deeper."

    def forbidden(*_: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "open", forbidden)
    assert refusal(path) == "Cannot read a[2Jb .txt: Permission denied."


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("a.docx", "a.docx is an office document: save it as PDF or plain text and attach that."),
        ("a.webp", "a.webp is a picture of a kind that is not read: save it as PNG or JPEG and"),
        ("a.zip", "a.zip is an archive: unpack it and attach"),
        ("a.mp3", "a.mp3 is a recording: only text, PDF and picture files can be attached."),
        ("a.bin", "a.bin is no text: only text, PDF and picture files can be attached."),
    ],
)
def test_what_is_no_text_is_refused_with_what_to_do(tmp_path: Path, name: str, words: str) -> None:
    (tmp_path / name).write_bytes(b"PK\x03\x04\x00")
    assert refusal(tmp_path / name).startswith(words)
    if name != "a.bin":
        (tmp_path / name).write_bytes(bytes(LIMIT_BYTES + 1))
        assert refusal(tmp_path / name).startswith(words), "however large it is"


def test_a_text_is_one_whatever_it_is_called(tmp_path: Path) -> None:
    (tmp_path / "list.key").write_text("plain")
    assert read(tmp_path / "list.key").text == "plain"


def test_a_file_at_the_limit_is_taken(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes(b"x" * LIMIT_BYTES)
    assert read(tmp_path / "a.txt").size_bytes == LIMIT_BYTES


def test_a_folder_named_as_one_is_refused_and_not_overlooked(tmp_path: Path) -> None:
    (tmp_path / "src").mkdir()
    with pytest.raises(AttachmentError, match="src/ is a folder"):
        attached("@src/", tmp_path)


@pytest.mark.parametrize("path", ["", ".", "/"])
def test_a_folder_without_a_name_of_its_own_is_told_by_its_path(
    path: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    where = one_line("/" if path == "/" else str(tmp_path), LONGEST_NAME)
    assert refusal(Path(path)) == f"{where} is a folder: attach its files one by one."


def test_the_fence_is_longer_than_any_inside() -> None:
    inner = "```py\nx\n```\n`````"
    sent = for_model("What?", [Attachment("a.md", inner, 1)])
    assert sent == f"What?\n\na.md:\n``````md\n{inner}\n``````"
    assert for_model("What?", []) == "What?"
    assert for_model("", [pasted("x\n")]) == "Pasted text 1:\n```\nx\n```"


def test_the_label_tells_name_lines_and_size() -> None:
    assert Attachment("a.md", "1\n2\n3", 5).label == "a.md (3 lines, 5 B)"
    assert Attachment("a.md", "1\n", 2).label == "a.md (1 line, 2 B)"
    assert pasted("", 2).label == "Pasted text 2 (0 lines, 0 B)"


def test_long_pasted_texts_become_attachments() -> None:
    assert not is_long("x" * 1_999) and is_long("x" * 2_000)
    assert not is_long("\n" * 28) and is_long("\n" * 29)


def test_a_reader_reads_a_file_again_only_when_it_has_changed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    reads: list[str] = []

    def counted(path: Path, name: str, stopper: Stopper) -> Attachment:
        reads.append(path.name)
        return read(path, name, stopper)

    monkeypatch.setattr("app.files.attachments.read", counted)
    reader, path, bad = Reader(), tmp_path / "a.txt", tmp_path / "a.docx"
    path.write_text("one")
    bad.write_bytes(b"\x00")
    for _ in range(3):
        assert attached("@a.txt", tmp_path, reader.read)[0].text == "one"
        with pytest.raises(AttachmentError, match=r"^a\.docx is an office document"):
            attached("@a.docx", tmp_path, reader.read)
    assert reads == ["a.txt", "a.docx"]
    path.write_text("longer")
    assert reader.read(path).text == "longer"
    path.unlink()
    with pytest.raises(AttachmentError, match=r"^There is no file a\.txt\.$"):
        reader.read(path)


def test_what_was_refused_is_read_again_when_it_is_sent(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    reader, path = Reader(), tmp_path / "a.txt"
    path.write_text("one")
    with monkeypatch.context() as busy:

        def refused(path: Path, name: str, stopper: Stopper) -> Attachment:
            raise AttachmentError("a.txt cannot be read: Too many open files.")

        busy.setattr("app.files.attachments.read", refused)
        with pytest.raises(AttachmentError, match="Too many open files"):
            reader.read(path)
    assert reader.take(path).text == "one"
    assert reader.read(path).text == "one"


def test_a_reader_forgets_what_is_long_ago(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    reads: list[str] = []

    def counted(path: Path, name: str, stopper: Stopper) -> Attachment:
        reads.append(path.name)
        return read(path, name, stopper)

    monkeypatch.setattr("app.files.attachments.read", counted)
    reader = Reader()
    for number in range(MOST_KNOWN + 1):
        (tmp_path / str(number)).write_text("x")
        reader.read(tmp_path / str(number))
        reader.read(tmp_path / "0")
    assert reads.count("0") == 1 and len(reads) == MOST_KNOWN + 1, "what is used stays"
    reader.read(tmp_path / "1")
    assert reads.count("1") == 2


def test_the_head_of_a_file_says_to_person_and_model_that_it_is_one() -> None:
    whole = Attachment("log.txt", "one\ntwo\n\nfour", 14, "UTF-8")
    head = whole.head(3)
    assert (head.text, head.n_lines) == ("one\ntwo\n\n", 3)
    assert head.label == "log.txt (the first 3 of 4 lines, 14 B)"
    assert head.block.startswith("log.txt (the first 3 of 4 lines):\n```")
    assert head.head(1) == Attachment("log.txt", "one\n", 14, "UTF-8", 4)
