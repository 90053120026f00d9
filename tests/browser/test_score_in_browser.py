"""Real and made-up submissions on the Score page, in a real browser: files in, leaderboard, claims, downloads out."""

import csv
import io
import json
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import OpenPage, upload

DATA = Path(__file__).resolve().parents[3] / "shared" / "data" / "averitec"
SYSTEMS = ("hero_baseline", "ctu_aic", "efc")

pytestmark = pytest.mark.slow
needs_data = pytest.mark.skipif(
    not DATA.is_dir(), reason="the AVeriTeC data is not beside the checkout (../shared/data)"
)


def add_files(page: Page, gold: Path, submissions: list[Path]) -> None:
    page.get_by_role("button", name="Score the example").wait_for()
    upload(page, gold)
    upload(page, *submissions, nth=1)
    page.get_by_text("Read: ").wait_for()


def downloaded(page: Page, button: str) -> str:
    with page.expect_download() as download:
        page.get_by_role("button", name=button, exact=True).click()
    return Path(download.value.path()).read_text(encoding="utf-8")


@needs_data
def test_three_real_systems_are_ranked_and_every_item_can_be_had(app: str, open_page: OpenPage) -> None:
    page = open_page(f"{app}/score")
    add_files(page, DATA / "dev_public.json", [DATA / "submissions" / f"{name}.csv" for name in SYSTEMS])
    page.get_by_role("button", name="Hungarian METEOR", exact=True).click()  # its figures: tests/reference
    page.get_by_role("button", name="Score", exact=True).click()
    board = page.get_by_role("region", name="Leaderboard")
    expect(board.locator("tbody tr")).to_have_count(3)
    systems = [row.locator("td").nth(1).inner_text() for row in board.locator("tbody tr").all()]
    assert sorted(systems) == sorted(SYSTEMS)
    rows = list(csv.DictReader(io.StringIO(downloaded(page, "All items (CSV)"))))
    assert len({row["id"] for row in rows}) == 250
    scores = json.loads(downloaded(page, "All scores (JSON)"))["scores"]
    accuracy = {
        s["system"]: s["value"] for s in scores if s["metric"] == "verdict:accuracy" and s["breakdown"] == "all"
    }
    assert accuracy == {"hero_baseline": 0.664, "ctu_aic": 0.648, "efc": 0.672}
    page.get_by_role("button", name="Download", exact=True).first.click()
    assert "\\begin{tabular}" in downloaded(page, "LaTeX")


def test_the_example_fits_a_telephone_and_opens_a_claim_with_matched_evidence(app: str, open_page: OpenPage) -> None:
    page = open_page(f"{app}/score", width=400)
    page.get_by_role("button", name="Score the example").click()
    board = page.get_by_role("region", name="Leaderboard")
    expect(board.locator("tbody tr").first).to_contain_text("careful")
    ranked = board.locator("tbody .vd-ranked").first.bounding_box()
    assert ranked
    assert ranked["x"] + ranked["width"] <= 400  # the score that decides is in sight without scrolling
    page.get_by_role("tab", name="Claims").click()
    expect(page.get_by_text("Who records closures of the bridge?")).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    page.reload()
    expect(board.locator("tbody tr")).to_have_count(2)
