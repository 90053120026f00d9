"""A search in rounds: what is asked after what came back, which titles are read, and sources that fall silent."""

import json
import threading
import time
from dataclasses import dataclass, replace
from datetime import date
from http.server import BaseHTTPRequestHandler
from pathlib import Path

import pytest

from core.dataclass_json import to_json
from core.errors import BadInput
from core.interfaces import Models
from core.search import asking, search_request
from core.search.asking import SearchProgress
from core.search.choosing import ask_for_titles, by_title, no_article, pages_found
from core.search.crawl import Candidate
from core.search.finding import Tools, search
from core.search.search_plan import ChosenPage, SearchOrder, SearchPlan
from core.search.search_request import consent_to, consent_to_read
from core.search.sender import Sender, anywhere
from core.search.sources.mediawiki import MediaWiki, mediawiki
from core.search.types import Capabilities, GetRequest, Headers, ResultPage, SearchFailure, SearchResult
from core.search_report import Reason
from core.types import MAX_TITLE, Case, Claim, Failure
from core.verification.reading import consent_for
from core.verification.request import Request
from core.verification.runner import investigate
from core.verification.verdict.classifier_judge import ClassifierJudge
from tests.fakes import ScriptedModel, WordEncoder
from tests.search.site import Site, article, reply, running
from tests.search.test_crawl import CLAIM, Listed, listed


@dataclass(frozen=True)
class Engine:
    """A source that names pages by its query, as "address|title" lines."""

    base: str
    name: str = "engine"
    title: str = "Engine"
    can = Capabilities(page_size=3, pause=0.0, own=True)

    @property
    def place(self) -> str:
        return self.base.removeprefix("http://").partition("/")[0]

    def request(self, query: str, page: int, before: date | None) -> GetRequest:
        return GetRequest(f"{self.base}?q={query.replace(' ', '+')}")

    def parse(self, status: int, headers: Headers, body: bytes) -> ResultPage | SearchFailure:
        if status != 200:
            return SearchFailure(Reason.RATE_LIMIT if status == 429 else Reason.NO_ANSWER, f"It answered {status}.")
        lines = [line.split("|") for line in body.decode().splitlines()]
        return ResultPage(tuple(SearchResult(url, title) for url, title in lines))


@pytest.fixture
def engine(site: Site) -> Engine:
    """An engine that knows of nothing, and then of a page for the words "bridge Springfield"."""
    site.otherwise = reply(200, "", {"Content-Type": "text/plain"})
    return Engine(f"{site.base}/find")


def asked(site: Site) -> list[str]:
    return [path.partition("?q=")[2].replace("+", " ") for path in site.requests if "?q=" in path]


def test_a_later_round_asks_until_a_passage_speaks_of_the_whole_claim(site: Site, engine: Engine, tools: Tools) -> None:
    whole = "<article><p>The Springfield bridge is not made of wood, but of steel, as all can see who cross it.</p>"
    page = site.page("/whole", f"<html><body>{whole}</article></body></html>")
    site.pages["/robots.txt"] = reply(404)
    site.page("/find?q=Springfield", f"{page}|Springfield bridge", "text/plain")
    shown: list[str] = []

    def approve(query: str) -> bool:
        shown.append(query)
        return True

    documents, report = search(CLAIM, SearchPlan(("Springfield town",), later=5), [engine], tools, approve=approve)
    assert [document.url for document in documents] == [page]
    assert asked(site) == ["Springfield town", *shown]
    assert shown[-1] == "Springfield"
    assert len(shown) < 5  # nothing is asked once the claim is answered
    assert [one.query for one in report.searches] == asked(site)


def test_later_queries_stay_within_their_number_and_wait_for_approval(site: Site, engine: Engine, tools: Tools) -> None:
    search(CLAIM, SearchPlan(("town",), later=2), [engine], tools)
    assert len(asked(site)) == 3
    site.requests.clear()
    search(CLAIM, SearchPlan(("town",), later=2), [engine], tools, approve=lambda query: False)
    assert asked(site) == ["town"]


def test_the_sender_counts_later_queries(site: Site, engine: Engine, tools: Tools) -> None:
    consent = consent_to([engine], ("town",), 10, later=1)
    assert consent.words.endswith(f"10 pages ({engine.place})")
    few = replace(tools, sender=Sender(consent, allowed=anywhere))
    _, report = search(CLAIM, SearchPlan(("town",), later=3), [engine], few)
    assert len(asked(site)) == 2
    assert Reason.REFUSED in [one.status for one in report.searches]


def test_a_source_that_fails_is_not_asked_again(site: Site, engine: Engine, tools: Tools) -> None:
    site.otherwise = reply(429, headers={"Retry-After": "3600"})
    _, report = search(CLAIM, SearchPlan(("a", "b", "c"), later=3), [engine], tools)
    assert [one.status for one in report.searches] == [Reason.RATE_LIMIT, Reason.NOT_SENT, Reason.NOT_SENT]
    assert asked(site) == ["a"]
    assert report.silenced.startswith("Not answered: 3")


def test_a_query_is_neither_shown_nor_approved_where_no_source_is_left_to_ask(
    site: Site, engine: Engine, tools: Tools
) -> None:
    site.otherwise = reply(404)
    shown: list[str] = []
    search(CLAIM, SearchPlan(("a", "b"), later=3), [engine], tools, approve=lambda one: not shown.append(one))
    assert shown == []


def test_others_pages_are_read_while_a_slow_source_thinks(
    site: Site, tools: Tools, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(asking, "PATIENCE_SECONDS", 0.1)
    monkeypatch.setattr(asking, "SLOW_SECONDS", 0.5)
    page_read = threading.Event()

    def answer_after_the_page(handler: BaseHTTPRequestHandler) -> None:
        page_read.wait(300)
        time.sleep(0.6)
        reply(200, "", {"Content-Type": "text/plain"})(handler)

    def tell(progress: SearchProgress) -> None:
        if any(one.read for one in progress.sources.values()):
            page_read.set()

    with running(Site("127.0.0.5")) as (slow,):
        slow.otherwise = answer_after_the_page
        late = Engine(f"{slow.base}/find", "late")
        pages = listed(site, site.page("/x", article("The bridge")))
        _, report = search(CLAIM, SearchPlan(("a", "b"), later=1), [late, pages], tools, tell)
    assert page_read.is_set()
    assert [one.status for one in report.searches if one.source == "late"] == [Reason.EMPTY, Reason.NOT_SENT]


def test_a_service_that_wants_to_be_left_alone_silences_no_other_on_its_host(site: Site, tools: Tools) -> None:
    site.pages["/wiki?q=bridge"] = reply(429, headers={"Retry-After": "3600"})
    site.page("/other?q=bridge", "", "text/plain")
    with running(Site()) as (third,):
        page = third.page("/x", article("The bridge"))
        site.page("/third?q=bridge", f"{page}|Bridge", "text/plain")
        engines = [Engine(f"{site.base}/{path}", path) for path in ("wiki", "other", "third")]
        documents, report = search(CLAIM, SearchPlan(("bridge",)), engines, tools)
    assert [one.status for one in report.searches] == [Reason.RATE_LIMIT, Reason.EMPTY, "found"]
    assert [document.url for document in documents] == [page]


def test_a_search_that_was_silenced_gives_no_verdict(
    site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("VERIDESK_HOME", str(tmp_path))
    site.pages["/robots.txt"] = reply(404)
    site.pages["/x"] = reply(503, headers={"Retry-After": "3600"})
    sources = {"busy": Listed(f"{site.base}/none", "busy"), "quiet": listed(site, name="quiet")}
    sources["named"] = listed(site, f"{site.base}/x", name="named")
    monkeypatch.setattr(search_request, "open_source", sources.__getitem__)
    # its pages are on loopback
    monkeypatch.setattr(search_request, "Sender", lambda consent, contact, stop: Sender(consent, allowed=anywhere))
    models = Models(WordEncoder(), ScriptedModel(), ClassifierJudge("quoted_passages"))
    for names in (("busy", "quiet"), ("named",)):
        request = Request(CLAIM, search=SearchOrder(names, SearchPlan(("bridge",))))
        failure = investigate(replace(request, consent=consent_for(request).digest), models)
        assert isinstance(failure, Failure), names
        assert "Not answered: 1" in failure.error
    request = Request(CLAIM, search=SearchOrder(("quiet",), SearchPlan(("bridge",))))
    assert isinstance(investigate(replace(request, consent=consent_for(request).digest), models), Case)


def test_a_wikis_redirects_are_followed_and_lists_of_names_and_stubs_dropped() -> None:
    wiki = mediawiki("http://w.example")
    found = [
        {
            "title": "Old bridge",
            "size": 30,
            "snippet": "#REDIRECT [[<span class='searchmatch'>Bridge</span>#Steel|it]]",
        },
        {"title": "Bridge", "size": 300, "snippet": "A &quot;bridge&quot; of steel"},
        {"title": "Span", "size": 200, "snippet": "'''Span''' may refer to: [[Bridge]]"},
        {"title": "Lee (disambiguation)", "size": 200, "snippet": ""},
        {"title": "Creek", "size": 30, "snippet": "A creek."},
    ]
    answer = wiki.parse(200, {}, json.dumps({"query": {"search": found}}).encode())
    assert isinstance(answer, ResultPage)
    assert [(one.title, one.snippet) for one in answer.results[:2]] == [
        ("Bridge", ""),
        ("Bridge", 'A "bridge" of steel'),
    ]
    assert [bool(no_article(one)) for one in answer.results] == [False, False, True, True, True]


def test_titles_are_ranked_by_words_and_by_meaning() -> None:
    claim = "The Springfield bridge is made of wood."
    source = MediaWiki("http://w.example")
    named = ["Springfield railway station", "Weather", "Springfield bridge", "Bridges"]
    found = [
        Candidate(SearchResult(f"http://w.example/{at}", title), source, "q", at + 1) for at, title in enumerate(named)
    ]
    for encoder in (None, WordEncoder()):
        assert by_title(claim, found, encoder)[0].result.title == "Springfield bridge"
        assert by_title(claim, found, encoder)[-1].result.title == "Weather"
    bare = [replace(one, result=SearchResult(one.result.url)) for one in found]
    assert by_title(claim, bare, WordEncoder()) == bare


def test_a_claim_without_words_has_no_later_queries(site: Site, engine: Engine, tools: Tools) -> None:
    search(Claim("It is what it is."), SearchPlan(("town",), later=3), [engine], tools)
    assert asked(site) == ["town"]
    with pytest.raises(BadInput):
        search(CLAIM, SearchPlan(("a",), later=20), [engine], tools)


def test_a_person_chooses_among_the_titles_and_just_these_pages_are_read(
    site: Site, engine: Engine, tools: Tools
) -> None:
    urls = [site.page(f"/{number}", article(f"The bridge {number}")) for number in range(3)]
    site.pages["/robots.txt"] = reply(404)
    lines = [f"{url}|Bridge {number}" for number, url in enumerate(urls)]
    site.page("/find?q=bridge", "\n".join([*lines, f"{site.base}/list|Bridge (disambiguation)"]), "text/plain")
    plan = SearchPlan(("bridge",))
    answers = ask_for_titles(CLAIM, plan, [engine], tools.sender)
    pages, queries = pages_found(CLAIM, answers, [engine], None), tuple(told for told, _ in answers)
    assert [page.title for page in pages] == ["Bridge 0", "Bridge 1", "Bridge 2"]
    assert asked(site) == ["bridge"]
    assert site.asked("/0") == 0
    site.requests.clear()
    added = ChosenPage(site.page("/added", article("The ferry")))
    chosen = replace(plan, later=5, chosen=(pages[1], added), asked=queries)
    consent = consent_to_read([page.url for page in chosen.chosen])
    assert consent.words.endswith("up to 2 pages")
    few = replace(tools, sender=Sender(consent, allowed=anywhere))
    documents, report = search(CLAIM, chosen, [engine], few)
    assert [document.url for document in documents] == [urls[1], added.url]
    assert asked(site) == []
    assert [origin.source for origin in report.origins] == ["engine", "you"]
    assert report.searches == queries
    refused = few.sender.send(GetRequest(urls[0], page=urls[0]), pause=0.0)
    assert isinstance(refused, SearchFailure)
    assert refused.reason is Reason.REFUSED


def test_a_source_without_end_and_a_title_of_a_megabyte_are_bounded(site: Site, engine: Engine, tools: Tools) -> None:
    """The source names 50 other pages for each query, each with a title of a megabyte in its list and its head."""
    title, numbers = "bridge " * 150_000, iter(range(10_000))
    body = article("The Springfield bridge", head=f"<title>{title}</title>")
    page = reply(200, body, {"Content-Type": "text/html; charset=utf-8"})

    def answer(handler: BaseHTTPRequestHandler) -> None:
        if handler.path.startswith("/find"):
            lines = [f"{site.base}/page/{next(numbers)}|{title}" for _ in range(50)]
            reply(200, "\n".join(lines), {"Content-Type": "text/plain"})(handler)
        else:
            (reply(404) if handler.path == "/robots.txt" else page)(handler)

    site.otherwise = answer
    plan = SearchPlan(("Springfield bridge",), later=7, pages=5)
    documents, report = search(CLAIM, plan, [engine], tools)
    assert len(asked(site)) <= 8
    assert len([path for path in site.requests if path.startswith("/page")]) <= 5
    assert all(len(document.title) <= MAX_TITLE for document in documents)
    assert len(json.dumps(to_json(report))) < 1_000_000
