"""The organiser's page, driven as an organiser drives it, and every door that an annotator might try."""

import csv
import io
from html import unescape
from typing import Any

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from core.campaigns.access import Role, invite_organiser, roles_of
from core.campaigns.exchange.rating_exports import ratings_jsonl
from core.campaigns.inviting import invite_rater, invited_raters
from core.campaigns.organising import all_campaigns, create_campaign, load_campaign
from core.campaigns.planning.own_form import read_form
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
from pages.campaigns.campaign_draft import OWN, field, own_field
from pages.ui import roles
from pages.ui.app_state import AppState
from tests.pages.desks import (
    ANNA,
    BERT,
    HOSTILE,
    ROOT,
    by_role,
    html_of,
    keys,
    new_app,
    press,
    read,
    settled,
    told,
    visit,
)

SCORING = ROOT / "assets" / "scoring"
SECRETS = ("Secret-System", "secret-key-word", "Conflicting Evidence/Cherrypicking", "Refuted", "R02", "secret stratum")
ORGANISERS_PAGES = sorted({path.parent.name for path in (ROOT / "pages").glob("*/page.py")} - {"rate", "campaigns"})


def words(app: AppTest) -> str:
    shown = [element.body for element in app.get("html")]
    return unescape(" ".join([*shown, *(m.value for m in app.markdown), *(c.value for c in app.caption)]))


def ratings_in(app: AppTest) -> tuple[str | None, str | None]:
    """Return the ratings that are in and those wanted, of the one campaign shown."""
    (bar,) = by_role(app, "progressbar")
    return bar.get("aria-valuenow"), bar.get("aria-valuemax")


def at_campaigns(owner: str = ANNA, **query: str) -> AppTest:
    return visit(owner, page="campaigns", **query)


def opened(app: AppTest) -> str:
    """Return the campaign that the address names."""
    named = app.query_params["campaign"]
    return named if isinstance(named, str) else named[0]


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
    assert len(by_role(app, "note")) == 1
    (caption,) = app.sidebar.caption
    assert (caption.value, bool(caption.help)) == ("Local mode", True)
    press(app, "campaign-example")
    (line,) = all_campaigns(store, ANNA)
    assert (line.items, line.controls, line.wanted) == (8, 2, 16)
    assert ratings_in(app) == ("0", "16")
    assert len(by_role(app, "note")) == 1  # nobody is invited yet


def test_a_campaign_is_paused_goes_on_is_closed_and_opened_again(store: Store) -> None:
    campaign = campaign_of(store, ANNA)
    app = at_campaigns(campaign=campaign)
    for state in (CampaignState.PAUSED, CampaignState.OPEN, CampaignState.CLOSED, CampaignState.OPEN):
        press(app, f"to-{state}-{campaign}")
        assert load_campaign(store, campaign, ANNA).state is state
    others = {f"to-{state}-{campaign}" for state in (CampaignState.PAUSED, CampaignState.CLOSED)}
    assert {key for key in keys(app) if key.startswith("to-")} == others


def test_a_link_is_shown_once_and_lets_its_rater_in(store: Store) -> None:
    campaign = campaign_of(store, ANNA)
    app = tab(at_campaigns(campaign=campaign), campaign, "Raters")
    app.text_input(key="invite-name-0").set_value("Dora Dahl")
    app.text_input(key="invite-address-0").set_value("dora@example.org")
    press(app, "invite-one")
    link = app.code[0].value
    assert redeem(store, link.partition("invite=")[2], "d" * 64).campaign == campaign
    assert app.text_input(key="invite-name-1").value == ""
    press(app, "campaign-copied")
    assert not app.code
    assert "Dora Dahl" in words(app)
    assert "dora@example.org" not in words(tab(app, campaign, "Progress"))
    assert "Dora" not in words(app)


def test_many_links_are_made_at_once_and_none_takes_the_place_of_another(store: Store) -> None:
    campaign = campaign_of(store, ANNA)
    app = tab(at_campaigns(campaign=campaign), campaign, "Raters")
    app.text_area(key="invite-many-0").set_value("Dora\nEmil, e@example.org\n").run()
    press(app, "invite-each")
    app.text_input(key="invite-name-1").set_value("Frida")
    press(app, "invite-one")
    assert len({one.value for one in app.code}) == 3
    assert [one.name for one in invited_raters(store, campaign, ANNA)] == ["Dora", "Emil", "Frida"]
    press(app, "invite-anyone")
    assert "campaign-links" in keys(app)  # the fourth is in the file of them all
    press(app, "campaign-copied")
    assert not app.code


@pytest.mark.slow
def test_a_careless_rater_is_excluded_with_a_reason_and_taken_back_in(store: Store) -> None:
    campaign = campaign_of(store, ANNA, *(item(number) for number in range(9)))
    for who, name, value in ((BERT, "Bert", 3), ("c" * 64, "Cara", 4)):
        rater(store, campaign, name, who)
        rate_all(store, campaign, who, coverage=value)
    app = at_campaigns(campaign=campaign)
    key = f"exclude-{campaign}"
    (before,) = by_role(app, "region", "Agreement of the raters")
    press(app, key)
    assert "needs a reason" in told(app)
    app.text_input(key=f"{key}-reason").set_value("Same answer everywhere.")
    app.selectbox(key=f"{key}-rater").set_value("R02")
    press(app, key)
    assert "Another rater was chosen" in told(app)
    app.selectbox(key=f"{key}-rater").set_value("R01").run()
    press(app, key)
    (after,) = by_role(app, "region", "Agreement of the raters")
    assert len(after.findall(".//th")) == len(before.findall(".//th")) + 1  # the figures with and without
    assert {one.rater for one in campaign_ratings(store, campaign, ANNA).responses} == {"R02"}
    press(app, f"include-{campaign}-R01-")
    assert {one.rater for one in campaign_ratings(store, campaign, ANNA).responses} == {"R01", "R02"}
    assert f"include-{campaign}-R01-" not in keys(app)


def test_what_raters_read_is_changed_and_what_they_read_before_stays(store: Store) -> None:
    campaign = campaign_of(store, ANNA)
    rater(store, campaign, "Bert", BERT)
    app = tab(at_campaigns(campaign=campaign), campaign, "Form")
    for version in ("Read all pairs.", "Read all pairs *twice*."):
        app.text_area(key=f"texts-{campaign}-guidelines").set_value(version).run()
        press(app, f"texts-{campaign}-save")
    assert my_campaigns(store, BERT)[0].options.guidelines == "Read all pairs *twice*."
    shown = words(app)
    assert "Read all pairs." in shown
    assert "Read all pairs *twice*." in shown
    assert len([one for one in read(app, "heading") if one.startswith("From 2")]) == 3


def test_what_raters_flagged_is_read_where_disagreements_are_settled(store: Store) -> None:
    campaign = campaign_of(store, ANNA)
    rater(store, campaign, "Bert", BERT)
    opened = open_item(store, campaign, BERT)
    save_answer(store, campaign, opened.id, BERT, "flag", "The claim is cut off.")
    shown = words(tab(at_campaigns(campaign=campaign), campaign, "Disagreements"))
    assert "cut off" in shown
    assert "R01" not in shown


@pytest.mark.parametrize(("name", "address", "says"), [("", "dora@b.example", ""), ("Dora", "Eve@a.example", "R01")])
def test_a_link_without_a_name_or_for_an_address_once_more_is_not_made_and_nothing_typed_is_lost(
    store: Store, name: str, address: str, says: str
) -> None:
    campaign = campaign_of(store, ANNA)
    invite_rater(store, campaign, ANNA, "Eve", "eve@a.example", "", days=3)
    app = tab(at_campaigns(campaign=campaign), campaign, "Raters")
    app.text_input(key="invite-name-0").set_value(name)
    app.text_input(key="invite-address-0").set_value(address)
    press(app, "invite-one")
    assert len(by_role(app, "alert")) == 1
    assert says in told(app)
    typed = [app.text_input(key=f"invite-{field}-0").value for field in ("name", "address")]
    assert typed == [name, address]
    assert len(invited_raters(store, campaign, ANNA)) == 1


def test_a_revoked_rater_is_out(store: Store, invited: str) -> None:
    app = tab(at_campaigns(campaign=invited), invited, "Raters")
    bert = next(one.id for one in invited_raters(store, invited, ANNA) if one.name == "Bert Brun")
    press(app, f"revoke-{bert}")
    assert f"revoke-{bert}" not in keys(app)
    assert my_campaigns(store, BERT) == ()


def test_progress_names_pseudonyms_only_and_flags_straight_lining_in_words(store: Store) -> None:
    items = [item(number) for number in range(9)]
    campaign = campaign_of(store, ANNA, *items)
    rater(store, campaign, "Bert Brun", BERT)
    rate_all(store, campaign, BERT, coverage=3)
    app = at_campaigns(campaign=campaign)
    assert ratings_in(app) == ("9", "18")
    assert [one for one in read(app, "note") if one.startswith("R01: ") and "9 of 9" in one]
    assert "Bert" not in words(app)


@pytest.mark.slow
def test_controls_that_were_answered_right_are_counted(store: Store) -> None:
    app = press(at_campaigns(), "campaign-example")
    campaign = all_campaigns(store, ANNA)[0].id
    rater(store, campaign, "Bert", BERT)
    rate_all(store, campaign, BERT, coverage=5, verdict=Label.REFUTED)
    keys = [one.control_key for one in load_campaign(store, campaign, ANNA).plan.items if one.control_key]
    right = sum(key.error == "no major errors" and key.verdict is Label.REFUTED for key in keys)
    assert f"{right} of 2 controls right" in words(app.run())


def test_disagreements_are_settled_blind(store: Store, invited: str) -> None:
    app = tab(at_campaigns(campaign=invited), invited, "Disagreements")
    assert (len(by_role(app, "note")), len(app.radio)) == (1, 0)
    rate_all(store, invited, BERT, coverage=1)
    rate_all(store, invited, "c" * 64, coverage=4)
    app = tab(at_campaigns(campaign=invited), invited, "Disagreements")
    assert len(app.selectbox(key=f"dispute-{invited}-2").options) == 2
    for hidden in ("R01", "R02", "Bert", "Cleo", "Secret-System", "secret stratum"):
        assert hidden not in words(app)
    assert all(radio.value is None for radio in app.radio)
    app.radio[0].set_value(2).run()
    app.text_area[0].set_value("It names two.").run()
    press(app, f"{app.radio[0].key}-save")
    (decided,) = adjudicated(store, invited, ANNA)
    assert (decided.question, decided.value) == ("semantic_coverage", 2)
    assert decided.reason == "It names two."


@pytest.mark.slow
def test_labels_of_a_form_of_ones_own_are_settled_and_agreement_needs_no_scale(store: Store) -> None:
    table = '[[questions]]\nname = "tone"\ntitle = "Tone"\nquestion = "How?"\nlabels = ["neutral", "loaded"]\n'
    campaign = campaign_of(store, ANNA, item(1), form=read_form("form.toml", table))
    for name, who, said in (("Bert", BERT, "neutral"), ("Cleo", "c" * 64, "loaded")):
        rater(store, campaign, name, who)
        found = open_item(store, campaign, who)
        assert found
        save_answer(store, campaign, found.id, who, "tone", said)
        submit_item(store, campaign, found.id, who, 1.0)
    app = tab(at_campaigns(campaign=campaign), campaign, "Disagreements")
    app.radio[0].set_value("loaded").run()
    app.text_area[0].set_value("It calls names.").run()
    press(app, f"{app.radio[0].key}-save")
    assert [(one.question, one.value) for one in adjudicated(store, campaign, ANNA)] == [("tone", "loaded")]
    agreement = visit(ANNA, page="agreement", campaign=campaign)
    press(agreement, "agreement-raters")
    assert not agreement.exception
    assert "Tone" in html_of(agreement)


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
    assert len(by_role(app, "alert")) == 1
    assert "campaign-all" in keys(app)


# A new campaign


def uploaded(name: str) -> tuple[str, bytes, str]:
    return f"{name}.json", (SCORING / f"{name}.json").read_bytes(), "application/json"


def with_files(app: AppTest) -> AppTest:
    app.file_uploader(key="campaign-gold").set_value(uploaded("gold"))
    app.file_uploader(key="campaign-submissions").set_value([uploaded("careful"), uploaded("hasty")])
    return app.run()


def test_a_campaign_is_drawn_and_made_from_submissions(store: Store) -> None:
    app = with_files(at_campaigns(new="1"))
    assert "careful, hasty" in words(app)
    app.number_input(key=field("draw")).set_value(4)
    app.number_input(key=field("made")).set_value(2)
    app.number_input(key=field("controls")).set_value(1)
    app.number_input(key=field("seed")).set_value(1)
    app.run()
    assert "2 control items" in words(app)
    assert len(app.get("vega_lite_chart")) + len(app.get("arrow_vega_lite_chart")) == 1
    app.text_input(key=field("title")).set_value("A pilot")  # typed, and the button pressed at once
    press(app, "campaign-create")
    made = load_campaign(store, opened(app), ANNA)
    drawn = [one for one in made.plan.items if not one.control]
    assert (made.plan.title, made.plan.seed, made.plan.controls_per_rater) == ("A pilot", 1, 1)
    assert sorted(one.system for one in drawn) == ["careful", "careful", "hasty", "hasty"]
    assert not {one.claim for one in drawn} & {one.claim for one in made.plan.items if one.control}


@pytest.mark.slow
def test_what_is_wrong_or_a_refresh_costs_nothing_of_what_was_entered(store: Store) -> None:
    app = with_files(at_campaigns(new="1"))
    app.number_input(key=field("draw")).set_value(4)
    app.number_input(key=field("made")).set_value(1)
    app.number_input(key=field("load")).set_value(3)
    app.run()
    assert "control" in told(app)
    app.number_input(key=field("controls")).set_value(0)
    app.run()
    press(app, "campaign-create")
    assert "needs a title" in told(app)
    assert app.number_input(key=field("load")).value == 3
    assert "2 systems" in words(app)
    assert all_campaigns(store, ANNA) == ()
    app.text_input(key=field("title")).set_value("Before the refresh").run()
    again = at_campaigns(new="1")
    assert again.text_input(key=field("title")).value == "Before the refresh"
    assert again.number_input(key=field("load")).value == 3


@pytest.mark.slow
def test_a_scale_of_ones_own_needs_its_words_and_is_then_asked(store: Store) -> None:
    app = press(with_files(at_campaigns(new="1")), "campaign-add-scale")
    assert "is not finished" in told(app)
    (scale,) = app.session_state[field("own")]
    app.text_input(key=field("title")).set_value("With a scale of our own")
    app.text_input(key=own_field(scale, "title")).set_value("Up to date")
    app.text_area(key=own_field(scale, "question")).set_value("How recent?")
    for level in range(1, 6):
        app.text_input(key=own_field(scale, str(level))).set_value(f"Level {level}: some words")
    app.run()  # the draw is offered for a finished form
    app.number_input(key=field("draw")).set_value(4)
    app.number_input(key=field("made")).set_value(1)
    app.number_input(key=field("controls")).set_value(1)
    app.run()
    press(app, "campaign-create")
    form = load_campaign(store, opened(app), ANNA).plan.form
    assert [scale.name for scale in form.scales] == ["semantic_coverage", "relevance", "up_to_date"]
    assert form.scales[2].question == "How recent?"


@pytest.mark.slow
def test_a_form_is_built_question_by_question_and_compares_the_systems_of_a_claim(store: Store) -> None:
    app = with_files(at_campaigns(new="1")).button_group(key=field("form")).set_value(OWN).run()
    assert "has no question" in told(app)
    # A second click on the chosen answer takes nothing away.
    assert all(
        app.button_group(key=f"campaign-build-{one}").proto.required for one in ("answer-rating", "measure-scale")
    )
    app = app.button_group(key="campaign-kind-rating").set_value("pairwise").run()
    app.text_input(key="campaign-build-title").set_value("Better evidence")
    app.text_area(key="campaign-build-question").set_value('Which is "better"?')
    press(app, "campaign-build-add")
    press(app, "campaign-build-add")
    assert "cannot be named" in told(app)
    app.text_input(key=field("title")).set_value("Compared").run()
    app.number_input(key=field("draw")).set_value(4)
    press(app.run(), "campaign-create")
    plan = load_campaign(store, opened(app), ANNA).plan
    assert [(one.name, one.question) for one in plan.form.own] == [("better_evidence", 'Which is "better"?')]
    assert {item.system for item in plan.items} == {"careful | hasty"}
    assert "Column better_evidence. Answer: choice" in words(tab(app, opened(app), "Form"))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("content", "says"), [(b"\xff", "UTF-8"), (b"#" * 300_000, "300,000 bytes"), (b"a = 1", "unknown key")]
)
def test_a_forms_file_that_cannot_be_asked_is_a_sentence(store: Store, content: bytes, says: str) -> None:
    app = at_campaigns(new="1").button_group(key=field("form")).set_value(OWN).run()
    app.file_uploader(key="campaign-form-file").set_value(("f.toml", content, "application/toml")).run()
    assert says in told(app)


def test_controls_chosen_by_hand_have_the_key_of_the_gold_label_and_are_not_drawn(store: Store) -> None:
    app = with_files(at_campaigns(new="1"))
    app.text_input(key=field("title")).set_value("By hand")
    app.button_group(key=field("kind")).set_value("Chosen by hand").run()
    chosen = app.multiselect(key=field("chosen"))
    chosen.set_value(["0 · careful"]).run()
    app.number_input(key=field("controls")).set_value(1)
    app.run()
    press(app, "campaign-create")
    plan = load_campaign(store, opened(app), ANNA).plan
    (control,) = [one for one in plan.items if one.control]
    assert control.key == ("0", "careful")
    assert (control.control_key.verdict, control.control_key.scales) == (Label.REFUTED, {})
    assert len(plan.items) == 11
    assert "0" not in {one.item for one in plan.items if not one.control}


@pytest.mark.parametrize("kind", ["ratings", "items"])
def test_the_files_that_a_campaign_leaves_are_told_apart(store: Store, invited: str, kind: str) -> None:
    rate_all(store, invited, BERT, coverage=3)
    left = {"ratings": ratings_jsonl(campaign_ratings(store, invited, ANNA)), "items": items_jsonl([item(1), item(2)])}
    app = at_campaigns(new="1")
    app.button_group(key=field("source")).set_value("An earlier campaign").run()
    uploader = app.file_uploader(key="campaign-earlier")
    uploader.set_value((f"{kind}.jsonl", left[kind].encode(), "application/jsonl"))
    app.run()
    assert not app.exception
    assert "Secret-System" in words(app)
    assert (field("carry") in keys(app)) is (kind == "ratings")


def test_finished_ratings_become_a_campaign_with_a_report(store: Store) -> None:
    app = at_campaigns(new="1")
    app.text_input(key=field("title")).set_value("Last year")
    app.button_group(key=field("source")).set_value("An earlier campaign").run()
    given = ("x@example.org,1,The bridge was closed,A,4", "y@example.org,1,The bridge was closed,A,2")
    rows = "\n".join(("Rater,id,claim,System,relevance", *given, ""))
    uploader = app.file_uploader(key="campaign-earlier")
    uploader.set_value(("ratings.csv", rows.encode(), "text/csv"))
    app.run()
    assert app.checkbox(key=field("carry")).value
    press(app, "campaign-create")
    assert [note for note in read(app, "note") if note.startswith("2 ") and " 0 " in note]
    campaign = opened(app)
    found = campaign_ratings(store, campaign, ANNA)
    assert [one.ratings for one in found.responses] == [{"relevance": 4}, {"relevance": 2}]
    assert "example.org" not in words(app)


def test_a_case_goes_into_a_campaign_from_its_page(at_desk: AppState, store: Store) -> None:
    example = examples()[0]
    case_id = at_desk.cases.start(ANNA, Request(example.claim, example=example.id))
    settled(at_desk, case_id)
    app = visit(ANNA, case=case_id)
    press(app, "to-campaign")
    assert app.multiselect(key=field("cases")).value == [case_id]
    assert field("draw") in keys(app)  # there is an item to draw


@pytest.mark.slow
def test_without_past_cases_or_runs_the_page_says_where_they_come_from(store: Store) -> None:
    app = at_campaigns(new="1")
    source = app.button_group(key=field("source"))
    source.set_value("Past cases").run()
    assert len(by_role(app, "note")) == 1
    source.set_value("A scoring run").run()
    assert len(by_role(app, "note")) == 1


# Downloads


def test_files_have_pseudonyms_and_progress_but_no_names(store: Store, invited: str) -> None:
    rate_all(store, invited, BERT, coverage=1)
    app = tab(at_campaigns(campaign=invited), invited, "Downloads")
    names = [button.key for button in app.download_button]
    assert names[0] == "study.zip"
    assert names[1:6] == ["ratings.csv", "ratings.jsonl", "label-studio.json", "label-studio.xml", "argilla.json"]
    assert {"settled.csv", "raters.csv", "items.csv", "items.jsonl"} <= set(names)
    assert not any(one.control for one in campaign_ratings(store, invited, ANNA).responses)
    assert "2 submitted ratings." in words(app)
    from core.campaigns.progress_tables import progress_of, rater_table
    from core.tabular.exports import to_csv

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
    [{"campaign": "CAMPAIGN"}, {"campaign": "CAMPAIGN", "new": "1"}, {"case": "x", "run": "y"}],
)
def test_an_annotator_who_types_the_address_reads_a_sentence(invited: str, query: dict[str, str]) -> None:
    app = at_campaigns(BERT, **{name: value.replace("CAMPAIGN", invited) for name, value in query.items()})
    assert len(by_role(app, "note")) == 1
    assert not app.button
    assert not app.tabs
    nothing_of_the_organisers(app)


def test_session_state_makes_nobody_an_organiser(invited: str) -> None:
    held = {
        "role": "organiser",
        "roles": frozenset(Role),
        "organiser": True,
        "is_organiser": True,
        "campaign-new-link": (invited, "x", "y", 1),
        f"campaign-tab-{invited}": "Raters",
        "campaign-said": (invited, ("Said",)),
        "campaign-restored": True,
        "campaign-source": "Past cases",
    }
    app = visit(BERT, page="campaigns", state=held, campaign=invited)
    assert len(by_role(app, "note")) == 1
    nothing_of_the_organisers(app)


def test_the_page_refuses_even_if_it_were_told_a_wrong_role(
    store: Store, invited: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Were the page's own question answered wrongly, the store still asks the database."""
    monkeypatch.setattr(roles, "roles", lambda: frozenset(Role))
    app = at_campaigns(BERT, campaign=invited)
    assert len(by_role(app, "alert")) == 1
    nothing_of_the_organisers(app)
    with pytest.raises(Denied):
        load_campaign(store, invited, BERT)


@pytest.mark.parametrize("page", ORGANISERS_PAGES)
def test_an_annotator_opens_no_other_page(invited: str, page: str) -> None:
    """The Models page would load and delete models; the others start work on this server."""
    app = visit(BERT, page=page)
    assert not app.get("file_uploader")
    assert not {key for key in keys(app) if key.endswith(("-send", "-start", "-example")) or key.startswith("use ")}
    if page != "verify":
        assert len(by_role(app, "note")) == 1


@pytest.mark.parametrize("page", ["models", "stores"])
def test_a_browser_that_forgot_its_invitation_changes_nothing_for_others(invited: str, page: str) -> None:
    """A rater's private window is a journalist to the server: it may verify, not delete what all use."""
    app = visit("d" * 64, page=page)
    assert len(by_role(app, "note")) == 1
    assert not app.button
    assert not app.get("file_uploader")
    app.switch_page("pages/verify/page.py").run()
    assert "verify-send" in keys(app)


@pytest.mark.parametrize("page", ["models", "stores"])
def test_where_nobody_is_organiser_by_name_the_settings_are_everybodys(
    at_desk: AppState, page: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(roles, "local_mode", lambda: False)
    app = visit("d" * 64, page=page)
    assert ("stores-example" if page == "stores" else "model-files") in keys(app)


def test_an_organiser_who_also_rates_opens_everything(store: Store, invited: str) -> None:
    rater(store, invited, "Anna herself", ANNA)
    app = visit(ANNA, page="models")
    assert "model-files" in keys(app)
    assert [caption.value for caption in app.sidebar.caption] == ["You are an organiser"]


def test_an_organisers_link_lets_in_once_opened_and_leaves_no_token_in_the_address(store: Store) -> None:
    token = invite_organiser(store, days=1)
    redeem(store, token, BERT)
    assert "campaign-new" not in keys(at_campaigns(ANNA))
    app = at_campaigns(ANNA, invite=token)
    assert "invite" not in app.query_params
    assert "campaign-new" in keys(app)


def test_a_withdrawn_or_unknown_link_is_a_sentence(store: Store) -> None:
    redeem(store, invite_organiser(store, days=1), BERT)
    app = at_campaigns(ANNA, invite="made-up")
    assert len(by_role(app, "alert")) == 1
    assert "invite" not in app.query_params
    assert "campaign-new" not in keys(app)


def test_an_annotators_link_on_this_page_leads_to_rating(store: Store, invited: str) -> None:
    token = invite_rater(store, invited, ANNA, "Dora", "", "", days=3)
    app = at_campaigns("d" * 64, invite=token)
    assert [one.id for one in my_campaigns(store, "d" * 64)] == [invited]
    assert not {key for key in keys(app) if key.startswith(("to-", "campaign-new"))}
    assert "Cleo Cruz" not in words(app)


# Local mode and sign-in


def test_where_others_can_reach_the_server_nobody_is_organiser_for_having_come(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = st.get_option
    monkeypatch.setattr(st, "get_option", lambda name: "0.0.0.0" if name == "server.address" else real(name))
    app = at_campaigns(ANNA)
    assert "VERIDESK_OPEN=yes" in told(app)
    assert not by_role(app, "heading")
    monkeypatch.setenv("VERIDESK_OPEN", "yes")
    app = at_campaigns(ANNA)
    assert len(by_role(app, "note")) == 1
    assert "campaign-new" not in keys(app)
    assert not app.sidebar.caption


AUTH = {"auth": {"redirect_uri": "http://localhost/oauth2callback", "cookie_secret": "x", "client_id": "x"}}
LISTED = {**AUTH, "veridesk": {"organisers": ["Jane@Example.org"]}}


def signed_in(user: dict[str, object], secrets: dict[str, Any], owner: str = "") -> AppTest:
    app = new_app()
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
        ({**JANE, "email_verified": True}, AUTH, False),
        ({**JANE, "email": "joe@example.org", "email_verified": True}, LISTED, False),
    ],
)
def test_listed_and_verified_addresses_are_organisers(
    store: Store, user: dict[str, object], secrets: dict[str, Any], may: bool
) -> None:
    app = signed_in(user, secrets)
    assert ("campaign-new" in keys(app)) is may
    assert "Local mode" not in [caption.value for caption in app.sidebar.caption]


def test_where_sign_in_is_set_up_the_session_says_nothing_about_who_it_is(store: Store, invited: str) -> None:
    app = signed_in({**JANE, "email_verified": True}, AUTH, owner=ANNA)
    assert "campaign-new" not in keys(app)
    nothing_of_the_organisers(app)


def test_whoever_has_a_link_is_told_to_open_it_again_after_signing_in(at_desk: AppState) -> None:
    app = new_app()
    app.secrets = AUTH
    app.user = {"is_logged_in": False}
    app.query_params["invite"] = "token"
    app.run()
    assert "its link" in words(app)
    assert [button.key for button in app.button] == ["sign-in"]
