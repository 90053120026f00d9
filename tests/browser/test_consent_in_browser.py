"""Nothing is sent that was not on the screen when it was agreed to: a real browser, and a search engine on loopback."""

from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import OpenPage, field, look_in
from tests.search.site import Site

pytestmark = pytest.mark.slow

CLAIM = "The Springfield Bridge over the Lee is made of wood."
QUERIES = ["Springfield Bridge wood", "Lee wood", "Springfield Lee"]
SEND = "Send up to 8 queries"


@pytest.fixture(autouse=True)
def nothing_asked_yet(engine: Site) -> None:
    engine.requests.clear()


def on_search(page: Page) -> None:
    """Type a claim and choose the search, whose queries are then on the screen."""
    field(page, "verify-text").fill(CLAIM)
    page.keyboard.press("Tab")
    expect(page.get_by_role("region", name="Requests that leave this machine")).to_contain_text("".join(QUERIES))
    page.get_by_role("button", name=SEND).wait_for()


def queries_of(engine: Site) -> list[str]:
    """Return the queries that reached the search engine, in their order."""
    found = [urlsplit(path) for path in engine.requests]
    return [parse_qs(one.query)["q"][0] for one in found if one.path == "/search"]


def press_in_claim(page: Page, more: str = "") -> None:
    field(page, "verify-text").focus()
    page.keyboard.press("Control+End")
    page.keyboard.type(more)
    page.keyboard.press("Control+Enter")


def test_only_a_search_that_is_on_the_screen_is_sent_and_it_is_sent_once(
    app: str, open_page: OpenPage, engine: Site
) -> None:
    page = open_page(app)
    field(page, "verify-text").fill(CLAIM)
    page.get_by_role("button", name="Verify", exact=True).click()  # an own claim on the open example
    expect(page.get_by_role("alert")).to_be_in_viewport()
    page.get_by_role("button", name=SEND).wait_for()
    page.reload()
    expect(field(page, "verify-text")).to_have_value(CLAIM)
    page.get_by_role("button", name=SEND).wait_for()
    look_in(page, "Example")
    expect(page.get_by_role("button", name="Verify", exact=True)).to_be_visible()
    press_in_claim(page, " Or so they say.")
    expect(page.get_by_role("alert")).to_be_in_viewport()
    expect(field(page, "verify-text")).to_have_value(f"{CLAIM} Or so they say.")
    assert engine.requests == []
    page.get_by_role("button", name=SEND).dblclick()  # now it is on the screen
    page.wait_for_url("**case=**")
    page.get_by_role("button", name="Search again with changes").wait_for()
    page.reload()
    page.get_by_role("button", name="Search again with changes").wait_for()
    asked = queries_of(engine)
    assert asked[:3] == QUERIES
    assert len(asked) == len(set(asked)) <= 8


HOLD_BACK = """() => {
  window.late = document.querySelector(".st-key-verify-send");
  window.late.classList.remove("st-key-verify-send");
}"""
BRING = "() => window.late.classList.add('st-key-verify-send')"


def test_the_key_waits_for_a_button_that_is_not_drawn_yet(app: str, open_page: OpenPage) -> None:
    page = open_page(app)
    look_in(page, "My files")
    page.locator("input[type=file]").wait_for(state="attached")
    page.evaluate(HOLD_BACK)
    press_in_claim(page, CLAIM)
    page.wait_for_timeout(1000)
    page.evaluate(BRING)
    expect(page.get_by_role("alert")).to_be_visible()


def test_the_key_before_its_button_sends_nothing_that_was_not_on_the_screen(
    app: str, open_page: OpenPage, engine: Site
) -> None:
    page = open_page(app)
    on_search(page)
    page.evaluate(HOLD_BACK)
    press_in_claim(page)
    page.evaluate(BRING)
    page.wait_for_timeout(3000)
    expect(page.get_by_role("button", name=SEND)).to_be_in_viewport()
    assert engine.requests == []
