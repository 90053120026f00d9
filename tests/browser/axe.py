"""axe-core: its script, and what it finds on a page that is not Streamlit's own."""

import hashlib
import shutil
import subprocess
import tarfile
from pathlib import Path

import pytest
from playwright.sync_api import Page

VERSION = "4.11.0"
SHA256 = "e9e5863c33a874f09bc01acd9234b7e3c871479f5eef8802fa582544465e6d01"
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]

STREAMLITS_OWN = {
    ("list", '[data-testid="stSidebarNavItems"]'): "sections of the sidebar are <div>s between a <ul> and its <li>s",
    ("listitem", '[data-testid="stSidebarNavItems"] li'): "the same, seen from the <li>",
}
"""Findings in what Streamlit 1.67 draws and no page can change: the rule and where."""


def fetch_axe(folder: Path) -> str:
    """Return the script of axe-core as npm has it, by its digest. Skips the test without npm."""
    npm = shutil.which("npm")
    if npm is None:
        pytest.skip("there is no npm to fetch axe-core with: apt-get install npm")
    subprocess.run([npm, "pack", f"axe-core@{VERSION}"], cwd=folder, check=True, capture_output=True, timeout=300)
    with tarfile.open(folder / f"axe-core-{VERSION}.tgz") as archive:
        member = archive.extractfile("package/axe.min.js")
        script = member.read()
    assert hashlib.sha256(script).hexdigest() == SHA256
    return script.decode()


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


def lasting_findings(page: Page) -> list[tuple[str, str]]:
    """Return what is still found once a page has come to rest: what fades in or is drawn anew is faint meanwhile."""
    for _ in range(60):
        if not (found := findings(page)):
            break
        page.wait_for_timeout(1000)
    return found


def streamlits_own(page: Page, rule: str, target: str) -> bool:
    inside = "([target, own]) => document.querySelector(target)?.matches(own) ?? false"
    return any(rule == name and page.evaluate(inside, [target, own]) for name, own in STREAMLITS_OWN)
