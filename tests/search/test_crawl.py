"""A search against a site on loopback: each page ends as the right value."""

import threading
import time
from dataclasses import dataclass, replace
from datetime import date
from http.server import BaseHTTPRequestHandler
from urllib.parse import urlsplit

import pytest

from core.errors import BadInput, Cancelled
from core.http.public_addresses import is_public
from core.search.asking import fused
from core.search.finding import Tools, search
from core.search.search_plan import SearchPlan
from core.search.types import Capabilities, GetRequest, Headers, ResultPage, SearchFailure, SearchResult
from core.search_report import Reason, SearchReport, When
from core.types import Claim, Document
from tests.files import pdf
from tests.search.site import Site, article, drip, in_turn, reply, running

CLAIM = Claim("The Springfield bridge is made of wood.", date=date(2020, 10, 31))


@dataclass(frozen=True)
class Listed:
    """A source that names the addresses on a page of its site, one per line."""

    url: str
    name: str = "listed"
    title: str = "Listed"
    can = Capabilities(page_size=100, pause=0.0, own=True)

    @property
    def place(self) -> str:
        return urlsplit(self.url).netloc

    def request(self, query: str, page: int, before: date | None) -> GetRequest:
        return GetRequest(self.url)

    def parse(self, status: int, headers: Headers, body: bytes) -> ResultPage | SearchFailure:
        if status != 200:
            return SearchFailure(Reason.NO_ANSWER, f"{self.title} answered {status}.")
        return ResultPage(tuple(SearchResult(line) for line in body.decode().split()))


def listed(site: Site, *urls: str, name: str = "listed") -> Listed:
    return Listed(site.page(f"/{name}", "\n".join(urls), "text/plain"), name)


def find(tools: Tools, *sources: Listed, claim: Claim = CLAIM, **plan: object) -> tuple[list[Document], SearchReport]:
    return search(claim, SearchPlan(("bridge",), **{"pages": 50, **plan}), sources, tools)  # type: ignore[arg-type]


def reasons(report: SearchReport) -> dict[str, Reason]:
    return {item.url.rpartition("/")[2]: item.reason for item in report.left_out}


def test_each_page_ends_as_the_right_value(site: Site, tools: Tools) -> None:
    site.page("/robots.txt", "User-agent: *\nDisallow: /private*.html$\n", "text/plain")
    good = site.page("/good", article("The bridge", day="2020-10-01"))
    text = "The bridge is made of steel, said the report of the year before."
    report = site.page("/report.pdf", pdf(text), "application/pdf")
    site.pages["/moved"] = reply(301, headers={"Location": "/target"})
    site.page("/target", article("The tunnel", day="2020-10-02"))
    site.pages["/moved-late"] = reply(302, headers={"Location": "/late"})
    pages = {
        "/late": article("The canal", day="2020-11-05"),
        "/private1.html": article("The harbour"),
        "/copy": article("The bridge", day="2020-10-03", body="<p>Copied.</p>"),
        "/login": "<html><body><form><input type=password></form></body></html>",
        "/empty": "<html><body></body></html>",
        "/reviewed": article("The gate", head='<script type="application/ld+json">{"@type": "ClaimReview", '
                             '"claimReviewed": "Springfield bridge made of wood"}</script>'),
        "/unknown": article("The ferry"),
    }  # fmt: skip
    for path, body in pages.items():
        site.page(path, body)
    site.page("/picture", b"\x89PNG\r\n", "image/png")
    site.page("/huge", b"x" * 10_000_001, "text/plain")
    site.pages["/denied"] = reply(403, "Access denied")
    quay = reply(200, article("The quay"), {"Content-Type": "text/html"})
    site.pages["/busy"] = in_turn(reply(429, headers={"Retry-After": "0"}), quay)
    site.pages["/alone"] = reply(503, headers={"Retry-After": "3600"})
    last = ["/picture", "/huge", "/denied", "/gone", "/busy", "/alone", "/after-alone"]
    order = ["/moved", "/moved-late", *pages, *last]
    documents, found = find(tools, listed(site, good, report, *(site.base + path for path in order)))
    assert reasons(found) == {
        "moved-late": Reason.LATE,
        "late": Reason.LATE,
        "private1.html": Reason.ROBOTS,
        "copy": Reason.DUPLICATE,
        "login": Reason.WALL,
        "empty": Reason.NOT_TEXT,
        "reviewed": Reason.GIVES_AWAY,
        "picture": Reason.NOT_TEXT,
        "huge": Reason.TOO_LARGE,
        "denied": Reason.WALL,
        "gone": Reason.GONE,
        "alone": Reason.RATE_LIMIT,
        "after-alone": Reason.RATE_LIMIT,
    }
    assert [document.url.removeprefix(site.base) for document in documents] == [
        "/good", "/report.pdf", "/target", "/unknown", "/busy"
    ]  # fmt: skip
    assert [(o.when, o.date_source, o.rank) for o in found.origins][:1] == [(When.BEFORE, "page", 1)]
    assert found.origins[3].when is When.UNKNOWN
    assert site.asked("/private1.html") == 0
    assert site.asked("/robots.txt") == 1
    assert site.asked("/after-alone") == 0
    assert all("desk@example.org" in agent for agent in site.agents)


def test_everything_found_is_either_read_or_told_of(site: Site, tools: Tools) -> None:
    urls = [site.page(f"/{number}", article(f"The bridge of town {number * 7919}")) for number in range(6)]
    _, report = find(tools, listed(site, *urls), pages=2)
    assert len(report.origins) + len(report.left_out) == 6
    assert [item.reason for item in report.left_out[-4:]] == [Reason.LIMIT] * 4
    assert report.searches[0].found == 6


def test_pages_of_one_host_are_read_one_by_one_with_a_pause(tools: Tools) -> None:
    with running(Site(delay=0.05)) as (site,):
        urls = [site.page(f"/{number}", article(f"The bridge of {number}")) for number in range(4)]
        find(replace(tools, pause=0.2), listed(site, *urls))
    assert site.busiest == 1
    gaps = [later - earlier for earlier, later in zip(site.times[2:], site.times[3:], strict=False)]
    assert min(gaps) >= 0.2


def test_a_site_that_asks_for_a_longer_pause_gets_it(site: Site, tools: Tools) -> None:
    site.page("/robots.txt", "User-agent: Veridesk\nCrawl-delay: 0.3\n", "text/plain")
    urls = [site.page(f"/{number}", article(f"The bridge of {number}")) for number in range(2)]
    find(tools, listed(site, *urls))
    assert site.times[-1] - site.times[-2] >= 0.3


def test_a_site_whose_rules_cannot_be_read_is_not_read(site: Site, tools: Tools) -> None:
    site.pages["/robots.txt"] = reply(500)
    _, report = find(tools, listed(site, site.page("/x", article("The bridge"))))
    assert reasons(report) == {"x": Reason.ROBOTS}


def test_a_slow_and_an_endless_page_end(site: Site, tools: Tools) -> None:
    site.pages["/endless"] = drip
    sender = replace(tools.sender, seconds=0.5)
    endless = sender.send(GetRequest(f"{site.base}/endless", query="x"), pause=0.0)
    assert isinstance(endless, SearchFailure)
    assert endless.reason in (Reason.TOO_LARGE, Reason.NO_ANSWER)
    site.pages["/slow"] = lambda handler: time.sleep(2)
    slow = sender.send(GetRequest(f"{site.base}/slow", query="x"), pause=0.0)
    assert isinstance(slow, SearchFailure)
    assert slow.reason is Reason.NO_ANSWER


@pytest.mark.parametrize("named", ["http://[broken", "http://", "https://:80/x", "ftp://a.example/x", "http://a\\b/"])
def test_what_a_source_names_may_be_no_address(named: str, site: Site, tools: Tools) -> None:
    good = site.page("/x", article("The bridge"))
    documents, report = find(tools, listed(site, named, good))
    assert [(item.url, item.reason) for item in report.left_out] == [(named, Reason.REFUSED)]
    assert [document.url for document in documents] == [good]


@pytest.mark.parametrize("path", ["/x", "/robots.txt"])
def test_a_site_may_forward_to_no_address(path: str, site: Site, tools: Tools) -> None:
    page = site.page("/x", article("The bridge"))
    site.pages[path] = reply(302, headers={"Location": "http://[broken"})
    _, report = find(tools, listed(site, page))
    assert [item.url for item in report.left_out] == [page]


def test_addresses_that_were_found_never_lead_into_ones_own_network(site: Site, tools: Tools) -> None:
    public = replace(tools, sender=replace(tools.sender, allowed=is_public))
    _, report = find(public, listed(site, site.page("/x", article("The bridge"))))
    assert report.searches[0].status == "found"  # the source was configured, and may be on loopback
    assert reasons(report) == {"x": Reason.REFUSED}
    assert site.asked("/x") == 0


def test_a_redirect_into_ones_own_network_is_not_followed(site: Site, tools: Tools) -> None:
    with running(Site("127.0.0.9")) as (inner,):
        inner.page("/secret", article("The bridge"))
        site.pages["/x"] = reply(302, headers={"Location": f"{inner.base}/secret"})
        allowed = replace(tools, sender=replace(tools.sender, allowed=lambda address: str(address) == "127.0.0.1"))
        _, report = find(allowed, listed(site, f"{site.base}/x"))
        assert reasons(report) == {"x": Reason.REFUSED}
        assert inner.requests == []


def test_the_claims_own_fact_check_is_not_even_asked_for(site: Site, tools: Tools) -> None:
    own = site.page("/check", article("The bridge"))
    site.pages["/to"] = reply(302, headers={"Location": "/check"})
    _, report = find(tools, listed(site, own, f"{site.base}/to"), own_fact_checks=(own,))
    assert set(reasons(report).values()) == {Reason.GIVES_AWAY}
    assert site.asked("/check") == 0


def test_the_day_of_the_claim_is_a_setting(site: Site, tools: Tools) -> None:
    source = listed(site, site.page("/x", article("The bridge", day="2020-10-31")))
    assert len(find(tools, source)[0]) == 1
    assert reasons(find(tools, source, same_day=False)[1]) == {"x": Reason.LATE}
    assert len(find(tools, source, same_day=False, include_late=True)[0]) == 1
    assert find(tools, source, claim=replace(CLAIM, date=None))[1].origins[0].when is When.UNKNOWN


def test_a_page_that_was_changed_after_the_claim_says_so(site: Site, tools: Tools) -> None:
    head = '<meta property="article:modified_time" content="2021-01-05">'
    _, report = find(tools, listed(site, site.page("/x", article("The bridge", day="2020-10-01", head=head))))
    assert report.origins[0].changed == date(2021, 1, 5)


def test_a_source_that_fails_does_not_stop_the_others(site: Site, tools: Tools) -> None:
    broken = Listed(f"{site.base}/none", "broken")
    documents, report = find(tools, broken, listed(site, site.page("/x", article("The bridge"))))
    assert len(documents) == 1
    assert [(one.source, one.status) for one in report.searches] == [("broken", Reason.NO_ANSWER), ("listed", "found")]


def test_ten_megabytes_of_answer_are_not_read(site: Site, tools: Tools) -> None:
    source = Listed(site.page("/large", b"[" * 11_000_000, "application/json"))
    _, report = find(tools, source)
    assert report.searches[0].status is Reason.TOO_LARGE


def test_no_key_stands_in_any_message(site: Site, tools: Tools) -> None:
    secret = Listed(f"{site.base}/x?api_key=secret")
    site.pages["/x?api_key=secret"] = lambda handler: handler.wfile.write(b"not http")
    _, report = find(tools, secret)
    assert report.searches[0].status is Reason.NO_ANSWER
    assert "secret" not in repr(report)


def test_a_search_can_be_stopped(site: Site, tools: Tools) -> None:
    site.pages["/busy"] = reply(429, headers={"Retry-After": "10"})
    started = time.monotonic()
    stopping = replace(tools, sender=replace(tools.sender, stop=lambda: time.monotonic() - started > 0.5))
    with pytest.raises(Cancelled):
        find(stopping, listed(site, f"{site.base}/busy"))


@pytest.mark.parametrize(
    "plan", [SearchPlan(()), SearchPlan(("  ",)), SearchPlan(("a",), pages=0), SearchPlan(("a",) * 21)]
)
def test_a_plan_that_cannot_be(plan: SearchPlan, tools: Tools) -> None:
    with pytest.raises(BadInput):
        search(CLAIM, plan, [], tools)


def test_every_page_read_is_kept_as_it_was(site: Site, tools: Tools) -> None:
    body = article("The bridge", day="2020-10-01")
    documents, report = find(tools, listed(site, site.page("/x", body)))
    page = tools.snapshots.open(report.origins[0].snapshot)
    assert (page.url, page.body) == (f"{site.base}/x", body.encode())
    assert report.origins[0].digest == documents[0].digest


def test_addresses_are_fused_by_rank_over_queries_and_sources() -> None:
    from core.search.crawl import Candidate

    def ranking(*names: str) -> list[Candidate]:
        source = Listed("")
        return [
            Candidate(SearchResult(f"https://{name}.example/"), source, "q", rank) for rank, name in enumerate(names, 1)
        ]

    best = fused([ranking("a", "b", "c"), ranking("c", "d")])
    assert [candidate.result.url for candidate in best] == [f"https://{name}.example/" for name in "cabd"]


def test_pages_of_several_hosts_and_ports_are_read_side_by_side(tools: Tools) -> None:
    together = threading.Barrier(4)

    def wait_for_the_others(handler: BaseHTTPRequestHandler) -> None:
        together.wait(300)
        reply(200, article("The bridge"))(handler)

    sites = [Site(f"127.0.0.{number}") for number in (2, 2, 3, 4)]
    with running(*sites), running(Site()) as (index,):
        for site in sites:
            site.pages["/x"] = wait_for_the_others
        find(tools, listed(index, *(f"{site.base}/x" for site in sites)))
    assert not together.broken
