"""Search as the place where evidence comes from: what is shown before anything is sent, and what comes back."""

import json
import re
from collections.abc import Iterator
from dataclasses import replace
from datetime import date
from pathlib import Path
from types import SimpleNamespace

import pytest

from core.jobs.types import State
from core.search import search_request
from core.search.search_plan import SearchOrder, SearchPlan
from core.search.search_request import own_snapshots
from core.search.types import Page
from core.search_report import AskedQuery, LeftOut, Origin, Reason, SearchReport, When
from core.types import Claim
from core.verification.reading import agreed
from core.verification.receipt import request_from_json
from core.verification.request import Request
from pages.ui.app_state import AppState
from pages.ui.claim_form import search_order
from pages.ui.claim_form.claim_draft import ADDRESSES, EXAMPLE, FILES, SEARCH, field
from pages.ui.claim_form.found_titles import EXTRA
from tests.fakes import ScriptedModel
from tests.pages.desks import (
    ANNA,
    by_role,
    hand_made,
    html_of,
    keys,
    look_in,
    press,
    read,
    result_of,
    settled,
    told,
    visit,
    work_by,
)
from tests.search.site import Site, reply, running
from tests.search.test_rounds import Engine

CLAIM = "The Eiffel Tower in Paris is made of wood."
THAMES = "The Thames flows through London."
KINDS = ("queries", "questions", "queries")
FIRST_QUERIES = ("Eiffel Tower wood", "Paris wood", "Eiffel Paris")


@pytest.fixture
def site() -> Iterator[Site]:
    with running(Site()) as (one,):
        yield one


def searching(claim: str = CLAIM):  # type: ignore[no-untyped-def]
    app = visit()
    app.text_area(key=field("text")).set_value(claim).run()
    look_in(app, SEARCH)
    return app


def sends(app) -> tuple[int, str]:  # type: ignore[no-untyped-def]
    """Return how many queries the button says that it sends, and to whom; 0 and "" where it names none."""
    found = re.search(r"(\d+) \S+ to (.+)", app.button(key="verify-send").label)
    return (int(found[1]), found[2]) if found else (0, "")


def test_wikipedia_is_offered_without_any_configuration(at_desk: AppState) -> None:
    app = searching()
    assert app.multiselect(key=field("sources")).value == ["wikipedia"]
    assert app.text_area(key=field("queries")).value.splitlines() == list(FIRST_QUERIES)
    assert sends(app) == (8, "en.wikipedia.org")
    shown = html_of(app)
    assert "Eiffel Tower wood" in read(app, "listitem")
    assert "5 more queries" in shown
    assert field("searched") in keys(app)
    assert "en.wikipedia.org: up to 8 " in shown


def test_each_query_can_be_edited_dropped_and_added(at_desk: AppState) -> None:
    app = searching()
    app.text_area(key=field("queries")).set_value("Eiffel Tower\n\nsite:example.org iron\nGustave Eiffel").run()
    assert sends(app) == (8, "en.wikipedia.org")
    app.number_input(key=field("later")).set_value(0).run()
    assert sends(app) == (3, "en.wikipedia.org")
    assert "site example.org iron" in html_of(app)  # as it is sent: an operator would search somewhere else
    app.text_area(key=field("text")).set_value("Another claim about London.").run()
    assert app.text_area(key=field("queries")).value.startswith("Eiffel Tower\n")  # what was written stays


def test_what_was_agreed_to_is_what_is_searched(at_desk: AppState) -> None:
    app = searching()
    app.date_input(key=field("date")).set_value(date(2020, 10, 31)).run()
    app.number_input(key=field("pages")).set_value(4).run()
    press(app, "verify-send")
    case_id = str(app.query_params["case"])
    settled(at_desk, case_id)
    stored = at_desk.jobs.load(case_id, ANNA)
    plan = SearchPlan(FIRST_QUERIES, pages=4, later=5)
    assert request_from_json(stored.request).search == SearchOrder(("wikipedia",), plan)


def test_queries_that_were_not_on_the_screen_are_shown_and_not_sent(at_desk: AppState) -> None:
    app = searching()
    app.text_area(key=field("text")).set_value(THAMES)
    press(app, "verify-send")
    assert at_desk.cases.search(ANNA).total == 0
    assert len(by_role(app, "alert")) == 1
    assert app.text_area(key=field("text")).value == THAMES
    assert app.text_area(key=field("queries")).value.splitlines()[0] == "Thames flows"
    press(app, "verify-send")
    stored = at_desk.jobs.load(str(app.query_params["case"]), ANNA)
    assert stored
    assert request_from_json(stored.request).search.plan.queries[0] == "Thames flows"  # type: ignore[union-attr]


def test_pages_that_were_not_named_on_the_screen_are_not_agreed_to(at_desk: AppState) -> None:
    app = searching()
    app.number_input(key=field("pages")).set_value(50)
    press(app, "verify-send")
    assert at_desk.cases.search(ANNA).total == 0
    assert " 50 " in html_of(app)


def test_verify_on_the_open_example_sends_nothing_and_shows_what_would_be_sent(at_desk: AppState) -> None:
    app = visit()
    app.text_area(key=field("text")).set_value(CLAIM)
    app.button(key="verify-send").click().run()
    assert at_desk.cases.search(ANNA).total == 0
    assert len(by_role(app, "alert")) == 1  # the hint, and no error
    assert app.text_area(key=field("text")).value == CLAIM
    assert app.multiselect(key=field("sources")).value == ["wikipedia"]
    press(app, "verify-send")
    assert at_desk.cases.search(ANNA).total == 1


def test_a_restored_draft_of_a_search_is_not_sent_from_another_place(at_desk: AppState) -> None:
    searching()
    app = visit()
    look_in(app, EXAMPLE)
    app.text_area(key=field("text")).set_value(f"{CLAIM} Or so they say.")
    app.button(key="verify-send").click().run()
    assert at_desk.cases.search(ANNA).total == 0
    assert len(by_role(app, "alert")) == 1
    assert app.session_state[field("where")] == SEARCH


def test_an_address_sends_nothing_by_itself(at_desk: AppState) -> None:
    searching()
    for query in ({"queries": "never shown"}, {"where": "Search"}, {"case": "nobodys"}, {"text": CLAIM}):
        visit(**query)
    assert at_desk.cases.search(ANNA).total == 0


@pytest.mark.parametrize("claim", ["🙂🙂", "It is what it is, and that is that."])
def test_a_claim_without_words_to_search_for_leaves_the_form_whole(claim: str, at_desk: AppState) -> None:
    app = searching(claim)
    press(app, "verify-send")
    assert sends(app) == (0, "")
    assert at_desk.cases.search(ANNA).total == 0


def test_web_addresses_are_read_as_they_were_typed_and_not_from_another_place(at_desk: AppState) -> None:
    app = visit()
    app.text_area(key=field("text")).set_value(CLAIM).run()
    look_in(app, FILES)
    app.button_group(key=field("where")).set_value(ADDRESSES)
    app.session_state[field("urls")] = "https://a.example/of-a-draft"
    app.button(key="verify-send").click().run()
    assert len(by_role(app, "alert")) == 1
    app.text_area(key=field("urls")).set_value("https://a.example/x")
    app.button(key="verify-send").click().run()
    stored = at_desk.jobs.load(str(app.query_params["case"]), ANNA)
    assert stored
    request = request_from_json(stored.request)
    assert request.urls == ("https://a.example/x",)
    agreed(request)


def test_only_sources_that_the_server_offers_are_searched(at_desk: AppState, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VERIDESK_SEARCH", "searxng=http://10.0.0.5:8080,wikipedia=de")
    app = searching()
    assert sends(app) == (8, "10.0.0.5:8080")
    app.multiselect(key=field("sources")).set_value([]).run()
    press(app, "verify-send")
    assert "one place" in told(app)


def test_a_source_without_its_key_says_which(at_desk: AppState, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VERIDESK_SEARCH", "brave")
    monkeypatch.delenv("BRAVE_API_KEY", raising=False)
    app = searching()
    assert "BRAVE_API_KEY" in html_of(app)
    press(app, "verify-send")
    assert at_desk.cases.search(ANNA).total == 0


def test_a_search_can_be_changed_and_sent_again(at_desk: AppState) -> None:
    order = SearchOrder(("wikipedia",), SearchPlan(("one query",), pages=3, same_day=False))
    case_id = at_desk.cases.start(ANNA, Request(Claim(CLAIM), search=order))
    settled(at_desk, case_id)
    app = visit(case=case_id)
    press(app, "again")
    assert app.text_area(key=field("queries")).value == "one query"
    assert app.number_input(key=field("pages")).value == 3
    assert sends(app) == (1, "en.wikipedia.org")


def test_hostile_queries_stay_text(at_desk: AppState) -> None:
    app = searching()
    app.text_area(key=field("queries")).set_value('<img src=x onerror="alert(1)"> ![x](http://e.example/a.png)').run()
    assert "<img" not in html_of(app)


def test_who_has_already_checked_a_claim_stands_beside_the_verdict(
    at_desk: AppState, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    review = {
        "@type": "ClaimReview",
        "claimReviewed": CLAIM,
        "url": "https://checkers.example/1",
        "name": "<b>No</b>, it is iron",
        "reviewRating": {"alternateName": "False"},
        "author": {"name": "Desk of Checkers"},
    }
    feed = tmp_path / "feed.json"
    feed.write_text(json.dumps({"dataFeedElement": [{"item": [review]}]}), encoding="utf-8")
    monkeypatch.setenv("VERIDESK_REVIEWS", str(feed))
    case_id = at_desk.cases.start(ANNA, Request(Claim(CLAIM), example="everest"))
    settled(at_desk, case_id)
    shown = html_of(visit(case=case_id))
    assert "Desk of Checkers" in shown
    assert "&lt;b&gt;No&lt;/b&gt;, it is iron" in shown
    feed.write_text("no feed")
    assert "feed.json" in html_of(visit(case=case_id))


def test_google_is_asked_only_where_there_is_a_key_and_somebody_says_so(
    at_desk: AppState, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert field("reviews") not in keys(searching())
    monkeypatch.setenv("GOOGLE_FACT_CHECK_KEY", "secret")
    app = searching()
    assert "factchecktools.googleapis.com" not in html_of(app)
    app.toggle(key=field("reviews")).set_value(True).run()
    assert "factchecktools.googleapis.com" in html_of(app)
    assert sends(app) == (9, "en.wikipedia.org, factchecktools.googleapis.com")
    assert "secret" not in html_of(app)


def test_the_model_adds_queries_to_those_that_are_there(at_desk: AppState, monkeypatch: pytest.MonkeyPatch) -> None:
    written = ScriptedModel(
        [json.dumps({kind: ["Eiffel Tower iron", "Gustave Eiffel", "towers of Paris"]}) for kind in KINDS]
    )
    monkeypatch.setattr(at_desk.pool, "models", lambda model: SimpleNamespace(llm=written))
    app = searching()
    press(app, field("more"))
    assert app.text_area(key=field("queries")).value.splitlines() == [
        *FIRST_QUERIES,
        "Eiffel Tower iron",
        "towers of Paris",
    ]  # and not “Gustave”, whom the claim does not name
    assert sends(app) == (10, "en.wikipedia.org")


def test_what_was_asked_read_and_left_out_stands_below_the_verdict(
    at_desk: AppState, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    case = hand_made(Claim(CLAIM, date=date(2020, 10, 31)))
    document = case.hits[0].passage.document
    snapshot = own_snapshots().keep(Page(document.url, b"<html>The tower.</html>"))
    origin = Origin(
        document.url, document.digest, "wikipedia", "Eiffel Tower", 1, snapshot, When.BEFORE, date(2020, 1, 2),
        "revision", date(2021, 1, 5), fact_checker=True,
    )  # fmt: skip
    report = SearchReport(
        (
            AskedQuery("wikipedia", "Eiffel Tower", "found", 2),
            AskedQuery("gdelt", "Eiffel Tower", Reason.QUOTA, 0, "Used <b>up</b>."),
        ),
        (origin,),
        (LeftOut("https://late.example/", Reason.LATE, "Published on 2020-12-01.", "gdelt", "Eiffel Tower"),),
    )
    work_by(at_desk, lambda request, *_: result_of(request, replace(case, search=report)))
    order = SearchOrder(("wikipedia",), SearchPlan(("Eiffel Tower",)))
    case_id = at_desk.cases.start(ANNA, Request(case.claim, search=order))
    assert settled(at_desk, case_id) is State.DONE
    app = visit(case=case_id)
    shown = html_of(app)
    assert [one for one in app.expander if {"2", "1"} == set(re.findall(r"\d+", one.label))]
    assert "<b>up" not in shown
    assert "late.example" in shown
    assert "too late" in shown
    table = next(one.value for one in app.dataframe if "Snapshot" in one.value)
    assert "5 January 2021" in table.iloc[0]["Remarks"]
    assert table.iloc[0]["Date from"] == "revision"


def test_titles_come_first_and_some_are_struck_and_some_added(
    at_desk: AppState, site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = "\n".join(f"https://w.example/{name}|{name}" for name in ("Tower", "Iron"))
    site.otherwise = reply(200, lines, {"Content-Type": "text/plain"})
    engine = Engine(f"{site.base}/find")
    for module in (search_order, search_request):
        monkeypatch.setattr(module, "open_source", lambda named: engine)
    app = searching()
    assert site.requests == []
    press(app, field("titles"))
    assert len(site.requests) == len(FIRST_QUERIES)
    app.checkbox(key="verify-title-https://w.example/Iron").set_value(False).run()
    app.text_area(key=EXTRA).set_value("https://x.example/more").run()
    assert re.search(r"\d+", app.button(key="verify-send").label)[0] == "2"  # type: ignore[index]
    proposed = app.button(key=field("titles")).label.split("“")[1].rstrip("”")
    press(app, field("titles"))
    sent = [path.partition("?q=")[2].replace("+", " ") for path in site.requests]
    assert sent == [*FIRST_QUERIES, proposed]
    press(app, "verify-send")
    stored = at_desk.jobs.load(str(app.query_params["case"]), ANNA)
    assert stored
    request = request_from_json(stored.request)
    assert request.search
    assert [page.url for page in request.search.plan.chosen] == ["https://w.example/Tower", "https://x.example/more"]
    assert [one.query for one in request.search.plan.asked] == sent
    agreed(request)
    assert len(site.requests) == len(sent)


def test_titles_of_other_queries_are_forgotten(at_desk: AppState, site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    site.otherwise = reply(200, "https://w.example/Tower|Tower", {"Content-Type": "text/plain"})
    engine = Engine(f"{site.base}/find")
    monkeypatch.setattr(search_order, "open_source", lambda named: engine)
    app = searching()
    press(app, field("titles"))
    app.text_area(key=field("queries")).set_value("Gustave").run()
    assert not [key for key in keys(app) if key.startswith("verify-title-")]
    assert sends(app)[0] == 6
