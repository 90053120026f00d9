"""A dossier of one's own, kept as a collection and searched for a list of claims, whose cases open."""

from __future__ import annotations

import pytest
from playwright.sync_api import FilePayload, expect

from tests.browser.conftest import OpenPage, field, look_in, upload

pytestmark = pytest.mark.slow

NAME = "Springfield dossier"
DOSSIER = {
    "minutes.txt": "The council voted in 2019. The new Springfield bridge is made of steel, the old one was of wood.",
    "letters.txt": "Letters to the editor. Many readers miss the ferry that crossed the river until 1931.",
}
SPOKEN_OF, UNHEARD = "The new Springfield bridge is made of steel.", "A xylophone outsold every harpsichord."


def test_a_dossier_is_kept_once_and_a_list_of_claims_is_checked_against_it(app: str, open_page: OpenPage) -> None:
    page = open_page(app)
    look_in(page, "My files")
    page.locator("input[type=file]").wait_for(state="attached")
    files: list[FilePayload] = [
        {"name": name, "mimeType": "text/plain", "buffer": text.encode()} for name, text in DOSSIER.items()
    ]
    upload(page, *files)
    page.get_by_role("button", name="Keep as a collection").click()
    page.get_by_role("textbox", name="Name of the collection").fill(NAME)
    page.keyboard.press("Tab")
    page.get_by_role("button", name="Keep", exact=True).click()
    page.get_by_role("link", name="Check a list of claims against it").click()
    field(page, "batch-written").fill(f"{SPOKEN_OF}\n{UNHEARD}")
    page.keyboard.press("Tab")
    page.get_by_role("button", name="Start").click()
    page.get_by_role("button", name="Submission (JSON)").wait_for()
    expect(page.get_by_text(f"searched in “{NAME}”")).to_be_visible()
    rows = page.locator(".vd-listing tbody tr")
    page.get_by_text("With evidence", exact=True).click()
    expect(rows).to_have_count(1)
    expect(rows).to_contain_text(SPOKEN_OF)
    expect(rows).to_contain_text("1 passage")
    page.get_by_text("Without evidence", exact=True).click()
    expect(rows).to_contain_text(UNHEARD)
    expect(rows).to_contain_text("none")
    page.get_by_text("All", exact=True).click()
    page.get_by_role("link", name=SPOKEN_OF).click()
    expect(page.get_by_role("heading", name=SPOKEN_OF)).to_be_visible()
    expect(page.locator("#evidence-1")).to_contain_text("minutes.txt")
