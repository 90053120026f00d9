"""The Batch page: files in, progress, failures tried again, downloads out, and nobody else's batch."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from core.averitec.averitec import read_submission
from core.batch.batch_job import CASES, Batch, Batches, BatchRequest, batch_files, batch_kind, case_of
from core.batch.types import receipt_path
from core.files import write_whole
from core.types import Document, Label
from core.verification.request import Request
from pages.batch.batch_form import batches
from pages.ui.app_state import AppState
from pages.ui.collections import collections
from tests.batch.executors import SlowExecutors
from tests.pages.desks import ANNA, BERT, HOSTILE, hand_made, html_of, keys, press, read, result_of, told, visit
from tests.waiting import until


@pytest.fixture
def opened(at_desk: AppState) -> Iterator[Batches]:
    here = batches()
    at_desk.queue.register(batch_kind(here.kind.folders, at_desk.jobs, SlowExecutors("evidence_first")))
    yield here
    for batch in here.of(ANNA) + here.of(BERT):
        here.delete(batch.job)


def begin(
    here: Batches,
    texts: list[str],
    *,
    gold: bool = False,
    title: str = "my claims.json",
    recipe: str = "quoted_passages",
) -> Batch:
    rows = [{"claim_id": n, "claim": text, "label": "Refuted", "questions": []} for n, text in enumerate(texts)]
    ids = tuple(str(n) for n in range(len(texts)))
    asked = BatchRequest("claims.json", ids, gold, recipe, "bundled", workers=2, within=60.0, title=title)
    found = here.find(here.start(ANNA, asked, batch_files(asked, json.dumps(rows).encode(), {})), ANNA)
    assert found
    return found


def ended(batch: Batch) -> None:
    until(lambda: not batch.running)


def test_without_files_nothing_can_be_started_and_the_examples_can(opened: Batches) -> None:
    app = visit(page="batch")
    assert app.button(key="batch-start").disabled
    press(app, "batch-example")
    batch = opened.find(str(app.query_params["batch"]), ANNA)
    assert batch
    assert len(batch.asked.ids) == 5
    ended(batch)


def test_a_claim_that_cannot_be_told_is_shown_as_its_case_is_and_submitted_with_one_of_four_labels(
    opened: Batches,
) -> None:
    batch = begin(opened, ["The wall is old.", "The river is unsure."])
    ended(batch)
    shown = html_of(visit(page="batch", batch=batch.id))
    assert shown.count("vd-label vd-refuted") == 1
    assert shown.count("vd-label vd-doubt") == 1
    assert "1 Refuted, 1 Cannot" in shown
    assert [p.label for p in read_submission(batch.files()[0]).predictions] == [Label.REFUTED, Label.REFUTED]
    assert batch.figures
    assert batch.figures["labels"] == {"Cannot tell": 1, "Refuted": 1}


def test_claims_and_a_folder_of_stores_become_a_batch(opened: Batches, tmp_path: Path) -> None:
    stores = tmp_path / "stores"
    stores.mkdir()
    (stores / "0.json").touch()
    app = visit(page="batch")
    claims = json.dumps([{"claim": "The wall is old."}, {"claim": "The river is long."}]).encode()
    app.file_uploader(key="batch-claims").set_value(("two.json", claims, "application/json")).run()
    assert "batch-where" in keys(app)  # two claims were read
    app.session_state["batch-where"] = "A folder on this machine"
    app.run()
    app.text_input(key="batch-folder").set_value(str(tmp_path)).run()
    assert app.button(key="batch-start").disabled
    app.text_input(key="batch-folder").set_value(str(stores)).run()
    assert not app.button(key="batch-start").disabled
    app.number_input(key="batch-within").set_value(30.0).run()
    press(app, "batch-start")
    batch = opened.find(str(app.query_params["batch"]), ANNA)
    assert batch
    assert (batch.asked.stores, batch.asked.within, batch.asked.title) == (str(stores), 30.0, "two.json")
    ended(batch)


def test_while_it_runs_progress_is_shown_and_it_can_be_cancelled_and_resumed(opened: Batches) -> None:
    batch = begin(opened, ["The wall is old."] * 20, recipe="evidence_first")
    until(lambda: len(batch.progress()) >= 2)
    app = visit(page="batch", batch=batch.id)
    assert " 0.4 s" in app.get("progress")[0].proto.text
    press(app, "batch-cancel")
    ended(batch)
    app = visit(page="batch", batch=batch.id)
    press(app, "batch-resume")
    assert batch.running


def test_a_finished_batch_shows_figures_failures_and_what_was_left_out(opened: Batches) -> None:
    batch = begin(opened, ["The wall is old.", "It fails.", "It was late."])
    ended(batch)
    app = visit(page="batch", batch=batch.id)
    page = html_of(app)
    for words in ("3 claims", "60 s", "nothing was found", "Write a question"):
        assert words in page, words
    files = [one.key for one in app.download_button]
    assert files == ["batch-submission.json", "batch-submission.jsonl", "batch-submission.csv"]
    assert "2 Refuted, 1 failed" in page
    app.segmented_control(key=f"outcomes-{batch.id}").set_value("Failed").run()
    assert "It fails." in html_of(app)
    assert "The wall is old." not in html_of(app)
    press(app, "batch-retry")
    ended(batch)
    assert "nothing was found" not in html_of(visit(page="batch", batch=batch.id))


def test_a_finished_batch_is_named_and_shared(opened: Batches) -> None:
    batch = begin(opened, ["The wall is old."])
    ended(batch)
    app = visit(page="batch", batch=batch.id)
    app.text_input(key=f"batch-name-{batch.id}").set_value("Spring *draft*")
    press(app, "batch-rename")
    press(app, "share")
    assert "Spring *draft*" in html_of(visit(page="batch"))
    link = next(code.value for code in app.code if "shared=" in code.value)
    other = visit(BERT, page="batch", shared=link.partition("shared=")[2])
    assert "Spring *draft*" in html_of(other)
    assert "batch-submission.json" in keys(other)
    assert not {"batch-delete", "batch-rename"} & keys(other)
    opened.delete(batch.job)
    assert "no batch" in told(visit(BERT, page="batch", shared=link.partition("shared=")[2]), "note")


def test_annotated_claims_lead_to_their_score(opened: Batches) -> None:
    batch = begin(opened, ["The wall is old.", "The river is long."], gold=True)
    ended(batch)
    app = visit(page="batch", batch=batch.id)
    press(app, "batch-score")
    assert "run" in app.query_params
    assert not app.error


def test_another_owners_batch_is_not_shown(opened: Batches) -> None:
    batch = begin(opened, ["The wall is old."], title="secret plans")
    ended(batch)
    app = visit(BERT, page="batch", batch=batch.id)
    assert not {"batch-delete", "batch-score"} & keys(app)
    assert "secret plans" not in html_of(app)
    assert "secret plans" in html_of(visit(ANNA, page="batch"))


def test_hostile_names_and_claims_are_only_text(opened: Batches) -> None:
    batch = begin(opened, [HOSTILE, f"It fails. {HOSTILE}"], title=HOSTILE)
    ended(batch)
    page = html_of(visit(page="batch", batch=batch.id))
    assert "<script>" not in page
    assert "&lt;script&gt;" in page


def test_claims_written_on_the_page_are_checked_against_a_collection(opened: Batches) -> None:
    documents = (Document("a.pdf", "The wall is old."), Document("b.pdf", "The river is long."))
    kept = collections().keep(ANNA, "Dossier", documents)
    app = visit()
    app.query_params["collection"] = kept.id
    app.switch_page("pages/batch/page.py").run()
    app.text_area(key="batch-written").set_value("The wall is old.\n\nThe  river is silent.\nThe wall is old.").run()
    press(app, "batch-start")
    (batch,) = opened.of(ANNA)
    assert batch.title == "2 claims, against Dossier"
    ended(batch)
    assert (batch.plan.stores, batch.plan.extra) == (None, (str(collections().path(kept)),))
    app = visit(page="batch", batch=batch.id)
    assert "“Dossier”" in html_of(app)
    for kind, claims in (("With evidence", ["wall"]), ("Without evidence", ["river"]), ("All", ["wall", "river"])):
        app.button_group(key=f"outcomes-{batch.id}").set_value(kind).run()
        rows = read(app, "row")[-len(claims) :]
        assert [next(word for word in ("wall", "river", "Claim") if word in row) for row in rows] == claims


def test_a_claim_of_a_batch_opens_as_a_case_once(opened: Batches, at_desk: AppState) -> None:
    batch = begin(opened, ["The wall is old.", "It fails."])
    ended(batch)
    claim = batch.claims["0"]
    receipt = result_of(Request(claim, example="everest"), hand_made(claim))
    write_whole(receipt_path(batch.folder / CASES, claim), json.dumps(receipt), parents=True)
    cases = [case_of(batch, "0", at_desk.cases) for _ in range(2)]
    assert cases[0] == cases[1]
    stored = at_desk.jobs.load(cases[0], ANNA)
    assert stored
    assert (stored.title, stored.label) == ("The wall is old.", "Refuted")
    assert "batch-back" in keys(visit(page="batch", batch=batch.id, claim="1"))
    at_desk.jobs.delete(cases[0], ANNA)
    assert case_of(batch, "0", at_desk.cases) not in ("", cases[0])
