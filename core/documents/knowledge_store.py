"""AVeriTeC's knowledge store: one JSON object per line, `{"url": …, "url2text": [sentence, …]}`.

Other keys are allowed; of those, `title`, `published` (or `date`), `date_source` and `pages` (the characters at which
pages begin) are read. The text of a document is its
sentences joined by line breaks, so that the borders the dataset drew between sentences stay visible.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from core.dates import date_in_url, parse_date
from core.errors import BadInput, BadRecord
from core.files import expanded, read_bounded
from core.types import Document

SUFFIXES = (".json", ".jsonl")
MAX_COUNTED = 200_000_000
"""Bytes of the largest store to count before a search; counting larger ones takes too long."""
MAX_BYTES = 2 * 10**9
"""Limit of one file; AVeriTeC's largest has some 60 MB."""

MAX_SOURCE = 100
"""The most characters of a record's date source."""

_FIRST_LINE = re.compile(rb"(?:\xef\xbb\xbf)?\s*(\{[^\n]*)")
# Control characters break databases and screens; lone surrogates cannot be written as UTF-8.
_UNPRINTABLE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff]")


@dataclass(frozen=True)
class KnowledgeStore:
    """The documents of a knowledge store in file order; `empty` counts left-out records without text."""

    documents: tuple[Document, ...]
    empty: int


@dataclass(frozen=True)
class StoreSize:
    """The size of a store on disk; `records` is None if the store is too large to count."""

    files: int
    size: int
    records: int | None


def measure_store(path: Path) -> StoreSize:
    """Return the size of a store without parsing records. Raises BadInput if the store is missing."""
    files = _files(path)
    size = sum(file.stat().st_size for file in files)
    return StoreSize(len(files), size, sum(map(_records_in, files)) if size <= MAX_COUNTED else None)


def _records_in(file: Path) -> int:
    with file.open("rb") as lines:
        return sum(not line.isspace() for line in lines)


def read_store(path: Path) -> list[Document]:
    """Return the documents with text of a knowledge store, a file or a folder of .json and .jsonl files.

    Raises BadInput if the store is missing or has no text, BadRecord (file, line, field) for a broken line.
    """
    return list(load_store(path).documents)


def read_stores(paths: Iterable[str]) -> list[Document]:
    """Return the documents of several stores. Raises as `read_store`."""
    return [document for path in paths for document in read_store(Path(path))]


def load_store(path: Path) -> KnowledgeStore:
    """Return the documents as `read_store`, with the number of records without text."""
    stores = [parse_store(str(file), read_bounded(file, MAX_BYTES)) for file in _files(path)]
    documents = tuple(document for store in stores for document in store.documents)
    if not documents:
        raise BadInput(f"{path}: no document of this knowledge store has any text.")
    return KnowledgeStore(documents, sum(store.empty for store in stores))


def parse_store(name: str, content: bytes) -> KnowledgeStore:
    """Return the documents of one file, or none; error messages call the file `name`."""
    documents: list[Document] = []
    empty = 0
    # Not splitlines(), which also splits at U+2028 and other characters inside JSON strings.
    for number, line in enumerate(_decode(name, content).split("\n"), start=1):
        if not line or line.isspace():
            continue
        document = _document(f"{name}:{number}", line)
        if document is None:
            empty += 1
        else:
            documents.append(document)
    return KnowledgeStore(tuple(documents), empty)


def looks_like_store(content: bytes) -> bool:
    """Return whether a file's first non-blank line could be a record of a knowledge store."""
    first = _FIRST_LINE.match(content)
    return first is not None and b'"url2text"' in first.group(1)


def printable(text: str) -> str:
    """Return `text` with a space in place of each control character and each half of a surrogate pair."""
    return _UNPRINTABLE.sub(" ", text)


def _files(path: Path) -> list[Path]:
    path = expanded(path)
    if path.is_file():
        return [path]
    if not path.is_dir():
        raise BadInput(f"{path}: there is no such knowledge store; give a JSONL file or a folder of them.")
    files = sorted(file for file in path.iterdir() if file.suffix.lower() in SUFFIXES and file.is_file())
    if not files:
        raise BadInput(f"{path}: this folder holds no .json or .jsonl file.")
    return files


def _decode(name: str, content: bytes) -> str:
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise BadRecord(
            f"{name}:{line}: byte {content[error.start]:#04x} is not UTF-8; save the file as UTF-8."
        ) from error


def _document(place: str, line: str) -> Document | None:
    """Return the document of one line, None if it has no text. `place` is file and line, for messages."""
    record = _record(place, line)
    text = _joined(place, record)
    url = _text(place, record, "url", required=True).strip()
    title = _text(place, record, "title").strip()
    published = _text(place, record, "published") or _text(place, record, "date")
    if not text or text.isspace():
        return None
    if not url:
        raise BadRecord(f"{place}: 'url' is empty, so nobody could look this text up.")
    if "\\u" in line:  # JSON escapes control characters and surrogates
        text, url, title = printable(text), printable(url), printable(title)
    stated = parse_date(published)
    day = stated or date_in_url(url)
    source = printable(_text(place, record, "date_source"))[:MAX_SOURCE] or "record"
    return Document(
        url,
        text,
        title,
        day,
        pages=_pages(place, record, len(text)),
        date_source="" if day is None else source if stated else "address",
    )


def record_of(document: Document) -> dict[str, Any]:
    """Return a document's record for one line of a knowledge store; reading it gives the same document."""
    published = document.published.isoformat() if document.published else ""
    record = {
        "url": document.url,
        "title": document.title,
        "published": published,
        "url2text": document.text.split("\n"),
    }
    if document.date_source:
        record["date_source"] = document.date_source
    return {**record, "pages": list(document.pages)} if document.pages else record


def _pages(place: str, record: dict[str, Any], length: int) -> tuple[int, ...]:
    """Return the characters of the text at which pages begin, in order."""
    pages = record.get("pages", [])
    numbers = isinstance(pages, list) and all(isinstance(at, int) and 0 <= at <= length for at in pages)
    if not numbers or pages != sorted(pages):
        raise BadRecord(f"{place}: 'pages' must be a list of characters of the text at which pages begin, in order.")
    return tuple(pages)


def _record(place: str, line: str) -> dict[str, Any]:
    try:
        record = json.loads(line)
    except RecursionError as error:
        raise BadRecord(f"{place}: this line nests brackets too deeply to be read.") from error
    except ValueError as error:  # JSONDecodeError, or a number with thousands of digits
        reason = error.msg if isinstance(error, json.JSONDecodeError) else "a number is too long"
        raise BadRecord(f"{place}: this line is not a JSON object ({reason}); each line must be one.") from error
    if not isinstance(record, dict):
        raise BadRecord(f"{place}: each line must be a JSON object, got {_kind(record)}.")
    return record


def _text(place: str, record: dict[str, Any], field: str, *, required: bool = False) -> str:
    value = record.get(field)
    if isinstance(value, str):
        return value
    if value is None and not required:
        return ""
    raise BadRecord(f"{place}: '{field}' must be a text, {_got(record, field)}.")


def _joined(place: str, record: dict[str, Any]) -> str:
    sentences = record.get("url2text")
    if not isinstance(sentences, list):
        raise BadRecord(f"{place}: 'url2text' must be a list of sentences, {_got(record, 'url2text')}.")
    try:
        return "\n".join(sentences)
    except TypeError as error:
        wrong = next(item for item in sentences if not isinstance(item, str))
        raise BadRecord(f"{place}: 'url2text' must hold sentences only, got {_kind(wrong)}.") from error


def _got(record: dict[str, Any], field: str) -> str:
    return f"got {_kind(record[field])}" if field in record else "but the line has no such field"


def _kind(value: object) -> str:
    """Return JSON's name for the type of `value`."""
    if value is None:
        return "null"
    names = {bool: "true or false", int: "a number", float: "a number", str: "a text", list: "a list"}
    return names.get(type(value), "an object")
