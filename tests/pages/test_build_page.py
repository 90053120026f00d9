"""The page that builds stores: what it says before anything is sent, and a store built without a network."""

import json
import re
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from core.jobs.types import State
from core.search.snapshots import Snapshots
from core.search.stores.build_job import StoreBuild
from core.search.types import Page
from pages.ui.app_state import AppState
from tests.pages.desks import ANNA, BERT, HOSTILE, by_role, html_of, keys, press, told, visit
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


def sends(app: AppTest) -> list[tuple[str, str]]:
    """Return how many queries the button sends, and to whom."""
    return re.findall(r"(\d+) \S+ to (\S+)", app.button(key="build-send").label)


def test_before_anything_is_sent_the_page_says_what_goes_to_whom(at_desk: AppState) -> None:
    app = visit(page="build")
    assert not app.toggle(key="build-example").value
    assert app.button(key="build-send").disabled
    upload(app, [{"claim": "The Eiffel Tower is made of wood.", "claim_date": "31-10-2020"}])
    # names: 1; questions, background, provenance, other events, similar entities: 3 each
    assert sends(app) == [("16", "en.wikipedia.org")]
    page = html_of(app)
    assert "160 pages" in page
    app.number_input(key="build-order-pages").set_value(2).run()
    assert sends(app) == [("32", "en.wikipedia.org")]
    app.multiselect(key="build-kinds-False").set_value(["claim named entities"]).run()
    assert sends(app) == [("2", "en.wikipedia.org")]
    app.multiselect(key="build-kinds-False").set_value([]).run()
    assert len(by_role(app, "alert")) == 1
    assert at_desk.builds.of(ANNA) == []


def test_a_file_that_is_none_is_refused_with_a_sentence(at_desk: AppState) -> None:
    app = upload(visit(page="build"), b"{", "broken.json")
    assert "broken.json" in told(app)


def test_a_store_is_built_shown_taken_away_and_deleted(
    at_desk: AppState, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    body = article("Eiffel Tower", day="2020-01-02").encode()
    Snapshots(tmp_path / "kept").keep(Page("https://a.example/tower", body))
    monkeypatch.setenv("VERIDESK_SEARCH", f"warc={tmp_path / 'kept'}")
    app = upload(visit(page="build"), GOLD)
    app.multiselect(key="build-kinds-True").set_value(["claim named entities", "gold answers"]).run()
    assert sends(app) == []
    press(app, "build-send")
    build_id = str(app.query_params["build"])
    build = ended(at_desk, build_id)
    assert (build.state, build.status.error) == (State.DONE, "")
    done = visit(page="build", build=build_id)
    page = html_of(done)
    assert "1 with text" in page, build.manifest
    assert "named entity" in page
    assert str(build.store) in done.code[0].value
    assert "<script>alert" not in page
    assert "build-delete" not in keys(visit(BERT, page="build", build=build_id))
    assert "mine.json" in html_of(visit(page="build"))
    press(done, "build-delete")
    assert at_desk.builds.of(ANNA) == []


def test_what_no_source_answered_is_said_and_can_be_tried_again(
    at_desk: AppState, monkeypatch: pytest.MonkeyPatch
) -> None:
    address = f"http://127.0.0.1:{free_port()}"
    monkeypatch.setenv("VERIDESK_SEARCH", f"searxng={address}")
    app = upload(visit(page="build"), [{"claim": "The Eiffel Tower is made of wood.", "claim_date": "31-10-2020"}])
    app.multiselect(key="build-kinds-False").set_value(["claim named entities"]).run()
    assert sends(app)[0][0] == "1"
    press(app, "build-send")
    build_id = str(app.query_params["build"])
    assert ended(at_desk, build_id).state is State.DONE
    done = visit(page="build", build=build_id)
    assert "1 of 1" in told(done)
    assert f"{address}/search" in told(done)
    assert len(by_role(done, "note")) == 1
    assert not done.code  # no folder is offered to Batch
    press(done, "build-retry")
    assert ended(at_desk, build_id).manifest["asked"] == {"no answer": 1}
