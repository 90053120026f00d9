"""Read the evidence package of a case, which anybody may have made: all of it is checked first, and bounded."""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory

from core.archive.types import PREFIX
from core.confined import confined
from core.dataclass_json import from_json
from core.documents.knowledge_store import KnowledgeStore, load_store
from core.errors import BadInput, BadRecord
from core.records import MAX_BYTES, parse_json
from core.search.snapshots import Snapshots
from core.search.sources.warc import read_warc
from core.types import Document
from core.verification.package.container import RECEIPT, WARC, Package, open_package, store_name
from core.verification.reading import LoadStore
from core.verification.receipt import WRONG_VALUES, Json, checked_document

MAX_PAGES = 1000
MAX_SECONDS = 300.0
"""For reading the pages of a package."""
MAX_UNPACKED = 2 * 10**9
"""Bytes of all pages together, unpacked."""
MAX_STORE = 500_000_000
"""Bytes of one knowledge store."""


@dataclass(frozen=True)
class OpenedEvidence:
    """A checked package: its receipt as JSON, still to be read as one, and the folder with its pages."""

    package: Package
    receipt: Json
    snapshots: Path

    def load(self, names: tuple[str, ...]) -> LoadStore:
        """Return the function that opens the stores of a request from the package, and others from the disk.

        It raises BadInput for a store that the package lacks: no stranger chooses which of our files are read.
        """

        def opened(path: Path) -> KnowledgeStore:
            return _store(self.package, names.index(str(path))) if str(path) in names else load_store(path)

        return opened


def _name_packed(request: object) -> None:
    """Name a request's archives as stores of its package: no archive of this machine is searched."""
    if isinstance(request, dict) and isinstance(stores := request.get("stores"), list):
        request["stores"] = [f"packed {name}" if str(name).startswith(PREFIX) else name for name in stores]


@contextmanager
def opened_evidence(path: Path) -> Iterator[OpenedEvidence]:
    """Check a package, and unpack its pages for as long as the block lasts. Raises BadInput."""
    package = open_package(path)
    text = package.read(RECEIPT, MAX_BYTES)
    try:
        receipt = parse_json(f"{path}: {RECEIPT}", text.decode())
    except UnicodeDecodeError as error:
        raise BadRecord(f"{path}: {RECEIPT} is not in UTF-8.") from error
    if not isinstance(receipt, dict):
        raise BadRecord(f"{path}: {RECEIPT} is no receipt of Veridesk.")
    _name_packed(receipt.get("request"))
    with TemporaryDirectory(prefix="veridesk-package-") as folder:
        warc, snapshots = Path(folder) / "data.warc.gz", Path(folder) / "snapshots"
        copy_archive(package, warc)
        if confined(count_pages, f"{path}: {WARC}", str(warc), seconds=MAX_SECONDS) > MAX_PAGES:
            raise BadInput(f"{path} holds more than {MAX_PAGES:,} pages, the most that are read.")
        for page in read_warc(warc):
            Snapshots(snapshots).keep(page)
        yield OpenedEvidence(package, receipt, snapshots)


def count_pages(name: str, warc: str) -> int:
    """Return the number of pages of a WARC file, or one more than may be. It runs first, in a process of its own."""
    return sum(1 for _ in islice(read_warc(Path(warc)), MAX_PAGES + 1))


def copy_archive(package: Package, target: Path) -> None:
    """Copy the pages of a package to a file. Raises BadInput if they are broken or too large when unpacked."""
    at, size = package.places[WARC]
    unpacked, inflate = 0, zlib.decompressobj(zlib.MAX_WBITS | 16)
    with package.path.open("rb") as file, target.open("wb") as copy:
        file.seek(at)
        while size > 0 and (block := file.read(min(1 << 20, size))):
            copy.write(block)
            size -= len(block)
            while block:
                try:
                    unpacked += len(inflate.decompress(block, 1 << 20))
                except zlib.error as error:
                    raise BadInput(f"{package.path}: {WARC} is not packed with gzip.") from error
                if unpacked > MAX_UNPACKED:
                    raise BadInput(
                        f"{package.path}: {WARC} holds more than {MAX_UNPACKED / 1e9:g} GB, the most that is unpacked."
                    )
                block = inflate.unconsumed_tail
                if inflate.eof:
                    block, inflate = inflate.unused_data, zlib.decompressobj(zlib.MAX_WBITS | 16)


def _store(package: Package, number: int) -> KnowledgeStore:
    name = store_name(number)
    if name not in package.places:
        raise BadInput(f"{package.path} lacks {name}, a store that its case searched: name the store with --store.")
    try:
        first, *lines = package.read(name, MAX_STORE).decode().rstrip("\n").split("\n")
        empty = int(parse_json(name, first)["empty"])
        documents = [from_json(parse_json(name, line), Document) for line in lines]
        return KnowledgeStore(tuple(map(checked_document, documents)), empty)
    except (KeyError, *WRONG_VALUES) as error:
        raise BadRecord(f"{package.path}: {name} is no knowledge store of a package.") from error
