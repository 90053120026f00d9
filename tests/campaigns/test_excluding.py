"""Excluded raters and ratings, and items that cannot be judged: they count nowhere and go to others."""

import pytest

from core.agreement.ratings import MajorError
from core.campaigns.excluding import excluded_now, exclusion_history, set_excluded
from core.campaigns.organising import all_campaigns
from core.campaigns.planning.rating_form import CANNOT_JUDGE, FLAG
from core.campaigns.rating import open_item, submit_item
from core.campaigns.results import all_assigned, campaign_ratings, remarks
from core.errors import BadInput, Denied
from core.storage.store import Store
from tests.campaigns.builders import ANNA, BERT, ORGANISER, Desk, desk, plan


@pytest.fixture
def shared(made_database_url: str) -> Desk:
    """A campaign of two items with one rating each, and two raters."""
    campaign = desk(Store(made_database_url), plan(2))
    campaign.join(ANNA)
    campaign.join(BERT)
    return campaign


def raters(at: Desk, *, excluded_too: bool = False) -> list[str]:
    found = campaign_ratings(at.store, at.campaign, ORGANISER, excluded_too=excluded_too)
    return [one.rater for one in found.responses]


def exclude(at: Desk, rater: str, *, item: str = "", excluded: bool = True) -> None:
    set_excluded(at.store, at.campaign, ORGANISER, rater, "Fails controls.", item=item, excluded=excluded)


def test_an_excluded_raters_items_go_to_others_and_come_back_with_them(shared: Desk) -> None:
    done = {shared.rate(ANNA), shared.rate(ANNA)}
    assert open_item(shared.store, shared.campaign, BERT) is None
    exclude(shared, "R01")
    assert raters(shared) == []
    assert raters(shared, excluded_too=True) == ["R01", "R01"]
    assert open_item(shared.store, shared.campaign, ANNA) is None
    assert {shared.rate(BERT), shared.rate(BERT)} == done
    assert raters(shared) == ["R02", "R02"]
    exclude(shared, "R01", excluded=False)
    assert raters(shared) == ["R01", "R02", "R01", "R02"]
    assert all_campaigns(shared.store, ORGANISER)[0].submitted == 2  # of each item no more than are wanted


def test_a_single_rating_is_excluded_alone(shared: Desk) -> None:
    first, second = shared.rate(ANNA), shared.rate(ANNA)
    exclude(shared, "R01", item=first)
    held = all_assigned(shared.store, shared.campaign, ORGANISER)
    assert [(one.item, one.counted) for one in sorted(held, key=lambda one: one.position)] == [
        (first, False),
        (second, True),
    ]
    assert shared.open(BERT).id == first
    assert open_item(shared.store, shared.campaign, ANNA) is None


def test_every_decision_stays_with_its_reason(shared: Desk) -> None:
    item = shared.rate(ANNA)
    exclude(shared, "R01", item=item)
    exclude(shared, "R01")
    exclude(shared, "R01", excluded=False)
    history = exclusion_history(shared.store, shared.campaign, ORGANISER)
    assert [(one.item, one.excluded, one.reason) for one in history] == [
        (item, True, "Fails controls."),
        ("", True, "Fails controls."),
        ("", False, "Fails controls."),
    ]
    assert list(excluded_now(history)) == [("R01", item)]
    assert raters(shared) == []  # the rating by itself is still excluded


@pytest.mark.parametrize("reason", ["", "  ", "x" * 2001])
def test_an_exclusion_needs_a_reason(shared: Desk, reason: str) -> None:
    with pytest.raises(BadInput, match="needs a reason"):
        set_excluded(shared.store, shared.campaign, ORGANISER, "R01", reason)


def test_only_organisers_exclude_and_only_what_is_there(shared: Desk) -> None:
    with pytest.raises(Denied):
        set_excluded(shared.store, shared.campaign, ANNA, "R02", "because")
    for rater, item in (("R09", ""), ("R01", "nothing")):
        with pytest.raises(Denied, match="no such rater"):
            set_excluded(shared.store, shared.campaign, ORGANISER, rater, "because", item=item)


def test_what_somebody_cannot_judge_goes_to_another(shared: Desk) -> None:
    opened = shared.open(ANNA)
    shared.save(opened.id, ANNA, **{CANNOT_JUDGE: "I do not read Hungarian."})
    submit_item(shared.store, shared.campaign, opened.id, ANNA, 3.0)
    assert raters(shared) == raters(shared, excluded_too=True) == []
    assert opened.id in {shared.rate(BERT), shared.rate(BERT)}
    shared.save(opened.id, ANNA, **{CANNOT_JUDGE: ""})  # on second thoughts
    again = shared.open(ANNA, opened.id)
    assert not again.submitted
    shared.save(opened.id, ANNA, error=MajorError.EMPTY)
    submit_item(shared.store, shared.campaign, opened.id, ANNA, 3.0)
    assert sorted(raters(shared)) == ["R01", "R02", "R02"]


def test_a_flag_is_seen_before_anything_is_answered_and_without_its_rater(shared: Desk) -> None:
    opened = shared.open(ANNA)
    shared.save(opened.id, ANNA, **{FLAG: "Cut off."})
    (seen,) = remarks(shared.store, shared.campaign, ORGANISER)
    assert (seen.item, seen.question, seen.text) == (opened.id, "flag", "Cut off.")
    shared.save(opened.id, ANNA, **{FLAG: ""})
    assert remarks(shared.store, shared.campaign, ORGANISER) == ()
    with pytest.raises(Denied):
        remarks(shared.store, shared.campaign, ANNA)
