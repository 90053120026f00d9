"""What will be searched, before it is, and what a collection is searched for; documents open at the passage."""

import json
import re
from datetime import date
from pathlib import Path
from urllib.parse import parse_qs

from streamlit.testing.v1 import AppTest

from core.types import Claim, Document
from core.verification.receipt import request_from_json
from core.verification.request import Request
from pages.ui.app_state import AppState
from pages.ui.claim_form.claim_draft import COLLECTION, FILES, STORE, field
from pages.ui.collections import collections
from tests.pages.desks import ANNA, BERT, HOSTILE, html_of, keys, look_in, press, settled, told, visit

REPORT = Document("report.pdf", "One page.\nAnother page.", "A report *of* ours", date(2020, 1, 2), pages=(0, 10))
LATER = Document("later.pdf", "A later text.", "Later", date(2022, 1, 2), date_source="page")


def with_files(*documents: Document) -> AppTest:
    app = visit()
    look_in(app, FILES)
    app.session_state["verify-uploads"] = {one.url: (one,) for one in documents}
    app.text_area(key=field("text")).set_value("It was so.").run()
    assert not app.exception
    return app


def searched(app: AppTest) -> list[str]:
    """Return the figures in the title of the documents, such as how many of how many are searched."""
    return re.findall(r"\d+", app.get_by_key("verify-sources").label)


def sent(at: AppState, app: AppTest) -> Request:
    app.button(key="verify-send").click().run()
    assert not app.exception
    stored = at.jobs.load(str(app.query_params["case"]), ANNA)
    settled(at, stored.id)
    return request_from_json(stored.request)


def test_titles_dates_and_where_they_come_from_are_listed(at_desk: AppState) -> None:
    app = with_files(REPORT, LATER)
    assert searched(app) == ["2", "2"]
    ticked = [one.label for one in app.checkbox if one.key.startswith("source-")]  # titles are what is tested
    assert ticked == [r"A report \*of\* ours", "Later"]
    page = html_of(app)
    assert "report.pdf, 2 January 2020, " in page
    assert "2 January 2022, " in page
    app.date_input(key=field("date")).set_value(date(2021, 1, 1)).run()
    assert searched(app) == ["1", "2"]


def test_a_knowledge_store_is_listed_with_its_documents_and_a_wrong_path_is_said(
    at_desk: AppState, tmp_path: Path
) -> None:
    line = json.dumps({"url": "https://a.example", "url2text": ["It is so."]})
    for name, lines in (("1.jsonl", [line, line]), ("2.jsonl", [line, ""])):
        (tmp_path / name).write_text("\n".join(lines), encoding="utf-8")
    app = visit()
    look_in(app, STORE)
    app.text_area(key=field("store")).set_value(f"{tmp_path}\n{tmp_path / '1.jsonl'}").run()
    assert not app.exception
    assert re.findall(r"\d+", app.get_by_key("verify-stores").label) == ["2", "5"]
    assert "3 documents" in html_of(app)
    app.text_area(key=field("store")).set_value(f"{tmp_path / 'gone'}").run()
    assert str(tmp_path / "gone") in told(app)


def test_what_is_left_out_and_dated_anew_is_sent_so(at_desk: AppState) -> None:
    app = with_files(REPORT, LATER)
    app.checkbox(key=f"source-{REPORT.digest}").uncheck().run()
    app.date_input(key=f"source-date-{LATER.digest}").set_value(date(2019, 5, 6)).run()
    assert "6 May 2019, " in html_of(app)
    request = sent(at_desk, app)
    assert request.without == (REPORT.digest,)
    assert request.dates == {LATER.digest: date(2019, 5, 6)}
    press(app.run(), "again")
    assert app.checkbox(key=f"source-{REPORT.digest}").value is False


def test_files_are_kept_as_a_collection_and_searched(at_desk: AppState) -> None:
    app = with_files(REPORT, LATER)
    app.text_input(key="verify-collection-name").set_value("Dossier *one*")  # typed, and Keep pressed at once
    press(app, "collection-keep")
    (kept,) = collections().of(ANNA)
    assert app.session_state[field("where")] == COLLECTION
    app.checkbox(key=f"source-{LATER.digest}").uncheck().run()
    request = sent(at_desk, app)
    assert (request.stores, request.keep_index) == ((str(collections().path(kept)),), True)
    assert request.without == (LATER.digest,)
    assert collections().of(BERT) == []
    press(app.run(), "again")
    assert (app.session_state[field("where")], app.session_state[field("collection")]) == (COLLECTION, kept.id)
    press(app, "collection-delete")
    assert field("collection") not in keys(app)


def test_a_collection_that_is_anothers_is_refused(at_desk: AppState) -> None:
    theirs = collections().keep(BERT, "Secret", (REPORT,))
    app = visit()
    app.text_area(key=field("text")).set_value("It was so.")
    app.session_state[field("collection")] = theirs.id
    look_in(app, COLLECTION)
    app.button(key="verify-send").click().run()
    assert "Secret" not in html_of(app)
    assert "a collection" in told(app)


def test_a_document_opens_at_the_page_of_its_passage(at_desk: AppState) -> None:
    case_id = at_desk.cases.start(ANNA, Request(Claim("It was so."), documents=(REPORT,)))
    settled(at_desk, case_id)
    links = [parse_qs(link) for link in re.findall(r'href="\?([^"]+)"', html_of(visit(case=case_id)))]
    assert {"case": [case_id]}.items() <= links[0].items()
    app = visit(case=case_id, document=links[0]["amp;document"][0], at=links[0]["amp;at"][0])
    assert "back" in keys(app)
    app = visit(case=case_id, document=REPORT.digest[:16], at="10-17")
    assert "Page 2 of 2" in html_of(app)
    assert "<mark>Another</mark>" in html_of(app)


def test_a_hostile_document_is_text_and_a_broken_address_says_so(at_desk: AppState) -> None:
    nasty = Document("nasty.txt", HOSTILE, HOSTILE)
    case_id = at_desk.cases.start(ANNA, Request(Claim("It was so."), documents=(nasty,)))
    settled(at_desk, case_id)
    assert "<script>" not in html_of(visit(case=case_id, document=nasty.digest, at="99-3"))
    assert "no such document" in html_of(visit(case=case_id, document="zz"))
    assert "back" not in keys(visit(BERT, case=case_id, document=nasty.digest))


def test_a_document_of_five_thousand_pages_shows_one_at_a_time(at_desk: AppState) -> None:
    page = "A page of a very long report, which nobody reads. " * 40 + "\n"
    long = Document("long.txt", page * 5000, "Long", pages=tuple(len(page) * n for n in range(5000)))
    case_id = at_desk.cases.start(ANNA, Request(Claim("It was so."), documents=(long,)))
    settled(at_desk, case_id)
    shown = html_of(visit(case=case_id, document=long.digest, at=f"{len(page) * 4321}-{len(page) * 4321 + 6}"))
    assert "Page 4322 of 5000" in shown
    assert shown.count("nobody reads") == 40


def test_once_files_were_read_the_page_no_longer_says_that_they_are(at_desk: AppState) -> None:
    app = visit()
    look_in(app, FILES)
    app.file_uploader[0].set_value([("minutes.txt", b"The council voted in 2019.", "text/plain")]).run()
    assert [re.findall(r"\d+", one.value) for one in app.toast] == [["1"]]
    assert "minutes.txt" in html_of(app)
