"""The Lab with the real models in a real browser."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import OpenPage, keyed

pytestmark = pytest.mark.slow
CLAIM = "Nepal and China have agreed that Mount Everest is 8,848.86 metres high."


def fits(page: Page) -> bool:
    return bool(page.evaluate("document.documentElement.scrollWidth <= window.innerWidth"))


@pytest.mark.timeout(600)
def test_two_recipes_run_side_by_side_survive_a_refresh_and_are_compared(app: str, open_page: OpenPage) -> None:
    page = open_page(f"{app}/lab")
    page.get_by_text(CLAIM).click()
    expect(page.get_by_role("textbox").first).to_have_value(CLAIM)
    page.get_by_role("button", name="Compare", exact=True).click()
    page.get_by_role("button", name="Cancel all").wait_for()
    expect(page.get_by_text("of 2 have ended")).to_be_visible()
    page.reload()
    keyed(page, "lab-left").wait_for(timeout=400_000)
    for name in ("Quoted passages", "Questions first"):
        expect(page.get_by_role("region", name=name)).to_be_visible()
    expect(page.get_by_role("region", name="Evidence of each case").locator("tbody tr").first).to_contain_text("[1]")
    expect(page.locator("[data-testid=stVegaLiteChart] canvas, [data-testid=stVegaLiteChart] svg")).to_have_count(2)
    assert fits(page)
    narrow = open_page(page.url, width=400, same_as=page)
    narrow.set_viewport_size({"width": 400, "height": 900})
    keyed(narrow, "lab-left").wait_for()
    assert fits(narrow)
    stranger = open_page(page.url)
    expect(stranger.get_by_role("note")).to_be_visible()
