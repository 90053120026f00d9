"""A second click ends the first one's run in the middle; a job starts once, and a campaign or task is made once."""

import time

import pytest

from core.batch.batch_job import batch_kind
from core.campaigns.organising import all_campaigns
from core.errors import Cancelled
from core.interfaces import Stop
from core.jobs.types import Json, State
from core.tasks.task_store import all_tasks
from core.verification.progress import OnProgress
from core.verification.request import Request
from pages.campaigns import campaign_draft, new
from pages.tasks import task_form
from pages.ui.app_state import AppState
from pages.ui.claim_form.claim_draft import field
from tests.batch.executors import SlowExecutors
from tests.pages.desks import ANNA, ROOT, clicked_twice, press, settled, started_by_two_clicks, visit, work_by

SCORING = ROOT / "assets" / "scoring"
UPLOADED = ("gold", "careful", "hasty")


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


@pytest.mark.slow
def test_a_double_click_on_try_the_examples_starts_one_batch(
    at_desk: AppState, monkeypatch: pytest.MonkeyPatch
) -> None:
    kind = batch_kind(at_desk.batches.kind.folders, at_desk.jobs, SlowExecutors())  # type: ignore[arg-type]
    at_desk.queue.register(kind)
    started = started_by_two_clicks(at_desk.batches, monkeypatch)
    press(visit(page="batch"), "batch-example")
    assert len(started) == at_desk.batches.search(ANNA).total == 1


def test_a_double_click_makes_one_campaign_and_goes_to_it(at_desk: AppState, monkeypatch: pytest.MonkeyPatch) -> None:
    made = clicked_twice(new, "create_campaign", monkeypatch)
    app = visit(page="campaigns", new="1")
    files = [(f"{name}.json", (SCORING / f"{name}.json").read_bytes(), "application/json") for name in UPLOADED]
    app.file_uploader(key="campaign-gold").set_value(files[0])
    app.file_uploader(key="campaign-submissions").set_value(files[1:])
    app.run()
    for name, number in (("draw", 4), ("made", 2), ("controls", 1), ("seed", 1)):
        app.number_input(key=campaign_draft.field(name)).set_value(number)
    app.run()
    app.text_input(key=campaign_draft.field("title")).set_value("A pilot")
    press(app, "campaign-create")
    assert [one.id for one in all_campaigns(at_desk.store, ANNA)] == made
    assert len(made) == 1
    assert app.query_params["campaign"] in (made[0], made)


def test_a_double_click_makes_one_task_and_goes_to_it(at_desk: AppState, monkeypatch: pytest.MonkeyPatch) -> None:
    made = clicked_twice(task_form, "create_task", monkeypatch)
    app = press(visit(page="tasks"), "task-new")
    app.file_uploader[0].set_value([("gold.json", (SCORING / "gold.json").read_bytes(), "application/json")]).run()
    app.text_input(key="task-new-0-name").set_value("AVeriTeC").run()
    press(app, "task-create")
    assert [one.id for one in all_tasks(at_desk.store, ANNA)] == made
    assert len(made) == 1
    assert app.query_params["task"] in (made[0], made)


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
