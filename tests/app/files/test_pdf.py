"""A PDF gives its text or one reason, whatever it is made of, and never for longer than allowed."""

from __future__ import annotations

import io
import subprocess
import sys
import threading
import zlib
from pathlib import Path

import psutil
import pytest

import app.files.pdf
from app.files.attachments import Attachment, AttachmentError, attached, for_model, read
from app.files.pdf import Stopper, UnreadableError, text_of
from tests.app.files.pdfs import deflated, endless_reader, objects, pdf, started, written

PAPER = pdf(["A (short) paper\nof two lines", "", "The end"])
LIMIT = 10_000


def refusal(content: bytes, limit_bytes: int = LIMIT) -> str:
    with pytest.raises(UnreadableError) as refused:
        text_of(content, limit_bytes)
    assert "\n" not in str(refused.value)
    return str(refused.value)


def test_each_page_stands_below_its_number() -> None:
    assert text_of(PAPER, LIMIT) == (
        "[page 1]\nA (short) paper\nof two lines\n\n[page 2]\n\n[page 3]\nThe end"
    )


def test_what_is_sent_is_harmless_and_its_ligatures_are_letters() -> None:
    found = objects([b"BT /F1 12 Tf (o\\256cial \\033[2Jx\\000y) Tj ET"])
    found[3] = found[3].replace(
        b">>", b"/Encoding << /Type /Encoding /Differences [174 /fi 27 /a 0 /space] >> >>"
    )
    text = text_of(written(found), LIMIT)
    assert "ofi" in text and not set(text) & {"\x1b", "\x00", "\ufb01"}


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"<html>",
        b"%PDF-1.7 \xe2",
        PAPER[:300],
        written({1: b"<< /Type /Catalog /Pages 2 0 R >>", 2: b"<< /Kids [2 0 R] /Count 1 >>"}),
        written({1: b"<< /Type /Catalog /Pages 1 0 R >>"}),
    ],
    ids=["empty", "html", "head", "cut", "loop", "self"],
)
def test_what_is_broken_is_said_to_be(content: bytes) -> None:
    assert refusal(content) == app.files.pdf.BROKEN


def test_pages_without_text_are_a_scan() -> None:
    assert refusal(pdf(["", ""])) == app.files.pdf.NO_TEXT


def test_a_page_that_cannot_be_read_leaves_the_others() -> None:
    found = objects([b"BT /F1 12 Tf (first) Tj ET", b"BT /F1 12 Tf (second) Tj ET"])
    found[11] = b"<< /Length 4 /Filter /JBIG2Decode >>\nstream\nabcd\nendstream"
    text = text_of(written(found), LIMIT)
    assert text.startswith("[page 1]\n(This page cannot be read.)")
    assert text.endswith("[page 2]\nsecond")


@pytest.mark.parametrize(("password", "is_open"), [("", True), ("secret", False)])
def test_only_who_needs_a_password_is_refused(password: str, is_open: bool) -> None:
    from pypdf import PdfWriter

    writer = PdfWriter(clone_from=io.BytesIO(PAPER))
    writer.encrypt(password, "owner", algorithm="RC4-128")
    packed = io.BytesIO()
    writer.write(packed)
    if is_open:
        assert "The end" in text_of(packed.getvalue(), LIMIT)
    else:
        assert refusal(packed.getvalue()) == app.files.pdf.ENCRYPTED


def test_what_needs_another_library_to_be_decrypted_is_refused_as_encrypted() -> None:
    entries = " ".join(f"/{name} <{'00' * n}>" for name, n in (("O", 48), ("U", 48)))
    rest = " ".join(f"/{name} <{'00' * 32}>" for name in ("OE", "UE"))
    found = objects([b"BT (x) Tj ET"]) | {
        4: f"<< /Filter /Standard /V 5 /R 6 /Length 256 /P -4 {entries} {rest} "
        "/Perms <00000000000000000000000000000000> /StmF /StdCF /StrF /StdCF "
        "/CF << /StdCF << /CFM /AESV3 /Length 32 >> >> >>".encode()
    }
    content = written(found, b"/Encrypt 4 0 R /ID [<00> <00>] ")
    assert refusal(content) == app.files.pdf.ENCRYPTED


def test_too_much_text_is_refused_with_how_far_it_goes() -> None:
    said = refusal(pdf(["x" * 90] * 20), 1_000)
    assert said.startswith("holds too much text: 11 of its 20 pages are over 1 kB.")


def test_a_million_empty_pages_are_too_much() -> None:
    found = objects([b""])
    found[2] = f"<< /Type /Pages /Kids [{'10 0 R ' * 2_000}] /Count 2000 >>".encode()
    assert "of its 2000 pages" in refusal(written(found), 1_000)


def nested() -> bytes:
    """Return a page that is 900 MB when it is unpacked."""
    packed = zlib.compress(zlib.compress(b" " * 900_000_000, 1), 9)
    head = f"<< /Length {len(packed)} /Filter [/FlateDecode /FlateDecode] >>\nstream\n"
    return written(objects([b""]) | {11: head.encode() + packed + b"\nendstream"})


def test_what_is_huge_when_it_is_unpacked_is_refused() -> None:
    assert refusal(nested()) in (app.files.pdf.BROKEN, app.files.pdf.HEAVY)


def test_who_runs_out_of_memory_says_so() -> None:
    code = (
        "import sys; from app.files import pdf_process as p\n"
        "p.MEMORY_BYTES = 300_000_000; p.read = lambda *_: bytes(10**9); p.main()"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, "1"], input=b"", stdout=subprocess.PIPE, check=True
    )
    assert done.stdout == b'{"refused": "heavy"}\n'


def test_what_takes_too_long_is_ended_and_its_process_is_gone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(app.files.pdf, "DEADLINE_S", 0.5)
    found = objects([b""])
    found[2] = f"<< /Type /Pages /Kids [{'10 0 R ' * 5_000}] /Count 5000 >>".encode()
    found[11] = deflated(b"BT /F1 12 Tf (a) Tj ET " * 5_000)
    assert refusal(written(found), 10**9) == app.files.pdf.SLOW
    assert not [
        child for child in psutil.Process().children() if "app.files.pdf_process" in child.cmdline()
    ]


def test_who_wishes_no_more_for_it_ends_it_and_what_would_be_read_next(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(app.files.pdf, "READER", endless_reader(tmp_path))
    monkeypatch.setattr(app.files.pdf, "DEADLINE_S", 600.0)
    stopper, seen = Stopper(), Stopper.watch

    def watch(stopper: Stopper, process: subprocess.Popen[bytes]) -> None:
        seen(stopper, process)
        threading.Thread(target=stopper.stop).start()

    monkeypatch.setattr(Stopper, "watch", watch)
    with pytest.raises(UnreadableError, match="was stopped"):
        text_of(PAPER, LIMIT, stopper)
    n_started = len(started(tmp_path))
    with pytest.raises(UnreadableError, match="was stopped"):
        text_of(PAPER, LIMIT, stopper)
    assert len(started(tmp_path)) == n_started and not psutil.Process().children()


def test_a_parser_that_dies_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    dying = (sys.executable, "-c", "import os; os.abort()")
    monkeypatch.setattr(app.files.pdf, "READER", dying)
    assert refusal(PAPER) == app.files.pdf.BROKEN


def test_nothing_is_said_on_the_terminal(capfd: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(UnreadableError):
        text_of(b"%PDF-1.7\n" + PAPER[200:400], LIMIT)
    assert text_of(b"\n" + PAPER, LIMIT), "it warns of the places, which are one off"
    assert capfd.readouterr() == ("", "")


def test_a_folder_of_the_same_name_where_somebody_is_does_no_harm(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "app").mkdir()
    (tmp_path / "app" / "__init__.py").write_text("raise SystemExit(3)")
    monkeypatch.chdir(tmp_path)
    assert "The end" in text_of(PAPER, LIMIT)


def test_the_parser_is_imported_by_its_own_process_alone() -> None:
    code = (
        "import sys, app.files.attachments, app.files.pdf, app.tui.app;"
        "print('pypdf' in sys.modules)"
    )
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert told.stdout == "False\n"


# as an attachment


def test_a_pdf_is_attached_with_its_pages(tmp_path: Path) -> None:
    (tmp_path / "paper.pdf").write_bytes(PAPER)
    (got,) = attached("What does @paper.pdf say?", tmp_path)
    assert (got.encoding, got.size_bytes) == ("PDF", len(PAPER))
    assert got.label == "paper.pdf (3 pages, 1 kB)"
    assert for_model("Q", [got]).startswith("Q\n\npaper.pdf:\n```\n[page 1]\nA (short) paper")
    assert Attachment("a.pdf", "[page 1]\nx", 9, "PDF").label == "a.pdf (1 page, 9 B)"


def test_a_pdf_by_another_name_is_one_too(tmp_path: Path) -> None:
    (tmp_path / "download").write_bytes(PAPER)
    assert read(tmp_path / "download").text.endswith("The end")
    (tmp_path / "PAPER.PDF").write_bytes(PAPER)
    assert read(tmp_path / "PAPER.PDF").encoding == "PDF"
    (tmp_path / "large").write_bytes(b"%PDF-" + bytes(600_000) + b"\n" + PAPER)
    assert read(tmp_path / "large").text.endswith("The end")


def test_a_pdf_that_is_not_there_is_missed_and_a_broken_one_named(tmp_path: Path) -> None:
    with pytest.raises(AttachmentError, match=r"^There is no file paper\.pdf\.$"):
        attached("see @paper.pdf", tmp_path)
    (tmp_path / "x\x1b.pdf").write_bytes(b"<html>")
    with pytest.raises(AttachmentError, match=r"^x\.pdf is no PDF that can be read"):
        read(tmp_path / "x\x1b.pdf")


def test_a_pdf_may_be_larger_than_a_text_but_not_endless(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "a.pdf"
    path.write_bytes(b"%" + bytes(600_000) + b"\n" + PAPER)
    assert read(path).text.endswith("The end")
    monkeypatch.setattr(app.files.pdf, "LIMIT_BYTES", 500_000)
    with pytest.raises(AttachmentError, match=r"^a\.pdf is too large: 60\d kB, at most 500 kB\.$"):
        read(path)
