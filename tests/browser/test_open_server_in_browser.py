"""What a stranger may do on an open server, seen through a browser: the table in docs/servers.md, line by line."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from core.campaigns.access import invite_organiser
from core.jobs.store import JobStore
from core.jobs.types import Listed, State
from core.storage.store import Store
from tests.browser.conftest import OpenPage, field, look_in, serving
from tests.browser.kept_cases import OWNER, REMEMBER, fill
from tests.files import pdf
from tests.verification.report.conftest import REQUEST

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]

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


def ask_with(page: Page, place: str, key: str, written: str) -> None:
    """Type a claim and where its evidence is."""
    field(page, "verify-text").fill("The tower is tall.")
    look_in(page, place)
    field(page, key).fill(written)
    page.keyboard.press("Tab")


def test_without_a_word_it_serves_nobody(tmp_path: Path, open_page: OpenPage) -> None:
    with serving(tmp_path, STREAMLIT_SERVER_ADDRESS="0.0.0.0", VERIDESK_OPEN="") as (address, _):
        page = open_page(address)
        expect(page.get_by_role("alert")).to_be_visible()
        assert page.get_by_role("textbox").count() == 0


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


def test_no_path_leads_out_of_the_folder_of_stores(open_server: str, open_page: OpenPage, home: Path) -> None:
    page = open_page(open_server)
    for path in ("/etc/passwd", f"{home}/stores/../veridesk.db"):
        ask_with(page, "Stored documents", "verify-store", path)
        page.get_by_role("button", name="Verify", exact=True).click()
        says(page, f"{path}: this server is open to other machines")


def test_no_address_of_the_servers_own_network_is_fetched(open_server: str, open_page: OpenPage) -> None:
    page = open_page(open_server)
    ask_with(page, "Web addresses", "verify-urls", f"{open_server}/_stcore/health")
    page.get_by_role("button", name="Read these pages now").click()
    says(page, "is not on the public internet")


def test_files_are_bounded_and_read_within_bounds(open_server: str, open_page: OpenPage, tmp_path: Path) -> None:
    (tmp_path / "large.txt").write_bytes(bytes(51 * 2**20))
    (tmp_path / "cut.pdf").write_bytes(pdf("Hello.")[:200])
    page = open_page(open_server)
    look_in(page, "My files")
    page.locator("input[type=file]").first.set_input_files(tmp_path / "large.txt")
    says(page, "50.0MB or smaller")
    page.locator("input[type=file]").first.set_input_files(tmp_path / "cut.pdf")
    says(page, "cut.pdf: this")


def test_places_in_the_queue_are_bounded(open_server: str, open_page: OpenPage, home: Path) -> None:
    jobs = JobStore(Store(f"sqlite:///{home / 'veridesk.db'}"))

    def wait(owner: str) -> None:
        """Take a place; the work belongs to another machine, so that it does not begin here."""
        jobs.add("verify", owner, Listed("A claim"), {}, place="elsewhere", tries=1)

    def verify(page: Page) -> None:
        page.get_by_text("Nepal and China have agreed").click()
        expect(field(page, "verify-text")).to_have_value(re.compile("Nepal and China have agreed"))
        page.get_by_role("button", name="Verify", exact=True).click()

    for _ in range(8):
        wait(OWNER)
    mine = open_page(open_server)
    mine.evaluate(REMEMBER)
    mine.reload()
    verify(mine)
    says(mine, "8 of your claims are waiting already")
    for number in range(32):
        wait(f"{number % 4}" * 64)
    stranger = open_page(open_server)
    verify(stranger)
    says(stranger, "40 claims are waiting already")


def test_an_organiser_who_was_invited_may_open_what_others_may_not(
    open_server: str, open_page: OpenPage, home: Path
) -> None:
    link = invite_organiser(Store(f"sqlite:///{home / 'veridesk.db'}"), days=1)
    page = open_page(f"{open_server}/campaigns?invite={link}")
    says(page, "You are an organiser")
    page.goto(f"{open_server}/models")
    expect(page.get_by_role("heading", name="Models").first).to_be_visible()
    expect(page.get_by_role("button", name="Show its files")).to_be_visible()
    stranger = open_page(f"{open_server}/models")
    expect(stranger.get_by_role("note")).to_be_visible()
