"""Every page by axe-core, light and dark: no serious finding but Streamlit's own; and none is wider than the window."""

from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page

from core.jobs.types import State
from tests.browser.axe import lasting_findings
from tests.browser.conftest import PATIENCE
from tests.browser.kept_cases import REMEMBER, fill
from tests.verification.report.conftest import PAINT

pytestmark = pytest.mark.slow
PAGES = (
    *("", "claims", "history", "lab", "rate", "campaigns", "tasks"),
    *("build", "batch", "score", "agreement", "models", "stores"),
)

DRAWN = """() => document.querySelector("[data-testid=stApp]").dataset.testScriptState === "notRunning"
  && !document.querySelector("[data-testid=stMain]").innerText.includes("Opening…")"""

GROUND = """getComputedStyle(document.querySelector("[data-testid=stApp]")).backgroundColor"""


def test_no_page_has_a_serious_finding_of_ours(app: str, app_home: Path, browser: Browser, axe: str) -> None:
    cases = fill(app_home)
    done = f"?case={cases[State.DONE]}"
    shown = [*(f"?case={case}" for case in cases.values()), f"{done}&view=report", f"{done}&document={PAINT.digest}"]
    compared = f"lab?cases={cases[State.DONE]},{cases[State.FAILED]}"
    context = browser.new_context(viewport={"width": 1280, "height": 900}, color_scheme="light")
    context.add_init_script(REMEMBER)
    found = {}
    for path in (*PAGES, *shown, compared):
        page = opened(context.new_page(), f"{app}/{path}")
        page.evaluate(axe)
        found[path, "light"], ground = lasting_findings(page), page.evaluate(GROUND)
        page.emulate_media(color_scheme="dark")
        page.wait_for_function(f"{GROUND} !== '{ground}'")
        found[path, "dark"] = lasting_findings(page)
        page.set_viewport_size({"width": 400, "height": 900})
        page.wait_for_function("document.documentElement.scrollWidth <= window.innerWidth")
        page.close()
    context.close()
    assert {place: each for place, each in found.items() if each} == {}


def opened(page: Page, address: str) -> Page:
    page.set_default_timeout(PATIENCE)
    page.goto(address)
    page.get_by_role("heading", level=1).first.wait_for()
    page.wait_for_function(DRAWN)
    return page
