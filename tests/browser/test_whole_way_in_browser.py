"""The whole way by keyboard: a speech, its claims, own documents, a conclusion, the report, the package."""

from pathlib import Path

import pytest
from playwright.sync_api import Page, expect
from pypdf import PdfReader

from pages.ui.claim_form.evidence_fields import DOOR
from tests.browser.axe import lasting_findings
from tests.browser.conftest import OpenPage, keyed, upload

pytestmark = pytest.mark.slow

SPEECH = (
    "MAYOR RUTH VANE: Good evening to all of you. The Springfield Bridge over the Lee opened in 2006. It cost 430 "
    "million pounds. I hope that you like it."
)
COURIER = (
    "Springfield Courier, 14 March 2023. The Springfield Bridge over the Lee cost 340 million pounds. It was opened by "
    "the mayor in 2006."
)
ALONE = "The Springfield Bridge over the Lee cost 430 million pounds."
WIDTHS = (400, 1280)


def test_a_speech_becomes_a_signed_report_and_a_package_by_keyboard(
    app: str, open_page: OpenPage, axe: str, tmp_path: Path
) -> None:
    page = open_page(app)
    keyed(page, DOOR).wait_for()
    check(page, axe, "dark")
    page.goto(f"{app}/claims")
    reach(page, "claims-text")
    page.keyboard.insert_text(SPEECH)
    page.keyboard.press("Control+Enter")
    keyed(page, "claims-pick-2").wait_for()
    check(page, axe, "light")
    press(page, "claims-pick-2", "Space")
    page.get_by_text("1 claim chosen").wait_for()
    press(page, "claims-on")
    upload(page, {"name": "courier.txt", "mimeType": "text/plain", "buffer": COURIER.encode()})
    check(page, axe, "dark")
    reach(page, "claims-edit-1")
    page.keyboard.press("Control+Enter")
    keyed(page, "claims-open-2-1").wait_for()
    check(page, axe, "light")
    press(page, "claims-open-2-1")
    expect(page.get_by_role("heading", name=ALONE)).to_be_visible()
    conclude(page)
    package(page, tmp_path)
    press(page, "report")
    page.get_by_role("button", name="Back to the case").wait_for()
    page.wait_for_function("document.querySelector('[data-testid=stMain]').scrollTop === 0")  # it begins at its top
    expect(keyed(page, "report")).to_have_count(0)  # until then the case is still on the page
    page.pdf(path=str(tmp_path / "report.pdf"), format="A4")
    first = PdfReader(tmp_path / "report.pdf").pages[0].extract_text()
    for words in (ALONE, "Ada", "The Courier says 340.", "courier.txt", "340 million pounds, not 430"):
        assert words in first


def conclude(page: Page) -> None:
    for key, words in (("own-name", "Ada"), ("own-reason", "The Courier says 340.")):
        reach(page, key)
        page.keyboard.insert_text(words)
    page.keyboard.press("Control+Enter")
    page.get_by_text("version 1").wait_for()


def package(page: Page, folder: Path) -> None:
    tab_to(page, page.get_by_role("button", name="Evidence package").element_handle())
    page.keyboard.press("Enter")
    press(page, "package-make")
    keyed(page, "package").wait_for()
    with page.expect_download() as download:
        press(page, "package")
    assert Path(download.value.path()).read_bytes().startswith(b"PK")
    page.keyboard.press("Escape")


def reach(page: Page, key: str) -> None:
    """Go to the widget of this key with the tabulator alone."""
    keyed(page, key).wait_for()
    tab_to(page, keyed(page, key).element_handle())


def tab_to(page: Page, target: object) -> None:
    for _ in range(200):
        page.keyboard.press("Tab")
        if page.evaluate("(target) => target.contains(document.activeElement)", target):
            return
    raise AssertionError("the keyboard does not reach it")


def press(page: Page, key: str, how: str = "Enter") -> None:
    reach(page, key)
    page.keyboard.press(how)


def check(page: Page, axe: str, theme: str) -> None:
    """Check at every width that nothing is wider than the window, and that axe finds nothing of ours at the last."""
    page.emulate_media(color_scheme=theme)  # type: ignore[arg-type]
    page.evaluate(axe)
    for width in WIDTHS:
        page.set_viewport_size({"width": width, "height": 900})
        assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth"), width
    assert lasting_findings(page) == []
