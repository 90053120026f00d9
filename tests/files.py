"""Small files of each kind, made when a test wants them."""

import io
import zipfile
from pathlib import Path

import pytest
from docx import Document as new_docx

from core import files
from core.documents.documents import read_files
from core.errors import BadInput
from core.types import Document

DOCX_PART = "word/document.xml"


def pdf(*pages: str, information: str = "") -> bytes:
    """Return a PDF whose pages show the lines of `pages`; `information` is the inside of its Info dictionary."""
    kids = " ".join(f"{4 + 2 * number} 0 R" for number in range(len(pages)))
    objects = [
        "<< /Type /Catalog /Pages 2 0 R >>",
        f"<< /Type /Pages /Kids [{kids}] /Count {len(pages)} >>",
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>",
    ]
    for number, page in enumerate(pages):
        shown = " T* ".join(f"({line}) Tj" for line in page.split("\n") if line)
        stream = f"BT /F1 10 Tf 12 TL 50 780 Td {shown} ET" if shown else ""
        objects.append(
            "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] "
            f"/Resources << /Font << /F1 3 0 R >> >> /Contents {5 + 2 * number} 0 R >>"
        )
        objects.append(f"<< /Length {len(stream)} >>\nstream\n{stream}\nendstream")
    objects.append(f"<< {information} >>")
    body = "%PDF-1.4\n"
    offsets = []
    for number, content in enumerate(objects, start=1):
        offsets.append(len(body))
        body += f"{number} 0 obj\n{content}\nendobj\n"
    table = "".join(f"{offset:010} 00000 n \n" for offset in offsets)
    trailer = f"trailer\n<< /Size {len(objects) + 1} /Root 1 0 R /Info {len(objects)} 0 R >>"
    references = f"xref\n0 {len(objects) + 1}\n0000000000 65535 f \n{table}"
    return f"{body}{references}{trailer}\nstartxref\n{len(body)}\n%%EOF\n".encode("latin-1")


def docx(*paragraphs: str, rows: tuple[tuple[str, ...], ...] = (), title: str = "") -> bytes:
    """Return a Word file with paragraphs and, after the first of them, a table."""
    word = new_docx()
    word.core_properties.title = title
    for number, paragraph in enumerate(paragraphs):
        word.add_paragraph(paragraph)
        if rows and number == 0:
            table = word.add_table(len(rows), len(rows[0]))
            for row, texts in zip(table.rows, rows, strict=True):
                for cell, text in zip(row.cells, texts, strict=True):
                    cell.text = text
    stream = io.BytesIO()
    word.save(stream)
    return stream.getvalue()


def with_part(packed: bytes, name: str, content: bytes) -> bytes:
    """Return a ZIP with one of its files replaced."""
    stream = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(packed)) as old, zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as new:
        for member in old.namelist():
            new.writestr(member, content if member == name else old.read(member))
    return stream.getvalue()


def packed(files: dict[str, bytes], *, method: int = zipfile.ZIP_DEFLATED) -> bytes:
    """Return a ZIP of files by name."""
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", method) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return stream.getvalue()


def full_disk(patch: pytest.MonkeyPatch, *names: str) -> None:
    """Let no byte of the files with these names be written any more."""
    beside = files._beside

    def full(path: Path) -> Path:
        new = beside(path)
        if path.name in names:
            new.symlink_to("/dev/full")
        return new

    patch.setattr(files, "_beside", full)


def read_file(name: str, content: bytes) -> list[Document]:
    """Return the documents of one file: usually one; several from a knowledge store or a ZIP.

    Raises BadInput if it or a file in it cannot be read; the sentence begins with the file's name.
    """
    reading = read_files([(name, content)])
    if reading.problems:
        raise BadInput(reading.problems[0])
    return list(reading.documents)
