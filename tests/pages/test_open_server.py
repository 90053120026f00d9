"""What a stranger may do on an open server: the table in docs/servers.md, line by line."""

from pathlib import Path

import pytest
import streamlit as st
from starlette.exceptions import HTTPException
from streamlit.runtime.memory_uploaded_file_manager import MemoryUploadedFileManager
from streamlit.runtime.uploaded_file_manager import UploadedFileRec

from core.campaigns.access import invite_organiser
from core.documents.web import fetch
from core.errors import BadInput, NotPublic
from core.types import Claim
from core.verification.request import Request
from pages.ui import uploads
from pages.ui.app_state import AppState
from pages.ui.claim_form import typed_request
from pages.ui.claim_form.claim_draft import STORE, field
from pages.ui.server_paths import checked_path
from pages.ui.uploads import bound_uploads
from tests.pages.desks import ANNA, BERT, by_role, html_of, keys, look_in, press, settled, visit

ASKED = Request(Claim("The wall can be seen from the Moon."), example="everest")


@pytest.fixture(autouse=True)
def an_open_server(at_desk: AppState, monkeypatch: pytest.MonkeyPatch) -> AppState:
    """It listens everywhere, has no sign-in and no organiser, and was told that it is for everybody."""
    real = st.get_option
    monkeypatch.setattr(st, "get_option", lambda name: "0.0.0.0" if name == "server.address" else real(name))
    monkeypatch.setenv("VERIDESK_OPEN", "yes")
    return at_desk


def test_without_a_word_it_serves_nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("VERIDESK_OPEN")
    assert len(by_role(app := visit(ANNA), "alert")) == 1
    assert "verify-send" not in keys(app)


@pytest.mark.parametrize("page", ["models", "stores", "build", "batch"])
def test_what_counts_for_all_or_takes_hours_is_for_organisers(page: str) -> None:
    app = visit(ANNA, page=page)
    assert len(by_role(app, "note")) == 1
    assert not app.main.button


@pytest.mark.parametrize(("page", "key"), [("history", "history-example"), ("score", "score-start")])
def test_these_pages_are_for_everybody(page: str, key: str) -> None:
    assert key in keys(visit(ANNA, page=page))


def test_campaigns_are_for_organisers_and_items_for_those_who_were_invited() -> None:
    assert "campaign-new" not in keys(visit(ANNA, page="campaigns"))
    assert not visit(ANNA, page="rate").button


def test_an_organiser_who_was_invited_may_open_them(at_desk: AppState) -> None:
    link = invite_organiser(at_desk.store, days=1)
    visit(BERT, page="campaigns", invite=link)
    assert "model-files" in keys(visit(BERT, page="models"))
    assert "model-files" not in keys(visit(ANNA, page="models"))


def test_a_case_of_somebody_else_looks_like_none(at_desk: AppState) -> None:
    case = at_desk.cases.start(BERT, ASKED)
    settled(at_desk, case, BERT)
    assert ASKED.claim.text not in html_of(visit(ANNA, case=case))
    assert ASKED.claim.text not in html_of(visit(ANNA, page="history"))
    assert at_desk.queue.cancel(case, ANNA) is None
    assert not at_desk.jobs.delete(case, ANNA)


@pytest.mark.parametrize("path", ["/etc/passwd", "{home}/veridesk.db", "{home}/stores/../veridesk.db", "~root/x"])
def test_no_path_leads_out_of_the_folder_of_stores(path: str, tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=r"other machines|home folder"):
        typed_request.chosen_stores(path.format(home=tmp_path))
    with pytest.raises(BadInput, match=r"other machines|home folder"):
        checked_path(path.format(home=tmp_path))


def test_a_path_typed_on_verify_is_refused() -> None:
    app = look_in(visit(ANNA), STORE)
    app.text_area(key=field("text")).set_value("The tower is tall.")
    app.text_area(key=field("store")).set_value("/etc/passwd").run()
    assert by_role(press(app, "verify-send"), "alert")
    assert "case" not in app.query_params


def test_a_store_in_that_folder_may_be_read(tmp_path: Path) -> None:
    inside = str(tmp_path / "stores" / "s.jsonl")
    assert typed_request.chosen_stores(inside) == (inside,)


@pytest.mark.parametrize("host", ["127.0.0.1", "169.254.169.254", "10.0.0.1", "[::1]"])
def test_no_address_of_the_servers_own_network_is_fetched(host: str) -> None:
    with pytest.raises(NotPublic):
        fetch(f"http://{host}/")


def test_a_visitor_has_eight_places_in_the_queue_and_all_have_forty(at_desk: AppState) -> None:
    at_desk.queue.close()  # so that nothing begins
    for owner in range(5):
        for _ in range(8):
            at_desk.cases.start(f"{owner}" * 64, ASKED)
        if owner < 4:
            with pytest.raises(BadInput, match="8 of your claims"):
                at_desk.cases.start(f"{owner}" * 64, ASKED)
    with pytest.raises(BadInput, match="40 claims"):
        at_desk.cases.start("f" * 64, ASKED)


def test_uploads_are_bounded_for_a_visitor_and_in_all(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(uploads, "MAX_OF_VISITOR", 100)
    monkeypatch.setattr(uploads, "MAX_IN_ALL", 150)
    files = MemoryUploadedFileManager("/upload")
    bound_uploads(files)

    def upload(session: str, name: str, size: int) -> None:
        files.add_file(session, UploadedFileRec(name, name, "text/plain", bytes(size)))

    upload("a", "1", 100)
    with pytest.raises(HTTPException, match="413: Your files"):
        upload("a", "2", 1)
    upload("b", "1", 50)
    with pytest.raises(HTTPException, match="413: Too many files"):
        upload("c", "1", 1)
    files.remove_session_files("a")  # as when a page is closed
    upload("c", "1", 100)
    assert [file.name for file in files.get_files("c", ["1"])] == ["1"]
