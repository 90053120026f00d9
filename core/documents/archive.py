"""Unpack ZIP files in memory, within limits, and never write to a path named by a ZIP."""

from __future__ import annotations

import lzma
import struct
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import suppress
from io import BytesIO
from typing import Any

from core.confined import confined
from core.documents.knowledge_store import printable
from core.errors import BadInput

MAX_MEMBERS = 1000
MAX_BYTES = 200_000_000
MAX_RATIO = 100
"""Text shrinks to about a quarter, Word's XML to a twentieth; a thousandth is an attack."""

_RATIO_FROM = 1_000_000  # bytes that are harmless at any ratio
_BLOCK = 1 << 16
_BROKEN = (
    zipfile.BadZipFile, zlib.error, lzma.LZMAError, struct.error, EOFError, OSError, ValueError, RuntimeError
)  # fmt: skip


def members(name: str, content: bytes) -> Iterator[tuple[str, bytes]]:
    """Yield name and content of each file in a ZIP, in its order.

    Leaves out files that systems add (`__MACOSX`, dot files). Raises BadInput if the ZIP is broken or encrypted, or
    holds more than MAX_MEMBERS files. Raises BadInput also if the ZIP unpacks to more than MAX_BYTES or MAX_RATIO times
    its size. Bytes are counted while they unpack, as the ZIP's own figures may be wrong.
    """
    archive = _open(name, content)
    yield from _contents(name, archive, [member for member in archive.infolist() if _is_wanted(member)], len(content))


def unpacked(name: str, content: bytes) -> list[tuple[str, bytes]]:
    """Return the files of `members`, unpacked in a separate process. Raises BadInput as it and `confined` do."""
    return confined(_unpacked, name, content)


def _unpacked(name: str, content: bytes) -> list[tuple[str, bytes]]:
    return list(members(name, content))


def names(name: str, content: bytes) -> set[str]:
    """Return the names of all files in a ZIP. Raises BadInput if it is broken or has too many."""
    return set(_open(name, content).namelist())


def part(name: str, content: bytes, inner: str) -> bytes:
    """Return one file of a ZIP. Raises BadInput as `members` does, and if there is no such file."""
    archive = _open(name, content)
    if inner not in archive.namelist():
        raise BadInput(f"{name}: this file is broken: its part {inner} is missing; save it again, or as PDF.")
    return _unpack(name, archive, archive.getinfo(inner), len(content), 0)


def check(name: str, content: bytes) -> None:
    """Raise BadInput as `members`; here all files count, because Word files have parts that begin with a dot."""
    archive = _open(name, content)
    for _ in _contents(name, archive, archive.infolist(), len(content)):
        pass


def _is_wanted(member: zipfile.ZipInfo) -> bool:
    """Return whether a person added this file, not the operating system."""
    *folders, last = member.filename.split("/")
    hidden = any(part.startswith(".") and part not in (".", "..") for part in (*folders, last))
    return last not in ("", "Thumbs.db", "desktop.ini") and not hidden and "__MACOSX" not in folders


def _contents(
    name: str, archive: zipfile.ZipFile, wanted: list[zipfile.ZipInfo], packed: int
) -> Iterator[tuple[str, bytes]]:
    total = 0
    for member in wanted:
        unpacked = _unpack(name, archive, member, packed, total)
        total += len(unpacked)
        yield member.filename, unpacked


def _open(name: str, content: bytes) -> zipfile.ZipFile:
    try:
        archive = zipfile.ZipFile(BytesIO(content))
    except _BROKEN as error:
        raise BadInput(f"{name}: this ZIP or DOCX file is broken and cannot be unpacked.") from error
    if len(archive.infolist()) > MAX_MEMBERS:
        raise BadInput(f"{name}: this file holds {len(archive.infolist()):,} files, more than {MAX_MEMBERS:,}.")
    return archive


def _unpack(name: str, archive: zipfile.ZipFile, member: zipfile.ZipInfo, packed: int, before: int) -> bytes:
    if member.flag_bits & 1:
        raise BadInput(f"{name}: {member.filename} is encrypted; pack it without a password.")
    blocks: list[bytes] = []
    total = before
    try:
        with archive.open(member) as stream:
            while block := stream.read(_BLOCK):
                total += len(block)
                if total > MAX_BYTES or total > max(_RATIO_FROM, packed * MAX_RATIO):
                    raise BadInput(f"{name}: this file unpacks to far more than its size, as a ZIP bomb does.")
                blocks.append(block)
    except _BROKEN as error:
        raise BadInput(f"{name}: {member.filename} is broken and cannot be unpacked.") from error
    return b"".join(blocks)


_TITLE = ".//{http://purl.org/dc/elements/1.1/}title"


def parsed(name: str, content: bytes) -> Any:
    """Return the root of an XML file (an lxml element). Raises BadInput if it is broken."""
    from lxml import etree

    parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False)
    try:
        return etree.fromstring(content, parser)
    except (etree.XMLSyntaxError, ValueError) as error:
        raise BadInput(f"{name}: this file is broken and cannot be read; save it again, or as PDF.") from error


def title_in(name: str, content: bytes, inner: str) -> str:
    """Return the title in one part of an office file, or "" if the part is missing or broken."""
    with suppress(BadInput):
        return title_of(parsed(name, part(name, content, inner)))
    return ""


def title_of(root: Any) -> str:
    """Return the title inside an element, on one line, or ""."""
    return " ".join(printable(root.findtext(_TITLE) or "").split())
