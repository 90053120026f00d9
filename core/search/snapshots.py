"""Keep every page read as WARC. Editors can open it, and a search can run again without the web."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Collection
from dataclasses import dataclass
from datetime import UTC, datetime
from io import BytesIO
from pathlib import Path

from core.errors import BadInput
from core.files import writing
from core.search.sources.warc import read_warc
from core.search.types import Page

SUFFIX = ".warc.gz"


@dataclass(frozen=True)
class Snapshots:
    """A folder of WARC files, one a page. A name is the SHA-256 of the page's bytes, a date its last use."""

    folder: Path

    def keep(self, page: Page) -> str:
        """Keep a page and return its digest. Raises BadInput where the disk does not take it."""
        digest = hashlib.sha256(page.body).hexdigest()
        path = self.path(digest)
        if path.exists():
            os.utime(path)
            return digest
        temporary = path.with_name(f"{path.name}.{os.getpid()}.{id(page)}.tmp")
        with writing(path):
            path.parent.mkdir(parents=True, exist_ok=True)
            temporary.write_bytes(_record(page))
            temporary.replace(path)
        return digest

    def open(self, digest: str) -> Page:
        """Return a page as it was read. Raises BadInput if it is not kept here, or has changed."""
        path = self.path(digest)
        if not path.is_file():
            raise BadInput(f"The snapshot {digest[:12]} is not kept on this machine; its quota may have dropped it.")
        page = next(read_warc(path), None)
        if page is None or hashlib.sha256(page.body).hexdigest() != digest:
            raise BadInput(f"{path}: this snapshot was changed or is damaged.")
        return page

    def path(self, digest: str) -> Path:
        """Return where a page is kept."""
        if len(digest) != 64 or not digest.isalnum():
            raise BadInput(f"{digest[:80]!r} is not the digest of a snapshot.")
        return self.folder / digest[:2] / f"{digest}{SUFFIX}"

    def sizes(self) -> list[int]:
        """Return how many bytes each snapshot takes."""
        return [file.stat().st_size for file in self.folder.rglob(f"*{SUFFIX}")]

    def prune(self, limit: int, kept: Collection[str] = ()) -> int:
        """Delete the oldest until they take at most `limit` bytes, and return how many went; those in `kept` stay."""
        files = sorted((file.stat().st_mtime, file) for file in self.folder.rglob(f"*{SUFFIX}"))
        total = sum(file.stat().st_size for _, file in files)
        gone = 0
        for _, file in files:
            if total <= limit:
                break
            if file.name.removesuffix(SUFFIX) not in kept:
                total -= file.stat().st_size
                file.unlink()
                gone += 1
        return gone


def _record(page: Page) -> bytes:
    """Return a page as one gzipped WARC response record."""
    from warcio.statusandheaders import StatusAndHeaders
    from warcio.warcwriter import WARCWriter

    charset = f"; charset={page.charset}" if page.charset else ""
    http = StatusAndHeaders("200 OK", [("Content-Type", f"{page.kind}{charset}")], protocol="HTTP/1.1")
    now = datetime.now(UTC)
    taken = f"{page.captured}T00:00:00Z" if page.captured else f"{now:%Y-%m-%dT%H:%M:%SZ}"
    headers = {"WARC-Date": taken}
    if page.published:
        headers |= {"WARC-Veridesk-Published": f"{page.published}", "WARC-Veridesk-Date-Source": page.date_source}
    target = BytesIO()
    writer = WARCWriter(target, gzip=True)
    record = writer.create_warc_record(
        page.url, "response", payload=BytesIO(page.body), http_headers=http, warc_headers_dict=headers
    )
    writer.write_record(record)
    return target.getvalue()
