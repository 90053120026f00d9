"""Every page by axe-core, light and dark: no serious or critical finding but Streamlit's own, which are named here."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page

from core.jobs.types import State
from tests.browser.axe import findings
from tests.browser.conftest import PATIENCE, served
from tests.browser.kept_cases import REMEMBER, fill
from tests.verification.report.conftest import PAINT

pytestmark = [pytest.mark.slow, pytest.mark.timeout(900)]

PAINTED = PAINT.digest
"""A document of the finished case."""

PAGES = (
    *("", "claims", "history", "lab", "rate", "campaigns", "tasks"),
    *("build", "batch", "score", "agreement", "models", "stores"),
)

DRAWN = """() => document.querySelector("[data-testid=stApp]").dataset.testScriptState === "notRunning"
  && !document.querySelector("[data-testid=stMain]").innerText.includes("Opening…")"""

GROUND = """getComputedStyle(document.querySelector("[data-testid=stApp]")).backgroundColor"""


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, dict[State, str]]]:
    home = tmp_path_factory.mktemp("home")
    cases = fill(home)
    with served(home) as address:
        yield address, cases


def test_no_page_has_a_serious_finding_of_ours(desk: tuple[str, dict[State, str]], browser: Browser, axe: str) -> None:
    address, cases = desk
    context = browser.new_context(viewport={"width": 1280, "height": 900}, color_scheme="light")
    context.add_init_script(REMEMBER)
    done = f"?case={cases[State.DONE]}"
    paths = [*PAGES, *(f"?case={case}" for case in cases.values()), f"{done}&view=report", f"{done}&document={PAINTED}"]
    found = {path: in_both_themes(opened(context.new_page(), f"{address}/{path}"), axe) for path in paths}
    context.close()
    assert {path: each for path, each in found.items() if each} == {}


def opened(page: Page, address: str) -> Page:
    page.set_default_timeout(PATIENCE)
    page.goto(address)
    page.get_by_role("heading", level=1).first.wait_for()
    page.wait_for_function(DRAWN)
    return page


def in_both_themes(page: Page, axe: str) -> list[tuple[str, str]]:
    page.evaluate(axe)
    light, ground = lasting_findings(page), page.evaluate(GROUND)
    page.emulate_media(color_scheme="dark")
    page.wait_for_function(f"{GROUND} !== '{ground}'")
    found = light + lasting_findings(page)
    page.close()
    return found


def lasting_findings(page: Page) -> list[tuple[str, str]]:
    """Return what is found once a page has come to rest: what fades in or is drawn anew is faint meanwhile."""
    for _ in range(10):
        if not (found := findings(page)):
            break
        page.wait_for_timeout(1500)
    return found
