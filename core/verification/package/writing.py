"""Write the evidence package of a case: its receipt, its report, its pages as they were read, its stores."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import datetime
from io import BytesIO
from pathlib import Path
from typing import BinaryIO
from urllib.parse import urlsplit

from core.dataclass_json import to_json
from core.documents.knowledge_store import KnowledgeStore, load_store
from core.errors import BadInput
from core.search.search_request import documents_again, own_snapshots
from core.search.snapshots import Snapshots, new_writer, records_of, stamp
from core.search.types import HttpExchange, Page
from core.types import Case, Document
from core.verification.package.container import (
    INDEX,
    MAX_STORES,
    PAGES,
    RECEIPT,
    REPORT,
    SOFTWARE,
    WARC,
    store_name,
    write_package,
)
from core.verification.package.signing import SigningKey
from core.verification.reading import LoadStore, documents_of, stored
from core.verification.receipt import Json, passages, receipt_from_json
from core.verification.report.html import to_html
from core.verification.report.report_files import report_of
from core.verification.request import Request

OWN = "https://veridesk.invalid"
"""The site of parts that come from no site, the report and uploads: no such site can ever be (RFC 2606)."""
INDEXED = ("response", "resource")


def write_evidence(
    file: BinaryIO, receipt: Json, *, made: datetime, key: SigningKey | None = None, load: LoadStore = load_store
) -> None:
    """Write the package of a receipt, signed if there is a `key`.

    Raises BadInput where a page or a store is gone, or has changed since: the package would not replay.
    """
    request, case, *_ = receipt_from_json(receipt)
    snapshots = own_snapshots()
    check_documents(request, case, snapshots, load)
    report = to_html(report_of(receipt, made=made.date())).encode()
    page = Page(f"{OWN}/report.html", report, "text/html", "utf-8")
    titled = [(page, "Report"), *read_pages(case, snapshots), *uploads(request.documents)]
    archive = warc_of([one for one, _ in titled], made)
    parts = {
        WARC: archive,
        INDEX: index_of(archive),
        PAGES: page_list(titled, made),
        RECEIPT: json.dumps(receipt, indent=1, ensure_ascii=False).encode("utf-8", "replace"),
        REPORT: report,
        **{store_name(number): store_part(stored(path, request, load)) for number, path in enumerate(request.stores)},
    }
    about = {
        "title": case.claim.text[:200],
        "description": "The evidence on one claim: the report, and the pages as they were read.",
        "mainPageUrl": page.url,
        "mainPageDate": stamp(made),
    }
    write_package(file, parts, about, made, key)


def check_documents(request: Request, case: Case, snapshots: Snapshots, load: LoadStore) -> None:
    """Raise BadInput unless the documents of a case are still those that it searched."""
    if len(request.stores) > MAX_STORES:
        raise BadInput(f"A package holds at most {MAX_STORES} stores, and this case has {len(request.stores)}.")
    if request.urls and not case.fetched:
        raise BadInput("This case is older than the keeping of web addresses. Check the claim again to package it.")
    found = documents_again(case.search, snapshots) if case.search else []
    asked = replace(request, documents=(*request.documents, *found), fetched=case.fetched)
    _, corpus, _ = documents_of(asked, load=load)
    if corpus.digest != case.corpus.digest:
        raise BadInput("The documents of this case have changed since, or a store was replaced. Check the claim again.")


def read_pages(case: Case, snapshots: Snapshots) -> Iterator[tuple[Page, str]]:
    """Yield the pages of a case as they were read, each with a title. Raises BadInput where one is not kept."""
    titles = {passage.document.url: passage.document.title for passage in passages(case)}
    read = [(one.snapshot, one.url, one.read) for one in case.search.origins] if case.search else []
    read += [(one.snapshot, one.url, one.read) for one in case.fetched if not one.problem]
    for digest, url, at in dict.fromkeys(read):
        yield replace(snapshots.open(digest, url, at), url=url), titles.get(url) or url


def uploads(documents: Sequence[Document]) -> Iterator[tuple[Page, str]]:
    """Yield a person's own documents as pages of plain text: a request keeps their text, and no file."""
    for number, document in enumerate(documents, start=1):
        name = re.sub(r"[^A-Za-z0-9.]+", "-", document.url).removesuffix(".txt")[-60:].strip("-.") or "document"
        page = Page(f"{OWN}/documents/{number}-{name}.txt", document.text.encode(), "text/plain", "utf-8")
        yield page, document.title or document.url


def warc_of(pages: Sequence[Page], made: datetime) -> bytes:
    """Return pages as gzipped WARC; those that came from no site bear the time of the package."""
    target = BytesIO()
    writer = new_writer(target)
    writer.write_record(writer.create_warcinfo_record("data.warc.gz", {"software": SOFTWARE, "format": "WARC 1.1"}))
    for page in pages:
        target.write(records_of(page, made))
    return target.getvalue()


def index_of(archive: bytes) -> bytes:
    """Return the index of a WARC file as CDXJ, sorted by address and time."""
    from warcio.archiveiterator import ArchiveIterator

    lines = []
    records = ArchiveIterator(BytesIO(archive))
    for record in records:
        headers, http = record.rec_headers, record.http_headers
        said = (http or headers).get_header("Content-Type") or ""
        record.content_stream().read()
        url, written = headers.get_header("WARC-Target-URI") or "", headers.get_header("WARC-Date")
        place = {"offset": str(records.get_record_offset()), "length": str(records.get_record_length())}
        entry = {
            "url": url,
            "mime": said.partition(";")[0].strip(),
            "status": str(http.get_statuscode() if http else 200),
            "digest": headers.get_header("WARC-Payload-Digest") or headers.get_header("WARC-Block-Digest"),
            **place,
            "filename": Path(WARC).name,
        }
        if record.rec_type in INDEXED:
            lines.append(f"{sort_key(url)} {re.sub(r'[^0-9]', '', written)[:14]} {json.dumps(entry)}\n")
    return "".join(sorted(lines)).encode()


def sort_key(url: str) -> str:
    """Return an address with its host backwards (SURT): com,example)/path."""
    try:
        parts = urlsplit(url.lower())
        host, port = parts.hostname or "", parts.port
    except ValueError:
        return url.lower().replace(" ", "%20")
    places = ",".join(reversed(host.removeprefix("www.").split(".")))
    query = f"?{parts.query}" if parts.query else ""
    return f"{places}{f':{port}' if port else ''}){parts.path or '/'}{query}".replace(" ", "%20")


def page_list(titled: Sequence[tuple[Page, str]], made: datetime) -> bytes:
    """Return the pages as JSON lines, for a reader to choose from."""
    lines: list[Json] = [{"format": "json-pages-1.0", "id": "pages", "title": "All Pages"}]
    for number, (page, title) in enumerate(titled):
        at = _time_of(page.exchange, made)
        lines.append({"id": f"page{number}", "url": page.url, "ts": stamp(at), "title": title[:500]})
    return "".join(f"{json.dumps(line, ensure_ascii=False)}\n" for line in lines).encode("utf-8", "replace")


def _time_of(exchange: HttpExchange | None, made: datetime) -> datetime:
    return exchange.at if exchange else made


def store_part(store: KnowledgeStore) -> bytes:
    """Return a knowledge store as JSON lines: its number of empty records, then each document."""
    lines = [{"empty": store.empty}, *(to_json(document) for document in store.documents)]
    return "".join(f"{json.dumps(line, ensure_ascii=False)}\n" for line in lines).encode("utf-8", "replace")
