"""The page that builds stores: what it says before anything is sent, and a store built without a network."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from core.jobs.types import State
from core.search.snapshots import Snapshots
from core.search.stores.build_job import StoreBuild
from core.search.types import Page
from pages.ui.app_state import AppState
from tests.pages.desks import ANNA, BERT, HOSTILE, html_of, visit
from tests.search.servers import free_port
from tests.search.site import article
from tests.waiting import until

GOLD = [
    {
        "claim": f"The Eiffel Tower is made of wood. {HOSTILE}",
        "claim_date": "31-10-2020",
        "label": "Refuted",
        "questions": [{"question": "Of what is it made?", "answers": [{"answer": "Iron.", "answer_type": "Extractive",
                       "source_url": "", "source_medium": "Web text"}]}],
    }
]  # fmt: skip


def upload(app: AppTest, claims: object, name: str = "mine.json") -> AppTest:
    content = claims if isinstance(claims, bytes) else json.dumps(claims).encode()
    app.file_uploader(key="build-claims").set_value((name, content, "application/json")).run()
    assert not app.exception
    return app


def ended(desk: AppState, build_id: str) -> StoreBuild:
    until(lambda: (build := desk.builds.find(build_id, ANNA)) and not build.state.live)
    build = desk.builds.find(build_id, ANNA)
    assert build
    return build


def label(app: AppTest) -> str:
    return next(one.label for one in app.button if one.label.startswith(("Send", "Build")))


def test_before_anything_is_sent_the_page_says_what_goes_to_whom(at_desk: AppState) -> None:
    app = visit(page="build")
    assert "looks like this" in html_of(app)
    assert next(one for one in app.button if one.label == "Build the store").disabled
    upload(app, [{"claim": "The Eiffel Tower is made of wood.", "claim_date": "31-10-2020"}])
    # names: 1; questions, background, provenance, other events, similar entities: 3 each
    assert label(app) == "Send at most 16 queries to en.wikipedia.org"
    page = html_of(app)
    assert "1 claim, without annotations" in page
    assert "at most 160 pages" in page
    app.number_input(key="build-pages").set_value(2).run()
    assert label(app) == "Send at most 32 queries to en.wikipedia.org"
    app.multiselect(key="build-kinds-False").set_value(["claim named entities"]).run()
    assert label(app) == "Send at most 2 queries to en.wikipedia.org"
    app.multiselect(key="build-kinds-False").set_value([]).run()
    assert "Choose at least one kind of query." in html_of(app)
    assert at_desk.builds.of(ANNA) == []


def test_a_file_that_is_none_is_refused_with_a_sentence(at_desk: AppState) -> None:
    app = upload(visit(page="build"), b"{", "broken.json")
    assert "broken.json" in html_of(app)


def test_a_store_is_built_shown_taken_away_and_deleted(
    at_desk: AppState, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    body = article("Eiffel Tower", day="2020-01-02").encode()
    Snapshots(tmp_path / "kept").keep(Page("https://a.example/tower", body))
    monkeypatch.setenv("VERIDESK_SEARCH", f"warc={tmp_path / 'kept'}")
    app = upload(visit(page="build"), GOLD)
    app.multiselect(key="build-kinds-True").set_value(["claim named entities", "gold answers"]).run()
    assert "on this machine, nothing is sent" in html_of(app)
    next(one for one in app.button if one.label == "Build the store").click().run()
    assert not app.exception
    build_id = str(app.query_params["build"])
    build = ended(at_desk, build_id)
    assert (build.state, build.status.error) == (State.DONE, "")
    done = visit(page="build", build=build_id)
    page = html_of(done)
    assert "1 document, 1 with text" in page, build.manifest
    assert "named entity" in page
    assert str(build.store) in done.code[0].value
    assert "<script>alert" not in page
    assert "no such store" in html_of(visit(BERT, page="build", build=build_id))
    assert "mine.json" in html_of(visit(page="build"))
    next(one for one in done.button if one.label == "Delete this store").click().run()
    assert at_desk.builds.of(ANNA) == []


def test_what_no_source_answered_is_said_and_can_be_tried_again(
    at_desk: AppState, monkeypatch: pytest.MonkeyPatch
) -> None:
    address = f"http://127.0.0.1:{free_port()}"
    monkeypatch.setenv("VERIDESK_SEARCH", f"searxng={address}")
    app = upload(visit(page="build"), [{"claim": "The Eiffel Tower is made of wood.", "claim_date": "31-10-2020"}])
    app.multiselect(key="build-kinds-False").set_value(["claim named entities"]).run()
    next(one for one in app.button if one.label.startswith("Send at most 1 query")).click().run()
    build_id = str(app.query_params["build"])
    assert ended(at_desk, build_id).state is State.DONE
    done = visit(page="build", build=build_id)
    assert "Not answered: 1 of 1 query." in html_of(done)
    assert "This store is empty" in html_of(done)
    assert not done.code  # no folder is offered to Batch
    assert f"1 times: SearXNG: {address}/search: the server cannot be reached" in html_of(done)
    next(one for one in done.button if one.label == "Try the failed ones again").click().run()
    assert ended(at_desk, build_id).manifest["asked"] == {"no answer": 1}
