"""The public half of the 2024 ratings on the Agreement page, in a real browser: tables, charts, report.

The data is not ours to ship: it is looked for beside the checkout.
"""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest

from tests.browser.conftest import ROOT, OpenPage, upload

DATA = ROOT.parent / "shared" / "data" / "human_eval"
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not DATA.is_dir(), reason="the public ratings are not beside the checkout (../shared/data)"),
]


def test_public_ratings_give_tables_charts_and_a_report(app: str, open_page: OpenPage, tmp_path: Path) -> None:
    page = open_page(f"{app}/agreement", width=400)
    page.get_by_role("button", name="Look at an example").wait_for()
    upload(page, DATA / "responses_public.csv")
    upload(page, DATA / "scores_public.csv", DATA / "evidence_public.csv", nth=1)
    page.get_by_role("button", name="Compare", exact=True).click()
    table = page.get_by_role("region", name="Table 7: correlation of scores with human ratings")
    meteor = table.get_by_role("row").nth(2)
    meteor.get_by_role("cell").nth(5).wait_for()
    assert meteor.get_by_role("cell").all_inner_texts() == [
        "Semantic coverage",
        "meteor",
        "0.345",
        "0.347",
        "0.259",
        "138",
    ]
    page.get_by_role("tab", name="Uncertainty").click()
    page.get_by_text("Outcome of every row").wait_for()
    page.locator("[data-testid=stVegaLiteChart] canvas, [data-testid=stVegaLiteChart] svg").nth(1).wait_for()
    page.get_by_role("tab", name="Raters").click()
    page.get_by_text("Agreement between raters").wait_for()
    page.get_by_role("tab", name="Items").click()
    page.get_by_text("Tweet portrays Ravish Kumar targeting AAP ahead of Punjab elections").first.wait_for()
    page.get_by_text("Reference evidence").wait_for()
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    page.get_by_role("tab", name="Downloads").click()
    with page.expect_download() as download:
        page.get_by_role("button", name="All tables").click()
    download.value.save_as(tmp_path / "agreement.zip")
    with zipfile.ZipFile(tmp_path / "agreement.zip") as archive:
        assert "Semantic coverage,meteor,0.345" in archive.read("table7.csv").decode()
        assert "Seed 7, 2000 resamples" in archive.read("report.html").decode()
