"""What a stranger may do on an open server, seen through a browser; pages/test_open_server.py has every line."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from core.jobs.types import State
from tests.browser.conftest import OpenPage, look_in, serving
from tests.browser.kept_cases import REMEMBER, fill
from tests.files import pdf
from tests.verification.report.conftest import REQUEST

pytestmark = pytest.mark.slow

EVERYBODYS = {
    "": "What do you want to check?",
    "history": "Past cases",
    "lab": "Which way suits this claim?",
    "score": "Score submissions",
    "agreement": "Agreement",
}
NOT_FOR_STRANGERS = ("models", "stores", "build", "batch", "claims")
CLAIM = REQUEST.claim.text


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("home")


@pytest.fixture(scope="module")
def open_server(home: Path) -> Iterator[str]:
    """A server that listens everywhere, has no sign-in and no organiser, and was told that it is for everybody."""
    with serving(home, STREAMLIT_SERVER_ADDRESS="0.0.0.0", VERIDESK_OPEN="yes") as (address, _):
        yield address


def says(page: Page, words: str) -> None:
    """Wait until the page says so."""
    expect(page.get_by_text(words).first).to_be_visible()


def test_pages_are_everybodys_or_an_organisers(open_server: str, open_page: OpenPage) -> None:
    page = open_page(open_server)
    for name, heading in EVERYBODYS.items():
        page.goto(f"{open_server}/{name}")
        expect(page.get_by_role("heading", name=heading).first).to_be_visible()
    expect(page.get_by_role("link", name="History")).to_be_visible()
    for name in NOT_FOR_STRANGERS:
        assert page.get_by_role("link", name=name.capitalize()).count() == 0, "the sidebar names it"
        page.goto(f"{open_server}/{name}")
        expect(page.get_by_role("note")).to_be_visible()
    page.goto(f"{open_server}/campaigns")
    expect(page.get_by_role("note")).to_be_visible()
    assert page.get_by_role("button", name="New campaign").count() == 0


def test_a_case_of_somebody_else_looks_like_none(open_server: str, open_page: OpenPage, home: Path) -> None:
    case = fill(home)[State.DONE]
    page = open_page(f"{open_server}/?case={case}")
    expect(page.get_by_role("note")).to_be_visible()
    page.goto(f"{open_server}/history")
    expect(page.get_by_role("heading", name="Past cases")).to_be_visible()
    assert page.get_by_text(CLAIM).count() == 0
    for button in ("Delete", "Cancel"):
        assert page.get_by_role("button", name=button).count() == 0
    page.evaluate(REMEMBER)  # to the browser that it belongs to it is shown
    page.goto(f"{open_server}/history")
    says(page, CLAIM)


def test_files_are_bounded_and_read_within_bounds(open_server: str, open_page: OpenPage, tmp_path: Path) -> None:
    (tmp_path / "large.txt").write_bytes(bytes(51 * 2**20))
    (tmp_path / "cut.pdf").write_bytes(pdf("Hello.")[:200])
    page = open_page(open_server)
    look_in(page, "My files")
    page.locator("input[type=file]").first.set_input_files(tmp_path / "large.txt")
    says(page, "50.0MB or smaller")
    page.locator("input[type=file]").first.set_input_files(tmp_path / "cut.pdf")
    says(page, "cut.pdf: this")
