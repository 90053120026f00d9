"""The organiser's page, driven as an organiser drives it, and every door that an annotator might try."""

from __future__ import annotations

import csv
import io
from html import unescape
from pathlib import Path
from typing import Any

import pytest
import streamlit as st
from streamlit.dataframe_util import convert_arrow_bytes_to_pandas_df
from streamlit.testing.v1 import AppTest

from core.campaigns.access import Role, invite_organiser, roles_of
from core.campaigns.exchange.rating_exports import ratings_jsonl
from core.campaigns.inviting import invite_rater, invited_raters
from core.campaigns.organising import all_campaigns, create_campaign, load_campaign
from core.campaigns.planning.plans import CampaignItem, CampaignPlan, EvidencePair
from core.campaigns.planning.sources import items_jsonl
from core.campaigns.rating import my_campaigns, open_item, save_answer, submit_item
from core.campaigns.redeeming import redeem
from core.campaigns.results import adjudicated, all_assigned, campaign_ratings
from core.campaigns.types import CampaignState
from core.documents.examples import examples
from core.errors import Denied
from core.storage.store import Store
from core.types import Label
from core.verification.request import Request
from pages.ui import roles
from pages.ui.app_state import AppState
from tests.pages.desks import ANNA, BERT, HOSTILE, ROOT, at_address, html_of, settled, visit

SCORING = ROOT / "assets" / "scoring"
SECRETS = ("Secret-System", "secret-key-word", "Conflicting Evidence/Cherrypicking", "Refuted", "R02", "secret stratum")
ORGANISERS_PAGES = sorted({path.parent.name for path in (ROOT / "pages").glob("*/page.py")} - {"rate", "campaigns"})


def press(app: AppTest, label: str) -> AppTest:
    next(button for button in app.button if button.label == label).click().run()
    assert not app.exception
    return app


def labels(app: AppTest) -> list[str]:
    return [button.label for button in app.button]


def words(app: AppTest) -> str:
    shown = [element.body for element in app.get("html")]
    return unescape(" ".join([*shown, *(m.value for m in app.markdown), *(c.value for c in app.caption)]))


def at_campaigns(owner: str = ANNA, **query: str) -> AppTest:
    """Open the page with this address, as a browser does."""
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=120)
    app.session_state["owner"] = owner
    at_address(app, "campaigns")
    for name, value in query.items():
        app.query_params[name] = value
    app.run()
    assert not app.exception
    return app


def opened(app: AppTest) -> str:
    """Return the campaign that the address names."""
    named = app.query_params["campaign"]
    return named if isinstance(named, str) else named[0]


def text(app: AppTest, label: str) -> Any:
    return next(field for field in app.text_input if field.label == label)


def tab(app: AppTest, campaign: str, name: str) -> AppTest:
    app.session_state[f"campaign-tab-{campaign}"] = name
    app.run()
    assert not app.exception
    return app


def item(number: int, **fields: Any) -> CampaignItem:
    values = {
        "item": str(number),
        "claim": f"The bridge number {number} was closed.",
        "evidence": (EvidencePair("Was it closed?", f"No, number {number} was open."),),
        "system": "Secret-System",
        "team": "Secret-System",
        "predicted": Label.SUPPORTED,
        "gold": Label.REFUTED,
        "reference": (EvidencePair("Who says so?", "The county."),),
        "stratum": "secret stratum",
    }
    return CampaignItem(**(values | fields))


def campaign_of(store: Store, owner: str, *items: CampaignItem, **plan: Any) -> str:
    roles_of(store, owner, local=True)
    values = {"title": "Pilot", "ratings_per_item": 2, "controls_per_rater": 0}
    return create_campaign(store, owner, CampaignPlan(items=items or (item(1), item(2)), **(values | plan)))


def rater(store: Store, campaign: str, name: str, who: str, *, address: str = "") -> None:
    redeem(store, invite_rater(store, campaign, ANNA, name, address, "", days=3), who)


def rate_all(store: Store, campaign: str, who: str, *, coverage: int, verdict: Label = Label.REFUTED) -> None:
    while (one := open_item(store, campaign, who)) is not None and not one.submitted:
        given = {"error": "no major errors", "verdict": verdict, "semantic_coverage": coverage, "relevance": coverage}
        for question, value in given.items():
            save_answer(store, campaign, one.id, who, question, value)
        submit_item(store, campaign, one.id, who, 60.0)


@pytest.fixture
def store(at_desk: AppState) -> Store:
    return at_desk.store


@pytest.fixture
def invited(store: Store) -> str:
    """A campaign of Anna's with Bert as a rater, on a server with organisers by name: no local mode any more."""
    campaign = campaign_of(store, ANNA)
    redeem(store, invite_organiser(store, days=1), ANNA)
    rater(store, campaign, "Bert Brun", BERT, address="bert@example.org")
    rater(store, campaign, "Cleo Cruz", "c" * 64, address="cleo@example.org")
    return campaign


# The organiser


def test_an_empty_page_says_what_to_do_and_one_click_gives_an_example(store: Store) -> None:
    app = at_campaigns()
    assert "No campaign yet" in words(app)
    press(app, "Try an example")
    (line,) = all_campaigns(store, ANNA)
    assert (line.items, line.controls, line.wanted) == (8, 2, 16)
    assert "0 of 16 ratings" in words(app)
    assert "Nobody is invited yet" in words(app)


def test_local_mode_is_named_in_the_sidebar(store: Store) -> None:
    app = at_campaigns()
    assert [caption.value for caption in app.sidebar.caption] == ["Local mode"]
    assert "no sign-in" in app.sidebar.caption[0].help


def test_a_campaign_is_paused_goes_on_is_closed_and_opened_again(store: Store) -> None:
    campaign = campaign_of(store, ANNA)
    app = at_campaigns(campaign=campaign)
    for label, state in (
        ("Pause", CampaignState.PAUSED),
        ("Go on", CampaignState.OPEN),
        ("Close", CampaignState.CLOSED),
        ("Open again", CampaignState.OPEN),
    ):
        press(app, label)
        assert load_campaign(store, campaign, ANNA).state is state
    assert "Raters can work." in words(app)


def test_a_link_is_shown_once_and_lets_its_rater_in(store: Store) -> None:
    campaign = campaign_of(store, ANNA)
    app = tab(at_campaigns(campaign=campaign), campaign, "Raters")
    text(app, "Name").set_value("Dora Dahl")
    text(app, "Address (optional)").set_value("dora@example.org")
    press(app, "Make a link")
    link = app.code[0].value
    assert redeem(store, link.partition("invite=")[2], "d" * 64).campaign == campaign
    assert text(app, "Name").value == ""
    press(app, "I have copied it")
    assert not app.code
    assert "Dora Dahl" in words(app)
    assert "dora@example.org" not in words(tab(app, campaign, "Progress"))
    assert "Dora" not in words(app)


def test_many_links_are_made_at_once_and_none_takes_the_place_of_another(store: Store) -> None:
    campaign = campaign_of(store, ANNA)
    app = tab(at_campaigns(campaign=campaign), campaign, "Raters")
    next(area for area in app.text_area if area.label.startswith("Names")).set_value(
        "Dora\nEmil, e@example.org\n"
    ).run()
    press(app, "Make links")
    text(app, "Name").set_value("Frida")
    press(app, "Make a link")
    assert len({one.value for one in app.code}) == 3
    assert [one.name for one in invited_raters(store, campaign, ANNA)] == ["Dora", "Emil", "Frida"]
    press(app, "One link for everybody")
    assert "4 new links" in words(app)
    press(app, "I have copied them")
    assert not app.code


@pytest.mark.slow
def test_a_careless_rater_is_excluded_with_a_reason_and_taken_back_in(store: Store) -> None:
    campaign = campaign_of(store, ANNA, *(item(number) for number in range(9)))
    for who, name, value in ((BERT, "Bert", 3), ("c" * 64, "Cara", 4)):
        rater(store, campaign, name, who)
        rate_all(store, campaign, who, coverage=value)
    app = at_campaigns(campaign=campaign)
    assert "Agreement of the raters" in words(app)
    assert "α with excluded" not in words(app)
    press(app, "Exclude")
    assert "An exclusion needs a reason" in words(app)
    text(app, "Reason").set_value("Same answer everywhere.")
    next(one for one in app.selectbox if one.label == "Rater").set_value("R02")
    press(app, "Exclude")
    assert "Another rater was chosen at that moment" in words(app)
    next(one for one in app.selectbox if one.label == "Rater").set_value("R01").run()
    press(app, "Exclude")
    assert "9 ratings excluded" in words(app)
    assert "α with excluded" in words(app)
    assert {one.rater for one in campaign_ratings(store, campaign, ANNA).responses} == {"R02"}
    press(app, "Take R01 back in")
    assert {one.rater for one in campaign_ratings(store, campaign, ANNA).responses} == {"R01", "R02"}
    assert "Taken back." in words(app)


def test_what_raters_read_is_changed_and_what_they_read_before_stays(store: Store) -> None:
    campaign = campaign_of(store, ANNA)
    rater(store, campaign, "Bert", BERT)
    app = tab(at_campaigns(campaign=campaign), campaign, "Form")
    for version in ("Read all pairs.", "Read all pairs *twice*."):
        next(area for area in app.text_area if area.label == "Guidelines").set_value(version).run()
        press(app, "Save the texts")
    assert my_campaigns(store, BERT)[0].options.guidelines == "Read all pairs *twice*."
    shown = words(app)
    assert "Read all pairs." in shown
    assert "Read all pairs *twice*." in shown
    assert "Earlier versions (3)" in [one.label for one in app.expander]


def test_what_raters_flagged_is_read_where_disagreements_are_settled(store: Store) -> None:
    campaign = campaign_of(store, ANNA)
    rater(store, campaign, "Bert", BERT)
    opened = open_item(store, campaign, BERT)
    assert opened is not None
    save_answer(store, campaign, opened.id, BERT, "flag", "The claim is cut off.")
    shown = words(tab(at_campaigns(campaign=campaign), campaign, "Disagreements"))
    assert "The claim is cut off." in shown
    assert "R01" not in shown


def test_a_link_without_a_name_costs_nothing_of_what_was_typed(store: Store) -> None:
    campaign = campaign_of(store, ANNA)
    app = tab(at_campaigns(campaign=campaign), campaign, "Raters")
    text(app, "Address (optional)").set_value("dora@example.org")
    press(app, "Make a link")
    assert "Write a name" in words(app)
    assert text(app, "Address (optional)").value == "dora@example.org"
    assert not invited_raters(store, campaign, ANNA)


@pytest.mark.slow
def test_an_address_is_invited_once(store: Store) -> None:
    campaign = campaign_of(store, ANNA)
    invite_rater(store, campaign, ANNA, "Dora", "dora@example.org", "", days=3)
    app = tab(at_campaigns(campaign=campaign), campaign, "Raters")
    text(app, "Name").set_value("Dora again")
    text(app, "Address (optional)").set_value("Dora@example.org")
    press(app, "Make a link")
    assert "is invited already, as R01" in words(app)
    assert text(app, "Name").value == "Dora again"


def test_a_revoked_rater_is_out(store: Store, invited: str) -> None:
    app = tab(at_campaigns(campaign=invited), invited, "Raters")
    press(app, "Revoke it")
    assert "revoked" in words(app)
    assert my_campaigns(store, BERT) == ()


def test_progress_names_pseudonyms_only_and_flags_straight_lining_in_words(store: Store) -> None:
    items = [item(number) for number in range(9)]
    campaign = campaign_of(store, ANNA, *items)
    rater(store, campaign, "Bert Brun", BERT)
    rate_all(store, campaign, BERT, coverage=3)
    text = words(at_campaigns(campaign=campaign))
    assert "9 of 18 ratings" in text
    assert "R01: one and the same rating on every scale for 9 of 9 items" in text
    assert "Bert" not in text


@pytest.mark.slow
def test_controls_that_were_answered_right_are_counted(store: Store) -> None:
    app = press(at_campaigns(), "Try an example")
    campaign = all_campaigns(store, ANNA)[0].id
    rater(store, campaign, "Bert", BERT)
    rate_all(store, campaign, BERT, coverage=5, verdict=Label.REFUTED)
    keys = [one.control_key for one in load_campaign(store, campaign, ANNA).plan.items if one.control_key]
    right = sum(key.error == "no major errors" and key.verdict is Label.REFUTED for key in keys)
    assert f"{right} of 2 controls right" in words(app.run())


def test_disagreements_are_settled_blind(store: Store, invited: str) -> None:
    rate_all(store, invited, BERT, coverage=1)
    rate_all(store, invited, "c" * 64, coverage=4)
    app = tab(at_campaigns(campaign=invited), invited, "Disagreements")
    text = words(app)
    assert "2 items in dispute, 0 settled" in text
    for hidden in ("R01", "R02", "Bert", "Cleo", "Secret-System", "secret stratum"):
        assert hidden not in text.partition("in dispute")[2]
    assert all(radio.value is None for radio in app.radio)
    app.radio[0].set_value(2).run()
    app.text_area[0].set_value("The reference names two closures.").run()
    press(app, "Save")
    (decided,) = adjudicated(store, invited, ANNA)
    assert (decided.question, decided.value) == ("semantic_coverage", 2)
    assert decided.reason == "The reference names two closures."


@pytest.mark.slow
def test_where_everybody_agrees_the_page_says_when_it_would_not(store: Store, invited: str) -> None:
    rate_all(store, invited, BERT, coverage=3)
    rate_all(store, invited, "c" * 64, coverage=4)
    assert "No disagreement so far" in words(tab(at_campaigns(campaign=invited), invited, "Disagreements"))


@pytest.mark.slow
def test_text_in_a_campaign_is_shown_and_not_run(store: Store) -> None:
    campaign = campaign_of(store, ANNA, item(1, claim=HOSTILE, system=HOSTILE, team=HOSTILE), title=HOSTILE)
    invite_rater(store, campaign, ANNA, HOSTILE, HOSTILE, HOSTILE, days=3)
    for name in ("Progress", "Raters", "Form", "Downloads"):
        bodies = html_of(tab(at_campaigns(campaign=campaign), campaign, name))
        assert "<script" not in bodies
        assert "<img" not in bodies
    assert "<script" not in html_of(at_campaigns())


def test_a_campaign_that_is_not_there_is_a_sentence_and_a_way_back(store: Store) -> None:
    app = at_campaigns(campaign="no-such-campaign")
    assert "There is no such campaign here" in words(app)
    assert "All campaigns" in labels(app)


# A new campaign


def upload(app: AppTest, label: str, *names: Path) -> None:
    files = [(path.name, path.read_bytes(), "application/json") for path in names]
    uploader = next(one for one in app.get("file_uploader") if one.label == label)
    uploader.set_value(files if label == "Submissions" else files[0])


def with_files(app: AppTest) -> AppTest:
    upload(app, "Gold annotations", SCORING / "gold.json")
    upload(app, "Submissions", SCORING / "careful.json", SCORING / "hasty.json")
    return app.run()


def number(app: AppTest, label: str) -> Any:
    return next(field for field in app.number_input if field.label == label)


def test_a_campaign_is_drawn_and_made_from_submissions(store: Store) -> None:
    app = with_files(at_campaigns(new="1"))
    assert "12 items of 2 systems: careful, hasty." in words(app)
    number(app, "Items to draw").set_value(4)
    number(app, "How many control items").set_value(2)
    number(app, "Controls among them").set_value(1)
    number(app, "Seed").set_value(1)
    app.run()
    assert "4 items × 1 rating = 4 ratings, and 2 control items." in words(app)
    assert len(app.get("vega_lite_chart")) + len(app.get("arrow_vega_lite_chart")) == 1
    app.text_input[0].set_value("A pilot")  # typed, and the button pressed at once
    press(app, "Create the campaign")
    made = load_campaign(store, opened(app), ANNA)
    drawn = [one for one in made.plan.items if not one.control]
    assert (made.plan.title, made.plan.seed, made.plan.controls_per_rater) == ("A pilot", 1, 1)
    assert sorted(one.system for one in drawn) == ["careful", "careful", "hasty", "hasty"]
    assert not {one.claim for one in drawn} & {one.claim for one in made.plan.items if one.control}


@pytest.mark.slow
def test_what_is_wrong_costs_nothing_of_what_was_entered(store: Store) -> None:
    app = with_files(at_campaigns(new="1"))
    number(app, "Items to draw").set_value(4)
    number(app, "How many control items").set_value(1)
    number(app, "Items a rater").set_value(3)
    app.run()
    assert "fewer than that can be controls" in words(app)
    number(app, "Controls among them").set_value(0)
    app.run()
    press(app, "Create the campaign")
    assert "A campaign needs a title." in words(app)
    assert number(app, "Items a rater").value == 3
    assert "12 items of 2 systems" in words(app)
    assert all_campaigns(store, ANNA) == ()


@pytest.mark.slow
def test_the_form_survives_a_refresh(store: Store) -> None:
    app = at_campaigns(new="1")
    app.text_input[0].set_value("Begun before the refresh").run()
    seed = number(app, "Seed").value if any(one.label == "Seed" for one in app.number_input) else None
    again = at_campaigns(new="1")
    assert again.text_input[0].value == "Begun before the refresh"
    assert seed is None or number(again, "Seed").value == seed


@pytest.mark.slow
def test_a_scale_of_ones_own_needs_its_words_and_is_then_asked(store: Store) -> None:
    app = press(with_files(at_campaigns(new="1")), "Add a scale of your own")
    assert "Your scale 1 is not finished" in words(app)
    titles = [field for field in app.text_input if field.label == "Title"]
    titles[0].set_value("With a scale of our own")
    titles[1].set_value("Up to date")
    app.text_area[0].set_value("How recent is the evidence?")
    for field in app.text_input:
        if field.label.startswith("What "):
            field.set_value(f"{field.label}: some words")
    number(app, "Items to draw").set_value(4)
    number(app, "How many control items").set_value(1)
    number(app, "Controls among them").set_value(1)
    app.run()
    press(app, "Create the campaign")
    form = load_campaign(store, opened(app), ANNA).plan.form
    assert [scale.name for scale in form.scales] == ["semantic_coverage", "relevance", "up_to_date"]
    assert form.scales[2].question == "How recent is the evidence?"


def test_controls_chosen_by_hand_have_the_key_of_the_gold_label_and_are_not_drawn(store: Store) -> None:
    app = with_files(at_campaigns(new="1"))
    app.text_input[0].set_value("By hand")
    next(one for one in app.segmented_control if one.label == "Control items").set_value("Chosen by hand").run()
    chosen = next(one for one in app.multiselect if one.label == "Items that are controls")
    chosen.set_value(["0 · careful"]).run()
    number(app, "Controls among them").set_value(1)
    app.run()
    press(app, "Create the campaign")
    plan = load_campaign(store, opened(app), ANNA).plan
    (control,) = [one for one in plan.items if one.control]
    assert control.key == ("0", "careful")
    assert control.control_key is not None
    assert (control.control_key.verdict, control.control_key.scales) == (Label.REFUTED, {})
    assert len(plan.items) == 11
    assert "0" not in {one.item for one in plan.items if not one.control}


def test_controls_chosen_by_hand_are_not_counted_among_the_drawn(store: Store) -> None:
    app = with_files(at_campaigns(new="1"))
    scores = "".join(f"{n},{system},{n / 10}\n" for n in range(6) for system in ("careful", "hasty"))
    uploader = next(one for one in app.get("file_uploader") if one.label == "Scores (optional)")
    uploader.set_value([("scores.csv", f"id,system,bleu\n{scores}".encode(), "text/csv")])
    next(one for one in app.segmented_control if one.label == "Control items").set_value("Chosen by hand").run()
    app.session_state["campaign-metric"] = "bleu"
    chosen = next(one for one in app.multiselect if one.label == "Items that are controls")
    chosen.set_value(["4 · careful", "5 · careful"]).run()
    number(app, "Items to draw").set_value(8)
    number(app, "Controls among them").set_value(1)
    app.run()
    (chart,) = [*app.get("vega_lite_chart"), *app.get("arrow_vega_lite_chart")]
    frame = convert_arrow_bytes_to_pandas_df(chart.proto.datasets[0].data.data)
    found = {(row["System"], row["Half"]): (row["Drawn"], row["Available"]) for _, row in frame.iterrows()}
    halves = ("higher half", "lower half")
    assert found == {(system, half): (2, 2) for system in ("careful", "hasty") for half in halves}


@pytest.mark.parametrize("kind", ["ratings", "items"])
def test_the_files_that_a_campaign_leaves_are_told_apart(store: Store, invited: str, kind: str) -> None:
    rate_all(store, invited, BERT, coverage=3)
    left = {"ratings": ratings_jsonl(campaign_ratings(store, invited, ANNA)), "items": items_jsonl([item(1), item(2)])}
    app = at_campaigns(new="1")
    next(one for one in app.segmented_control if one.label.startswith("Where")).set_value("An earlier campaign").run()
    uploader = next(one for one in app.get("file_uploader") if one.label == "Ratings or items")
    uploader.set_value((f"{kind}.jsonl", left[kind].encode(), "application/jsonl"))
    app.run()
    assert not app.exception
    assert "2 items of 1 system: Secret-System." in words(app)
    assert ("Take over its 2 ratings too" in [box.label for box in app.checkbox]) is (kind == "ratings")


def test_finished_ratings_become_a_campaign_with_a_report(store: Store) -> None:
    app = at_campaigns(new="1")
    app.text_input[0].set_value("Last year")
    next(one for one in app.segmented_control if one.label.startswith("Where")).set_value("An earlier campaign").run()
    given = ("x@example.org,1,The bridge was closed,A,4", "y@example.org,1,The bridge was closed,A,2")
    rows = "\n".join(("Rater,id,claim,System,relevance", *given, ""))
    uploader = next(one for one in app.get("file_uploader") if one.label == "Ratings or items")
    uploader.set_value(("ratings.csv", rows.encode(), "text/csv"))
    app.run()
    assert "Take over its 2 ratings too" in [box.label for box in app.checkbox]
    press(app, "Create the campaign")
    assert "2 ratings taken over, 0 not." in words(app)
    campaign = opened(app)
    found = campaign_ratings(store, campaign, ANNA)
    assert [one.ratings for one in found.responses] == [{"relevance": 4}, {"relevance": 2}]
    assert "example.org" not in words(app)


def test_a_case_goes_into_a_campaign_from_its_page(at_desk: AppState, store: Store) -> None:
    example = examples()[0]
    case_id = at_desk.cases.start(ANNA, Request(example.claim, example=example.id))
    settled(at_desk, case_id)
    app = visit(ANNA, case=case_id)
    press(app, "Add to a campaign")
    assert next(one for one in app.multiselect if one.label == "Cases").value == [case_id]
    assert "1 item" in words(app)


@pytest.mark.slow
def test_without_past_cases_or_runs_the_page_says_where_they_come_from(store: Store) -> None:
    app = at_campaigns(new="1")
    source = next(one for one in app.segmented_control if one.label.startswith("Where"))
    source.set_value("Past cases").run()
    assert "No finished case yet" in words(app)
    source.set_value("A scoring run").run()
    assert "You have no finished scoring run" in words(app)


# Downloads


def test_files_have_pseudonyms_and_progress_but_no_names(store: Store, invited: str) -> None:
    rate_all(store, invited, BERT, coverage=1)
    app = tab(at_campaigns(campaign=invited), invited, "Downloads")
    names = [button.label for button in app.get("download_button")]
    assert names[:3] == ["Study (CSV, zip)", "Study (JSON lines)", "Study (XLSX)"]
    assert names[3:8] == ["CSV", "JSON lines", "Label Studio tasks", "… and interface", "Argilla records"]
    assert {"Settled ratings (CSV)", "Raters (CSV)", "Items (CSV)", "Items with keys (JSON lines)"} <= set(names)
    from core.tabular.exports import to_csv
    from pages.campaigns.campaign_progress import progress_of, rater_table

    campaign = load_campaign(store, invited, ANNA)
    written = to_csv(rater_table(progress_of(store, ANNA, campaign, all_assigned(store, invited, ANNA))))
    rows = list(csv.DictReader(io.StringIO(written)))
    assert [(row["Rater"], row["Submitted"]) for row in rows] == [("R01", "2"), ("R02", "0")]
    assert "Bert" not in written


# The doors that an annotator might try


def nothing_of_the_organisers(app: AppTest) -> None:
    tree = f"{words(app)} {app.main} {app.sidebar}"
    for secret in (*SECRETS, "bert@example.org", "cleo@example.org", "Cleo Cruz", "Secret-System"):
        assert secret not in tree


@pytest.mark.parametrize(
    "query",
    [{}, {"new": "1"}, {"campaign": "CAMPAIGN"}, {"campaign": "CAMPAIGN", "new": "1"}, {"case": "x", "run": "y"}],
)
def test_an_annotator_who_types_the_address_reads_a_sentence(invited: str, query: dict[str, str]) -> None:
    app = at_campaigns(BERT, **{name: value.replace("CAMPAIGN", invited) for name, value in query.items()})
    assert "Only organisers plan campaigns." in words(app)
    assert not app.button
    assert not app.tabs
    nothing_of_the_organisers(app)


@pytest.mark.parametrize(
    "state",
    [
        {"role": "organiser", "roles": frozenset(Role), "organiser": True, "is_organiser": True},
        {"campaign-new-link": ("CAMPAIGN", "x", "y", 1), "campaign-tab-CAMPAIGN": "Raters"},
        {"campaign-said": ("CAMPAIGN", ("Said",)), "campaign-restored": True, "campaign-source": "Past cases"},
    ],
)
def test_session_state_makes_nobody_an_organiser(invited: str, state: dict[str, Any]) -> None:
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=120)
    app.session_state["owner"] = BERT
    for name, value in state.items():
        app.session_state[name.replace("CAMPAIGN", invited)] = value
    at_address(app, "campaigns")
    app.query_params["campaign"] = invited
    app.run()
    assert not app.exception
    assert "Only organisers plan campaigns" in words(app)
    nothing_of_the_organisers(app)


def test_the_page_refuses_even_if_it_were_told_a_wrong_role(
    store: Store, invited: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Were the page's own question answered wrongly, the store still asks the database."""
    monkeypatch.setattr(roles, "roles", lambda: frozenset(Role))
    app = at_campaigns(BERT, campaign=invited)
    assert "Only an organiser may do this" in words(app)
    nothing_of_the_organisers(app)
    with pytest.raises(Denied):
        load_campaign(store, invited, BERT)


@pytest.mark.parametrize("page", ORGANISERS_PAGES)
def test_an_annotator_opens_no_other_page(invited: str, page: str) -> None:
    """The Models page would load and delete models; the others start work on this server."""
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=120)
    app.session_state["owner"] = BERT
    at_address(app, page).run()
    assert not app.exception
    assert not app.get("file_uploader")
    assert not {"Verify", "Use", "Score", "Compare", "Look for models"} & set(labels(app))
    if page != "verify":
        assert "You were invited to rate evidence." in words(app)


@pytest.mark.parametrize("page", ["models", "stores"])
def test_a_browser_that_forgot_its_invitation_changes_nothing_for_others(invited: str, page: str) -> None:
    """A rater's private window is a journalist to the server: it may verify, not delete what all use."""
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=120)
    app.session_state["owner"] = "d" * 64
    at_address(app, page).run()
    assert not app.exception
    assert "this page belongs to its organisers" in words(app)
    assert not app.button
    assert not app.get("file_uploader")
    app.switch_page("pages/verify/page.py").run()
    assert "Verify" in labels(app)


@pytest.mark.parametrize("page", ["models", "stores"])
def test_where_nobody_is_organiser_by_name_the_settings_are_everybodys(
    at_desk: AppState, page: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(roles, "local_mode", lambda: False)
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=120)
    app.session_state["owner"] = "d" * 64
    at_address(app, page).run()
    assert not app.exception
    assert "belongs to its organisers" not in words(app)


def test_an_organiser_who_also_rates_opens_everything(store: Store, invited: str) -> None:
    rater(store, invited, "Anna herself", ANNA)
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=120)
    app.session_state["owner"] = ANNA
    at_address(app, "models").run()
    assert "You were invited to rate evidence." not in words(app)
    assert [caption.value for caption in app.sidebar.caption] == ["You are an organiser"]


def test_an_organisers_link_lets_in_once_opened_and_leaves_no_token_in_the_address(store: Store) -> None:
    token = invite_organiser(store, days=1)
    redeem(store, token, BERT)
    app = at_campaigns(ANNA)
    assert "Only organisers plan campaigns" in words(app)
    app = at_campaigns(ANNA, invite=token)
    assert "invite" not in app.query_params
    assert "No campaign yet" in words(app)


def test_a_withdrawn_or_unknown_link_is_a_sentence(store: Store) -> None:
    redeem(store, invite_organiser(store, days=1), BERT)
    app = at_campaigns(ANNA, invite="made-up")
    assert "This invitation is not known here" in words(app)
    assert "invite" not in app.query_params
    assert "New campaign" not in labels(app)


def test_an_annotators_link_on_this_page_leads_to_rating(store: Store, invited: str) -> None:
    token = invite_rater(store, invited, ANNA, "Dora", "", "", days=3)
    app = at_campaigns("d" * 64, invite=token)
    assert [one.id for one in my_campaigns(store, "d" * 64)] == [invited]
    assert not {"Pause", "Close", "New campaign"} & set(labels(app))
    assert "Cleo Cruz" not in words(app)


# Local mode and sign-in


def test_where_others_can_reach_the_server_nobody_is_organiser_for_having_come(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = st.get_option
    monkeypatch.setattr(st, "get_option", lambda name: "0.0.0.0" if name == "server.address" else real(name))
    app = at_campaigns(ANNA)
    assert "it has neither sign-in nor an organiser" in words(app)
    assert "VERIDESK_OPEN=yes" in words(app)
    assert "Only organisers plan campaigns" not in words(app)
    monkeypatch.setenv("VERIDESK_OPEN", "yes")
    app = at_campaigns(ANNA)
    assert "Only organisers plan campaigns" in words(app)
    assert not app.sidebar.caption


AUTH = {"auth": {"redirect_uri": "http://localhost/oauth2callback", "cookie_secret": "x", "client_id": "x"}}
LISTED = {**AUTH, "veridesk": {"organisers": ["Jane@Example.org"]}}


def signed_in(user: dict[str, object], secrets: dict[str, Any], owner: str = "") -> AppTest:
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=120)
    app.secrets = secrets
    app.user = user
    if owner:
        app.session_state["owner"] = owner
    app.run()
    app.switch_page("pages/campaigns/page.py").run()
    assert not app.exception
    return app


JANE = {"is_logged_in": True, "iss": "https://id.example", "sub": "42", "email": "jane@example.org"}


@pytest.mark.parametrize(
    ("user", "secrets", "may"),
    [
        ({**JANE, "email_verified": True}, LISTED, True),
        ({**JANE, "email_verified": False}, LISTED, False),
        (JANE, LISTED, False),
        ({**JANE, "email_verified": True}, AUTH, False),
        ({**JANE, "email": "joe@example.org", "email_verified": True}, LISTED, False),
    ],
)
def test_listed_and_verified_addresses_are_organisers(
    store: Store, user: dict[str, object], secrets: dict[str, Any], may: bool
) -> None:
    app = signed_in(user, secrets)
    assert ("New campaign" in labels(app)) is may
    assert "Local mode" not in [caption.value for caption in app.sidebar.caption]


def test_where_sign_in_is_set_up_the_session_says_nothing_about_who_it_is(store: Store, invited: str) -> None:
    app = signed_in({**JANE, "email_verified": True}, AUTH, owner=ANNA)
    assert "Only organisers plan campaigns" in words(app)
    nothing_of_the_organisers(app)


def test_whoever_has_a_link_is_told_to_open_it_again_after_signing_in(at_desk: AppState) -> None:
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=120)
    app.secrets = AUTH
    app.user = {"is_logged_in": False}
    app.query_params["invite"] = "token"
    app.run()
    assert "open its link once more" in words(app)
    assert labels(app) == ["Sign in"]
