"""What is known of a page from its address and from what it holds."""

import os
from datetime import date
from pathlib import Path

import pytest

from core.errors import BadInput
from core.search.addresses import page_key, registrable_domain, unwrapped
from core.search.crawl import changed_after, when
from core.search.extraction import Extracted, read_page
from core.search.extraction import extract as extract_named
from core.search.leakage import LeakageCheck, is_fact_checker, same_claim
from core.search.snapshots import Snapshots
from core.search.text import Duplicates, query_text
from core.search.types import Capabilities, Page, SearchFailure
from core.search_report import Reason, When
from tests.files import pdf
from tests.search.site import WORDS, article


def extract(page: Page) -> Extracted:
    return extract_named(page.url, page)


URL = "https://www.example.co.uk/news/2020/10/30/bridge"


def test_an_archives_address_is_that_of_the_page_and_a_day() -> None:
    day = date(2020, 10, 30)
    assert unwrapped("https://web.archive.org/web/20201030101112/https://a.example/x?y=1") == (
        "https://a.example/x?y=1",
        day,
    )
    assert unwrapped("http://web.archive.org/web/20201030101112id_/http:/a.example/") == ("http://a.example/", day)
    assert unwrapped("https://web.archive.org/web/20201030/a.example") == ("http://a.example", day)
    assert unwrapped("https://archive.ph/20201030-/https://a.example") == (
        "https://archive.ph/20201030-/https://a.example",
        None,
    )
    assert unwrapped("https://archive.is/20201030101112/https://a.example/x") == ("https://a.example/x", day)
    assert unwrapped(" https://web.archive.org/about ") == ("https://web.archive.org/about", None)


def test_a_site_is_what_somebody_registered() -> None:
    assert registrable_domain("https://news.bbc.co.uk/x") == "bbc.co.uk"
    assert registrable_domain("https://a.b.example.com.au:8080/x") == "example.com.au"
    assert registrable_domain("http://127.0.0.1:80/") == "127.0.0.1"
    assert registrable_domain("http://[x") == ""


def test_spellings_of_one_page_have_one_key() -> None:
    spellings = [
        "https://www.example.org/x/?b=2&a=1&utm_source=mail#top",
        "http://EXAMPLE.org/x?a=1&b=2",
        "https://web.archive.org/web/20200101000000/https://example.org/x?b=2&a=1",
    ]
    assert len({page_key(url) for url in spellings}) == 1
    assert page_key("https://example.org/x?a=2") != page_key("https://example.org/x?a=1")


def test_fact_checkers_are_known_by_domain_and_not_by_a_part_of_a_name() -> None:
    assert is_fact_checker("https://www.snopes.com/fact-check/x")
    assert is_fact_checker("https://web.archive.org/web/20200101000000/https://www.politifact.com/x")
    assert is_fact_checker("https://www.reuters.com/fact-check/x")
    assert is_fact_checker("https://factcheck.afp.com/x")
    assert not is_fact_checker("https://www.reuters.com/world/fact-check")
    assert not is_fact_checker("https://notsnopes.com/x")
    assert not is_fact_checker("https://example.org/?from=snopes.com")


def test_two_wordings_of_a_claim() -> None:
    assert same_claim("The Eiffel Tower is made of wood.", "Eiffel Tower made of wood")
    assert not same_claim("The Eiffel Tower is made of wood.", "The Eiffel Tower was sold to a dealer in scrap metal.")
    assert not same_claim("The Eiffel Tower is made of wood.", "Wood")
    assert not same_claim("", "")


def test_a_claims_own_fact_check_is_left_out_wherever_it_is_kept() -> None:
    gives = LeakageCheck.of("The tower is made of wood.", ["https://desk.example/check?utm_source=x"])
    assert gives.address("https://web.archive.org/web/20200101000000/https://desk.example/check")
    assert gives.address("https://desk.example/other") is None
    assert gives.address("https://snopes.com/x") is None
    assert LeakageCheck.of("x", every=True).address("https://snopes.com/x")
    assert gives.markup("https://a.example", ["Tower is made of wood"])
    assert gives.markup("https://a.example", ["The bridge is made of wood and of nothing else"]) is None


@pytest.mark.parametrize(
    ("published", "captured", "expected"),
    [
        (date(2020, 10, 31), None, When.BEFORE),
        (date(2020, 11, 1), None, When.AFTER),
        (None, None, When.UNKNOWN),
        (date(2020, 11, 2), date(2020, 10, 30), When.BEFORE),  # it was there, whatever it says
        (date(2020, 10, 2), date(2020, 11, 30), When.BEFORE),
    ],
)
def test_a_date_has_three_states(published: date | None, captured: date | None, expected: When) -> None:
    assert when(published, captured, date(2020, 11, 1)) is expected


def test_a_page_with_its_date_its_name_and_its_claim() -> None:
    head = (
        '<link rel="canonical" href="/bridge"><meta property="article:modified_time" content="2020-12-24T10:00:00Z">'
        '<script type="application/ld+json">{"@graph": [{"@type": "ClaimReview", "claimReviewed": "It is wood",'
        '"dateModified": "2020-12-01"}]}</script><script type="application/ld+json">{broken</script>'
    )
    found = extract(Page(URL, article("The bridge", day="2020-10-29", head=head).encode()))
    assert "two thousand people walked across it" in found.document.text
    assert (found.document.published, found.date_source) == (date(2020, 10, 29), "page")
    assert found.canonical == "https://www.example.co.uk/bridge"
    assert found.modified == date(2020, 12, 24)
    assert changed_after(found, date(2020, 12, 24)) == date(2020, 12, 24)
    assert changed_after(found, date(2020, 12, 25)) is None
    assert found.reviewed == ("It is wood",)


def test_where_a_date_comes_from() -> None:
    body = article("The bridge").encode()
    assert extract(Page(URL, body)).date_source == "address"
    assert extract(Page(URL, body)).document.published == date(2020, 10, 30)
    assert extract(Page("https://example.org/x", body)).date_source == ""
    revision = extract(Page(URL, body, published=date(2020, 1, 2), date_source="revision"))
    assert (revision.document.published, revision.date_source) == (date(2020, 1, 2), "revision")


def test_a_page_cannot_give_itself_the_address_of_another_site() -> None:
    head = '<link rel="canonical" href="https://www.bbc.co.uk/news">'
    assert extract(Page(URL, article("The bridge", head=head).encode())).canonical == ""


@pytest.mark.parametrize(
    ("body", "wall"),
    [
        ('<form action="/login"><input type="password" name="p"></form>', "a login page"),
        ('<div id="onetrust-consent-sdk"><p>We value your privacy.</p></div>', "a consent wall"),
        ('<script src="/cdn-cgi/challenge-platform/h/b"></script><p>Just a moment</p>', "a check for robots"),
        ('<p>The first lines.</p><div class="paywall">Subscribe</div>', "a paywall"),
    ],
)
def test_walls_are_known_by_what_they_are_made_of(body: str, wall: str) -> None:
    assert extract(Page(URL, f"<html><body>{body}</body></html>".encode())).wall == wall
    with_article = extract(Page(URL, article("The bridge", body=f"{body}{'<p>' + WORDS * 5 + '</p>'}").encode()))
    assert with_article.wall == ""


def test_an_article_about_walls_is_an_article() -> None:
    text = "Access denied: how paywalls, captchas, log in pages and consent banners changed reading. " * 8
    found = extract(Page(URL, f"<html><body><article><p>{text}</p></article></body></html>".encode()))
    assert found.wall == ""
    assert "captchas" in found.document.text


def test_what_tells_search_engines_that_one_must_pay() -> None:
    said = '<script type="application/ld+json">{"isAccessibleForFree": "False"}</script><p>Two lines.</p>'
    assert extract(Page(URL, f"<html><body>{said}</body></html>".encode())).wall == "a paywall"


def test_a_pdf_is_read_whatever_the_server_calls_it() -> None:
    found = extract(Page("https://example.org/report", pdf("The bridge is made of steel."), "text/html"))
    assert "made of steel" in found.document.text


def test_a_page_read_in_another_process_is_the_page_read_here() -> None:
    page = Page(URL, article("The bridge", day="2020-10-29").encode(), charset="utf-8", captured=date(2020, 11, 3))
    assert read_page(page) == extract(page)


def test_a_page_that_cannot_be_read_costs_only_itself() -> None:
    failure = read_page(Page(URL, b"\x00\x01\x02", "image/png"))
    assert isinstance(failure, SearchFailure)
    assert failure.reason is Reason.NOT_TEXT
    large = read_page(Page(URL, b"<html><body>" + b"<p>x</p>" * 70_000))
    assert isinstance(large, SearchFailure)
    assert large.reason is Reason.TOO_LARGE


def test_reports_that_ten_sites_print_are_one() -> None:
    report = " ".join(WORDS.format(f"bridge number {number}") for number in range(5))
    seen = Duplicates()
    assert seen.seen("a", report) == ""
    assert seen.seen("b", f"{report} Copyright an agency.") == "a"
    assert seen.seen("c", " ".join(WORDS.format(f"tunnel of {name}") for name in "north south east".split())) == ""
    assert seen.seen("d", "") == ""


def test_a_snapshot_is_what_was_read(tmp_path: Path) -> None:
    kept = Snapshots(tmp_path)
    page = Page(
        URL, article("The bridge").encode(), "text/html", "utf-8", date(2020, 1, 2), "revision", date(2020, 1, 2)
    )
    digest = kept.keep(page)
    assert kept.open(digest) == page
    assert kept.keep(page) == digest
    kept.path(digest).write_bytes(b"WARC/1.0\r\n")
    with pytest.raises(BadInput):
        kept.open(digest)
    with pytest.raises(BadInput, match="not kept"):
        kept.open("0" * 64)
    with pytest.raises(BadInput):
        kept.open("../" * 20 + "0000")


def test_the_oldest_snapshots_go_first_and_kept_cases_keep_theirs(tmp_path: Path) -> None:
    kept = Snapshots(tmp_path)
    digests = [kept.keep(Page(f"{URL}{number}", f"page {number}".encode())) for number in range(4)]
    for age, digest in enumerate(digests):
        os.utime(kept.path(digest), (1_000_000 + age, 1_000_000 + age))
    limit = sum(kept.path(digest).stat().st_size for digest in (digests[0], digests[3]))
    assert kept.prune(limit, kept={digests[0]}) == 2
    assert [kept.path(digest).exists() for digest in digests] == [True, False, False, True]
    assert sum(kept.sizes()) <= limit


def test_what_a_claim_says_never_acts_as_a_command() -> None:
    can = Capabilities(longest_query=60)
    assert query_text("!g is -not <here :de site:example.org", can) == "g is not here de site example.org"
    assert query_text('“Brexit” AND (Boris OR "Johnson") intitle: x', can) == "Brexit and Boris or Johnson intitle x"
    assert query_text("At 10:30 it fell by 5-6 %, C++ too", can) == "At 10:30 it fell by 5-6 C++ too"
    assert query_text("Ελλάδα και 日本の橋\u202e", can) == "Ελλάδα και 日本の橋"
    assert query_text("https://example.org/x?site:y", can) == "https://example.org/x?site:y"
    assert query_text("!! -- **", can) == ""
    assert len(query_text("word " * 500, can)) == 59
    assert len(query_text("語" * 2000, can)) == 60
