"""From a pasted speech to verdicts in its text: one consent for all claims, and nothing lost on a refresh."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import OpenPage, field, keyed
from tests.search.site import Site

pytestmark = pytest.mark.slow

SPEECH = (
    "MAYOR RUTH VANE: Good evening to all of you. The Springfield Bridge over the Lee opened in 2006. It cost 340 "
    "million pounds. I hope that you like it."
)
ALONE = "The Springfield Bridge over the Lee cost 340 million pounds."


def test_a_speech_is_checked_with_one_consent_and_survives_a_refresh(
    app: str, engine: Site, open_page: OpenPage
) -> None:
    engine.requests.clear()
    page = open_page(f"{app}/claims")
    field(page, "claims-text").fill(SPEECH)
    page.keyboard.press("Tab")
    page.get_by_role("button", name="Find the claims").click()
    page.get_by_role("checkbox", name="It cost 340 million pounds.").wait_for()
    expect(page.get_by_text(ALONE)).to_be_visible()
    page.get_by_role("checkbox", name="It cost 340 million pounds.").press("Space")
    page.get_by_text("1 claim chosen").wait_for()
    page.reload()
    page.get_by_text("1 claim chosen").wait_for()
    page.get_by_role("button", name="Edit and check").click()
    keyed(page, "claims-door").locator("label").filter(has_text="Search for them").click()
    shown = page.get_by_role("region", name="Requests that leave this machine").get_by_role("listitem")
    shown.first.wait_for()
    queries = shown.all_inner_texts()
    assert not engine.requests
    page.get_by_role("button", name=f"Send {len(queries)} quer").click()
    page.get_by_role("button", name="Report (HTML)").wait_for()
    assert len(engine.requests) == len(queries)
    expect(page.get_by_text("Not enough evidence").first).to_be_visible()
    page.get_by_role("button", name="Open", exact=True).click()
    expect(page.get_by_role("heading", name=ALONE)).to_be_visible()
