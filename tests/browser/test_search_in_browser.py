"""From a claim alone to its verdict in a browser: a real MediaWiki, real models, and a replay without either."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import (
    PATIENCE,
    ROOT,
    OpenPage,
    field,
    look_in,
    read_download,
    served,
)
from tests.search.servers import BRIDGE, LEE, MEDIAWIKI, mediawiki, missing

pytestmark = [pytest.mark.slow, pytest.mark.timeout(900)]


def test_a_claim_is_searched_with_consent_and_its_receipt_replayed_with_every_server_stopped(
    tmp_path: Path, open_page: OpenPage, monkeypatch: pytest.MonkeyPatch
) -> None:
    if absent := missing("php", MEDIAWIKI):
        pytest.skip(f"not installed here: {absent}")
    home, wiki = tmp_path / "home", tmp_path / "wiki"
    home.mkdir()
    wiki.mkdir()
    with mediawiki(wiki, {"Springfield Bridge": BRIDGE, "Lee": LEE}) as address:
        monkeypatch.setenv("VERIDESK_SEARCH", f"mediawiki={address}")
        host = address.removeprefix("http://")
        with served(home) as app:
            page = open_page(app)
            claim = field(page, "verify-text")
            claim.fill("The Springfield Bridge over the Lee is made of wood.")
            claim.press("Tab")
            page.get_by_text("More about the claim").click()
            page.get_by_role("spinbutton", name="year, Date of the claim").click()
            page.keyboard.type("20201031")
            page.keyboard.press("Escape")  # it opens a calendar
            expect(page.get_by_text("31 October 2020")).to_be_visible()
            look_in(page, "Search")
            expect(page.get_by_role("region", name="Requests that leave this machine")).to_contain_text(
                "Springfield Bridge wood"
            )
            if folder := os.environ.get("SCREENSHOTS"):
                page.screenshot(path=f"{folder}/consent.png", full_page=True)
            page.get_by_role("button", name=f"Send up to 8 queries to {host}").click()
            page.get_by_role("region", name="Verdict", exact=True).wait_for(timeout=PATIENCE * 3)
            page.get_by_text("Searched:").click()
            expect(page.get_by_text("Queries by source")).to_be_visible()
            if folder:
                page.screenshot(path=f"{folder}/found.png", full_page=True)
                page.set_viewport_size({"width": 400, "height": 900})
                page.screenshot(path=f"{folder}/narrow.png", full_page=True)
            receipt = read_download(page, "Receipt")
    origins = receipt["case"]["search"]["origins"]  # type: ignore[index]
    bridge = next(origin for origin in origins if "Springfield_Bridge" in origin["url"])
    assert bridge["url"].endswith("oldid=2")  # the revision before the claim; that of 2021 says the opposite
    assert (bridge["published"], bridge["date_source"], bridge["when"]) == (
        "2019-03-01",
        "revision",
        "before the claim",
    )
    texts = " ".join(item["text"] for item in receipt["case"]["documents"])  # type: ignore[index]
    assert "made of steel" in texts
    assert "made of wood" not in texts
    (tmp_path / "receipt.json").write_text(json.dumps(receipt), encoding="utf-8")
    replayed = subprocess.run(
        [sys.executable, "-m", "core", "replay", str(tmp_path / "receipt.json")],
        cwd=ROOT,
        env={**os.environ, "VERIDESK_HOME": str(home)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert "came out the same" in replayed.stdout, replayed.stdout + replayed.stderr
