"""The example on the Agreement page, on a telephone: tables, charts, and all of them in one file."""

import zipfile
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import OpenPage

pytestmark = pytest.mark.slow
CHART = "[data-testid=stVegaLiteChart] canvas, [data-testid=stVegaLiteChart] svg"


def test_an_example_gives_tables_charts_and_a_file_of_them_all(app: str, open_page: OpenPage, tmp_path: Path) -> None:
    page = open_page(f"{app}/agreement", width=400)
    page.get_by_role("button", name="Look at an example").click()
    expect(page.get_by_role("region", name="Table 7").get_by_text("0.771").first).to_be_visible()
    page.get_by_role("tab", name="Uncertainty").click()
    page.locator(CHART).nth(1).wait_for()
    page.get_by_role("tab", name="Items").click()
    page.get_by_text("Reference evidence").wait_for()
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    page.get_by_role("tab", name="Downloads").click()
    with page.expect_download() as download:
        page.get_by_role("button", name="All tables").click()
    download.value.save_as(tmp_path / "agreement.zip")
    with zipfile.ZipFile(tmp_path / "agreement.zip") as archive:
        assert "0.7706797" in archive.read("table7.csv").decode()
        assert "2000 resamples" in archive.read("report.html").decode()
