"""The public half of the 2024 ratings goes through a campaign, and the published figures stay what they were.

Origin of the figures as in test_agreement.py. The data is not ours to ship.
"""

import json
from pathlib import Path

import pytest

from core.agreement.agreement_tables import correlation_row, system_table
from core.agreement.ratings import MajorError, read_ratings
from core.agreement.recipes import RECIPES
from core.agreement.scored_items import read_scored_items
from core.agreement.study import build_study
from core.campaigns.access import command_line
from core.campaigns.comparing import scored_items
from core.campaigns.exchange.importing import import_ratings
from core.campaigns.exchange.rating_exports import ratings_csv, ratings_jsonl
from core.campaigns.inviting import invited_raters
from core.campaigns.organising import create_campaign, load_campaign
from core.campaigns.planning.plans import CampaignPlan
from core.campaigns.planning.rating_form import Form
from core.campaigns.planning.scales import COVERAGE, EARLIER, RELEVANCE
from core.campaigns.planning.sources import items_from_import
from core.campaigns.results import campaign_ratings
from core.statistics.correlation import Coefficient
from core.storage.store import Store

DATA = Path(__file__).resolve().parents[3] / "shared" / "data"
REFERENCE = DATA / "reference" / "agreement_public.json"
pytestmark = pytest.mark.skipif(not REFERENCE.exists(), reason=f"the public ratings are not at {DATA}")


def content(name):
    return (DATA / "human_eval" / f"{name}_public.csv").read_bytes()


@pytest.fixture(scope="module")
def expected():
    return json.loads(REFERENCE.read_text())


@pytest.fixture(scope="module")
def source():
    return read_ratings("responses", content("responses"))


@pytest.fixture(scope="module")
def finished(tmp_path_factory, source):
    """A campaign of the rated items, with the ratings imported: the store, the owner and the campaign's id."""
    store = Store(f"sqlite:///{tmp_path_factory.mktemp('campaign') / 'veridesk.db'}")
    owner, store = command_line(store), store
    scored = read_scored_items([(name, content(name)) for name in ("scores", "evidence")])
    items = items_from_import(source, scored).items
    form = Form((COVERAGE, *EARLIER, RELEVANCE))
    campaign = create_campaign(store, owner, CampaignPlan("The shared task of 2024", items, form, controls_per_rater=0))
    report = import_ratings(store, campaign, owner, source)
    assert (report.kept, report.skipped, report.notes) == (177, (), ())
    return store, owner, campaign


def mistakes(study, figures):
    """Return every figure that differs from the reference at its six decimals."""
    wrong = []
    for key, figure in figures.items():
        metric, scale = key.split("|")
        for coefficient in Coefficient:
            found = correlation_row(study, metric, scale, coefficient=coefficient).correlation
            if (round(found.value, 6), found.n) != (figure[coefficient], figure["n"]):
                wrong.append((key, coefficient.value, found.value, figure[coefficient]))
    return wrong


def test_published_figures_from_the_campaign_without_any_file(finished, expected):
    store, owner, campaign = finished
    there = load_campaign(store, campaign, owner)
    study = build_study(campaign_ratings(store, campaign, owner), scored_items(there), RECIPES["published"])
    figures = expected["correlations_published_recipe"]
    assert len(figures) == 24
    assert mistakes(study, figures) == []
    rows, correlations = system_table(study, "semantic_coverage")
    assert len(rows) == expected["mean_coverage_vs_neg_rank"]["n"]
    assert round(correlations[Coefficient.KENDALL].value, 6) == expected["mean_coverage_vs_neg_rank"]["tau_b"]


@pytest.mark.parametrize(("name", "export"), [("ratings.csv", ratings_csv), ("ratings.jsonl", ratings_jsonl)])
def test_every_answer_survives_in_the_exported_file(finished, source, name, export):
    store, owner, campaign = finished
    exported = read_ratings(name, export(campaign_ratings(store, campaign, owner)).encode())
    assert [known(response) for response in exported.responses] == [known(response) for response in source.responses]


def known(response):
    """Return what must come back of a response; after a major error nothing more is asked."""
    facts = (response.item, response.rater, response.team, response.timestamp, response.error)
    rated = response.error is MajorError.NONE
    return (*facts, response.verdict, response.ratings, response.support) if rated else facts


def test_every_answer_survives_and_the_mistyped_id_is_still_found(finished, source):
    store, owner, campaign = finished
    came_back = campaign_ratings(store, campaign, owner).responses
    assert [known(response) for response in came_back] == [known(response) for response in source.responses]
    scored = scored_items(load_campaign(store, campaign, owner))
    study = build_study(campaign_ratings(store, campaign, owner), scored, RECIPES["default"])
    assert dict(study.account)["claim differs from the item's (mistyped id)"] == 1


def test_importing_the_file_again_adds_nothing(finished, source):
    store, owner, campaign = finished
    again = import_ratings(store, campaign, owner, source)
    assert (again.kept, {one.reason for one in again.skipped}) == (0, {"is in the campaign already"})
    assert len(invited_raters(store, campaign, owner)) == 16
