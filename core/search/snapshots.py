"""Keep every page read as WARC. Editors can open it, and a search can run again without the web.

A page is a `response` record with its `request`: the headers of both, and the time of reading. A wiki's text comes
wrapped in the answer of its API. Then the page is a `resource` record beside them.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Collection
from dataclasses import dataclass
from datetime import UTC, datetime
from http import HTTPStatus
from io import BytesIO
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from core.errors import BadInput
from core.files import writing
from core.search.sources.warc import AS_SENT, CAPTURED, DATE_SOURCE, PUBLISHED, read_warc
from core.search.types import HttpExchange, Page

SUFFIX = ".warc.gz"
MAX_READINGS = 20
"""Readings that the file of one page holds; of later ones only the receipt knows the time."""
UNPACKED = ("content-encoding", "content-length", "transfer-encoding")
"""Headers of an answer that get AS_SENT before their names."""


@dataclass(frozen=True)
class Snapshots:
    """A folder of WARC files, one per page. A name is the SHA-256 of the page's bytes, a date its last use.

    The same bytes read again, or elsewhere, are further records of that file.
    """

    folder: Path

    def keep(self, page: Page) -> str:
        """Keep a page and return its digest. Raises BadInput where the disk does not take it."""
        digest = hashlib.sha256(page.body).hexdigest()
        path = self.path(digest)
        with writing(path):
            kept = path.read_bytes() if path.exists() else b""
            if kept and (page.exchange is None or self._holds(digest, page)):
                os.utime(path)
                return digest
            temporary = path.with_name(f"{path.name}.{os.getpid()}.{id(page)}.tmp")
            path.parent.mkdir(parents=True, exist_ok=True)
            temporary.write_bytes(kept + records_of(page))
            temporary.replace(path)
        return digest

    def _holds(self, digest: str, page: Page) -> bool:
        """Say whether this very reading is kept, or the file has as many readings as it may."""
        readings = self._readings(digest)
        return len(readings) >= MAX_READINGS or any(_same_reading(one, page.url, _time(page)) for one in readings)

    def open(self, digest: str, url: str = "", at: datetime | None = None) -> Page:
        """Return a page as it was read: at this address and time, or else the first time.

        Raises BadInput if it is not kept here, or has changed.
        """
        if not self.path(digest).is_file():
            raise BadInput(f"The snapshot {digest[:12]} is not kept on this machine; its quota may have dropped it.")
        readings = self._readings(digest)
        if not readings:
            raise BadInput(f"{self.path(digest)}: this snapshot was changed or is damaged.")
        return next((one for one in readings if _same_reading(one, url, at)), readings[0])

    def _readings(self, digest: str) -> list[Page]:
        pages = read_warc(self.path(digest))
        return [page for page in pages if hashlib.sha256(page.body).hexdigest() == digest]

    def path(self, digest: str) -> Path:
        """Return where a page is kept."""
        if len(digest) != 64 or not digest.isalnum():
            raise BadInput(f"{digest[:80]!r} is not the digest of a snapshot.")
        return self.folder / digest[:2] / f"{digest}{SUFFIX}"

    def sizes(self) -> list[int]:
        """Return how many bytes each snapshot takes."""
        return [file.stat().st_size for file in self.folder.rglob(f"*{SUFFIX}")]

    def prune(self, limit: int, kept: Collection[str] = ()) -> int:
        """Delete the oldest, but none in `kept`, until all take at most `limit` bytes. Return the number deleted."""
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


def _same_reading(page: Page, url: str, at: datetime | None) -> bool:
    return page.url == url and _time(page) == at


def _time(page: Page) -> datetime | None:
    return page.exchange.at if page.exchange else None


def records_of(page: Page, made: datetime | None = None) -> bytes:
    """Return a page as gzipped WARC records: its answer and request, and a resource where it is not that answer.

    A page that was not read from the web bears the time `made`, by default now.
    """
    target = BytesIO()
    writer = new_writer(target)
    exchange = page.exchange
    if exchange is None:
        _write_resource(writer, page, made or datetime.now(UTC), "")
        return target.getvalue()
    direct = exchange.url == page.url and exchange.body == page.body
    answer = _write_exchange(writer, exchange, _dates(page) if direct else {})
    if not direct:
        _write_resource(writer, page, exchange.at, answer)
    return target.getvalue()


def new_writer(target: BytesIO) -> Any:
    """Return a writer of gzipped records of WARC 1.1."""
    from warcio.warcwriter import WARCWriter

    return WARCWriter(target, gzip=True, warc_version="1.1")


def stamp(moment: datetime) -> str:
    """Return a time as WARC and RFC 3339 write it, in UTC and to the second."""
    return f"{moment.astimezone(UTC):%Y-%m-%dT%H:%M:%SZ}"


def _write_exchange(writer: Any, exchange: HttpExchange, headers: dict[str, str]) -> str:
    """Write an answer and its request, and return the answer's id."""
    from warcio.statusandheaders import StatusAndHeaders

    status = f"{exchange.status} {_PHRASES.get(exchange.status, '')}".strip()
    received = [(f"{AS_SENT}{name}" if name.lower() in UNPACKED else name, value) for name, value in exchange.received]
    http = StatusAndHeaders(status, received, protocol="HTTP/1.1")
    when = {"WARC-Date": stamp(exchange.at)}
    answer = writer.create_warc_record(
        exchange.url, "response", payload=BytesIO(exchange.body), http_headers=http, warc_headers_dict=when | headers
    )
    writer.write_record(answer)
    answer_id = str(answer.rec_headers.get_header("WARC-Record-ID"))
    if exchange.sent:
        parts = urlsplit(exchange.url)
        path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
        asked = StatusAndHeaders(f"GET {path} HTTP/1.1", list(exchange.sent), is_http_request=True)
        beside = when | {"WARC-Concurrent-To": answer_id}
        writer.write_record(
            writer.create_warc_record(
                exchange.url, "request", payload=BytesIO(), http_headers=asked, warc_headers_dict=beside
            )
        )
    return answer_id


def _write_resource(writer: Any, page: Page, at: datetime, answer: str) -> None:
    charset = f"; charset={page.charset}" if page.charset else ""
    headers = {"WARC-Date": stamp(at), **_dates(page), **({"WARC-Concurrent-To": answer} if answer else {})}
    writer.write_record(
        writer.create_warc_record(
            page.url,
            "resource",
            payload=BytesIO(page.body),
            warc_content_type=f"{page.kind or 'application/octet-stream'}{charset}",
            warc_headers_dict=headers,
        )
    )


def _dates(page: Page) -> dict[str, str]:
    """Return a page's own dates as headers. The time of reading is none of them."""
    published = {PUBLISHED: str(page.published), DATE_SOURCE: page.date_source} if page.published else {}
    known = page.captured and not (page.exchange and page.captured == page.exchange.at.date())
    return published | ({CAPTURED: str(page.captured)} if known else {})


_PHRASES = {status.value: status.phrase for status in HTTPStatus}
