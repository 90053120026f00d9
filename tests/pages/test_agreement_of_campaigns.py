"""Agreement from a campaign: for organisers only, with scores computed on the spot and no file in between."""

import threading
from dataclasses import replace

import pytest
from streamlit.testing.v1 import AppTest

from core.agreement.recipes import RECIPES
from core.campaigns import access
from core.campaigns.comparing import keep_scores
from core.campaigns.excluding import set_excluded
from core.campaigns.inviting import invite_rater, withdraw_link
from core.campaigns.organising import create_campaign, load_campaign
from core.campaigns.planning.plans import CampaignItem, CampaignPlan, EvidencePair
from core.campaigns.rating import submit_item
from core.campaigns.redeeming import redeem
from core.scoring.metrics.metric import Metric
from core.scoring.open_metrics import Opening
from core.types import Label
from pages.agreement.campaign import MEDIAN
from pages.ui import roles
from pages.ui.app_state import AppState
from tests.campaigns.builders import Desk as Campaign
from tests.pages.desks import ANNA, BERT, by_role, html_of, keys, press, told, visit
from tests.waiting import until

REFERENCE = (EvidencePair("Was the bridge closed?", "It stayed open all year."),)
EVIDENCE = (
    REFERENCE,
    (EvidencePair("Was the bridge closed in winter?", "It was open."),),
    (EvidencePair("Why do cats purr?", "Nobody knows."),),
)


@pytest.fixture(autouse=True)
def few_resamples(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, recipe in list(RECIPES.items()):
        monkeypatch.setitem(RECIPES, name, replace(recipe, resamples=60))


@pytest.fixture
def campaign(at_desk: AppState, monkeypatch: pytest.MonkeyPatch) -> Campaign:
    """A campaign of six items that Bert has rated, whose organiser is Anna; nobody is one for reaching the server."""
    monkeypatch.setattr(roles, "local_mode", lambda: False)
    redeem(at_desk.store, access.invite_organiser(at_desk.store, days=1), ANNA)
    items = [
        CampaignItem(str(n), f"Claim {n}", EVIDENCE[n % 3], "X", gold=Label.REFUTED, reference=REFERENCE)
        for n in range(6)
    ]
    store = at_desk.store
    here = Campaign(
        store, create_campaign(store, ANNA, CampaignPlan("Bridges & cats", tuple(items), controls_per_rater=0))
    )
    token = invite_rater(store, here.campaign, ANNA, "Bert", "", "", days=1)
    redeem(at_desk.store, token, BERT)
    quality = {item.id: 5 - 2 * (int(item.item) % 3) for item in load_campaign(store, here.campaign, ANNA).plan.items}
    for _ in range(6):
        opened = here.open(BERT)
        scales = {scale.name: quality[opened.id] for scale in opened.form.scales}
        here.save(opened.id, BERT, error="no major errors", verdict="Refuted", **scales)
        submit_item(store, here.campaign, opened.id, BERT, 1.0)
    return here


def wait(app: AppTest) -> None:
    """Let the scoring run end, and the page see it."""
    until(lambda: "run" not in app.query_params or "run" not in app.run().query_params)


def test_ratings_stand_beside_scores_without_a_file(campaign: Campaign) -> None:
    app = visit(ANNA, page="agreement", campaign=campaign.campaign)
    press(app, "agreement-raters")
    assert "agreement-metric" not in keys(app)
    press(app, "agreement-other")
    app.session_state["agreement-scores-wanted"] = ["hungarian-meteor"]
    app.run()
    press(app, "agreement-compute")
    wait(app)
    assert "Bridges & cats: 6 " in told(app, "note")
    assert "(Q only)" in html_of(app)
    assert "(Q + A)" in html_of(app)
    press(app, "agreement-compare")
    shown = html_of(app)
    assert "ρ = 1.000" in shown
    assert "Bridges &amp; cats: 6 " in shown
    press(app, "agreement-other")
    app.radio(key="agreement-settled").set_value(MEDIAN).run()
    press(app, "agreement-compare")
    assert "ρ = 1.000" in html_of(app)  # of one rater the median is their rating


def test_scores_go_to_their_own_campaign_whichever_is_chosen_meanwhile(
    campaign: Campaign, monkeypatch: pytest.MonkeyPatch
) -> None:
    chosen, real = threading.Event(), Opening.metrics

    def later(self: Opening) -> list[Metric]:
        assert chosen.wait(300)
        return real(self)

    monkeypatch.setattr(Opening, "metrics", later)
    items = load_campaign(campaign.store, campaign.campaign, ANNA).plan.items[:1]
    other = create_campaign(campaign.store, ANNA, CampaignPlan("Ferries", items, controls_per_rater=0))
    app = visit(ANNA, page="agreement", campaign=campaign.campaign)
    app.session_state["agreement-scores-wanted"] = ["hungarian-meteor"]
    app.run()
    press(app, "agreement-compute")
    app.selectbox(key="agreement-campaign").set_value(other).run()
    assert app.button(key="agreement-raters").disabled  # the other has no rating
    assert app.query_params["run"]
    chosen.set()
    wait(app)
    assert "Bridges & cats: 6 " in told(app, "note")
    assert all(item.scores for item in load_campaign(campaign.store, campaign.campaign, ANNA).plan.items)
    assert not any(item.scores for item in load_campaign(campaign.store, other, ANNA).plan.items)


def test_figures_stand_without_and_with_what_is_excluded(campaign: Campaign) -> None:
    items = load_campaign(campaign.store, campaign.campaign, ANNA).plan.items
    keep_scores(campaign.store, campaign.campaign, ANNA, {item.id: {"bleu": int(item.item) / 10} for item in items})
    app = press(visit(ANNA, page="agreement", campaign=campaign.campaign), "agreement-compare")
    before = len(by_role(app, "table"))
    press(app, "agreement-other")
    (first, *_) = items
    set_excluded(campaign.store, campaign.campaign, ANNA, "R01", "Too fast.", item=first.id)
    tables = by_role(press(app, "agreement-compare"), "table")
    assert len(tables) == before + 1
    assert ["bleu", "−0.211", "5", "−0.478", "6"] in [[one.text for one in table.iter("td")] for table in tables]


def test_only_organisers_are_offered_campaigns(campaign: Campaign) -> None:
    for somebody in ("c" * 64, BERT):
        app = visit(somebody, page="agreement", campaign=campaign.campaign)
        assert "Bridges" not in html_of(app) + str(app.selectbox) + str(app.segmented_control)
        assert not app.selectbox


def test_what_was_loaded_is_forgotten_with_the_role(campaign: Campaign, at_desk: AppState) -> None:
    items = load_campaign(campaign.store, campaign.campaign, ANNA).plan.items
    token = access.invite_organiser(at_desk.store, days=1)
    redeem(at_desk.store, token, "d" * 64)
    keep_scores(campaign.store, campaign.campaign, ANNA, {item.id: {"bleu": int(item.item) / 10} for item in items})
    app = press(visit("d" * 64, page="agreement", campaign=campaign.campaign), "agreement-compare")
    assert "bleu" in html_of(app)
    withdraw_link(campaign.store, ANNA, access.token_hash(token))
    app.run()
    assert "bleu" not in html_of(app)
