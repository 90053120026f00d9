"""Texts of a campaign that are changed while raters are at work."""

import pytest

from core.campaigns.organising import change_texts, load_campaign, text_history
from core.campaigns.planning.options import MAX_TEXT, CampaignOptions
from core.campaigns.rating import my_campaigns
from core.errors import BadInput, Denied
from core.storage.store import Store
from tests.campaigns.builders import ANNA, ORGANISER, Desk, desk, plan


@pytest.fixture
def here(made_database_url: str) -> Desk:
    campaign = desk(Store(made_database_url), plan(2))
    campaign.join(ANNA)
    return campaign


def change(at: Desk, owner: str = ORGANISER, *, guidelines: str) -> CampaignOptions:
    return change_texts(at.store, at.campaign, owner, introduction="", guidelines=guidelines, examples="One.")


def test_raters_read_the_new_texts_and_every_version_stays(here: Desk) -> None:
    assert text_history(here.store, here.campaign, ORGANISER) == ()
    for words in (" Read all. ", "Read all.", "Read twice."):
        change(here, guidelines=words)
    (mine,) = my_campaigns(here.store, ANNA)
    assert (mine.options.guidelines, mine.options.examples) == ("Read twice.", "One.")
    history = text_history(here.store, here.campaign, ORGANISER)
    assert [told.options.guidelines for told in history] == ["", "Read all.", "Read twice."]
    assert history[0].since == load_campaign(here.store, here.campaign, ORGANISER).created
    assert history[1].since <= history[2].since


def test_only_an_organiser_changes_texts_and_they_have_an_end(here: Desk) -> None:
    with pytest.raises(Denied):
        change(here, ANNA, guidelines="Mine.")
    with pytest.raises(BadInput, match="20,000"):
        change(here, guidelines="x" * (MAX_TEXT + 1))
    with pytest.raises(BadInput, match=r"guidelines .* no script"):
        change(here, guidelines="x\0")
    assert text_history(here.store, here.campaign, ORGANISER) == ()
