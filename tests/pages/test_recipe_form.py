"""The choice of a recipe on Verify: built in or a file of one's own, and what the card says of its judge."""

from dataclasses import replace
from urllib.parse import unquote

import pytest
import streamlit as st

from core.types import Claim
from core.verification.receipt import request_from_json
from core.verification.recipes.catalogue import DEFAULT, RECIPES, Recipe
from core.verification.recipes.recipe_files import recipe_toml
from core.verification.request import Request
from core.verification.runner import add_caveat
from core.verification.steps.control import WithAdapter
from core.verification.steps.judging import PredictVeracity
from core.verification.steps.querying import AskQuestions, QueryClaim
from core.verification.steps.retrieving import Retrieve
from pages.ui.app_state import AppState
from pages.ui.claim_form.claim_draft import OWN, field
from pages.ui.progress import stage_list
from pages.ui.verdict_card import verdict_card
from tests.pages.desks import ANNA, LIGHTNING, by_role, hand_made, html_of, press, settled, told, visit

MINE = Recipe(
    "mine", "My <b>own</b> way", "Searches with the claim.", "", (QueryClaim(), Retrieve(pool=7), PredictVeracity())
)


def choose(name: str):  # type: ignore[no-untyped-def]
    app = visit()
    app.radio(key=field("example")).set_value("lightning").run()
    return app.selectbox(key=field("recipe")).set_value(name).run()


def bring(app, text: str | bytes, name: str = "mine.toml"):  # type: ignore[no-untyped-def]
    content = text if isinstance(text, bytes) else text.encode()
    return app.file_uploader[0].set_value([(name, content, "application/toml")]).run()


def sent(at: AppState, app) -> Request:  # type: ignore[no-untyped-def]
    press(app, "verify-send")
    case_id = str(app.query_params["case"])
    settled(at, case_id)
    stored = at.jobs.load(case_id, ANNA)
    return request_from_json(stored.request)


def test_each_recipe_says_what_it_does_whose_it_is_and_shows_its_steps(at_desk: AppState) -> None:
    app = visit()
    for name, recipe in RECIPES.items():
        page = unquote(html_of(app.selectbox(key=field("recipe")).set_value(name).run()))
        for said in (recipe.summary, recipe.source.split(".")[0]):
            assert said.replace("'", "&#x27;") in page, name
        assert f"The steps of “{recipe.title}”: 1. {recipe.steps[0].title}" in page, name


def test_a_file_of_one_s_own_is_checked_kept_and_sent_with_the_claim(at_desk: AppState) -> None:
    app = bring(choose(OWN), recipe_toml(MINE))
    assert "pool 7" in html_of(app)
    assert "Searches with the claim." in html_of(app)
    app.switch_page("pages/history/page.py").run()
    app.switch_page("pages/verify/page.py").run()
    request = sent(at_desk, app)
    assert (request.recipe, request.own_recipe) == ("mine", recipe_toml(MINE))
    assert request.claim.text == LIGHTNING


def test_a_file_that_is_no_recipe_is_named_and_the_one_before_it_stays(at_desk: AppState) -> None:
    app = bring(choose(OWN), recipe_toml(MINE))
    app = bring(app, recipe_toml(MINE).replace("pool = 7", "pool = 0"), "worse.toml")
    assert "(Retrieve): 'pool'" in told(app)
    assert "pool 7" in html_of(app)
    app = bring(app, b"\xff\xfe", "odd.toml")
    assert "odd.toml" in told(app)
    app = bring(app, recipe_toml(replace(MINE, name=DEFAULT)))
    assert "built-in recipe" in told(app)
    assert sent(at_desk, app).own_recipe == recipe_toml(MINE)


def test_without_a_file_nothing_is_sent_and_nothing_is_lost(at_desk: AppState) -> None:
    app = choose(OWN)
    press(app, "verify-send")
    assert len(by_role(app, "alert")) == 1
    assert app.text_area(key=field("text")).value == LIGHTNING
    assert at_desk.cases.search(ANNA).total == 0


def test_an_earlier_search_comes_back_with_its_own_recipe(at_desk: AppState) -> None:
    request = Request(Claim("A wall."), example="great-wall", recipe="mine", own_recipe=recipe_toml(MINE))
    case_id = at_desk.cases.start(ANNA, request)
    settled(at_desk, case_id)
    app = visit(case=case_id)
    assert "Recipe: mine" in html_of(app)
    press(app, "again")
    assert app.selectbox(key=field("recipe")).value == OWN
    assert "pool 7" in html_of(app)


def test_on_an_open_server_a_recipe_may_not_read_any_file_as_an_adapter(
    at_desk: AppState, monkeypatch: pytest.MonkeyPatch
) -> None:
    option = st.get_option
    monkeypatch.setenv("VERIDESK_OPEN", "yes")
    monkeypatch.setattr(st, "get_option", lambda name: "0.0.0.0" if name == "server.address" else option(name))
    spy = replace(MINE, steps=(WithAdapter(AskQuestions(), "/etc/passwd"), PredictVeracity()))
    app = bring(choose(OWN), recipe_toml(spy))
    assert "/etc/passwd" in told(app)
    press(app, "verify-send")
    assert at_desk.cases.search(ANNA).total == 0


def test_the_card_says_that_the_judge_was_not_fitted_on_this_evidence() -> None:
    case = hand_made(Claim("A wall."))
    measured = {"accuracy": 0.61, "claims": 250}
    assert "not on that of" not in verdict_card(case, measured)
    other = add_caveat(case, RECIPES["fused_queries"], Request(case.claim))
    card = verdict_card(other, measured)
    assert "“Quoted passages”" in card
    assert "“Fused" in card
    assert "61% of" not in card
    assert add_caveat(case, RECIPES[DEFAULT], Request(case.claim)) == case


def test_the_running_stage_of_an_own_recipe_is_shown() -> None:
    progress = {
        "done": [{"stage": "Read", "found": "3 documents", "seconds": 0.1}],
        "stage": "Ask on",
        "detail": "2 of 3",
    }
    page = stage_list({"recipe": "mine", "searches": False}, progress, 1.0)
    assert "Ask on" in page
    assert "2 of 3" in page
    ended = {**progress, "stage": "Read"}
    assert stage_list({"recipe": "mine", "searches": False}, ended, 1.0).count("Read") == 1
