"""Read the user's own files, recognising their kind by content and by name."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import PurePosixPath

from core.confined import confined
from core.documents import archive
from core.documents.docx import read_docx
from core.documents.encoding import NAMES, old_encoding
from core.documents.epub import read_epub
from core.documents.html import read_html
from core.documents.knowledge_store import SUFFIXES as STORE_SUFFIXES
from core.documents.knowledge_store import looks_like_store, parse_store, printable
from core.documents.odt import read_odt
from core.documents.pdf import read_pdf
from core.documents.rtf import read_rtf
from core.documents.subtitles import SUFFIXES as SUBTITLES
from core.documents.subtitles import read_subtitles
from core.documents.text import OldEncoding, read_markdown, read_text
from core.errors import BadInput
from core.types import Document

_PAGE_SUFFIXES = (".html", ".htm", ".xhtml")
_MARKDOWN_SUFFIXES = (".md", ".markdown")
_ZIP = (b"PK\x03\x04", b"PK\x05\x06")
_PAGE = (b"<!doctype html", b"<html", b"<head", b"<body")
_BEFORE_PAGE = (b"<?xml", b"<!--")
_PICTURE = "a picture; run text recognition (OCR) and add the resulting PDF or text"
_SOUND = "a sound or film; add a transcript as text"
_OTHER = {
    b"\xd0\xcf\x11\xe0": "an old Word, Excel or PowerPoint file, or a protected one; save it as DOCX or PDF",
    **dict.fromkeys((b"\x89PNG", b"\xff\xd8\xff", b"GIF8", b"II*\0", b"MM\0*", b"RIFF", b"<svg"), _PICTURE),
    **dict.fromkeys((b"ID3", b"OggS", b"fLaC", b"\xff\xfb", b"\x1aE\xdf\xa3"), _SOUND),
    b"\x1f\x8b": "packed with gzip; unpack it, or pack it as ZIP",
    b"7z\xbc\xaf": "packed with 7-Zip; unpack it, or pack it as ZIP",
    b"Rar!": "packed with RAR; unpack it, or pack it as ZIP",
}
_ODT_TYPE = b"application/vnd.oasis.opendocument.text"
_WORD, _ODT, _BOOK = "a Word file", "an OpenDocument text", "an e-book"
_OFFICE = {
    "word/document.xml": _WORD,
    "xl/workbook.xml": "an Excel file",
    "ppt/presentation.xml": "a PowerPoint file",
    "META-INF/manifest.xml": "an OpenDocument file",
    "META-INF/container.xml": _BOOK,
}
_READERS = {_WORD: read_docx, _BOOK: read_epub, _ODT: read_odt}


@dataclass(frozen=True)
class Reading:
    """The documents of several files or addresses, in their order, and the problems.

    Each problem is a sentence that begins with the name of an unreadable file or address. `empty` counts left-out
    records without text in knowledge stores. `undecoded` has names and contents of texts in old encodings.
    """

    documents: tuple[Document, ...]
    problems: tuple[str, ...] = ()
    empty: int = 0
    undecoded: tuple[tuple[str, bytes], ...] = ()


def read_files(files: Iterable[tuple[str, bytes]]) -> Reading:
    """Return the documents of all files that can be read, and a problem for each that cannot.

    `files` are names and contents. The files of a ZIP are read one by one, so an unreadable one affects no other.
    """
    readings = [reading for name, content in files for reading in _in_bounds(name, content)]
    return Reading(
        tuple(document for reading in readings for document in reading.documents),
        tuple(problem for reading in readings for problem in reading.problems),
        sum(reading.empty for reading in readings),
    )


def _in_bounds(name: str, content: bytes) -> list[Reading]:
    try:
        readings = confined(_all_readings, name, content)
    except BadInput as error:
        return [Reading((), (str(error),))]
    # Done here, not in the confined process: loading the language model writes a file.
    return [_decoded(*reading.undecoded[0], reading.problems) if reading.undecoded else reading for reading in readings]


def _decoded(name: str, content: bytes, problems: tuple[str, ...]) -> Reading:
    """Return the document of a text in an old encoding, or the problems if the encoding is unclear."""
    encoding = old_encoding(content)
    if not encoding:
        return Reading((), problems)
    document = _text(name, content.decode(encoding, "replace").encode())
    return Reading((replace(document, encoding=NAMES[encoding]),))


def _all_readings(name: str, content: bytes) -> list[Reading]:
    return list(_readings(name, content))


def _readings(name: str, content: bytes) -> Iterator[Reading]:
    """Yield the reading of `content`, or of each file in it if it is a ZIP."""
    try:
        if not content.startswith(_ZIP) or _kind_of_zip(name, content):
            yield _reading(name, content)
            return
        count = 0
        for inner, data in archive.members(name, content):
            count += 1
            yield _reading(printable(f"{name}/{inner}"), data)
        if not count:
            raise BadInput(f"{name}: this ZIP holds no files.")
    except BadInput as error:
        yield Reading((), (str(error),))


def _reading(name: str, content: bytes) -> Reading:
    try:
        if not looks_like_store(content) and _suffix(name) not in STORE_SUFFIXES:
            return Reading((_document(name, content),))
        store = parse_store(name, content)
        if not store.documents:
            raise BadInput(f"{name}: no document of this knowledge store has any text.")
        return Reading(store.documents, empty=store.empty)
    except OldEncoding as error:
        return Reading((), (str(error),), undecoded=((name, content),))
    except BadInput as error:
        return Reading((), (str(error),))


def _document(name: str, content: bytes) -> Document:
    """Return the document of a file that is neither a knowledge store nor a ZIP."""
    start = content[:4096].lstrip(b"\xef\xbb\xbf \t\r\n\f")
    if not start:
        raise BadInput(f"{name}: this file is empty.")
    suffix = _suffix(name)
    if start.startswith(b"%PDF-") or (suffix == ".pdf" and b"%PDF-" in start):
        return read_pdf(name, content[content.index(b"%PDF-") :])  # mail programs write lines before the PDF header
    if content.startswith(_ZIP):
        return _packed(name, content)
    if content.startswith(b"{\\rtf"):
        return read_rtf(name, content)
    if other := _other(content):
        raise BadInput(f"{name}: this file is {other}.")
    if suffix in (".pdf", ".docx", ".odt", ".epub", ".rtf"):
        raise BadInput(f"{name}: this file is named {suffix} but its content is not; save it again.")
    start = start.lower()
    late_page = start.startswith(_BEFORE_PAGE) and b"<html" in start
    if suffix in _PAGE_SUFFIXES or start.startswith(_PAGE) or late_page:
        return read_html(name, content)
    return _text(name, content)


def _text(name: str, content: bytes) -> Document:
    if _suffix(name) in SUBTITLES:
        return read_subtitles(name, content)
    return read_markdown(name, content) if _suffix(name) in _MARKDOWN_SUFFIXES else read_text(name, content)


def _other(content: bytes) -> str:
    """Return the kind of an unreadable file, with the way out; "" if its first bytes match none."""
    if content[4:8] == b"ftyp":  # HEIC and AVIF use the format of films
        return _PICTURE if content[8:11] in (b"hei", b"avi", b"mif") else _SOUND
    if content.startswith(b"RIFF") and content[8:12] != b"WEBP":
        return _SOUND
    return next((kind for signature, kind in _OTHER.items() if content.startswith(signature)), "")


def _packed(name: str, content: bytes) -> Document:
    kind = _kind_of_zip(name, content)
    if kind in _READERS:
        return _READERS[kind](name, content)
    raise BadInput(
        f"{name}: this file is {kind}; save it as PDF." if kind
        else f"{name}: this is a ZIP inside a ZIP; unpack it and add its files."
    )  # fmt: skip


def _kind_of_zip(name: str, content: bytes) -> str:
    """Return the office format of a ZIP, or "" for a plain ZIP."""
    inner = archive.names(name, content)
    if "mimetype" in inner and archive.part(name, content, "mimetype").strip() == _ODT_TYPE:
        return _ODT
    return next((kind for part, kind in _OFFICE.items() if part in inner), "")


def _suffix(name: str) -> str:
    return PurePosixPath(name).suffix.lower()
