"""The qualification round: practice items first, feedback once they are submitted, one try per rater."""

from dataclasses import replace

import pytest

from core.agreement.ratings import MajorError
from core.campaigns.organising import all_campaigns
from core.campaigns.planning.options import CampaignOptions
from core.campaigns.planning.plans import CampaignPlan, ControlKey, checked_plan
from core.campaigns.practice import practised
from core.campaigns.progress import practice_in_words
from core.campaigns.rating import my_campaigns, my_items, open_item, submit_item
from core.campaigns.results import all_assigned, campaign_ratings
from core.campaigns.types import Feedback, Practice
from core.errors import BadInput, Denied
from core.storage.store import Store
from core.types import Label
from tests.campaigns.builders import ANNA, BERT, ORGANISER, Desk, desk, item, plan


def practising(pass_mark: int = 1) -> CampaignPlan:
    """Return a plan of two items after two practice items, whose keys want Supported and a relevance of 4 or 5."""
    tried = tuple(replace(item(number, control=True), item=f"practice-{number}") for number in (7, 8))
    return replace(plan(2), practice=tried, options=CampaignOptions(pass_mark=pass_mark))


@pytest.fixture
def school(made_database_url: str) -> Desk:
    campaign = desk(Store(made_database_url), practising())
    campaign.join(ANNA)
    return campaign


def test_practice_comes_first_tells_what_was_right_and_counts_nowhere(school: Desk) -> None:
    first = school.open(ANNA)
    assert (first.practice, first.position, first.total, first.done, first.feedback) == (True, 1, 2, 0, ())
    wrong = school.rate(ANNA, verdict=Label.REFUTED)
    assert wrong == first.id
    shown = school.open(ANNA, wrong)
    assert shown.feedback == (
        Feedback("Major errors", "no major errors", "no major errors", True),
        Feedback("Verdict", "Refuted", "Supported", False),
        Feedback("Relevance to Claim", "4", "4 to 5", True),
    )
    school.rate(ANNA)
    (mine,) = my_campaigns(school.store, ANNA)
    assert mine.practice == Practice(done=2, total=2, right=1, pass_mark=1)
    assert (mine.done, mine.total, my_items(school.store, school.campaign, ANNA)) == (0, 2, ())
    rated = school.rate(ANNA)
    assert not school.open(ANNA, rated).practice
    (response,) = campaign_ratings(school.store, school.campaign, ORGANISER).responses
    assert response.item.startswith("claim")
    assert len(all_assigned(school.store, school.campaign, ORGANISER)) == 1
    (line,) = all_campaigns(school.store, ORGANISER)
    assert (line.items, line.controls, line.submitted, line.wanted) == (2, 0, 1, 2)


def test_the_organiser_sees_who_qualified(school: Desk) -> None:
    school.join(BERT)
    assert practised(school.store, school.campaign, ORGANISER)["R01"] == Practice(0, 2, 0, 1)
    for verdict in (Label.REFUTED, Label.SUPPORTED):
        school.rate(ANNA, verdict=verdict)
        school.rate(BERT, verdict=Label.REFUTED)
    found = practised(school.store, school.campaign, ORGANISER)
    assert found == {"R01": Practice(2, 2, 1, 1), "R02": Practice(2, 2, 0, 1)}
    assert ["not qualified" in practice_in_words(one) for one in found.values()] == [False, True]
    with pytest.raises(Denied):
        practised(school.store, school.campaign, ANNA)


def test_who_fails_gets_no_item_and_no_second_try(school: Desk) -> None:
    for _ in range(2):
        school.rate(ANNA, verdict=Label.REFUTED)
    with pytest.raises(Denied, match="0 of the 2 practice items"):
        school.open(ANNA)
    (mine,) = my_campaigns(school.store, ANNA)
    assert mine.practice.failed
    school.join(BERT)
    for _ in range(2):
        school.rate(BERT)
    assert not school.open(BERT).practice


def test_what_is_told_afterwards_cannot_be_answered_anew(school: Desk) -> None:
    tried = school.rate(ANNA, verdict=Label.REFUTED)
    with pytest.raises(Denied, match="no longer change"):
        school.save(tried, ANNA, verdict=Label.SUPPORTED)
    assert submit_item(school.store, school.campaign, tried, ANNA, 1.0) is True
    assert school.open(ANNA, tried).answers["verdict"] == "Refuted"


def test_an_item_that_is_not_submitted_says_nothing_of_its_key(school: Desk) -> None:
    opened = school.open(ANNA)
    school.save(opened.id, ANNA, error=MajorError.NONE, verdict=Label.REFUTED)
    assert school.open(ANNA, opened.id).feedback == ()


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"options": CampaignOptions(pass_mark=3)}, "3 of 2 practice items"),
        ({"practice": (replace(item(7, control=True), control_key=ControlKey()),)}, "needs a key"),
        ({"practice": (replace(item(0, control=True)),)}, "also to be rated"),
        ({"options": CampaignOptions(completion_url="javascript:alert(1)")}, "must begin with https"),
        ({"options": CampaignOptions(guidelines="x" * 20_001)}, "may have 20,000 characters"),
    ],
)
def test_practice_that_cannot_be_held_is_refused(change: dict[str, object], words: str) -> None:
    with pytest.raises(BadInput, match=words):
        checked_plan(replace(practising(), **change))  # type: ignore[arg-type]


def test_with_the_label_first_both_are_shown_from_the_start(made_database_url: str) -> None:
    campaign = desk(Store(made_database_url), replace(plan(1), options=CampaignOptions(label_first=True)))
    campaign.join(ANNA)
    opened = open_item(campaign.store, campaign.campaign, ANNA)
    assert (opened.predicted, [pair.answer for pair in opened.reference]) == ("Refuted", ["Reference 0."])
