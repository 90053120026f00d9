"""A server is killed and started again: every open page goes on, and the answer that waited is saved."""

from contextlib import ExitStack
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import OpenPage, field, free_port, serving, settle
from tests.browser.raters import Campaign, begin, made_campaign, saved
from tests.waiting import until

pytestmark = pytest.mark.slow
PAGES = {"": "verify-text", "campaigns": "", "score": "", "tasks": ""}
"""The addresses of pages, with the key of a field to fill on one."""

CLAIM = "The bridge was opened in 1937."
CONNECTED = "[data-testid=stApp][data-test-connection-state=CONNECTED]"


def whole(page: Page) -> None:
    """Expect a page that is connected, idle and drawn."""
    page.locator(CONNECTED).wait_for()
    settle(page)
    expect(page.get_by_text("Opening…")).to_have_count(0)
    expect(page.get_by_role("heading").first).to_be_visible()


def test_open_pages_go_on_after_a_restart_of_the_server(tmp_path: Path, open_page: OpenPage) -> None:
    port, (url, campaign_id) = free_port(), made_campaign(tmp_path, items=3)
    with ExitStack() as servers:
        address, first = servers.enter_context(serving(tmp_path, port=port))
        campaign = Campaign(address, url, campaign_id)
        rating = open_page(campaign.link())
        begin(rating)
        pages = [open_page(f"{address}/{path}") for path in PAGES]
        for page in pages:
            whole(page)
        typed = field(pages[0], PAGES[""])
        typed.fill(CLAIM)
        typed.press("Tab")
        settle(pages[0])
        first.kill()
        first.wait()
        rating.keyboard.press("1")
        for page in pages:
            expect(page.locator(CONNECTED)).to_have_count(0)
        servers.enter_context(serving(tmp_path, port=port))
        saved(rating)
        until(lambda: [*campaign.answers().values()] == [{"error": "entirely empty"}])
        for page in pages:
            whole(page)
        expect(typed).to_have_value(CLAIM)
