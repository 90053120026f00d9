"""What is read into an archive: folders, records, WARC files, feeds and sitemaps."""

import json
from datetime import UTC, date, datetime
from pathlib import Path

import pytest

from core.archive.feeds import DAY_SECONDS, moment
from core.archive.intake import Intake
from core.archive.types import NewDocument
from core.errors import BadInput
from core.search.sender import anywhere
from core.search.snapshots import records_of
from core.search.types import Page
from tests.search.site import Site

TEXT = "<article><p>The harbour was frozen for weeks.</p></article>"
ARTICLE = f"<html><head><title>Ice</title></head><body>{TEXT}</body></html>"


def read(place: str | Path, **more: object) -> tuple[list[NewDocument], list[str]]:
    problems: list[str] = []
    found = Intake(tell=problems.append, pause=0.0, allowed=anywhere, **more).read(str(place))  # type: ignore[arg-type]
    return list(found), problems


def test_a_folder_is_read_file_by_file(tmp_path: Path) -> None:
    folder = tmp_path / "articles"
    (folder / "2020").mkdir(parents=True)
    (folder / "2020" / "ice.txt").write_text("The harbour was frozen.")
    (folder / "broken.pdf").write_bytes(b"no PDF")
    (folder / ".hidden").write_text("Nobody added this.")
    (folder / "table.csv").write_text("text,date,url\nThe budget was cut.,2021-03-01,https://b.org/1\n")
    lines = [{"text": "One.", "title": "First", "date": "2020-01-01", "url": "https://c.org/1"}, {"title": "No text"}]
    (folder / "more.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines) + "{broken\n")
    found, problems = read(folder, kind="article")
    assert {one.document.url for one in found} == {
        str(folder / "2020" / "ice.txt"),
        "https://b.org/1",
        "https://c.org/1",
    }
    assert {one.kind for one in found} == {"article"}
    assert {one.document.published for one in found} == {None, date(2021, 3, 1), date(2020, 1, 1)}
    assert len(problems) == 3


def test_a_copy_in_a_warc_file_is_of_its_day(tmp_path: Path) -> None:
    page = Page("https://a.org/ice", ARTICLE.encode(), captured=date(2021, 1, 5))
    (tmp_path / "copies.warc.gz").write_bytes(records_of(page))
    [found], problems = read(tmp_path / "copies.warc.gz")
    assert (found.document.url, found.seen, found.document.published) == (page.url, page.captured, page.captured)
    assert not problems


def test_a_missing_place_is_refused() -> None:
    with pytest.raises(BadInput):
        read("/nowhere/at/all")


@pytest.mark.parametrize(
    "feed",
    [
        "<rss><channel><item><link>{0}</link><pubDate>Tue, 05 May 2020 10:00:00 GMT</pubDate></item></channel></rss>",
        '<feed xmlns="http://www.w3.org/2005/Atom"><entry><link href="{0}"/><updated>2020-05-05</updated></entry>'
        "</feed>",
        '<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><url><loc>{0}</loc><lastmod>2020-05-05</lastmod>'
        "</url></urlset>",
    ],
)
def test_a_feed_brings_its_new_pages(feed: str) -> None:
    site = Site()
    address = site.page("/ice", ARTICLE)
    place = site.page("/feed", feed.format(address), "application/xml")
    [found], problems = read(place)
    assert (found.document.url, found.document.published, problems) == (address, date(2020, 5, 5), [])
    read_before = {address: datetime(2020, 6, 1, tzinfo=UTC).timestamp()}
    assert read(place, known=read_before.get) == ([], [])
    assert site.requests.count("/ice") == 1


def test_a_page_that_changed_twice_in_a_day_is_read_twice() -> None:
    noon = datetime(2020, 5, 5, 12, tzinfo=UTC).timestamp()
    for hour, again in (("11:59", False), ("12:01", True)):
        assert (moment(f"2020-05-05T{hour}:00Z", noon)[1] > noon) is again
        assert (moment(f"Tue, 05 May 2020 {hour}:00 GMT", noon)[1] > noon) is again
    assert moment("2020-05-05", noon)[1] < noon
    assert moment("2020-05-05", noon + DAY_SECONDS)[1] > noon


def test_files_of_one_name_in_two_folders_are_two_documents(tmp_path: Path) -> None:
    for parent in ("a", "b"):
        (tmp_path / parent / "articles").mkdir(parents=True)
        (tmp_path / parent / "articles" / "ice.txt").write_text("The harbour was frozen.")
    found = [one for parent in ("a", "b") for one in read(tmp_path / parent / "articles")[0]]
    assert len({one.document.url for one in found}) == 2
    assert {one.document.title for one in found} == {"ice.txt"}
    [upload], _ = read(tmp_path / "a" / "articles" / "ice.txt", uploads=tmp_path)
    assert upload.document.url == "ice.txt"
