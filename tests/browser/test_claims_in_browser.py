"""From a pasted speech to verdicts in its text: one consent for all claims, and nothing lost on a refresh."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import PATIENCE, OpenPage, field, keyed, serving
from tests.search.site import Site

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]

SPEECH = (
    "MAYOR RUTH VANE: Good evening to all of you. The Springfield Bridge over the Lee opened in 2006. It cost 340 "
    "million pounds. I hope that you like it."
)
ALONE = "The Springfield Bridge over the Lee cost 340 million pounds."


@pytest.fixture(scope="module")
def app(engine: Site, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    home: Path = tmp_path_factory.mktemp("home")
    with serving(home, VERIDESK_SEARCH=f"searxng={engine.base}") as (address, _):
        yield address


def test_a_speech_is_checked_with_one_consent_and_survives_a_refresh(
    app: str, engine: Site, open_page: OpenPage
) -> None:
    page = open_page(f"{app}/claims")
    field(page, "claims-text").fill(SPEECH)
    page.keyboard.press("Tab")
    page.get_by_role("button", name="Find the claims").click()
    page.get_by_role("checkbox", name="It cost 340 million pounds.").wait_for(timeout=PATIENCE)
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
    page.get_by_role("button", name="Report (HTML)").wait_for(timeout=PATIENCE)
    assert len(engine.requests) == len(queries)
    expect(page.get_by_text("Not enough evidence").first).to_be_visible()
    page.get_by_role("button", name="Open", exact=True).click()
    expect(page.get_by_role("heading", name=ALONE)).to_be_visible()
