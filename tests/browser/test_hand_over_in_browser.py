"""From a first visit to what a colleague gets: own file, verdict, own conclusion, report, files, shared link."""

import json
from pathlib import Path

import docx
import pytest
from playwright.sync_api import Page, expect
from pypdf import PdfReader

from tests.browser.conftest import OpenPage, field, look_in, upload
from tests.files import pdf

pytestmark = pytest.mark.slow

CLAIM = "The lighthouse of Alexandria was 100 metres high."
TEXT = "The lighthouse of Alexandria stood about 100 metres high. It was built by Sostratus of Cnidus."


def test_a_case_on_a_pdf_of_ones_own_is_handed_to_a_colleague(app: str, open_page: OpenPage, tmp_path: Path) -> None:
    page = open_page(app)
    verify_own_pdf(page)
    mark_and_conclude(page)
    page.get_by_role("button", name="Report", exact=True).click()
    page.get_by_role("button", name="Back to the case").wait_for()
    expect(page.get_by_role("heading", name="Hand over")).to_have_count(0)
    check_paper(page, tmp_path)
    check_files(page, tmp_path)
    page.get_by_role("button", name="Back to the case").click()
    share_and_withdraw(page, open_page)


def verify_own_pdf(page: Page) -> None:
    field(page, "verify-text").fill(CLAIM)
    look_in(page, "My files")
    upload(page, {"name": "lighthouse.pdf", "mimeType": "application/pdf", "buffer": pdf(TEXT)})
    page.get_by_text("1 document", exact=True).wait_for()  # it was read, and not only uploaded
    field(page, "verify-text").press("Control+Enter")
    page.get_by_role("region", name="Verdict").wait_for()
    expect(page).to_have_title(f"{CLAIM} – Veridesk")


def mark_and_conclude(page: Page) -> None:
    page.get_by_text("Copy, open or mark").first.click()
    page.get_by_role("button", name="Useful").first.click()
    expect(page.get_by_role("button", name="Useful").first).to_have_attribute("aria-pressed", "true")
    expect(page.get_by_role("button", name="Useful").first).to_be_visible()  # the passage in use stays open
    page.get_by_role("textbox", name="Why, for the reader").fill("Two sources say so.")
    page.get_by_role("textbox", name="Signed").fill("Ada")
    page.get_by_role("button", name="save Save").or_(page.get_by_role("button", name="Save", exact=True)).first.click()
    page.get_by_text("version 1").wait_for()


def check_paper(page: Page, folder: Path) -> None:
    """On A4 and Letter paper there is the whole report, its body on one page, and nothing to be clicked."""
    for paper in ("A4", "Letter"):
        page.pdf(path=str(folder / f"{paper}.pdf"), format=paper)
        body, *rest = (sheet.extract_text() for sheet in PdfReader(folder / f"{paper}.pdf").pages)
        text = "\n".join((body, *rest))
        for words in ("Two sources say so.", "Reason by: Ada", "page 1", "How it was done"):
            assert words in body, (paper, words)
        assert "\nAppendix\n" in rest[0]  # it begins a page
        assert "Hashes and settings" in text
        assert "no person" not in text
        for words in ("Markdown", "Print or save", "History", "Local mode"):
            assert words not in text, (paper, words)


def check_files(page: Page, folder: Path) -> None:
    assert "Two sources say so." in downloaded(page, "Web page", folder).read_text(encoding="utf-8")
    assert "\n# The lighthouse of Alexandria" in downloaded(page, "Markdown", folder).read_text(encoding="utf-8")
    word = docx.Document(str(downloaded(page, "Word", folder)))
    assert "Two sources say so." in [paragraph.text for paragraph in word.paragraphs]
    page.get_by_role("button", name="ClaimReview").click()
    draft = json.loads(downloaded(page, "Draft", folder).read_text(encoding="utf-8"))
    assert (draft["@type"], draft["claimReviewed"]) == ("ClaimReview", CLAIM)
    page.keyboard.press("Escape")


def downloaded(page: Page, button: str, folder: Path) -> Path:
    with page.expect_download() as download:
        page.get_by_role("button", name=button).click()
    path = folder / download.value.suggested_filename
    download.value.save_as(path)
    return path


def share_and_withdraw(page: Page, open_page: OpenPage) -> None:
    page.get_by_role("button", name="Share").click()
    page.get_by_role("button", name="Make a link").click()
    link = page.get_by_test_id("stCode").inner_text().strip()
    colleague = open_page(link)
    expect(colleague.get_by_text("Two sources say so.")).to_be_visible()
    assert colleague.get_by_role("button", name="Useful").count() == 0
    page.get_by_role("button", name="Withdraw 1 link").click()
    expect(page.get_by_role("button", name="Withdraw 1 link")).to_have_count(0)
    colleague.reload()
    colleague.get_by_role("note").wait_for()
