"""The Lab: several cases of one claim are sent, watched, compared, and nobody else's are shown."""

import threading
from dataclasses import replace

from streamlit.testing.v1 import AppTest

from core.errors import Cancelled, VerideskError
from core.interfaces import Stop
from core.jobs.limits import JobLimits
from core.jobs.types import Json, State
from core.types import Claim
from core.verification.progress import OnProgress, Update
from core.verification.receipt import request_from_json
from core.verification.recipes.catalogue import Recipe
from core.verification.recipes.recipe_files import recipe_toml
from core.verification.request import Request
from core.verification.steps.judging import PredictVeracity
from core.verification.steps.querying import QueryClaim
from core.verification.steps.retrieving import Retrieve
from pages.ui.app_state import AppState
from pages.ui.claim_form.claim_draft import OWN, field
from pages.ui.markup import plain
from tests.pages.desks import (
    ANNA,
    BERT,
    HOSTILE,
    by_role,
    hand_made,
    html_of,
    press,
    result_of,
    settled,
    told,
    visit,
    work_by,
)

TWO = ("quoted_passages", "question_first")


def send(app: AppTest, *recipes: str) -> list[str]:
    """Choose the first example and these recipes, send them, and return the ids that the address names."""
    app.radio(key=field("example")).set_value("everest").run()
    app.button_group(key="lab-recipes").set_value(list(recipes))
    press(app, "lab-send")
    return str(app.query_params["cases"]).split(",") if "cases" in app.query_params else []


def add(at: AppState, recipe: str, owner: str = ANNA, *, text: str = "The wall is long.") -> str:
    def work(request: Request, on_progress: OnProgress, stop: Stop) -> Json:
        return result_of(request, hand_made(request.claim, text=text))

    work_by(at, work)
    case_id = at.cases.start(owner, Request(Claim("The wall is old."), example="everest", recipe=recipe))
    settled(at, case_id, owner)
    return case_id


def test_a_claim_is_sent_once_for_each_recipe_and_shown_side_by_side(at_desk: AppState) -> None:
    app = visit(page="lab")
    ids = send(app, *TWO)
    assert len(ids) == 2
    assert [settled(at_desk, case_id) for case_id in ids] == [State.DONE, State.DONE]
    stored = [at_desk.jobs.load(case_id, ANNA) for case_id in ids]
    assert [one.facts["recipe"] for one in stored if one] == list(TWO)
    page = html_of(visit(page="lab", cases=",".join(ids)))
    for words in ("Quoted passages", "Questions first", "1 passage in all", "Refuted", "0.5 s"):
        assert words in page, words


def test_a_recipe_of_one_s_own_is_compared_with_a_built_in_one(at_desk: AppState) -> None:
    mine = Recipe(
        "mine", "My [own](x) way", "Searches with the claim.", "", (QueryClaim(), Retrieve(pool=7), PredictVeracity())
    )
    app = visit()
    app.selectbox(key=field("recipe")).set_value(OWN).run()
    app.file_uploader[0].set_value([("mine.toml", recipe_toml(mine).encode(), "application/toml")]).run()
    app.switch_page("pages/lab/page.py").run()
    assert plain(mine.title) in [option.content for option in app.button_group(key="lab-recipes").proto.options]
    ids = send(app, OWN, "question_first")
    requests = [request_from_json(stored.request) for one in ids if (stored := at_desk.jobs.load(one, ANNA))]
    assert [one.recipe for one in requests] == ["mine", "question_first"]
    assert [one.own_recipe for one in requests] == [recipe_toml(mine), ""]


def test_while_they_run_each_says_how_far_it_is_and_all_can_be_cancelled(at_desk: AppState) -> None:
    going, release = threading.Event(), threading.Event()

    def work(request: Request, on_progress: OnProgress, stop: Stop) -> Json:
        case = hand_made(request.claim)
        on_progress(Update("Read the documents", 1, 7, 0.2, case, found="3 documents"))
        going.set()
        while not (release.wait(0.01) or stop()):
            pass
        if stop():
            raise Cancelled("Stopped.")
        return result_of(request, case)

    work_by(at_desk, work)
    app = visit(page="lab")
    ids = send(app, *TWO)
    assert going.wait(300)
    app.run()
    page = html_of(app)
    assert "3 documents" in page
    assert "1 ahead of you" in page
    press(app, "lab-cancel")
    assert {settled(at_desk, case_id) for case_id in ids} == {State.CANCELLED}


def test_a_failed_case_says_why_beside_the_others(at_desk: AppState) -> None:
    good = add(at_desk, TWO[0])

    def fail(request: Request, on_progress: OnProgress, stop: Stop) -> Json:
        raise VerideskError("The model ended.")

    work_by(at_desk, fail)
    bad = at_desk.cases.start(ANNA, Request(Claim("The wall is old."), example="everest", recipe=TWO[1]))
    settled(at_desk, bad)
    app = visit(page="lab", cases=f"{good},{bad}")
    page = html_of(app)
    assert "Refuted" in page
    assert "Questions first" in page
    assert "The model ended." in told(app)


def test_two_of_three_can_be_compared_in_full(at_desk: AppState) -> None:
    ids = [add(at_desk, "quoted_passages", text="Left only."), add(at_desk, "question_first", text="Right only.")]
    ids.append(add(at_desk, "evidence_first", text="Third only."))
    app = visit(page="lab", cases=",".join(ids))
    columns = by_role(app, "region", "Evidence of each case")
    assert [len(row) for row in columns[0].findall(".//tbody/tr")] == [len(ids) + 1] * 3  # one passage a case
    before = html_of(app)
    app.selectbox(key="lab-right").set_value(ids[0]).run()
    assert before != html_of(app)


def test_another_owners_cases_are_not_shown(at_desk: AppState) -> None:
    ids = [add(at_desk, recipe) for recipe in TWO]
    app = visit(BERT, page="lab", cases=",".join(ids))
    assert len(by_role(app, "note")) == 1
    assert "The wall" not in html_of(app)


def test_hostile_text_is_only_text(at_desk: AppState) -> None:
    ids = [add(at_desk, recipe, text=HOSTILE) for recipe in TWO]
    app = visit(page="lab", cases=",".join(ids))
    assert "<script>" not in html_of(app)
    assert "onerror=alert(2)>" not in html_of(app)
    assert "&lt;script&gt;" in html_of(app)


def test_if_the_queue_is_full_no_half_of_a_comparison_stays(at_desk: AppState) -> None:
    at_desk.cases.kind = replace(at_desk.cases.kind, limits=JobLimits(waiting_per_owner=1))
    hold = threading.Event()

    def work(request: Request, on_progress: OnProgress, stop: Stop) -> Json:
        while not (hold.wait(0.01) or stop()):
            pass
        return result_of(request, hand_made(request.claim))

    work_by(at_desk, work)
    first = at_desk.cases.start(ANNA, Request(Claim("Another claim."), example="everest"))
    app = visit(page="lab")
    assert send(app, *TWO) == []
    assert len(by_role(app, "alert")) == 1
    assert [entry.title for entry in at_desk.cases.search(ANNA).entries] == ["Another claim."]
    hold.set()
    settled(at_desk, first)
