"""The sources that a server exists for in Debian, against that server."""

import json
import re
from dataclasses import replace
from datetime import date
from pathlib import Path

import pytest

from core.dates import shifted
from core.errors import BadInput
from core.search.finding import Tools, search
from core.search.search_plan import QUERIES, SearchPlan
from core.search.sources import open_source
from core.search_report import Reason, When
from core.types import Claim
from tests.benchmarks.search_queries import hunt
from tests.search.servers import MEDIAWIKI, SEARX, kiwix, mediawiki, missing, searx, zim_file
from tests.search.site import Site, article
from tests.search.wiki_pages import CLAIMS, pages

pytestmark = pytest.mark.slow
CLAIM = Claim("The Springfield bridge is made of wood.", date=date(2020, 10, 31))


def needs(*programs: Path | str) -> None:
    if absent := missing(*programs):
        pytest.skip(f"not installed here: {absent} (apt-get install mediawiki kiwix-tools zim-tools searx php-cli …)")


@pytest.fixture(scope="module")
def zim(tmp_path_factory: pytest.TempPathFactory) -> Path:
    needs("zimwriterfs")
    text = "The Springfield Bridge is made of steel, and it was opened in 1932 by the mayor of the town. "
    return zim_file(tmp_path_factory.mktemp("zim"), {"Springfield Bridge": text * 2})


def test_a_wiki_is_read_as_it_stood_when_the_claim_was_made(wiki: str, tools: Tools) -> None:
    source = open_source(f"mediawiki={wiki}")
    documents, report = search(CLAIM, SearchPlan(("Springfield bridge",)), [source], tools)
    bridge = next(item for item in report.origins if "Springfield_Bridge" in item.url)
    text = next(document.text for document in documents if document.url == bridge.url)
    assert "made of steel" in text
    assert "made of wood" not in text
    assert (bridge.published, bridge.date_source, bridge.when) == (date(2019, 3, 1), "revision", When.BEFORE)
    assert bridge.url == f"{wiki}/index.php?title=Springfield_Bridge&oldid=2"
    later, _ = search(replace(CLAIM, date=None), SearchPlan(("Springfield bridge",)), [source], tools)
    assert any("made of wood" in document.text for document in later)


def test_a_page_of_a_wiki_that_came_later_is_left_out(wiki: str, tools: Tools) -> None:
    early = replace(CLAIM, date=date(2018, 12, 31))
    _, report = search(early, SearchPlan(("Springfield bridge",)), [open_source(f"mediawiki={wiki}")], tools)
    assert [(item.reason, "Springfield_Bridge" in item.url) for item in report.left_out] == [(Reason.LATE, True)]


@pytest.mark.parametrize("query", ["!g Springfield insource:/x/", "-- ~*", "Спрингфилд 橋", "Springfield " * 200])
def test_a_wiki_takes_whatever_is_asked(wiki: str, tools: Tools, query: str) -> None:
    _, report = search(CLAIM, SearchPlan((query,)), [open_source(f"mediawiki={wiki}")], tools)
    assert report.searches[0].status in ("found", Reason.EMPTY)


def test_pages_that_answer_are_read_among_others_with_the_same_words(tmp_path: Path, tools: Tools) -> None:
    """A small part of `tests.benchmarks.search_queries`."""
    needs("php", MEDIAWIKI)
    claims = [one for one in CLAIMS if one.title in ("MS Havørn", "2016 Zelmira recall", "2012 Drava City protests")]
    with mediawiki(tmp_path, pages(claims)) as address:
        for one in claims:
            hunted = hunt(one, address, tmp_path / "snapshots", None)
            assert hunted.read, one.text
            assert hunted.before
            assert len(hunted.queries) <= QUERIES


def test_kiwix_serves_an_encyclopedia_without_the_internet(zim: Path, tools: Tools) -> None:
    needs("kiwix-serve")
    with kiwix(zim) as address:
        for named in (f"kiwix={address}", f"kiwix={address}#test"):
            documents, report = search(
                replace(CLAIM, date=None), SearchPlan(("Springfield bridge",)), [open_source(named)], tools
            )
            assert "made of steel" in documents[0].text
            assert report.origins[0].date_source.startswith("unknown, ")
        _, report = search(CLAIM, SearchPlan(("Springfield bridge",)), [open_source(f"kiwix={address}")], tools)
        assert {item.when for item in report.origins} == {When.UNKNOWN}  # the file is of today, its texts may be older
        later = replace(CLAIM, date=shifted(date.today(), 2))
        _, report = search(later, SearchPlan(("Springfield bridge",)), [open_source(f"kiwix={address}")], tools)
        assert {item.when for item in report.origins} == {When.BEFORE}
        _, report = search(CLAIM, SearchPlan(("bridge",)), [open_source(f"kiwix={address}#none")], tools)
        assert report.searches[0].status is Reason.REFUSED


def test_a_zim_file_is_searched_without_a_server(zim: Path, tools: Tools) -> None:
    source = open_source(f"zim={zim}")
    documents, report = search(replace(CLAIM, date=None), SearchPlan(("Springfield bridge",)), [source], tools)
    assert "made of steel" in documents[0].text
    assert documents[0].url == "zim://test/Springfield_Bridge.html"
    assert report.origins[0].published is None
    assert re.search(r"unknown, .*\d{4}-\d\d-\d\d", report.origins[0].date_source)


def test_a_file_that_is_no_zim_file(tmp_path: Path) -> None:
    (tmp_path / "x.zim").write_bytes(b"ZIM" * 100)
    with pytest.raises(BadInput, match="not a ZIM file"):
        open_source(f"zim={tmp_path / 'x.zim'}")


def test_searx_is_asked_and_what_it_names_is_read(site: Site, tmp_path: Path, tools: Tools) -> None:
    needs(SEARX)
    found = {"results": [{"url": site.page("/x", article("The bridge")), "title": "Bridge", "content": "steel"}]}
    site.page("/engine?q=Springfield%20bridge", json.dumps(found), "application/json")
    site.page("/engine?q=Springfield+bridge", json.dumps(found), "application/json")
    with searx(tmp_path, f"{site.base}/engine") as address:
        source = open_source(f"searxng={address}")
        documents, report = search(CLAIM, SearchPlan(("Springfield bridge",)), [source], tools)
        assert [document.url for document in documents] == [f"{site.base}/x"]
        assert report.searches[0].status == "found"
        _, report = search(CLAIM, SearchPlan(("!g nothing",)), [source], tools)
        assert report.searches[0].status in (Reason.EMPTY, Reason.NO_ANSWER)
        assert site.asked("/x") == 1
