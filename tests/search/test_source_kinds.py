"""The kind of a source: by the newsroom's list, the lists that come along, then the page's own account."""

import os
from pathlib import Path

import pytest

from core.documents.html import read_html
from core.errors import BadInput
from core.search.source_kinds import SourceKind, kind_of, own_kinds
from core.types import Document


def kind(url: str, page_type: str = "") -> SourceKind:
    return kind_of(Document(url, "Text.", page_type=page_type)).kind


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("https://www.kelmouth.gov.uk/report", SourceKind.OFFICIAL),
        ("https://nasa.gov/a", SourceKind.OFFICIAL),
        ("https://news.bbc.co.uk/1", SourceKind.NEWS),
        ("https://pubmed.ncbi.nlm.nih.gov/1", SourceKind.RESEARCH),  # the longer name counts, not .gov
        ("https://en.wikipedia.org/wiki/Nile", SourceKind.ENCYCLOPAEDIA),
        ("https://www.snopes.com/x", SourceKind.FACT_CHECKER),
        ("https://apnews.com/ap-fact-check/x", SourceKind.FACT_CHECKER),
        ("https://tramfans.blogspot.com/x", SourceKind.BLOG),
        ("https://notbbc.co.uk.example/x", SourceKind.UNKNOWN),
        ("letter.txt", SourceKind.UNKNOWN),
    ],
)
def test_domains_name_the_kind(url: str, expected: SourceKind) -> None:
    assert kind(url) is expected


def test_the_page_speaks_for_itself_only_where_no_list_does() -> None:
    assert kind("https://paper.example/x", "article NewsArticle Person") is SourceKind.NEWS
    assert kind("https://paper.example/x", "article") is SourceKind.UNKNOWN
    assert kind("https://x.wordpress.com/x", "NewsArticle") is SourceKind.BLOG
    assert "own account" in kind_of(Document("https://paper.example/x", "", page_type="Blog")).how


PAGE = b"""<!doctype html><html><head><title>Bill</title><meta property="og:type" content="article">
<meta property="og:site_name" content="Kelmouth Courier">
<script type="application/ld+json">{"@type": ["NewsArticle"], "publisher": {"@type": "NewsMediaOrganization"}}</script>
</head><body><article><p>The Kelmouth tram extension cost 340 million crowns, the city treasurer told the council.</p>
<p>The line is eleven kilometres long and has fourteen stops for its passengers.</p></article></body></html>"""


def test_a_page_is_read_with_its_account_of_itself() -> None:
    document = read_html("https://kelmouthcourier.example/a", PAGE)
    assert document.site_name == "Kelmouth Courier"
    assert document.page_type == "article NewsArticle NewsMediaOrganization"
    assert kind_of(document).kind is SourceKind.NEWS


def test_the_newsrooms_own_list_goes_first_and_is_read_anew(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "kinds.toml"
    monkeypatch.setenv("VERIDESK_SOURCE_KINDS", str(path))
    assert own_kinds() == {}
    path.write_text('news = ["kelmouth.gov.uk"]')
    assert kind("https://www.kelmouth.gov.uk/x") is SourceKind.NEWS
    path.write_text('"blog or post" = ["kelmouth.gov.uk"]')
    os.utime(path, (1, 1))
    assert kind("https://www.kelmouth.gov.uk/x") is SourceKind.BLOG


@pytest.mark.parametrize("broken", ["news = [", 'gossip = ["a.example"]', 'news = "a.example"', "news = [1]", "\xff"])
def test_a_broken_list_is_named_with_the_way_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, broken: str) -> None:
    path = tmp_path / "kinds.toml"
    path.write_bytes(broken.encode("latin-1"))
    monkeypatch.setenv("VERIDESK_SOURCE_KINDS", str(path))
    with pytest.raises(BadInput, match="list of sources"):
        kind("https://a.example/x")
