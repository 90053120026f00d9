"""WARC files of one's own as a source, as other programs write them; and copies that the Wayback Machine kept."""

import gzip
import json
from dataclasses import replace
from datetime import UTC, date, datetime
from io import BytesIO
from pathlib import Path

import pytest
from warcio.archiveiterator import ArchiveIterator
from warcio.statusandheaders import StatusAndHeaders
from warcio.warcwriter import WARCWriter

from core.errors import BadInput
from core.search.finding import SearchPlan, Tools, search
from core.search.snapshots import Snapshots
from core.search.sources import open_source, wayback
from core.search.sources.warc import read_warc
from core.search.types import HttpExchange, Page
from core.search_report import Reason, When
from core.types import Claim
from tests.search.site import Site, article, reply
from tests.search.test_crawl import CLAIM, find, listed


def written(path: Path, *records: tuple[str, str, bytes, list[tuple[str, str]]]) -> Path:
    """Write a WARC file of (address, time of capture, body as sent, HTTP headers)."""
    with path.open("wb") as file:
        writer = WARCWriter(file, gzip=path.suffix == ".gz")
        for url, stamp, body, headers in records:
            http = StatusAndHeaders("200 OK", [("Content-Type", "text/html; charset=utf-8"), *headers], "HTTP/1.1")
            writer.write_record(
                writer.create_warc_record(
                    url, "response", payload=BytesIO(body), http_headers=http, warc_headers_dict={"WARC-Date": stamp}
                )
            )
        writer.write_record(
            writer.create_warc_record("https://b.example/", "request", payload=BytesIO(b"GET / HTTP/1.1\r\n\r\n"))
        )
    return path


BRIDGE = "https://a.example/bridge"


def test_of_several_copies_the_last_before_the_claim_is_found(tmp_path: Path, tools: Tools) -> None:
    packed = gzip.compress(article("The steel bridge", day="2018-01-01").encode())
    written(
        tmp_path / "one.warc.gz",
        (BRIDGE, "2019-05-01T10:00:00Z", article("The wooden bridge").encode(), []),
        (BRIDGE, "2020-05-01T10:00:00Z", packed, [("Content-Encoding", "gzip")]),
        (BRIDGE, "2021-05-01T10:00:00Z", article("The glass bridge").encode(), []),
    )
    written(
        tmp_path / "two.warc",
        ("https://a.example/sheep", "2020-01-01T10:00:00Z", b"<p>Sheep graze.</p>", []),
        ("https://a.example/late", "2021-01-01T10:00:00Z", article("The late bridge").encode(), []),
    )
    documents, report = search(CLAIM, SearchPlan(("bridge",)), [open_source(f"warc={tmp_path}")], tools)
    assert [(one.url, one.published) for one in documents] == [(BRIDGE, date(2018, 1, 1))]
    assert "steel" in documents[0].text
    assert [(one.when, one.date_source, one.source) for one in report.origins] == [(When.BEFORE, "page", "warc")]
    assert [(item.url, item.reason) for item in report.left_out] == [("https://a.example/late", Reason.LATE)]


def records(path: Path) -> list[tuple[str, dict[str, str], dict[str, str]]]:
    """Return type, WARC headers and HTTP headers of each record, names in lower case."""
    with path.open("rb") as file:
        return [
            (
                record.rec_type,
                {name.lower(): value for name, value in record.rec_headers.headers},
                {name.lower(): value for name, value in (record.http_headers.headers if record.http_headers else [])},
            )
            for record in ArchiveIterator(file)
        ]


def test_a_snapshot_has_the_headers_of_request_and_answer_and_the_time(site: Site, tools: Tools) -> None:
    packed = gzip.compress(article("The steel bridge", day="2020-01-02").encode())
    site.page("/x", packed, Content_Encoding="gzip", X_Served_By="desk 7")
    _, report = find(tools, listed(site, f"{site.base}/x"))
    origin = report.origins[0]
    (kind, warc, answered), (other, asked, sent) = records(tools.snapshots.path(origin.snapshot))
    assert (kind, other) == ("response", "request")
    assert origin.read
    assert warc["warc-date"] == asked["warc-date"] == origin.read.strftime("%Y-%m-%dT%H:%M:%SZ")
    assert answered["x-served-by"] == "desk 7"
    assert answered["x-orig-content-encoding"] == "gzip"
    assert "content-encoding" not in answered  # a record holds the body unpacked
    assert "desk@example.org" in sent["user-agent"]
    assert sent["host"] in site.base
    assert "warc-veridesk-captured" not in warc
    page = tools.snapshots.open(origin.snapshot, origin.url, origin.read)
    assert page.exchange
    assert dict(page.exchange.received)["Content-Encoding"] == "gzip"
    assert dict(page.exchange.sent)["Accept-Encoding"] == "gzip"


def exchange(url: str, body: bytes, at: datetime) -> HttpExchange:
    return HttpExchange(url, at, 200, (("Host", "w.example"),), (("Content-Type", "application/json"),), body)


def test_a_revision_s_day_is_another_field_than_the_time_of_reading(tmp_path: Path) -> None:
    at, day = datetime(2026, 11, 23, 10, 30, 5, tzinfo=UTC), date(2019, 3, 1)
    api = exchange("https://w.example/api.php?oldid=7", b'{"parse": {}}', at)
    url, html = "https://w.example/index.php?title=B&oldid=7", article("The steel bridge").encode()
    page = Page(url, html, "text/html", "utf-8", day, "revision", day, api)
    snapshots = Snapshots(tmp_path)
    digest = snapshots.keep(page)
    (answer, _, _), _, (kind, warc, _) = records(snapshots.path(digest))
    assert (answer, kind) == ("response", "resource")
    assert warc["warc-date"] == "2026-11-23T10:30:05Z"
    assert (warc["warc-veridesk-published"], warc["warc-veridesk-captured"]) == ("2019-03-01", "2019-03-01")
    assert snapshots.open(digest) == page
    assert snapshots.open(digest).exchange == api
    assert [one.url for one in read_warc(snapshots.path(digest))] == [url]  # the answer of the API is no page


def test_the_same_bytes_read_again_keep_both_times(tmp_path: Path) -> None:
    snapshots, body = Snapshots(tmp_path), article("The steel bridge").encode()
    first, second = (datetime(2026, 11, day, 10, tzinfo=UTC) for day in (1, 2))
    pages = [
        Page(url, body, exchange=exchange(url, body, at))
        for url, at in (("https://a.example/", first), ("https://a.example/", second), ("https://b.example/", first))
    ]
    digests = {snapshots.keep(page) for page in (*pages, pages[0])}
    (digest,) = digests
    assert [kind for kind, _, _ in records(snapshots.path(digest))] == ["response", "request"] * 3
    found = [snapshots.open(digest, page.url, page.exchange.at) for page in pages if page.exchange]
    assert [(one.url, one.exchange) for one in found] == [(one.url, one.exchange) for one in pages]
    assert snapshots.open(digest).exchange == pages[0].exchange


def test_a_store_of_snapshots_is_searched_again(site: Site, tools: Tools) -> None:
    find(tools, listed(site, site.page("/x", article("The steel bridge", day="2020-01-02"))))
    source = open_source(f"warc={tools.snapshots.folder}")
    documents, _ = search(Claim("The bridge is steel."), SearchPlan(("bridge",)), [source], tools)
    assert [one.url for one in documents] == [f"{site.base}/x"]


CUT_SHORT = gzip.compress(b"WARC/1.0\r\nWARC-Type: response\r\n")[:20]


@pytest.mark.parametrize("content", [b"", b"no warc", CUT_SHORT], ids=["empty", "text", "cut short"])
def test_a_file_that_is_no_warc_file(content: bytes, tmp_path: Path) -> None:
    (tmp_path / "x.warc.gz").write_bytes(content)
    with pytest.raises(BadInput, match="WARC file"):
        open_source(f"warc={tmp_path / 'x.warc.gz'}")


def test_the_last_copy_of_a_page_that_is_gone_or_was_changed(
    site: Site, tools: Tools, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(wayback, "CDX", f"{site.base}/cdx")
    monkeypatch.setattr(wayback, "WEB", f"{site.base}/web")
    monkeypatch.setattr(wayback.Wayback, "can", replace(wayback.Wayback.can, pause=0.0))
    gone, changed = f"{site.base}/gone", f"{site.base}/changed"
    head = '<meta property="article:modified_time" content="2021-02-03">'
    site.page("/changed", article("The wooden bridge", day="2020-01-01", head=head))
    for url, name in ((gone, "gone"), (changed, "changed")):
        captures = [["timestamp", "original"], ["20200405060708", url]]
        asked = wayback.Wayback().version_request(url, date(2020, 11, 1)).url.removeprefix(site.base)
        site.pages[asked] = reply(200, json.dumps(captures))
        site.page(f"/web/20200405060708id_/{url}", article(f"The steel bridge as {name}"))
    documents, report = find(tools, listed(site, gone, changed), wayback.Wayback())  # type: ignore[arg-type]
    assert [one.url for one in documents] == [f"{site.base}/web/20200405060708/{url}" for url in (gone, changed)]
    assert all("steel" in one.text for one in documents)
    assert [(one.published, one.date_source) for one in report.origins] == [(date(2020, 4, 5), "capture")] * 2
    assert report.left_out == ()
