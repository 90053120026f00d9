"""The organiser's page in a real browser: a campaign from its making to its ratings, and what a rater is not sent."""

import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import Page, expect

from core.annotations import GoldAnswer, GoldQuestion
from core.averitec.averitec import parse_gold
from core.campaigns.access import command_line, invite_organiser
from core.campaigns.rating import open_item, save_answer, submit_item
from core.campaigns.redeeming import redeem
from core.storage.store import Store
from core.tasks.shared_task import DAY, TaskPhase, TaskPlan
from core.tasks.task_store import create_task, set_phase
from core.tasks.teams import invite_team
from tests.browser.conftest import ROOT, OpenPage, field, keyed, upload
from tests.browser.raters import SECRETS, Campaign, Wire, ratings_in, served_campaign

SCORING = ROOT / "assets" / "scoring"
SECRET_QUESTION = GoldQuestion("SecretAsked?", (GoldAnswer("SecretAnswer"),))
pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def campaign(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Campaign]:
    """A campaign on a server that has organisers by invitation: local mode is over there."""
    with served_campaign(tmp_path_factory.mktemp("invited"), items=3) as made:
        redeem(made.store, invite_organiser(made.store, days=1), "o" * 64)
        yield made


def open_tab(page: Page, name: str) -> None:
    page.get_by_role("tab", name=name).click()


def rate_one(store: Store, campaign: str, who: str) -> None:
    item = open_item(store, campaign, who)
    for question, value in (("error", "no major errors"), ("verdict", "Refuted")):
        save_answer(store, campaign, item.id, who, question, value)
    for scale in item.form.scales:
        save_answer(store, campaign, item.id, who, scale.name, 4)
    submit_item(store, campaign, item.id, who, 30.0)


def test_from_the_example_to_a_rating_that_is_seen_without_a_reload(
    app: str, app_home: Path, open_page: OpenPage
) -> None:
    page = open_page(f"{app}/campaigns")
    expect(page.get_by_text("Local mode")).to_be_visible()
    page.get_by_role("button", name="Try an example").click()
    ratings_in(page, 0, 16)
    open_tab(page, "Raters")
    field(page, "invite-name-0").fill("Dora Dahl")
    page.get_by_role("button", name="Make a link").click()
    link = page.locator("code").inner_text()
    assert link.startswith(f"{app}/rate?invite=")
    rater = open_page(link)
    rater.get_by_role("button", name="Start").wait_for()
    assert "invite" not in rater.url

    store = Store(f"sqlite:///{app_home / 'veridesk.db'}")
    found = redeem(store, parse_qs(urlsplit(link).query)["invite"][0], "d" * 64)
    open_tab(page, "Progress")
    ratings_in(page, 0, 16)
    rate_one(store, found.campaign, "d" * 64)
    ratings_in(page, 1, 16)
    open_tab(page, "Downloads")
    with page.expect_download() as download:
        page.get_by_role("button", name="CSV", exact=True).click()
    written = Path(download.value.path()).read_text(encoding="utf-8")
    assert "R01" in written
    assert "Dora" not in written


def test_a_campaign_is_drawn_before_it_is_made(app: str, open_page: OpenPage) -> None:
    page = open_page(f"{app}/campaigns?new=1", width=400)
    field(page, "campaign-title").fill("A pilot")
    upload(page, SCORING / "gold.json")
    upload(page, SCORING / "careful.json", SCORING / "hasty.json", nth=1)
    expect(page.get_by_text("careful, hasty").first).to_be_visible()
    # Seed 1 leaves two claims that controls can be made of.
    for name, value in (
        ("seed", "1"),
        ("draw", "4"),
        ("made", "2"),
        ("controls", "2"),
    ):
        field(page, f"campaign-{name}").fill(value)
        page.keyboard.press("Tab")
    expect(page.locator("[data-testid=stVegaLiteChart]").first).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    page.get_by_role("button", name="Create the campaign").click()
    ratings_in(page, 0, 4)
    expect(page.get_by_role("heading", name="A pilot")).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")


def test_a_rater_is_sent_nothing_of_the_organisers_whatever_the_address(
    campaign: Campaign, open_page: OpenPage
) -> None:
    page = open_page("about:blank")
    wire = Wire(page)
    page.goto(campaign.link())
    expect(page.get_by_text("A campaign").first).to_be_visible()
    for path in (f"campaigns?campaign={campaign.id}", "campaigns?new=1", "campaigns"):
        page.goto(f"{campaign.address}/{path}")
        expect(page.get_by_role("note")).to_be_visible()
        expect(page.get_by_role("button", name="New campaign")).to_have_count(0)
    for path in (f"agreement?campaign={campaign.id}", "models", "score", "history"):
        page.goto(f"{campaign.address}/{path}")
        expect(page.get_by_role("note")).to_be_visible()
    # The pages' own files are the same for everybody; what is about a campaign comes by the websocket.
    wire.responses.clear()
    assert wire.has("You were invited to"), "the search sees what was sent"
    assert [secret for secret in SECRETS if wire.has(secret)] == []
    page.goto(campaign.address)
    expect(page).to_have_url(f"{campaign.address}/rate")


def test_two_teams_meet_a_limit_and_a_leaderboard_that_opens(campaign: Campaign, open_page: OpenPage) -> None:
    store, now = campaign.store, time.time()
    organiser = command_line(store)
    read = parse_gold("gold.json", (SCORING / "gold.json").read_bytes())
    gold = [replace(one, justification="SecretWhy", questions=(SECRET_QUESTION,)) for one in read]
    phase = TaskPhase("Test", now - DAY, now + DAY, now + DAY, daily=1)
    plan = TaskPlan("A task", (phase,), metrics=("verdict",))
    task = create_task(store, organiser, plan, gold)
    pages = []
    for team in ("Alpha", "Beta"):
        page = open_page("about:blank")
        wire = Wire(page)
        page.goto(f"{campaign.address}/tasks?invite={invite_team(store, task, organiser, team, days=1)}")
        expect(page.get_by_text("1 of 1 submission to Test left today")).to_be_visible()
        upload(page, SCORING / "careful.json")
        keyed(page, "task-submit").get_by_role("button").click()
        expect(page.get_by_text("Scored", exact=True)).to_be_visible()
        expect(page.get_by_text("0 of 1 submission to Test left today")).to_be_visible()
        pages.append((page, wire))
    page, wire = pages[0]
    upload(page, SCORING / "hasty.json")
    expect(keyed(page, "task-submit").get_by_role("button")).to_be_disabled()
    open_tab(page, "Leaderboard")
    expect(page.get_by_role("note")).to_be_visible()
    expect(page.get_by_role("table")).to_have_count(0)
    assert not wire.has("Beta")
    set_phase(store, task, organiser, replace(phase, opens=now - 1))
    page.reload()
    open_tab(page, "Leaderboard")
    expect(page.get_by_role("row")).to_have_count(3)
    wire.responses.clear()
    assert wire.has("Beta"), "the search sees what was sent"
    assert not [secret for secret in ("SecretWhy", "SecretAnswer", "SecretAsked") if wire.has(secret)]
    stranger = open_page(f"{campaign.address}/tasks?task={task}")
    expect(stranger.get_by_role("alert")).to_be_visible()
