"""What a stranger may do on an open server, seen through a browser; pages/test_open_server.py has every line."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import OpenPage, look_in, serving
from tests.files import pdf

pytestmark = pytest.mark.slow

NOT_FOR_STRANGERS = ("models", "stores", "build", "batch", "claims")


@pytest.fixture(scope="module")
def open_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A server that listens everywhere, has no sign-in and no organiser, and was told that it is for everybody."""
    home = tmp_path_factory.mktemp("home")
    with serving(home, STREAMLIT_SERVER_ADDRESS="0.0.0.0", VERIDESK_OPEN="yes") as (address, _):
        yield address


def test_a_stranger_is_offered_no_page_of_an_organiser(open_server: str, open_page: OpenPage) -> None:
    page = open_page(open_server)
    expect(page.get_by_role("link", name="History")).to_be_visible()
    for name in NOT_FOR_STRANGERS:
        expect(page.get_by_role("link", name=name.capitalize())).to_have_count(0)
    page.goto(f"{open_server}/models")
    expect(page.get_by_role("note")).to_be_visible()


def test_files_are_bounded_and_read_within_bounds(open_server: str, open_page: OpenPage, tmp_path: Path) -> None:
    (tmp_path / "large.txt").write_bytes(bytes(51 * 2**20))
    (tmp_path / "cut.pdf").write_bytes(pdf("Hello.")[:200])
    page = open_page(open_server)
    look_in(page, "My files")
    page.locator("input[type=file]").first.set_input_files(tmp_path / "large.txt")
    expect(page.get_by_text("50.0MB or smaller").first).to_be_visible()
    page.locator("input[type=file]").first.set_input_files(tmp_path / "cut.pdf")
    expect(page.get_by_text("cut.pdf: this").first).to_be_visible()
