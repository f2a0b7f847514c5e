"""PDFs that tests write, byte by byte: good ones, and some that mean harm."""

from __future__ import annotations

import sys
import zlib
from collections.abc import Mapping, Sequence
from pathlib import Path

FONT = b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>"
ESCAPES = str.maketrans({"(": r"\(", ")": r"\)", "\\": r"\\"})


ENDLESS = (
    "import os, signal, sys; open(f'{sys.argv[1]}/{os.getpid()}', 'w').close(); signal.pause()"
)


def endless_reader(folder: Path) -> tuple[str, ...]:
    """Return the command of a process that reads a PDF for ever; it puts its id into a folder."""
    return (sys.executable, "-c", ENDLESS, str(folder))


def started(folder: Path) -> list[int]:
    """Return the ids of those processes, also of those that have gone."""
    return [int(path.name) for path in folder.iterdir()]


def pdf(pages: Sequence[str]) -> bytes:
    """Return a PDF with a page for each text, whose lines stand below each other."""
    return written(objects([_shown(page) for page in pages]))


def objects(streams: Sequence[bytes]) -> dict[int, bytes]:
    """Return the objects of a PDF with a page for each content stream: 1 is the root."""
    kids = " ".join(f"{10 + 2 * at} 0 R" for at in range(len(streams)))
    found = {
        1: b"<< /Type /Catalog /Pages 2 0 R >>",
        2: f"<< /Type /Pages /Kids [{kids}] /Count {len(streams)} >>".encode(),
        3: FONT,
    }
    for at, stream in enumerate(streams):
        found[10 + 2 * at] = (
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents {11 + 2 * at} 0 R"
            " /Resources << /Font << /F1 3 0 R >> >> >>"
        ).encode()
        found[11 + 2 * at] = deflated(stream)
    return found


def deflated(stream: bytes) -> bytes:
    """Return a content stream, compressed."""
    packed = zlib.compress(stream, 9)
    head = f"<< /Length {len(packed)} /Filter /FlateDecode >>\nstream\n".encode()
    return head + packed + b"\nendstream"


def written(found: Mapping[int, bytes], trailer: bytes = b"") -> bytes:
    """Return a file of numbered objects. trailer: more entries of it."""
    content, places = b"%PDF-1.4\n", {}
    for number, body in found.items():
        places[number] = len(content)
        content += f"{number} 0 obj\n".encode() + body + b"\nendobj\n"
    start, most = len(content), max(found) + 1
    table = b"".join(
        f"{places.get(number, 0):010} {0 if number in places else 65535:05} "
        f"{'n' if number in places else 'f'} \n".encode()
        for number in range(most)
    )
    content += f"xref\n0 {most}\n".encode() + table
    content += f"trailer\n<< /Size {most} /Root 1 0 R ".encode() + trailer
    return content + f">>\nstartxref\n{start}\n%%EOF\n".encode()


def _shown(text: str) -> bytes:
    lines = "".join(f"({line.translate(ESCAPES)}) Tj 0 -14 Td\n" for line in text.splitlines())
    return f"BT /F1 12 Tf 72 720 Td\n{lines}ET".encode("latin-1")
