import ast
import json
import re
import threading
import time
from dataclasses import replace
from datetime import date
from itertools import count
from pathlib import Path

from core.documents.examples import examples
from core.errors import Cancelled, StoreError, VerideskError
from core.interfaces import Stop
from core.jobs.types import STALE_SECONDS, Json, State
from core.types import Claim
from core.verification.progress import OnProgress, Update
from core.verification.receipt import receipt_from_json, request_from_json
from core.verification.request import MAX_CLAIM_CHARACTERS, Request
from core.verification.verify_job import VERIFY
from pages.ui.app_state import AppState
from pages.ui.claim_form.claim_draft import ADDRESSES, FILES, SEARCH, STORE, field
from tests.pages.desks import (
    ANNA,
    BERT,
    HOSTILE,
    LIGHTNING,
    ROOT,
    answer,
    by_role,
    hand_made,
    html_of,
    keys,
    look_in,
    press,
    result_of,
    settled,
    told,
    visit,
    work_by,
)
from tests.waiting import until

REQUEST = Request(Claim("Nepal and China agree.", speaker="Jane Doe"), example="everest")


def finished(at: AppState, request: Request = REQUEST, owner: str = ANNA) -> str:
    case_id = at.cases.start(owner, request)
    settled(at, case_id, owner)
    return case_id


def test_choosing_an_example_fills_the_form_and_verify_stores_the_case(at_desk: AppState) -> None:
    app = visit()
    app.radio(key=field("example")).set_value("lightning").run()
    assert app.text_area(key=field("text")).value == LIGHTNING
    press(app, "verify-send")
    case_id = str(app.query_params["case"])
    assert settled(at_desk, case_id) is State.DONE
    stored = at_desk.jobs.load(case_id, ANNA)
    request = request_from_json(stored.request)
    assert (request.example, request.claim.date is None, request.model) == ("lightning", False, "bundled")


def test_the_date_that_decides_what_is_searched_is_in_sight(at_desk: AppState) -> None:
    app = visit()
    assert "March 2012" not in html_of(app)
    app.date_input(key=field("date")).set_value(date(2012, 3, 1)).run()
    assert "1 March 2012" in html_of(app)


def test_an_empty_claim_is_refused_in_a_sentence(at_desk: AppState) -> None:
    app = visit()
    press(app, "verify-send")
    assert len(by_role(app, "alert")) == 1
    assert at_desk.cases.search(ANNA).total == 0


def test_a_claim_that_is_too_long_says_how_long_it_may_be_and_stays(at_desk: AppState) -> None:
    app = visit()
    app.radio(key=field("example")).set_value("everest").run()
    app.text_area(key=field("text")).set_value("x" * (MAX_CLAIM_CHARACTERS + 1)).run()
    press(app, "verify-send")
    assert f"{MAX_CLAIM_CHARACTERS:,}" in told(app)
    assert len(app.text_area(key=field("text")).value or "") == MAX_CLAIM_CHARACTERS + 1
    assert at_desk.cases.search(ANNA).total == 0


def test_each_place_of_evidence_says_what_it_lacks(at_desk: AppState) -> None:
    app = visit()
    app.text_area(key=field("text")).set_value("A claim.").run()
    for place, lacking in {FILES: "one file", STORE: "are stored", ADDRESSES: "one web address"}.items():
        look_in(app, place)
        press(app, "verify-send")
        assert lacking in told(app), place
        assert app.text_area(key=field("text")).value == "A claim."


def test_an_uploaded_file_is_read_once_and_kept_over_a_page_change(at_desk: AppState) -> None:
    app = visit()
    app.text_area(key=field("text")).set_value("The wall is visible.").run()
    look_in(app, FILES)
    app.file_uploader[0].set_value([("wall.txt", b"It cannot be seen.", "text/plain")]).run()
    assert "wall.txt" in html_of(app)
    app.switch_page("pages/history/page.py").run()
    app.switch_page("pages/verify/page.py").run()
    assert app.text_area(key=field("text")).value == "The wall is visible."
    assert "wall.txt" in html_of(app)
    press(app, "verify-send")
    stored = at_desk.jobs.load(str(app.query_params["case"]), ANNA)
    assert [one["text"] for one in stored.request["documents"]] == ["It cannot be seen."]


def test_two_files_of_one_name_are_both_kept(at_desk: AppState) -> None:
    app = visit()
    app.text_area(key=field("text")).set_value("The wall is visible.").run()
    look_in(app, FILES)
    for text in (b"The wall is long.", b"The wall is old.", b"The wall is long."):
        app.file_uploader[0].set_value([("wall.txt", text, "text/plain")]).run()
    assert "wall.txt (2)" in html_of(app)
    press(app, "verify-send")
    stored = at_desk.jobs.load(str(app.query_params["case"]), ANNA)
    assert [one["text"] for one in stored.request["documents"]] == ["The wall is long.", "The wall is old."]


def test_training_claims_are_checked_before_the_search_and_named_after_it(at_desk: AppState, tmp_path: Path) -> None:
    app = visit()
    app.radio(key=field("example")).set_value("lightning").run()
    app.text_input(key=field("training")).set_value(str(tmp_path / "train.json")).run()
    press(app, "verify-send")
    assert f"{tmp_path / 'train.json'}" in told(app)
    (tmp_path / "train.json").write_text(json.dumps([{"claim": "One.", "label": "Refuted", "questions": []}]))
    press(app, "verify-send")
    assert settled(at_desk, str(app.query_params["case"])) is State.DONE
    app.run()
    assert "train.json" in html_of(app)


def test_a_case_that_found_no_passage_can_be_shown(at_desk: AppState) -> None:
    work_by(at_desk, lambda request, *_: result_of(request, replace(hand_made(request.claim), hits=())))
    app = visit(case=finished(at_desk))
    assert by_role(app, "region", "Verdict")
    assert "again" in keys(app)


def test_a_file_that_cannot_be_read_says_why_by_its_name(at_desk: AppState) -> None:
    app = visit()
    look_in(app, FILES)
    app.file_uploader[0].set_value([("broken.pdf", b"%PDF-1.4 nothing", "application/pdf")]).run()
    assert "broken.pdf" in told(app)


def test_what_was_typed_is_there_again_after_a_refresh(at_desk: AppState) -> None:
    app = visit()
    app.text_area(key=field("text")).set_value("Half a sentence").run()
    assert visit().text_area(key=field("text")).value == "Half a sentence"
    assert visit(BERT).text_area(key=field("text")).value == ""


def test_a_finished_case_shows_verdict_cards_documents_and_a_receipt(at_desk: AppState) -> None:
    app = visit(case=finished(at_desk))
    page = html_of(app)
    shown = ("Refuted", "70%", "Can it be seen?", "example.org", "2 left out", "1 document", "A note.")
    for words in shown:
        assert words in page, words
    assert '<td data-title="By meaning">1</td>' in page
    receipt = app.session_state["opened"].receipt
    assert receipt_from_json(receipt)[1] == hand_made(REQUEST.claim)
    assert [one.key for one in app.download_button] == ["receipt", "evidence-table"]


def test_another_owner_sees_nothing_of_a_case_whatever_the_address(at_desk: AppState) -> None:
    case_id = finished(at_desk)
    app = visit(BERT, case=case_id)
    assert len(by_role(app, "note")) == 1
    assert "Nepal" not in html_of(app)


def test_before_the_browser_has_said_who_it_is_nothing_is_shown(at_desk: AppState) -> None:
    case_id = finished(at_desk)
    page = html_of(visit("", case=case_id))
    assert "Nepal" not in page


def test_a_running_case_shows_its_stages_and_can_be_cancelled(at_desk: AppState) -> None:
    def wait(request: Request, on_progress: OnProgress, stop: Stop) -> Json:
        case = hand_made(request.claim)
        on_progress(Update("Read the documents", 1, 7, 0.2, case, found="3 documents"))
        while not stop():
            time.sleep(0.01)
        raise Cancelled("Stopped.")

    work_by(at_desk, wait)
    case_id = at_desk.cases.start(ANNA, REQUEST)
    until(lambda: (status := at_desk.jobs.status(case_id, ANNA)) and status.progress)
    app = visit(case=case_id)
    page = html_of(app)
    assert "3 documents" in page
    assert "60 s" in page
    press(app, "cancel")
    assert settled(at_desk, case_id) is State.CANCELLED
    assert len(by_role(visit(case=case_id), "note")) == 1


def test_those_who_wait_learn_how_many_are_ahead(at_desk: AppState) -> None:
    begun, go = threading.Event(), threading.Event()

    def wait(request: Request, on_progress: OnProgress, stop: Stop) -> Json:
        begun.set()
        go.wait(300)
        return answer(request, on_progress, stop)

    work_by(at_desk, wait)
    at_desk.cases.start(BERT, REQUEST)
    assert begun.wait(300)
    at_desk.cases.start(BERT, REQUEST)
    mine = at_desk.cases.start(ANNA, REQUEST)
    assert ", 2 ahead" in html_of(visit(case=mine))
    go.set()
    assert settled(at_desk, mine) is State.DONE


def test_a_failed_case_says_why_and_can_be_changed(at_desk: AppState) -> None:
    def fail(request: Request, on_progress: OnProgress, stop: Stop) -> Json:
        raise VerideskError(f"All 4 documents are later than the claim. {HOSTILE}")

    work_by(at_desk, fail)
    app = visit(case=finished(at_desk))
    assert "All 4 documents" in told(app)
    press(app, "again")
    assert app.text_area(key=field("text")).value == "Nepal and China agree."
    assert app.text_input(key=field("speaker")).value == "Jane Doe"
    assert app.radio(key=field("example")).value == "everest"
    assert "case" not in app.query_params


def test_a_case_whose_server_went_away_is_interrupted_and_not_at_work_for_ever(at_desk: AppState) -> None:
    at_desk.queue.close()
    case_id = at_desk.cases.start(ANNA, REQUEST)
    later = count(time.time(), STALE_SECONDS + 1)
    for server in ("one", "another"):
        now = next(later)
        at_desk.store.clock = lambda: now  # noqa: B023
        assert at_desk.jobs.claim({VERIFY: ()}, server=server, place="")
    at_desk.store.clock = lambda: now + STALE_SECONDS + 1
    app = visit(case=case_id)
    assert len(by_role(app, "alert")) == 1
    assert "again" in keys(app)


def test_a_full_disk_leaves_the_claim_in_the_form(at_desk: AppState) -> None:
    app = visit()
    app.radio(key=field("example")).set_value("everest").run()

    def full(*args: object, **values: object) -> str:
        raise StoreError("The disk is full, so nothing could be saved: free some space and try again.")

    at_desk.jobs.add = full  # type: ignore[method-assign]
    press(app, "verify-send")
    assert "The disk is full" in told(app)
    assert app.text_area(key=field("text")).value == examples()[0].claim.text


def test_a_database_that_cannot_be_opened_is_said_on_the_page(tmp_path: Path, monkeypatch) -> None:  # type: ignore[no-untyped-def]
    import streamlit as st

    (tmp_path / "veridesk.db").write_bytes(b"no database at all, but a long line of text" * 50)
    monkeypatch.setenv("VERIDESK_HOME", str(tmp_path))
    st.cache_resource.clear()
    assert "is damaged" in told(visit())


def test_hostile_text_stays_text_everywhere(at_desk: AppState) -> None:
    def hostile(request: Request, on_progress: OnProgress, stop: Stop) -> Json:
        return result_of(request, hand_made(request.claim, text=HOSTILE))

    work_by(at_desk, hostile)
    app = visit(case=finished(at_desk, Request(Claim(HOSTILE, speaker=HOSTILE), example="everest")))
    page = html_of(app)
    assert page.count("&lt;script&gt;") >= 6  # claim, speaker, question, answer, passage, title, justification …
    opened = set(re.findall(r"<([a-z0-9]+)", page.split("<style>")[0]))
    allowed = "a article b button details div h1 h2 header mark p section span summary table tbody td th thead tr"
    assert opened <= set(allowed.split())
    assert set(re.findall(r'href="([^"#:]+:)', page)) == {"https:"}
    assert not any("evil" in element.value for element in app.markdown)
    assert re.findall(r"<button [^>]*>", page)
    assert not re.search(r"<button [^>]*onerror=[^&]*>", page.replace("&quot;", "").replace("onerror=alert(2)&gt;", ""))


def test_what_an_example_says_of_its_claim_does_not_stick_to_another(at_desk: AppState) -> None:
    app = visit()
    app.radio(key=field("example")).set_value("lightning").run()
    assert app.session_state[field("date")] is not None
    app.text_area(key=field("text")).set_value("The bridge was opened in 1932.").run()
    assert app.session_state[field("date")] is None
    assert app.session_state[field("speaker")] == ""
    assert app.session_state[field("example")] is None
    assert app.session_state[field("where")] == SEARCH


def test_what_one_typed_oneself_stays_when_the_example_is_left(at_desk: AppState) -> None:
    app = visit()
    app.radio(key=field("example")).set_value("lightning").run()
    app.date_input(key=field("date")).set_value(date(2012, 3, 1)).run()
    app.text_area(key=field("text")).set_value("The bridge was opened in 1932.").run()
    assert app.session_state[field("date")] == date(2012, 3, 1)


def test_a_malformed_address_is_refused_where_it_is_typed(at_desk: AppState) -> None:
    app = visit()
    app.text_area(key=field("text")).set_value("The bridge was opened in 1932.").run()
    look_in(app, ADDRESSES)
    app.text_area(key=field("urls")).set_value("www.example.org\nhttps://example.org/a\nhttps://exa mple").run()
    assert [sentence.partition(": ")[0] for alert in by_role(app, "alert") for sentence in alert.itertext()] == [
        "www.example.org",
        "https://exa mple",
    ]
    press(app, "verify-send")
    assert at_desk.cases.search(ANNA).total == 0


def test_a_failed_case_looks_ended_and_names_each_address_on_a_line_of_its_own(at_desk: AppState) -> None:
    def fail(request: Request, on_progress: OnProgress, stop: Stop) -> Json:
        case = hand_made(request.claim)
        on_progress(Update("Read the documents", 1, 7, 0.2, case, found="3 documents"))
        on_progress(Update("Index the passages", 2, 7, 0.2, case))
        raise VerideskError("There are no documents.\nhttps://a.example: no.\nhttps://b.example: no.")

    work_by(at_desk, fail)
    page = html_of(visit(case=finished(at_desk))).split("<style>")[0]
    assert "<p>https://a.example: no.</p><p>https://b.example: no.</p>" in page
    assert "vd-stage-now" not in page
    assert "vd-stage-next" not in page


def test_a_page_shows_nothing_that_was_written_for_developers() -> None:
    """Streamlit shows every bare string of the files that it runs, also those that describe a constant."""
    bare = [
        (path.name, node.lineno)
        for path in [ROOT / "app.py", *(ROOT / "pages").glob("*/page.py")]
        for node in ast.parse(path.read_text(encoding="utf-8")).body[1:]
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    ]
    assert bare == []


def test_before_the_browser_has_said_who_it_is_the_form_stands_there_and_sends_nothing(at_desk: AppState) -> None:
    app = visit("")
    assert "verify-send" in keys(app)
    app.radio(key=field("example")).set_value("everest").run()
    press(app, "verify-send")
    assert "case" not in app.query_params
    assert at_desk.store.draft("", "verify") == {}
