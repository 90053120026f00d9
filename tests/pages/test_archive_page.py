"""The page Archive, and an archive as the evidence of a claim: for those who may read it, and for nobody else."""

from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from core.archive import catalogue
from core.archive.catalogue import Archives, own_archives
from core.archive.types import ArchiveEntry, NewDocument, Readers
from core.errors import BadInput, BadRecord
from core.interfaces import ModelIdentity
from core.settings import settings
from core.types import Claim, Document
from core.verification.reading import documents_of
from core.verification.receipt import request_from_json
from core.verification.request import Request
from core.verification.review import Review
from pages.ui.app_state import AppState
from pages.ui.claim_form.claim_draft import ARCHIVE, STORE, field
from pages.verify.hand_over import make
from pages.verify.opened import OpenedCase
from tests.pages.desks import ANNA, BERT, hand_made, html_of, keys, look_in, press, settled, visit
from tests.retrieval.test_index import tiny_static
from tests.waiting import until

ICE = Document("https://a.org/ice", "The harbour was frozen in January.", "Ice <b>here</b>")


@pytest.fixture
def archive(at_desk: AppState, monkeypatch: pytest.MonkeyPatch) -> ArchiveEntry:
    here = settings()
    made = Archives(here.archive_url, here.archives, static=tiny_static)
    monkeypatch.setattr(catalogue, "_archives_at", lambda url, folder: made)
    entry = made.create(ANNA, "Our articles")
    made.open(entry.id).add([NewDocument(ICE)])
    return entry


def search(app: AppTest, words: str) -> str:
    app.text_input(key="archive-query").set_value(words).run()
    assert not app.exception
    return html_of(app)


def test_an_archive_is_made_filled_and_searched(at_desk: AppState, archive: ArchiveEntry) -> None:
    app = visit(page="archive")
    app.text_input(key="archive-name").set_value("Minutes").run()
    press(app, "archive-make")
    app.file_uploader[0].set_value(("budget.txt", b"The budget was cut.", "text/plain")).run()
    press(app, "archive-add")
    until(lambda: not any(run.state.live for run in at_desk.additions.of(ANNA)))
    app.run()
    page = search(app, "budget")
    assert "budget.txt" in page
    assert "harbour" not in page


def test_a_failed_addition_keeps_the_places_and_a_good_one_empties_the_field(
    at_desk: AppState, archive: ArchiveEntry, tmp_path: Path
) -> None:
    app, place = visit(page="archive", archive=archive.id), tmp_path / "budget.txt"
    app.text_area(key=f"archive-places-{archive.id}-0").set_value(str(place)).run()
    press(app, "archive-add")
    assert app.text_area(key=f"archive-places-{archive.id}-0").value == str(place)
    app.text_area(key=f"archive-places-{archive.id}-0").set_value("http://127.0.0.1:9/sitemap.xml").run()
    press(app, "archive-add")
    until(lambda: not any(run.state.live for run in at_desk.additions.of(ANNA)))
    app.run()
    assert app.text_area(key=f"archive-places-{archive.id}-1").value == "http://127.0.0.1:9/sitemap.xml"
    place.write_text("The budget was cut.")
    app.text_area(key=f"archive-places-{archive.id}-1").set_value(str(place)).run()
    press(app, "archive-add")
    until(lambda: not any(run.state.live for run in at_desk.additions.of(ANNA)))
    app.run()
    assert app.text_area(key=f"archive-places-{archive.id}-2").value == ""
    assert "budget" in search(app, "budget")


def test_the_places_of_a_failed_addition_are_in_no_other_archives_form(
    at_desk: AppState, archive: ArchiveEntry
) -> None:
    other = own_archives().create(ANNA, "Minutes")
    app = visit(page="archive", archive=archive.id)
    app.text_area(key=f"archive-places-{archive.id}-0").set_value("http://127.0.0.1:9/sitemap.xml").run()
    press(app, "archive-add")
    until(lambda: not any(run.state.live for run in at_desk.additions.of(ANNA)))
    app.run()
    app.query_params["archive"] = other.id
    app.run()
    assert app.text_area(key=f"archive-places-{other.id}-0").value == ""


def test_titles_are_shown_as_text(archive: ArchiveEntry) -> None:
    page = search(visit(page="archive", archive=archive.id), "frozen harbour")
    assert "Ice &lt;b&gt;here&lt;/b&gt;" in page
    assert "frozen" in page


def test_nobody_else_finds_an_archive_by_its_address(at_desk: AppState, archive: ArchiveEntry) -> None:
    assert f"archive-open-{archive.id}" not in keys(visit(BERT, page="archive"))
    assert "archive-query" not in keys(visit(BERT, page="archive", archive=archive.id))
    app = visit(BERT)
    look_in(app, ARCHIVE)
    assert field("archive") not in keys(app)
    look_in(app, STORE)
    app.text_area(key=field("text")).set_value("The harbour was frozen.")
    app.text_area(key=field("store")).set_value(archive.address).run()
    press(app, "verify-send")
    assert "case" not in app.query_params


def test_a_team_opens_an_archive_by_its_link(archive: ArchiveEntry) -> None:
    token = own_archives().share(archive, ANNA, Readers.TEAM)
    app = visit(BERT, page="archive", join=token)
    assert "frozen" in search(app, "harbour")
    assert "archive-ask-delete" not in keys(app)


def test_a_claim_is_checked_against_an_archive(at_desk: AppState, archive: ArchiveEntry) -> None:
    app = visit()
    look_in(app, ARCHIVE)
    app.text_area(key=field("text")).set_value("The harbour was frozen.").run()
    app.button(key="verify-send").click().run()
    stored = at_desk.jobs.load(str(app.query_params["case"]), ANNA)
    assert stored
    settled(at_desk, stored.id)
    asked = request_from_json(stored.request)
    found, corpus, notes = documents_of(asked)
    assert (asked.stores, found, corpus.documents) == ((archive.address,), [ICE], 1)
    assert len(notes) == 1


def test_a_package_is_made_only_of_an_archive_that_its_person_reads(archive: ArchiveEntry) -> None:
    claim = Claim("The harbour was frozen.")
    found = OpenedCase("a", Request(claim, stores=(archive.address,)), hand_made(claim), ModelIdentity("tiny", ""), {})
    with pytest.raises(BadRecord):  # of the empty receipt
        make(found, ANNA, Review())
    with pytest.raises(BadInput) as refused:
        make(found, BERT, Review())
    assert refused.type is BadInput
