"""A second click ends the first one's run in the middle; the job starts once all the same."""

from __future__ import annotations

import time

import pytest

from core.errors import Cancelled
from core.interfaces import Stop
from core.jobs.types import Json, State
from core.verification.progress import OnProgress
from core.verification.request import Request
from pages.ui.app_state import AppState
from pages.ui.claim_form.claim_draft import field
from tests.pages.desks import ANNA, press, settled, started_by_two_clicks, visit, work_by


def test_a_double_click_on_verify_starts_one_case_and_empties_the_form(
    at_desk: AppState, monkeypatch: pytest.MonkeyPatch
) -> None:
    started = started_by_two_clicks(at_desk.cases, monkeypatch)
    app = visit()
    app.radio(key=field("example")).set_value("lightning").run()
    press(app, "verify-send")
    assert settled(at_desk, str(app.query_params["case"]))
    assert len(started) == at_desk.cases.search(ANNA).total == 1
    assert at_desk.store.draft(ANNA, "verify")["text"] == ""
    del app.query_params["case"]
    app.run()
    assert app.text_area(key=field("text")).value == ""


def test_a_double_click_on_lab_starts_each_recipe_once(at_desk: AppState, monkeypatch: pytest.MonkeyPatch) -> None:
    started = started_by_two_clicks(at_desk.cases, monkeypatch)
    app = visit(page="lab")
    app.radio(key=field("example")).set_value("lightning").run()
    press(app, "lab-send")
    assert len(started) == at_desk.cases.search(ANNA).total == 2
    assert len(str(app.query_params["cases"]).split(",")) == 2


def test_a_double_click_on_try_the_examples_starts_one_batch(
    at_desk: AppState, monkeypatch: pytest.MonkeyPatch
) -> None:
    started = started_by_two_clicks(at_desk.batches, monkeypatch)
    press(visit(page="batch"), "batch-example")
    assert len(started) == at_desk.batches.search(ANNA).total == 1


def test_a_case_that_was_cancelled_is_sent_anew(at_desk: AppState) -> None:
    def wait(_request: Request, _progress: OnProgress, stop: Stop) -> Json:
        while not stop():
            time.sleep(0.01)
        raise Cancelled("Stopped.")

    work_by(at_desk, wait)
    app = visit()
    for _ in range(2):
        app.radio(key=field("example")).set_value("lightning").run()
        press(app, "verify-send")
        case = str(app.query_params["case"])
        at_desk.queue.cancel(case, ANNA)
        assert settled(at_desk, case) is State.CANCELLED
        del app.query_params["case"]
        app.run()
    assert at_desk.cases.search(ANNA).total == 2
