"""Each source as two pure functions; answers written after the providers' documentation."""

import email.utils
import json
from datetime import UTC, date, datetime, timedelta
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

from core.errors import BadInput
from core.http.retries import retry_after
from core.search.sources import open_source
from core.search.sources.answers import MAX_TEXT
from core.search.sources.brave import Brave
from core.search.sources.gdelt import Gdelt
from core.search.sources.google_reviews import GoogleReviews
from core.search.sources.kiwix import kiwix
from core.search.sources.mediawiki import mediawiki, wikipedia
from core.search.sources.mojeek import Mojeek
from core.search.sources.searxng import searxng
from core.search.sources.wayback import Wayback
from core.search.types import GetRequest, Page, PageVersion, ResultPage, SearchFailure, SearchResult, WebSource
from core.search_report import PublishedReview, Reason

DAY = date(2020, 11, 1)  # the first that is too late
WIKI = wikipedia("")
WEB: list[WebSource] = [WIKI, Gdelt(), searxng("http://x"), kiwix("http://x"), Brave("k"), Mojeek("k"), Wayback()]


def parameters(request: GetRequest) -> dict[str, str]:
    return {name: values[0] for name, values in parse_qs(urlsplit(request.url).query).items()}


def packed(answer: Any) -> bytes:
    return json.dumps(answer).encode()


def test_wikipedia_is_asked_for_words_and_names_its_pages() -> None:
    request = WIKI.request("Eiffel Tower", 2, DAY)
    assert request.url.startswith("https://en.wikipedia.org/w/api.php?")
    assert parameters(request)["srsearch"] == "Eiffel Tower"
    assert (parameters(request)["sroffset"], parameters(request)["srlimit"]) == ("20", "10")
    answer = {
        "batchcomplete": True,
        "continue": {"sroffset": 10},
        "query": {"search": [{"ns": 0, "title": "Eiffel Tower"}]},
    }
    assert WIKI.parse(200, {}, packed(answer)) == ResultPage(
        (SearchResult("https://en.wikipedia.org/w/index.php?title=Eiffel_Tower", "Eiffel Tower"),), more=True
    )


def test_a_page_of_wikipedia_is_read_as_its_last_revision_before_the_day() -> None:
    url = "https://en.wikipedia.org/w/index.php?title=Eiffel_Tower"
    asked = parameters(WIKI.version_request(url, DAY))
    assert (asked["titles"], asked["rvstart"], asked["rvdir"]) == ("Eiffel_Tower", "2020-10-31T23:59:59Z", "older")
    assert "rvstart" not in parameters(WIKI.version_request(url, None))
    revision = {"revid": 77, "parentid": 5, "timestamp": "2020-10-30T23:10:00Z"}
    answer = {"query": {"pages": [{"title": "Eiffel Tower", "revisions": [revision]}]}}
    version = WIKI.parse_version(url, 200, {}, packed(answer))
    assert isinstance(version, PageVersion)
    assert (version.url, version.day, version.date_source) == (f"{url}&oldid=77", date(2020, 10, 30), "revision")
    assert parameters(version.request)["oldid"] == "77"
    page = WIKI.parse_page(version, 200, {}, packed({"parse": {"title": "A < B", "text": "<p>It is 330 m tall.</p>"}}))
    assert isinstance(page, Page)
    assert b"<title>A &lt; B</title>" in page.body
    assert b"<p>It is 330 m tall.</p>" in page.body
    assert (page.published, page.captured) == (date(2020, 10, 30), date(2020, 10, 30))


def test_a_page_that_was_written_after_the_claim_is_too_late() -> None:
    answer = {"query": {"pages": [{"title": "Eiffel Tower", "missing": False}]}}
    failure = WIKI.parse_version("https://x", 200, {}, packed(answer))
    assert isinstance(failure, SearchFailure)
    assert failure.reason is Reason.LATE


def test_mediawiki_says_no_with_status_200() -> None:
    failure = WIKI.parse(200, {}, packed({"error": {"code": "missingparam", "info": 'The "srsearch" must be set.'}}))
    assert isinstance(failure, SearchFailure)
    assert failure.reason is Reason.NO_ANSWER
    assert "srsearch" in failure.message
    busy = WIKI.parse(200, {}, packed({"error": {"code": "ratelimited", "info": "…"}}))
    assert isinstance(busy, SearchFailure)
    assert busy.reason is Reason.RATE_LIMIT


def test_a_wiki_of_ones_own_may_be_named_by_its_folder_or_its_api() -> None:
    assert (
        mediawiki("http://localhost:8080/w/api.php")
        .request("a", 0, None)
        .url.startswith("http://localhost:8080/w/api.php?")
    )
    assert mediawiki("http://localhost:8080/").place == "localhost:8080"
    assert wikipedia("de").place == "de.wikipedia.org"


def test_gdelt_is_asked_for_a_year_and_for_the_year_before_as_its_second_page() -> None:
    first, second = (parameters(Gdelt().request("flood", page, DAY)) for page in (0, 1))
    assert (first["startdatetime"], first["enddatetime"]) == ("20191102000000", "20201031235959")
    assert (second["startdatetime"], second["enddatetime"]) == ("20181102000000", "20191101235959")
    article = b'{"url": "https://a.example/x", "title": "A\tflood", "seendate": "20201030T121500Z"}'
    answer = b'{"articles": [' + article + b', {"url": "ftp://b"}]}'
    flood = SearchResult("https://a.example/x", "A flood", date(2020, 10, 30))
    assert Gdelt().parse(200, {}, answer) == ResultPage((flood,), more=True)


def test_gdelt_says_no_in_plain_text_and_nothing_as_an_empty_object() -> None:
    failure = Gdelt().parse(200, {}, b"The specified phrase is too short.")
    assert isinstance(failure, SearchFailure)
    assert (failure.reason, "too short" in failure.message) == (Reason.NO_ANSWER, True)
    assert Gdelt().parse(200, {}, b"{}") == ResultPage((), more=True)


def test_searxng_without_results_of_engines_that_did_not_answer_is_a_failure() -> None:
    engine = searxng("http://localhost:8888/")
    assert (
        engine.request("Eiffel Tower", 1, None).url
        == "http://localhost:8888/search?q=Eiffel+Tower&format=json&pageno=2"
    )
    result = {"url": "https://a.example", "title": "A", "content": "…", "publishedDate": "2020-10-30T00:00:00"}
    assert engine.parse(200, {}, packed({"results": [result]})) == ResultPage(
        (SearchResult("https://a.example", "A", date(2020, 10, 30), snippet="…"),), more=True
    )
    failure = engine.parse(200, {}, packed({"results": [], "unresponsive_engines": [["google", "timeout"]]}))
    assert isinstance(failure, SearchFailure)
    assert (failure.reason, "google" in failure.message) == (Reason.NO_ANSWER, True)
    assert engine.parse(200, {}, packed({"results": [], "unresponsive_engines": []})) == ResultPage(())
    closed = engine.parse(403, {}, b"")
    assert isinstance(closed, SearchFailure)
    assert "settings.yml" in closed.message


def test_brave_takes_its_key_as_a_header_and_a_range_of_days() -> None:
    request = Brave("secret").request("word " * 60, 1, DAY)
    assert ("X-Subscription-Token", "secret") in request.headers
    assert "secret" not in request.url
    assert "secret" not in repr(request)
    asked = parameters(request)
    assert (asked["freshness"], asked["offset"], len(asked["q"].split())) == ("1990-01-01to2020-10-31", "1", 50)
    answer = {
        "query": {"more_results_available": True},
        "web": {"results": [{"url": "https://a.example", "title": "A"}]},
    }
    assert Brave("k").parse(200, {}, packed(answer)) == ResultPage((SearchResult("https://a.example", "A"),), more=True)
    assert Brave("k").parse(200, {}, packed({"type": "search", "query": {}})) == ResultPage(())


def test_brave_tells_a_wrong_key_a_full_second_and_a_used_up_month_apart() -> None:
    def reason(status: int, headers: dict[str, str], body: bytes = b"") -> Reason:
        failure = Brave("k").parse(status, headers, body)
        assert isinstance(failure, SearchFailure)
        return failure.reason

    assert reason(422, {}, b'{"error": {"code": "SUBSCRIPTION_TOKEN_INVALID"}}') is Reason.KEY
    assert reason(429, {"x-ratelimit-remaining": "0, 1999"}) is Reason.RATE_LIMIT
    assert reason(429, {"x-ratelimit-remaining": "1, 0"}) is Reason.QUOTA


def test_mojeek_says_no_with_status_200() -> None:
    asked = parameters(Mojeek("k").request("flood", 1, DAY))
    assert (asked["before"], asked["s"], asked["t"]) == ("20201101", "11", "10")
    answer = {"response": {"status": "OK", "results": [{"url": "https://a.example", "title": "A", "desc": "…"}]}}
    assert Mojeek("k").parse(200, {}, packed(answer)) == ResultPage(
        (SearchResult("https://a.example", "A", snippet="…"),)
    )
    failure = Mojeek("k").parse(200, {}, packed({"response": {"status": "ERROR: invalid API key"}}))
    assert isinstance(failure, SearchFailure)
    assert failure.reason is Reason.KEY


def test_wayback_is_asked_for_the_last_copy_before_the_day() -> None:
    asked = parameters(Wayback().version_request("https://web.archive.org/web/2021/https://a.example/x?y=1", DAY))
    assert (asked["url"], asked["to"], asked["limit"]) == ("https://a.example/x?y=1", "20201031", "-1")
    rows = [["urlkey", "timestamp", "original"], ["example,a)/x", "20201029080910", "https://a.example/x?y=1"]]
    version = Wayback().parse_version("https://a.example/x?y=1", 200, {}, packed(rows))
    assert version == PageVersion(
        GetRequest("https://web.archive.org/web/20201029080910id_/https://a.example/x?y=1"),
        "https://web.archive.org/web/20201029080910/https://a.example/x?y=1",
        date(2020, 10, 29),
        "capture",
    )
    for none in (b"[]", b"", packed(rows[:1])):
        failure = Wayback().parse_version("https://a.example/x", 200, {}, none)
        assert isinstance(failure, SearchFailure)
        assert failure.reason is Reason.EMPTY


def test_kiwix_reads_only_what_lies_on_its_own_server() -> None:
    feed = b"""<?xml version="1.0"?><rss><channel><item><title>Eiffel Tower</title><link>/wiki/A/Eiffel</link></item>
    <item><title>Elsewhere</title><link>http://10.0.0.1/secret</link></item></channel></rss>"""
    server = kiwix("http://127.0.0.1:8090#wiki")
    assert server.parse(200, {}, feed) == ResultPage(
        (SearchResult("http://127.0.0.1:8090/wiki/A/Eiffel", "Eiffel Tower"),)
    )
    assert parameters(server.request("tower", 1, None)) == {
        "pattern": "tower", "format": "xml", "content": "wiki", "start": "11", "pageLength": "10"
    }  # fmt: skip


def test_a_catalogue_tells_of_which_day_a_book_is() -> None:
    catalogue = b"""<feed xmlns="http://www.w3.org/2005/Atom"><entry><updated>2019-05-01T00:00:00Z</updated>
    <link type="text/html" href="/wiki2" /></entry><entry><updated>2020-05-01T00:00:00Z</updated>
    <link type="text/html" href="/wiki" /></entry></feed>"""
    version = kiwix("http://x").parse_version("http://x/wiki/A/Eiffel", 200, {}, catalogue)
    assert isinstance(version, PageVersion)
    assert version.day == date(2020, 5, 1)


def test_who_has_already_checked_a_claim() -> None:
    review = {
        "publisher": {"name": "Full Fact", "site": "fullfact.org"},
        "url": "https://fullfact.org/x",
        "title": "No, it was not",
        "reviewDate": "2020-11-03T00:00:00Z",
        "textualRating": "False",
        "languageCode": "en",
    }
    claim = {"text": "The tower is made of wood.", "claimant": "A blog", "claimDate": "2020-10-30T00:00:00Z"}
    source = GoogleReviews("secret")
    answer = {"claims": [claim | {"claimReview": [review, {"url": "javascript:alert(1)"}]}]}
    assert source.parse(200, {}, packed(answer)) == (
        PublishedReview(
            "The tower is made of wood.", "https://fullfact.org/x", "False", "Full Fact", "No, it was not",
            "A blog", date(2020, 10, 30), date(2020, 11, 3), "en",
        ),
    )  # fmt: skip
    assert source.parse(200, {}, b"{}") == ()
    assert "secret" not in source.request("tower", 0, None).url
    assert "secret" not in repr(source)


NO_ANSWERS = (b"<html>Sign in</html>", b'{"query": {"sear', b"", b"[1, 2]", b'"text"', b"\xff\xfe\x00", b"[" * 100_000)


@pytest.mark.parametrize("source", WEB, ids=lambda source: source.name)
def test_an_answer_that_is_none_is_told_with_the_name_of_the_source(source: WebSource) -> None:
    for body in NO_ANSWERS:
        failure = source.parse(200, {}, body)
        if isinstance(failure, ResultPage):
            assert source.name == "wayback"
        else:
            assert source.title in failure.message
            assert failure.reason in (Reason.CHANGED, Reason.NO_ANSWER, Reason.EMPTY)


OTHERS: tuple[dict[str, Any], ...] = ({"results": "none"}, {"query": []}, {"query": {"search": 7}}, {"articles": {}})
STATUSES = {
    302: Reason.CHANGED,
    401: Reason.KEY,
    402: Reason.QUOTA,
    404: Reason.GONE,
    429: Reason.RATE_LIMIT,
    500: Reason.NO_ANSWER,
}


@pytest.mark.parametrize("source", WEB, ids=lambda source: source.name)
def test_another_schema_is_never_taken_for_no_results(source: WebSource) -> None:
    for answer in (*OTHERS, {"response": []}, {"web": []}, {"other": 1}):
        failure = source.parse(200, {}, packed(answer))
        assert isinstance(failure, SearchFailure), answer
        assert failure.reason in (Reason.CHANGED, Reason.NO_ANSWER)


@pytest.mark.parametrize("source", WEB, ids=lambda source: source.name)
def test_statuses_are_told_apart(source: WebSource) -> None:
    for status, reason in STATUSES.items():
        failure = source.parse(status, {"retry-after": "7"}, b"")
        assert isinstance(failure, SearchFailure), status
        assert failure.reason is reason
        assert ("in 7 seconds" in failure.message) == (status == 429)


def test_records_with_missing_or_wrong_fields_cost_only_themselves() -> None:
    answer = {"results": [{"title": "no address"}, 7, {"url": 5}, {"url": "https://a.example", "title": None}]}
    assert searxng("http://x").parse(200, {}, packed(answer)) == ResultPage(
        (SearchResult("https://a.example"),), more=True
    )


def test_a_source_that_wants_a_key_says_which(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("BRAVE_API_KEY", raising=False)
    with pytest.raises(BadInput, match="BRAVE_API_KEY"):
        open_source("brave")
    monkeypatch.setenv("BRAVE_API_KEY", "a\nb")
    with pytest.raises(BadInput, match="copy it again"):
        open_source("brave")


@pytest.mark.parametrize(
    "named",
    [
        "google", "searxng", "searxng=localhost", "kiwix=ftp://x", "mediawiki=http://[x", "wikipedia=../x",
        "wikipedia=en-", "searxng=http://x:99999",
        "zim=/no.zim", "warc",
    ],
)  # fmt: skip
def test_a_source_that_cannot_be_opened_says_how(named: str) -> None:
    with pytest.raises(BadInput):
        open_source(named)


def test_when_a_server_wants_to_be_asked_again_though_its_clock_is_off() -> None:
    soon = email.utils.format_datetime(datetime.now(UTC) + timedelta(seconds=60))
    assert retry_after({"retry-after": "7"}) == 7.0
    assert 50 < (retry_after({"retry-after": soon}) or 0.0) <= 60
    assert retry_after({"retry-after": "Wed, 21 Oct 2015 07:28:00 GMT"}) == 0.0
    clock = {"date": "Wed, 21 Oct 2015 07:27:30 GMT"}  # years behind: half a minute is meant
    assert retry_after({"retry-after": "Wed, 21 Oct 2015 07:28:00 GMT", **clock}) == 30.0
    assert retry_after({"retry-after": "in a while"}) is None
    assert retry_after({}) is None


@pytest.mark.parametrize("page", ["http://w.example/w/index.php", "http://w.example/wiki/Main_Page"])
def test_a_page_of_a_wiki_is_no_address_of_one(page: str) -> None:
    with pytest.raises(BadInput, match="its api"):
        open_source(f"mediawiki={page}")


def test_a_wiki_that_has_moved_says_which_address_to_write() -> None:
    moved = open_source("mediawiki=http://w.example")
    assert isinstance(moved, WebSource)
    said = moved.parse(301, {"location": "https://new.example/w/api.php?action=query"}, b"")
    assert isinstance(said, SearchFailure)
    assert said.message.endswith("write mediawiki=https://new.example/w.")
    gone = moved.parse(404, {}, b"")
    assert isinstance(gone, SearchFailure)
    assert gone.message.endswith("such as mediawiki=http://w.example/w.")


def test_a_service_that_has_moved_names_its_new_address() -> None:
    said = searxng("http://x").parse(301, {"location": "https://new.example/search"}, b"")
    assert isinstance(said, SearchFailure)
    assert "https://new.example/search" in said.message


def test_a_title_of_a_megabyte_is_cut() -> None:
    long = "bridge " * 150_000
    item = f"<item><title>{long}</title><link>/x</link><description>{long}</description></item>"
    answer = f"<rss><channel>{item}</channel></rss>"
    found = kiwix("http://x").parse(200, {}, answer.encode())
    assert isinstance(found, ResultPage)
    assert len(found.results[0].title) <= len(found.results[0].snippet) <= MAX_TEXT
