"""Nothing is sent but what a person agreed to: the check of a request, and of each single sending."""

import io
import json
import sys
from dataclasses import replace
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from core.__main__ import main
from core.interfaces import Models
from core.search import search_request
from core.search.consent import Consent, NotAgreed
from core.search.finding import Tools, search
from core.search.search_plan import SearchOrder, SearchPlan
from core.search.search_request import consent_to
from core.search.sender import Sender, anywhere
from core.search.snapshots import Snapshots
from core.search.sources import SOURCES, open_source
from core.search.sources.google_reviews import GoogleReviews
from core.search.types import GetRequest, SearchFailure, WebSource
from core.search_report import Reason
from core.types import Case, Claim, Failure
from core.verification import request as verification
from core.verification.reading import consent_for
from core.verification.receipt import request_from_json, request_to_json
from core.verification.runner import investigate
from core.verification.verdict.classifier_judge import ClassifierJudge
from tests.fakes import ScriptedModel, WordEncoder
from tests.pages.desks import hand_made, result_of
from tests.search.site import Site, article, reply
from tests.search.test_crawl import CLAIM, listed

ORDER = SearchOrder(("wikipedia",), SearchPlan(("Eiffel Tower", "site:example.org iron")))


def asked(order: SearchOrder = ORDER, **changes: object) -> verification.Request:
    request = verification.Request(Claim("The Eiffel Tower is made of wood."), search=order)
    return replace(request, **changes)  # type: ignore[arg-type]


def test_a_consent_names_queries_as_they_are_sent_places_and_pages() -> None:
    consent = consent_for(asked())
    assert consent == Consent({"en.wikipedia.org": ("Eiffel Tower", "site example.org iron")}, pages=10)
    assert len(consent.digest) == 64
    assert consent.words.startswith("2 queries")
    assert consent.words.endswith("10 pages (en.wikipedia.org)")


def test_the_digest_is_of_all_that_is_sent_and_of_nothing_else() -> None:
    same = consent_for(asked(include_late=True, seed=5)).digest
    plan = ORDER.plan
    others = [
        asked(replace(ORDER, plan=replace(plan, queries=plan.queries[:1]))),
        asked(replace(ORDER, plan=replace(plan, pages=11))),
        asked(replace(ORDER, sources=("wikipedia=de",))),
        asked(replace(ORDER, reviews=True)),
        asked(urls=("https://a.example/",)),
    ]
    assert same == consent_for(asked()).digest
    assert len({same, *(consent_for(one).digest for one in others)}) == 6


def test_where_nothing_leaves_the_machine_no_consent_is_needed() -> None:
    nothing = consent_for(verification.Request(Claim("It is wood."), example="everest"))
    assert nothing.digest == ""
    nothing.check("")
    with pytest.raises(NotAgreed, match="2 queries"):
        consent_for(asked()).check("")


@pytest.mark.parametrize("given", ["", "0" * 64])
def test_a_search_that_nobody_agreed_to_sends_nothing(
    given: str, site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(search_request, "open_source", lambda named: listed(site, site.page("/x", article("It"))))
    models = Models(WordEncoder(), ScriptedModel(), ClassifierJudge("quoted_passages"))
    for request in (asked(consent=given), asked(consent=given, search=None, urls=(f"{site.base}/x",))):
        failure = investigate(request, models)
        assert isinstance(failure, Failure)
        assert failure.error.startswith("Nothing was sent")
    assert site.requests == []


def sender(consent: Consent, **changes: object) -> Sender:
    return Sender(consent, allowed=anywhere, **changes)  # type: ignore[arg-type]


def refused(answer: object) -> bool:
    return isinstance(answer, SearchFailure) and answer.reason is Reason.REFUSED


def test_the_sender_sends_the_queries_of_its_consent_to_their_places_only(site: Site) -> None:
    place = listed(site).place
    one = sender(Consent({place: ("bridge",), "other.example": ("tower",)}))
    assert not refused(one.send(GetRequest(f"{site.base}/q", query="bridge"), pause=0.0))
    for request in (
        GetRequest(f"{site.base}/q", query="tower"),
        GetRequest(f"{site.base}/q"),
        GetRequest(f"{site.base}/q", page=f"{site.base}/q"),
        GetRequest("http://nowhere.example/q", query="bridge"),
    ):
        assert refused(one.send(request, pause=0.0)), request
    assert site.requests == ["/q"]


def test_the_sender_reads_no_more_pages_than_were_named_with_all_that_a_page_needs(site: Site, tmp_path: Path) -> None:
    urls = [site.page(f"/{n}", article(f"The bridge {n}")) for n in range(3)]
    site.pages["/forward"] = reply(302, headers={"Location": urls[0]})
    source = listed(site, f"{site.base}/forward", *urls[1:])
    consent = consent_to([source], ("bridge",), 2)
    tools = Tools(Snapshots(tmp_path), sender(consent), pause=0.0)
    documents, report = search(CLAIM, SearchPlan(("bridge",), 3), [source], tools)
    assert [left.reason for left in report.left_out] == [Reason.REFUSED]
    assert len(documents) == 2
    assert site.requests == ["/listed", "/robots.txt", "/forward", "/0", "/1"]


def test_a_build_sends_at_most_as_many_queries_as_were_said(site: Site) -> None:
    place = listed(site).place
    one = sender(Consent(most={place: 2}))
    sent = [one.send(GetRequest(f"{site.base}/q{n}", query=f"query {n}"), pause=0.0) for n in (0, 1, 0, 2)]
    assert [refused(answer) for answer in sent] == [False, False, False, True]
    assert site.requests == ["/q0", "/q1", "/q0"]


def test_each_source_says_the_place_that_its_requests_go_to(monkeypatch: pytest.MonkeyPatch) -> None:
    for variable in ("BRAVE_API_KEY", "MOJEEK_API_KEY"):
        monkeypatch.setenv(variable, "k")
    own = [f"{name}=http://h.example:81/w" for name in ("mediawiki", "searxng", "kiwix")]
    named_sources = ("wikipedia", "wikipedia=de", "gdelt", "brave", "mojeek", "wayback", *own)
    assert {named.partition("=")[0] for named in named_sources} == set(SOURCES) - {"zim", "warc"}
    for named in named_sources:
        source = open_source(named)
        assert isinstance(source, WebSource)
        query = "bridge" if source.can.words else "https://a.example/"
        assert urlsplit(source.request(query, 0, None).url).netloc == source.place
        assert (source.name, source.can.page_size > 0) == (named.partition("=")[0], True)
    google = GoogleReviews("k")
    assert urlsplit(google.request("bridge", 0, None).url).netloc == google.place


def test_a_job_that_is_resumed_carries_its_consent_and_a_changed_one_is_refused(
    site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("VERIDESK_HOME", str(tmp_path))
    monkeypatch.setattr(search_request, "open_source", lambda named: listed(site, site.page("/x", article("It"))))
    monkeypatch.setattr(search_request, "Sender", lambda *known, stop: Sender(*known, allowed=anywhere, stop=stop))
    models = Models(WordEncoder(), ScriptedModel(), ClassifierJudge("quoted_passages"))
    stored = request_to_json(asked(consent=consent_for(asked()).digest, questions=False))
    assert isinstance(investigate(request_from_json(stored), models), Case)
    assert "/listed" in site.requests
    site.requests.clear()
    stored["search"]["plan"]["queries"].append("never shown")
    assert isinstance(investigate(request_from_json(stored), models), Failure)
    assert site.requests == []


def test_replaying_a_receipt_asks_before_it_reads_addresses(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO(""))
    request = verification.Request(Claim("It is wood."), urls=("https://a.example/x",), consent="of somebody else")
    receipt = tmp_path / "receipt.json"
    receipt.write_text(json.dumps(result_of(request, hand_made(request.claim))))
    assert main(["replay", str(receipt)]) == 2
    said = capsys.readouterr().err
    assert "https://a.example/x" in said
    assert "say --yes." in said
