"""The public half of the 2024 ratings on the Agreement page, in a real browser: tables, charts, report.

The data is not ours to ship: it is looked for beside the checkout.
"""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
import urllib.request
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

playwright = pytest.importorskip("playwright.sync_api")

ROOT = Path(__file__).parents[2]
DATA = ROOT.parent / "shared" / "data" / "human_eval"
CHROMIUM = Path("/usr/bin/chromium")
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not CHROMIUM.exists(), reason="needs Debian's chromium at /usr/bin/chromium"),
    pytest.mark.skipif(not DATA.is_dir(), reason="the public ratings are not beside the checkout (../shared/data)"),
]


@pytest.fixture
def address(tmp_path: Path) -> Iterator[str]:
    """Run the app as the README says, on a free port, and return its address."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "streamlit", "run", "app.py", "--server.port", str(port)]
    environment = {**os.environ, "VERIDESK_HOME": str(tmp_path)}
    server = subprocess.Popen(command, cwd=ROOT, env=environment, start_new_session=True)
    try:
        wait_for(f"http://127.0.0.1:{port}/_stcore/health")
        yield f"http://127.0.0.1:{port}"
    finally:
        os.killpg(server.pid, signal.SIGTERM)
        server.wait(20)


def wait_for(url: str) -> None:
    for _ in range(600):
        try:
            urllib.request.urlopen(url, timeout=1)
            return
        except OSError:
            time.sleep(0.1)
    raise AssertionError(f"{url} did not answer in a minute")


@pytest.mark.parametrize("width", [1280, 400])
def test_public_ratings_give_tables_charts_and_a_report(address: str, tmp_path: Path, width: int) -> None:
    with playwright.sync_playwright() as run:
        browser = run.chromium.launch(executable_path=str(CHROMIUM), args=["--no-sandbox", "--disable-gpu"])
        page = browser.new_page(viewport={"width": width, "height": 900})
        page.set_default_timeout(120_000)
        page.goto(f"{address}/agreement")
        page.get_by_role("button", name="Look at an example").wait_for()
        files = page.locator("input[type=file]")
        files.nth(0).set_input_files(DATA / "responses_public.csv")
        page.get_by_text("responses_public.csv").wait_for()
        files.nth(1).set_input_files([DATA / "scores_public.csv", DATA / "evidence_public.csv"])
        page.get_by_text("evidence_public.csv").wait_for()
        page.get_by_role("button", name="Compare").click()
        page.get_by_text("meteor agrees best with semantic coverage: ρ = 0.345").wait_for()
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
        page.get_by_text("What became of every row").wait_for()
        assert page.locator("[data-testid=stVegaLiteChart] canvas, [data-testid=stVegaLiteChart] svg").count() >= 2
        page.get_by_role("tab", name="Raters").click()
        page.get_by_text("Agreement between raters").wait_for()
        page.get_by_role("tab", name="Items").click()
        page.get_by_text("Tweet portrays Ravish Kumar targeting AAP ahead of Punjab elections").first.wait_for()
        page.get_by_text("Reference evidence").wait_for()
        assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
        page.get_by_role("tab", name="Downloads").click()
        with page.expect_download() as download:
            page.get_by_role("button", name="All tables (CSV and LaTeX, zip)").click()
        download.value.save_as(tmp_path / "agreement.zip")
        with zipfile.ZipFile(tmp_path / "agreement.zip") as archive:
            assert "Semantic coverage,meteor,0.345" in archive.read("table7.csv").decode()
            assert "Seed 7, 2000 resamples" in archive.read("report.html").decode()
        browser.close()
