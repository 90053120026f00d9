"""The file of an evidence package (WACZ 1.1.1): a ZIP of stored parts, with a digest of each.

A package may come from anybody. Its parts are known by name, none is packed, and no byte lies between them. So a reader
checks all of it in a bounded time, and in little memory.
"""

from __future__ import annotations

import hashlib
import json
import re
import struct
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, BinaryIO

from core.errors import BadInput
from core.files import check_regular, json_of
from core.verification.package.signing import Signature, SigningKey, signature_from_json, signature_json

SUFFIX = ".wacz"
WACZ_VERSION = "1.1.1"
SOFTWARE = "Veridesk 0.1"
PACKAGE, DIGEST = "datapackage.json", "datapackage-digest.json"
WARC, INDEX, PAGES = "archive/data.warc.gz", "indexes/index.cdx", "pages/pages.jsonl"
RECEIPT, REPORT = "case/receipt.json", "case/report.html"
REQUIRED = (WARC, INDEX, PAGES, RECEIPT, REPORT, PACKAGE, DIGEST)
MAX_STORES = 100
_STORE = re.compile(r"stores/\d{1,2}\.jsonl")

MAX_PACKAGE = 2 * 10**9
"""Bytes of a package."""
MAX_LISTING = 1_000_000
"""Bytes of its two lists of digests."""
MAX_DIRECTORY = 64_000
"""Bytes of its ZIP directory."""
_BLOCK = 1 << 20
_DATE = 0x21  # 1 January 1980, the first day that a ZIP knows: the times are in the lists
_LOCAL = struct.Struct("<4s5H3L2H")
_CENTRAL = struct.Struct("<4s6H3L5H2L")
_END = struct.Struct("<4s4H2LH")


@dataclass(frozen=True)
class PackagePart:
    """A part of a package: its name, its size and the CRC-32 of its bytes."""

    name: str
    size: int
    crc: int


def store_name(number: int) -> str:
    """Return the name of the part that holds a knowledge store."""
    return f"stores/{number}.jsonl"


def local_header(part: PackagePart) -> bytes:
    """Return the bytes before a part."""
    name = part.name.encode("ascii")
    return _LOCAL.pack(b"PK\3\4", 20, 0, 0, 0, _DATE, part.crc, part.size, part.size, len(name), 0) + name


def directory(parts: Sequence[PackagePart]) -> bytes:
    """Return the bytes after all parts."""
    entries, offset = [], 0
    for part in parts:
        name = part.name.encode("ascii")
        numbers = (20, 20, 0, 0, 0, _DATE, part.crc, part.size, part.size, len(name), 0, 0, 0, 0, 0, offset)
        entries.append(_CENTRAL.pack(b"PK\1\2", *numbers) + name)
        offset += len(local_header(part)) + part.size
    listed = b"".join(entries)
    return listed + _END.pack(b"PK\5\6", 0, 0, len(parts), len(parts), len(listed), offset, 0)


def write_package(
    file: BinaryIO, parts: Mapping[str, bytes], about: Mapping[str, str], made: datetime, key: SigningKey | None
) -> None:
    """Write a package of these parts, signed if there is a `key`. Raises BadInput if it is larger than may be.

    `about` are further fields of its list, such as the title.
    """
    resources = [
        {"name": Path(name).name, "path": name, "hash": sha256(content), "bytes": len(content)}
        for name, content in parts.items()
    ]
    created = made.isoformat()
    listing = {"profile": "data-package", "wacz_version": WACZ_VERSION, "created": created, "software": SOFTWARE}
    package = canonical({**listing, **about, "resources": resources})
    digest: dict[str, Any] = {"path": PACKAGE, "hash": sha256(package)}
    if key:
        digest["veridesk"] = signature_json(key.sign(package))
    whole = {**parts, PACKAGE: package, DIGEST: canonical(digest)}
    if sum(map(len, whole.values())) > MAX_PACKAGE:
        raise BadInput(f"This case is larger than {MAX_PACKAGE / 1e9:g} GB, the most that a package holds.")
    written = []
    for name, content in whole.items():
        part = PackagePart(name, len(content), zlib.crc32(content))
        file.write(local_header(part))
        file.write(content)
        written.append(part)
    file.write(directory(written))


def canonical(value: Any) -> bytes:
    """Return the one way to write a list of digests: any other byte in it is a change."""
    return json.dumps(value, indent=1, ensure_ascii=False).encode() + b"\n"


def sha256(content: bytes) -> str:
    return f"sha256:{hashlib.sha256(content).hexdigest()}"


@dataclass(frozen=True)
class Package:
    """A package after the check of every byte: the place and size of each part, and the signature, if any."""

    path: Path
    places: dict[str, tuple[int, int]]
    signature: Signature | None
    created: str

    def read(self, name: str, most: int) -> bytes:
        """Return a part. Raises BadInput if it is longer than `most` bytes."""
        at, size = self.places[name]
        if size > most:
            raise BadInput(f"{self.path}: {name} is larger than {most / 1e6:g} MB, the most that is read.")
        with self.path.open("rb") as file:
            file.seek(at)
            return file.read(size)


def open_package(path: Path) -> Package:
    """Check every byte of a package and return it. Raises BadInput, which names each part that was changed."""
    check_regular(path)
    try:
        size = path.stat().st_size
        with path.open("rb") as file:
            return _opened(path, file, size)
    except OSError as error:
        raise BadInput(f"{path} cannot be read: {error.strerror or type(error).__name__}.") from error


def _opened(path: Path, file: BinaryIO, size: int) -> Package:
    if size > MAX_PACKAGE + MAX_LISTING:
        raise BadInput(f"{path} is larger than {MAX_PACKAGE / 1e9:g} GB, the most that a package may have.")
    parts = _parts(path, file, size)
    places, at, changed = {}, 0, []
    for part in parts:
        start = at + len(local_header(part))
        places[part.name] = (start, part.size)
        file.seek(at)
        if file.read(start - at) != local_header(part):
            changed.append(f"the ZIP header of {part.name}")
        at = start + part.size
    end = directory(parts)
    file.seek(at)
    if at + len(end) != size or file.read(len(end) + 1) != end:
        changed.append("the ZIP directory at its end")
    hashes = {name: _hash_of(file, *place) for name, place in places.items()}
    signature, listing, wrong = _checked_lists(path, file, places, hashes)
    changed += wrong
    if changed:
        raise BadInput(f"{path} was changed after it was made: {', '.join(changed)}. Take another copy.")
    return Package(path, places, signature, str(listing.get("created", "")))


def _parts(path: Path, file: BinaryIO, size: int) -> list[PackagePart]:
    """Return the parts that a package names. Raises BadInput for a name that none has, or a size that cannot be."""
    listed = list(_entries(path, file, size))
    names = [part.name for part, _ in listed]
    for part, packed in listed:
        if part.name not in REQUIRED and not _STORE.fullmatch(part.name):
            raise BadInput(f"{path} is no package of Veridesk: it holds a part named {part.name[:80]!r}.")
        if names.count(part.name) > 1:
            raise BadInput(f"{path} holds two parts named {part.name}: no package of Veridesk does.")
        if packed:
            raise BadInput(f"{path}: {part.name} is packed, and no part of a package of Veridesk is.")
    if missing := [name for name in REQUIRED if name not in names]:
        raise BadInput(f"{path} is no whole package of Veridesk: it lacks {', '.join(missing)}.")
    if sum(part.size for part, _ in listed) > size:
        raise BadInput(f"{path} names parts that are larger than itself: it is no package of Veridesk.")
    return [part for part, _ in listed]


def _entries(path: Path, file: BinaryIO, size: int) -> Iterator[tuple[PackagePart, bool]]:
    """Yield the parts of the ZIP directory, and whether each is packed. Reads at most MAX_DIRECTORY bytes."""
    broken = BadInput(f"{path} is no whole package of Veridesk: its ZIP directory cannot be read. Take another copy.")
    file.seek(max(0, size - _END.size))
    end = file.read(_END.size)
    if len(end) < _END.size or end[:4] != b"PK\5\6":
        raise broken
    _, _, _, _, count, length, start, _ = _END.unpack(end)
    if length > MAX_DIRECTORY or count > MAX_STORES + len(REQUIRED):
        raise BadInput(f"{path} names {count} parts, more than a package of Veridesk has.")
    file.seek(start)
    listed = file.read(length)
    for _ in range(count):
        if len(listed) < _CENTRAL.size:
            raise broken
        (_, _, _, _, method, _, _, crc, packed, real, name, extra, comment, *_) = _CENTRAL.unpack_from(listed)
        words = listed[_CENTRAL.size : _CENTRAL.size + name].decode("utf-8", "replace")
        listed = listed[_CENTRAL.size + name + extra + comment :]
        yield PackagePart(words, real, crc), bool(method) or packed != real


def _hash_of(file: BinaryIO, at: int, size: int) -> str:
    digest = hashlib.sha256()
    file.seek(at)
    while size > 0 and (block := file.read(min(_BLOCK, size))):
        digest.update(block)
        size -= len(block)
    return f"sha256:{digest.hexdigest()}"


def _checked_lists(
    path: Path, file: BinaryIO, places: Mapping[str, tuple[int, int]], hashes: Mapping[str, str]
) -> tuple[Signature | None, dict[str, Any], list[str]]:
    """Return the signature, the list of digests, and the parts that differ from it."""
    texts = {}
    for name in (PACKAGE, DIGEST):
        at, size = places[name]
        if size > MAX_LISTING:
            raise BadInput(f"{path}: {name} is larger than {MAX_LISTING / 1e6:g} MB, the most that is read.")
        file.seek(at)
        texts[name] = file.read(size)
    digest = _object(texts[DIGEST])
    if digest is None or digest.keys() - {"veridesk"} != {"path", "hash"} or digest["path"] != PACKAGE:
        return None, {}, [DIGEST]
    if digest["hash"] != hashes[PACKAGE]:
        return None, {}, [f"{PACKAGE} or {DIGEST}"]
    listing = _object(texts[PACKAGE])
    stated = dict(_stated(listing or {}))
    if listing is None or stated.keys() != places.keys() - {PACKAGE, DIGEST}:
        return None, {}, [PACKAGE]
    changed = [name for name, known in stated.items() if known != (hashes[name], places[name][1])]
    if "veridesk" not in digest:
        return None, listing, changed
    signature = signature_from_json(digest["veridesk"])
    if signature is None or not signature.signs(texts[PACKAGE]):
        return None, listing, [*changed, f"the signature in {DIGEST}"]
    return signature, listing, changed


def _object(text: bytes) -> dict[str, Any] | None:
    """Return the JSON object of a list, None for anything else or another way to write it."""
    try:
        value = json_of(text)
        return value if isinstance(value, dict) and canonical(value) == text else None
    except ValueError:
        return None


def _stated(listing: Mapping[str, Any]) -> Iterator[tuple[str, tuple[object, object]]]:
    """Yield the name of each part in a list, with its digest and size."""
    resources = listing.get("resources")
    for one in resources if isinstance(resources, list) else ():
        if isinstance(one, dict) and isinstance(one.get("path"), str):
            yield one["path"], (one.get("hash"), one.get("bytes"))
