"""A study from its qualification to the same figures on another campaign, in a real browser.

Qualification, one careless rater excluded, their items given to another, agreement live with and without, the export,
and the campaign that it becomes when it is taken in.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from core.agreement.ratings import MajorError
from core.campaigns.access import command_line
from core.campaigns.inviting import Person, invite_raters
from core.campaigns.organising import create_campaign
from core.campaigns.planning.options import CampaignOptions
from core.campaigns.planning.plans import CampaignPlan
from core.campaigns.planning.rating_form import STANDARD
from core.campaigns.rating import open_item, save_answer, submit_item
from core.campaigns.redeeming import redeem
from core.storage.store import Store
from core.types import Label
from pages.campaigns.campaign_progress import EVERY
from tests.browser.conftest import OpenPage, field, keyed, served, settle
from tests.browser.raters import (
    at_step,
    begin,
    item,
    ratings_in,
    saved,
)

pytestmark = pytest.mark.slow
RATED = ((5, 4), (1, 5), (3, 4), (2, 5), (4, 4), (5, 5))
"""The coverage and relevance that careful raters give to the items, by the number of the claim."""


@dataclass(frozen=True)
class Study:
    address: str
    store: Store
    organiser: str
    id: str

    def join(self, name: str) -> tuple[str, str]:
        """Return the link of a new rater, and an owner who has opened it."""
        (made,) = invite_raters(self.store, self.id, self.organiser, [Person(name)], days=1)
        owner = name[0].lower() * 64
        redeem(self.store, made.token, owner)
        return f"{self.address}/rate?invite={made.token}", owner

    def rate_all(self, owner: str, *, careless: bool = False, shift: int = 0) -> int:
        """Rate everything that the owner gets as a careful or a careless rater does; return how many items."""
        done = 0
        while one := open_item(self.store, self.id, owner):
            number = int(one.claim.removeprefix("Claim ").partition(":")[0])
            coverage, relevance = RATED[number % len(RATED)]
            given = (1, 1) if careless and not one.practice else (max(1, coverage - shift), relevance)
            values = {"error": MajorError.NONE, "verdict": Label.REFUTED, "semantic_coverage": given[0]}
            for question, value in (values | {"relevance": given[1]}).items():
                save_answer(self.store, self.id, one.id, owner, question, value, 2.5)
            submit_item(self.store, self.id, one.id, owner, 20.0)
            done += 1
        return done


@pytest.fixture
def study(tmp_path: Path) -> Iterator[Study]:
    store = Store(f"sqlite:///{tmp_path / 'veridesk.db'}")
    organiser = command_line(store)
    rated = tuple(item(number, control=number > 6) for number in range(1, 9))
    practice = (replace(item(9, control=True), item="practice"),)
    options = CampaignOptions(guidelines="Read all pairs first.", pass_mark=1, completion_code="THANKS-42")
    plan = CampaignPlan("A study", rated, STANDARD, 1, 2, 8, 2, practice, options)
    campaign = create_campaign(store, organiser, plan)
    with served(tmp_path) as address:
        yield Study(address, store, organiser, campaign)


def practise(page: Page, relevance: str) -> None:
    """Answer the practice item by keys."""
    for step, key in (("error", "4"), ("verdict", "2"), ("support", "Enter"), ("semantic_coverage", "3")):
        at_step(page, step)
        page.keyboard.press(key)
    at_step(page, "relevance")
    page.keyboard.press(relevance)
    at_step(page, "comment")
    saved(page)
    page.keyboard.press("Enter")
    expect(page.get_by_label("What was expected")).to_be_visible()


def agreement(page: Page) -> Locator:
    return page.get_by_role("region", name="Agreement of the raters")


def exclude(page: Page, campaign: str, rater: str, reason: str) -> None:
    keyed(page, f"exclusions-{campaign}").locator("summary").click()
    page.get_by_role("combobox", name="Rater").focus()
    page.wait_for_timeout(500)  # the page scrolls there, which would shut the list
    page.keyboard.press("ArrowDown")
    page.wait_for_timeout(1000 * (EVERY + 2))  # the figures above are read anew, and the list is still open
    page.get_by_role("option", name=rater).click()
    settle(page)  # whose items are shown is what is excluded
    field(page, f"exclude-{campaign}-reason").fill(reason)
    field(page, f"exclude-{campaign}-reason").press("Tab")
    page.get_by_role("button", name="Exclude", exact=True).click()


def test_a_study_ends_with_the_same_figures_as_its_export(study: Study, open_page: OpenPage) -> None:
    failing, _ = study.join("Fritz")
    page = open_page(failing)
    expect(page.get_by_text("1 of them must be as expected")).to_be_visible()
    expect(page.get_by_text("Read all pairs first.")).to_be_visible()
    begin(page)
    expect(page.get_by_text("Practice 1 of 1")).to_be_visible()
    practise(page, "1")
    expect(page.get_by_text("Expected: 4 to 5")).to_be_visible()
    page.keyboard.press("Enter")
    expect(page.get_by_text("0 of the 1 practice items as expected").first).to_be_visible()

    link, anna = study.join("Anna")
    page = open_page(link, width=400)
    begin(page)
    practise(page, "5")
    expect(page.get_by_role("heading", name="As expected")).to_be_visible()
    page.keyboard.press("Enter")
    expect(page.get_by_text("1 of 8")).to_be_visible()
    assert study.rate_all(anna) == 8
    page.goto(link)
    expect(page.get_by_text("THANKS-42")).to_be_visible()
    _, carl = study.join("Carl")
    assert study.rate_all(carl, careless=True) == 1 + 8

    desk = open_page(f"{study.address}/campaigns?campaign={study.id}")
    expect(desk.get_by_text("R03: 0 of 2 controls right").first).to_be_visible()
    expect(agreement(desk)).to_contain_text("Semantic Coverage")
    expect(agreement(desk)).not_to_contain_text("α with excluded")
    exclude(desk, study.id, "R03", "Failed both controls.")
    expect(desk.get_by_text("8 ratings excluded")).to_be_visible()
    _, dora = study.join("Dora")
    assert study.rate_all(dora, shift=1) == 1 + 8  # what was Carl's is wanted again
    expect(agreement(desk)).to_contain_text("α with excluded")
    ratings_in(desk, 12, 12)
    expect(agreement(desk)).to_contain_text("R02–R04")
    figures = agreement(desk).inner_text()
    assert "R02–R03" not in figures

    desk.get_by_role("tab", name="Downloads").click()
    with desk.expect_download() as download:
        desk.get_by_role("button", name="Study (CSV, zip)").click()
    file = Path(download.value.path()).read_bytes()
    desk.goto(f"{study.address}/campaigns")
    desk.get_by_text("Take in a study").click()
    desk.locator("input[type=file]").set_input_files({"name": "study.zip", "mimeType": "", "buffer": file})
    desk.get_by_role("button", name="Make a campaign of it").click()
    ratings_in(desk, 12, 12)
    assert study.id not in desk.url
    expect(agreement(desk)).to_contain_text("R02–R04")
    assert agreement(desk).inner_text() == figures
    expect(desk.get_by_text("8 ratings excluded")).to_be_visible()
