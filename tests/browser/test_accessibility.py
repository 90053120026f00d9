"""Every page by axe-core, light and dark: no serious or critical finding but Streamlit's own, which are named here."""

from __future__ import annotations

import hashlib
import shutil
import subprocess
import tarfile
from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, Page

from core.jobs.types import State
from tests.browser.conftest import PATIENCE, served
from tests.browser.kept_cases import REMEMBER, fill
from tests.verification.report.conftest import PAINT

pytestmark = [pytest.mark.slow, pytest.mark.timeout(900)]

VERSION = "4.11.0"
SHA256 = "e9e5863c33a874f09bc01acd9234b7e3c871479f5eef8802fa582544465e6d01"
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]

STREAMLITS_OWN = {
    ("list", '[data-testid="stSidebarNavItems"]'): "sections of the sidebar are <div>s between a <ul> and its <li>s",
    ("listitem", '[data-testid="stSidebarNavItems"] li'): "the same, seen from the <li>",
}
"""Findings in what Streamlit 1.67 draws and no page can change: the rule and where."""

PAINTED = PAINT.digest
"""A document of the finished case."""

PAGES = (
    *("", "claims", "history", "lab", "rate", "campaigns", "tasks"),
    *("build", "batch", "score", "agreement", "models", "stores"),
)

DRAWN = """() => document.querySelector("[data-testid=stApp]").dataset.testScriptState === "notRunning"
  && !document.querySelector("[data-testid=stMain]").innerText.includes("Opening…")"""


@pytest.fixture(scope="module")
def axe(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The script of axe-core as npm has it, by its digest."""
    npm = shutil.which("npm")
    if npm is None:
        pytest.skip("there is no npm to fetch axe-core with: apt-get install npm")
    folder = tmp_path_factory.mktemp("axe")
    subprocess.run([npm, "pack", f"axe-core@{VERSION}"], cwd=folder, check=True, capture_output=True, timeout=300)
    with tarfile.open(folder / f"axe-core-{VERSION}.tgz") as archive:
        member = archive.extractfile("package/axe.min.js")
        assert member is not None
        script = member.read()
    assert hashlib.sha256(script).hexdigest() == SHA256
    return script.decode()


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, dict[State, str]]]:
    home = tmp_path_factory.mktemp("home")
    cases = fill(home)
    with served(home) as address:
        yield address, cases


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_no_page_has_a_serious_finding_of_ours(
    desk: tuple[str, dict[State, str]], browser: Browser, axe: str, theme: Any
) -> None:
    address, cases = desk
    context = browser.new_context(viewport={"width": 1280, "height": 900}, color_scheme=theme)
    context.add_init_script(REMEMBER)
    done = f"?case={cases[State.DONE]}"
    paths = [*PAGES, *(f"?case={case}" for case in cases.values()), f"{done}&view=report", f"{done}&document={PAINTED}"]
    found = {path: lasting_findings(opened(context.new_page(), f"{address}/{path}"), axe) for path in paths}
    context.close()
    assert {path: each for path, each in found.items() if each} == {}


def opened(page: Page, address: str) -> Page:
    page.set_default_timeout(PATIENCE)
    page.goto(address)
    page.get_by_role("heading", level=1).first.wait_for()
    page.wait_for_function(DRAWN)
    return page


def lasting_findings(page: Page, axe: str) -> list[tuple[str, str]]:
    """Return what is found once a page has come to rest: what fades in or is drawn anew is faint meanwhile."""
    page.evaluate(axe)
    for _ in range(10):
        if not (found := findings(page)):
            break
        page.wait_for_timeout(1500)
    page.close()
    return found


def findings(page: Page) -> list[tuple[str, str]]:
    """Return the rules that are broken and where, but for what is Streamlit's own."""
    report = page.evaluate(f"axe.run({{runOnly: {{type: 'tag', values: {RULES}}}}})")
    broken = [
        (violation["id"], node["target"][0], node["html"])
        for violation in report["violations"]
        if violation["impact"] in ("serious", "critical")
        for node in violation["nodes"]
    ]
    return [(rule, html[:200]) for rule, target, html in broken if not streamlits_own(page, rule, target)]


def streamlits_own(page: Page, rule: str, target: str) -> bool:
    inside = "([target, own]) => document.querySelector(target)?.matches(own) ?? false"
    return any(rule == name and page.evaluate(inside, [target, own]) for name, own in STREAMLITS_OWN)
