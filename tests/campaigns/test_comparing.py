"""A campaign's ratings beside scores computed of the same items, without a file."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest

from core.agreement.recipes import RECIPES
from core.agreement.study import build_study, pairs
from core.campaigns.comparing import (
    as_submission,
    control_verdicts,
    keep_scores,
    scored_items,
    scores_by_item,
    scores_for,
)
from core.campaigns.organising import load_campaign
from core.campaigns.planning.plans import CampaignItem, CampaignPlan, EvidencePair
from core.campaigns.rating import submit_item
from core.campaigns.results import campaign_ratings
from core.errors import Denied
from core.scoring.items import ItemScore, ItemStatus
from core.scoring.metrics.hungarian_meteor_metric import HungarianMeteor
from core.scoring.metrics.verdict import Verdicts
from core.scoring.metrics.words import find_words
from core.storage.store import Store
from core.types import Label
from tests.campaigns.builders import ANNA, ORGANISER, Desk, desk, item

SAME = (EvidencePair("Was the bridge closed?", "It stayed open all year."),)
OTHER = (EvidencePair("Why do cats purr?", "Nobody knows."),)


def made(number: int, system: str, evidence: tuple[EvidencePair, ...], **changes: object) -> CampaignItem:
    base = CampaignItem(
        str(number), f"Claim {number}", evidence, system, gold=Label.REFUTED, reference=SAME, id=f"id-{number}-{system}"
    )
    return replace(base, **changes)


@pytest.fixture
def meteor() -> HungarianMeteor:
    return HungarianMeteor(find_words([]))


def test_scores_are_of_evidence_alone_and_by_the_items_own_ids(meteor: HungarianMeteor) -> None:
    items = [
        made(1, "X", SAME),
        made(1, "Y", OTHER),
        made(2, "X", SAME, gold=None),
        made(3, "X", SAME, reference=()),
        item(4, control=True),
    ]
    scores = scores_for(items, [meteor, Verdicts()])
    assert set(scores) == {"id-1-X", "id-1-Y", "id-2-X"}
    assert set(scores["id-1-X"]) == {"hungarian-meteor:q", "hungarian-meteor:q+a"}
    assert scores["id-1-X"]["hungarian-meteor:q+a"] > 0.99
    assert scores["id-1-Y"]["hungarian-meteor:q+a"] < 0.2
    assert scores["id-2-X"] == scores["id-1-X"]
    assert scores_for(items[3:4], [meteor]) == {}


def test_answers_to_one_question_stay_together() -> None:
    reference = (EvidencePair("Q?", "One."), EvidencePair("Q?", "Two."), EvidencePair("R?", "Three."))
    (gold,), submission = as_submission([made(1, "X", OTHER, reference=reference)])
    assert [(q.question, [a.text for a in q.answers]) for q in gold.questions] == [
        ("Q?", ["One.", "Two."]),
        ("R?", ["Three."]),
    ]
    assert submission.accepted
    assert submission.by_id["id-1-X"].evidence[0].answer == "Nobody knows."


def test_unscored_and_verdict_scores_are_left_out() -> None:
    found = [
        ItemScore("a", "ev2r:q+a", 0.5),
        ItemScore("a", "ev2r:averitec@>0.5", 1.0),
        ItemScore("b", "ev2r:q+a", None, ItemStatus.UNSCORED, "no answer"),
        ItemScore("a", "verdict:accuracy", 1.0),
        ItemScore("a", "hungarian-meteor:q+a>0.25", 0.0),
    ]
    assert scores_by_item(found) == {"a": {"ev2r:q+a": 0.5}}


@pytest.fixture
def there(tmp_path: Path) -> Desk:
    rated = [made(n, "X", SAME if n % 2 else OTHER, rank=n, id="") for n in range(6)]
    items = (*rated, item(0, control=True))
    plan = CampaignPlan("Loop", items, seed=1, items_per_rater=7, controls_per_rater=1)
    return desk(Store(f"sqlite:///{tmp_path / 'v.db'}"), plan)


def test_the_loop_closes(there: Desk, meteor: HungarianMeteor) -> None:
    campaign = load_campaign(there.store, there.campaign, ORGANISER)
    keep_scores(there.store, there.campaign, ORGANISER, scores_for(campaign.plan.items, [meteor]))
    there.join(ANNA)
    good = {one.id for one in campaign.plan.items if one.evidence == SAME}
    for _ in range(7):
        opened = there.open(ANNA)
        rating = 5 if opened.id in good else 1
        scales = {scale.name: rating for scale in opened.form.scales}
        there.save(opened.id, ANNA, error="no major errors", verdict="Refuted", **scales)
        submit_item(there.store, there.campaign, opened.id, ANNA, 1.0)
    campaign = load_campaign(there.store, there.campaign, ORGANISER)
    ratings, controls = campaign_ratings(there.store, there.campaign, ORGANISER), control_verdicts(campaign)
    study = build_study(ratings, scored_items(campaign), RECIPES["default"], controls=controls)
    assert dict(study.account) == {"responses": 7, "control or excluded items": 1, "analysed": 6}
    both = pairs(study, "hungarian-meteor:q+a", "semantic_coverage")
    assert {(score > 0.9, rating) for score, rating in zip(both.scores, both.ratings, strict=True)} == {
        (True, 5.0),
        (False, 1.0),
    }
    assert {judged.item.rank for judged in study.judged} == set(range(6))
    assert SAME[0].answer in both.judged[0].item.reference


def test_scores_are_added_to_those_that_are_there(there: Desk) -> None:
    first, second, *_ = load_campaign(there.store, there.campaign, ORGANISER).plan.items
    keep_scores(there.store, there.campaign, ORGANISER, {first.id: {"a": 1.0, "b": 2.0}})
    keep_scores(there.store, there.campaign, ORGANISER, {first.id: {"b": 3.0}, "no such item": {"a": 1.0}})
    campaign = load_campaign(there.store, there.campaign, ORGANISER)
    assert campaign.plan.items[0].scores == {"a": 1.0, "b": 3.0}
    assert campaign.plan.items[1].scores == second.scores == {}
    assert [note.startswith("5 of 6 items") for note in scored_items(campaign).notes] == [True, True]
    assert control_verdicts(campaign) == {"control-0": Label.SUPPORTED}
    assert all("control" not in key[0] for key in scored_items(campaign).items)


def test_runs_that_save_at_once_all_keep_their_scores(made_database_url: str) -> None:
    there = desk(Store(made_database_url))
    (first, *_) = load_campaign(there.store, there.campaign, ORGANISER).plan.items

    def save(number: int) -> None:
        keep_scores(there.store, there.campaign, ORGANISER, {first.id: {f"m{number}": 0.5}})

    with ThreadPoolExecutor(8) as at_once:
        list(at_once.map(save, range(24)))
    (first, *_) = load_campaign(there.store, there.campaign, ORGANISER).plan.items
    assert set(first.scores) == {"secret metric", *(f"m{number}" for number in range(24))}


def test_only_organisers_may_keep_scores(there: Desk) -> None:
    there.join(ANNA)
    with pytest.raises(Denied):
        keep_scores(there.store, there.campaign, ANNA, {})
