"""The rating page as raters use it: by keys, over crashes and devices, and with nothing in it that could tell."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Literal

import pytest
from playwright.sync_api import FloatRect, Locator, Page, expect

from core.campaigns.access import command_line
from core.campaigns.organising import create_campaign
from core.campaigns.planning.comparisons import comparison_items
from core.campaigns.planning.own_form import read_form
from core.campaigns.planning.plans import CampaignItem, CampaignPlan, EvidencePair
from core.campaigns.results import campaign_ratings
from tests.browser.conftest import OpenPage
from tests.browser.raters import (
    PREDICTED,
    REFERENCE,
    SECRETS,
    Campaign,
    Wire,
    at_step,
    begin,
    panel,
    saved,
    served_campaign,
    slow_down,
)
from tests.waiting import until

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def campaign(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Campaign]:
    with served_campaign(tmp_path_factory.mktemp("home"), items=3) as made:
        yield made


PAIRWISE = """
kind = "pairwise"
[[questions]]
name = "better"
title = "Better"
question = "Which evidence is better?"
"""
GOOD, BAD = "The better text.", "The other text."


DIRECT = (
    PAIRWISE
    + """
[[questions]]
name = "proof"
title = "Proof"
question = "Which sentences decide?"
answer = "spans"

[[questions]]
name = "quality"
title = "Quality"
question = "How good is the better evidence, from 0 to 100?"
answer = "scale"
low = 0
high = 100
ends = ["Useless", "Perfect"]
measure = "interval"
"""
)


@pytest.fixture(scope="module")
def pairs(campaign: Campaign) -> Campaign:
    return compared(campaign, PAIRWISE)


def compared(campaign: Campaign, form_text: str) -> Campaign:
    """Return a campaign of two claims on the same server; two raters compare two systems on both."""
    form = read_form("form.toml", form_text)
    systems = {"SecretSystem good": GOOD, "SecretSystem bad": BAD}
    single = [
        CampaignItem(f"SecretItem{number}", f"Claim {number}", (EvidencePair("Can it?", text),), system=system)
        for number in (1, 2)
        for system, text in systems.items()
    ]
    items = comparison_items(single, form.kind).items
    plan = CampaignPlan("Pairs", items, form, seed=3, ratings_per_item=2, items_per_rater=2, controls_per_rater=0)
    return replace(campaign, id=create_campaign(campaign.store, command_line(campaign.store), plan))


def press(page: Page, *keys: str) -> None:
    for key in keys:
        page.keyboard.press(key)


def place(page: Page, number: int) -> Locator:
    return page.get_by_role("group", name=f"item {number} of 3")


def predicted(page: Page) -> Locator:
    return page.get_by_role("region", name="Predicted evidence")


def reference(page: Page) -> Locator:
    return page.get_by_role("region", name="Reference evidence")


def next_item(page: Page, number: int) -> None:
    try:
        expect(place(page, number)).to_be_visible()
    except AssertionError as error:
        raise AssertionError(panel(page).inner_text()) from error
    at_step(page, "error")


def as_dict(campaign: Campaign, page: Page) -> dict[str, object]:
    """Return what the database has of the item in view."""
    return campaign.answers().get(page.get_by_role("heading", level=1).inner_text(), {})


def test_nothing_that_could_tell_reaches_the_browser(campaign: Campaign, open_page: OpenPage) -> None:
    page = open_page("about:blank")
    wire = Wire(page)
    page.goto(campaign.link())
    begin(page)
    for number in (1, 2, 3):  # one of them is a control
        next_item(page, number)
        claim = page.get_by_role("heading", level=1).inner_text()
        which = claim.removeprefix("Claim ")[0]
        assert wire.has(claim), "the search sees what was sent"
        press(page, "4")
        at_step(page, "verdict")
        saved(page)
        assert not wire.has(PREDICTED + which)
        assert not wire.has(REFERENCE + which)
        press(page, "3")
        expect(predicted(page)).to_contain_text(PREDICTED + which)
        assert wire.has(REFERENCE + which)
        reference(page).wait_for()
        press(page, "2", "3", "4", "5", "1")
        at_step(page, "comment")
        press(page, "Enter")
    page.get_by_role("heading", name="You have rated all 3: thank you").wait_for()
    assert [secret for secret in SECRETS if wire.has(secret)] == []
    assert page.title() != "taken"


def test_seven_answers_take_nine_keys_and_no_mouse(campaign: Campaign, open_page: OpenPage) -> None:
    page = open_page(campaign.link())
    begin(page)
    next_item(page, 1)
    claim = page.get_by_role("heading", level=1).inner_text()
    keys = ("4", "2", "Enter", "1", "2", "3", "4", "5", "Enter")
    press(page, *keys)
    next_item(page, 2)
    assert len(keys) <= 9
    assert campaign.answers()[claim] == {
        "error": "no major errors",
        "verdict": "Refuted",
        "support": "",
        "semantic_coverage": 1,
        "coherence": 2,
        "redundancy": 3,
        "consistency": 4,
        "relevance": 5,
    }


TAKE_OUT = """() => {
  window.panel = document[Symbol.for("veridesk rating panel")];
  window.place = panel.root.parentElement;
  panel.root.remove();
}"""
PUT_BACK = "() => { panel.moveTo(place); panel.receive(panel.data); }"


def test_answers_are_changed_and_no_key_is_lost(campaign: Campaign, open_page: OpenPage) -> None:
    page = open_page(campaign.link())
    begin(page)
    press(page, "2")
    page.wait_for_timeout(1500)
    press(page, "Enter")  # a major error ends an item
    next_item(page, 2)
    assert campaign.seconds()[0] > 1.0
    press(page, "Backspace")  # to the item before, where it can be seen what was answered
    at_step(page, "comment")
    expect(place(page, 1)).to_be_visible()
    expect(page.locator(".vd-row")).to_have_count(1)
    press(page, "ArrowLeft")
    at_step(page, "error")
    expect(page.get_by_role("button", name="NOT UNDERSTANDABLE")).to_have_attribute("aria-pressed", "true")
    press(page, "4")
    at_step(page, "verdict")
    saved(page)
    assert as_dict(campaign, page) == {"error": "no major errors"}
    press(page, "3", "1", "1", "1", "1", "1", "Enter")
    next_item(page, 2)
    slow_down(page, 4)  # the page is drawn anew while the next keys are pressed
    press(page, "4", "3")  # not enough information: nothing supports a decision
    at_step(page, "semantic_coverage")
    press(page, "Backspace")
    at_step(page, "verdict")
    press(page, "2")
    at_step(page, "support")
    press(page, "Backspace")
    at_step(page, "verdict")
    saved(page)
    page.evaluate(TAKE_OUT)
    press(page, "1", "x")
    page.evaluate(PUT_BACK)
    at_step(page, "support")
    saved(page)
    assert as_dict(campaign, page)["verdict"] == "Supported"


SELECT = """() => {
  const node = document.querySelector("[data-pair='2'] .vd-answer").firstChild;
  getSelection().setBaseAndExtent(node, 0, node, node.data.indexOf(".") + 1);
}"""


def test_nothing_is_preselected_and_neither_a_refresh_nor_another_device_loses_anything(
    campaign: Campaign, open_page: OpenPage
) -> None:
    link = campaign.link()
    page = open_page(link)
    begin(page)
    assert "invite" not in page.url
    assert panel(page).get_by_role("button", pressed=True).count() == 0
    press(page, "4", "2")
    at_step(page, "support")
    saved(page)
    expect(page.get_by_role("button", name="Use selected text")).to_be_disabled()
    page.evaluate(SELECT)
    expect(page.get_by_role("button", name="Use selected text (9 words)")).to_be_enabled()
    press(page, "s", "Enter")
    at_step(page, "semantic_coverage")
    saved(page)
    first = "Answer 2: nobody on the Moon has seen it."
    assert as_dict(campaign, page)["support"] == first
    press(page, "Backspace", "3")  # the whole answer of pair 3
    saved(page)
    assert str(as_dict(campaign, page)["support"]).startswith(f"{first}\nAnswer 3: nobody")
    page.get_by_role("textbox", name="Supporting text").fill("typed by hand")
    until(lambda: as_dict(campaign, page)["support"] == "typed by hand")  # a text is saved when the rater pauses
    saved(page)
    page.reload()
    at_step(page, "semantic_coverage")
    press(page, "3")
    at_step(page, "coherence")
    assert panel(page).get_by_role("button", pressed=True).count() == 0
    saved(page)
    press(page, "Backspace")
    at_step(page, "semantic_coverage")
    expect(panel(page).get_by_role("button", pressed=True)).to_have_attribute("data-value", "3")
    other = open_page(link)  # a context of its own: another device
    begin(other)
    at_step(other, "coherence")
    press(other, "5")
    at_step(other, "redundancy")
    saved(other)
    press(page, "2")  # the first device does not undo what the second one did
    expect(panel(page).get_by_role("button", pressed=True)).to_have_attribute("data-value", "5")
    saved(page)
    kept = as_dict(campaign, page)
    assert (kept["support"], kept["semantic_coverage"], kept["coherence"]) == ("typed by hand", 2, 5)


def test_question_and_evidence_are_in_view_on_a_phone_and_on_a_desk(campaign: Campaign, open_page: OpenPage) -> None:
    page = open_page(campaign.link(), width=400)
    begin(page)
    page.set_viewport_size({"width": 400, "height": 480})
    page.get_by_test_id("stMain").evaluate("main => main.scrollTo(0, 0)")
    bar = panel(page).get_by_role("button", name="Does the predicted evidence contain any")
    expect(bar).to_be_visible()
    bar.click()
    expect(bar).to_be_hidden()
    expect(panel(page).get_by_role("group", name="Major errors")).to_be_in_viewport()
    page.set_viewport_size({"width": 1280, "height": 480})
    expect(bar).to_be_hidden()
    page.set_viewport_size({"width": 1280, "height": 900})
    press(page, "4", "3")
    reference(page).wait_for()
    until(lambda: ascending(page, "x"))  # beside each other
    assert all(box["y"] + box["height"] <= 900 for box in boxes(page)), "in view without scrolling"
    assert panel(page).get_by_role("group", name="Semantic coverage").get_by_role("button").count() == 5
    page.set_viewport_size({"width": 400, "height": 900})
    until(lambda: ascending(page, "y"))  # below each other
    page.wait_for_function("document.documentElement.scrollWidth <= window.innerWidth")
    press(page, "1")
    at_step(page, "coherence")
    expect(reference(page)).to_be_hidden()


def boxes(page: Page) -> list[FloatRect]:
    """Return the places of both evidences and of the panel."""
    return [box for one in (predicted, reference, panel) if (box := one(page).bounding_box())]


def ascending(page: Page, axis: Literal["x", "y"]) -> bool:
    places = [box[axis] for box in boxes(page)]
    return len(places) == 3 and places == sorted(set(places))


def test_sentences_of_two_sides_are_marked_and_a_long_scale_is_answered_by_keys(
    campaign: Campaign, open_page: OpenPage
) -> None:
    direct = compared(campaign, DIRECT)
    page = open_page(direct.link(), width=400)
    begin(page)
    at_step(page, "better")
    press(page, "1")
    at_step(page, "proof")
    boxes = panel(page).get_by_role("checkbox")
    expect(boxes).to_have_count(2)
    press(page, "1", "2")
    for box in boxes.all():
        expect(box).to_be_checked()
    saved(page)
    press(page, "Enter")
    at_step(page, "quality")
    slider = panel(page).get_by_role("slider", name="Quality")
    expect(slider).to_have_attribute("aria-valuetext", "not answered")
    press(page, "Enter")
    at_step(page, "quality")
    press(page, "End", "ArrowLeft", "ArrowLeft")
    expect(slider).to_have_attribute("aria-valuetext", "98")
    press(page, "Enter")
    at_step(page, "comment")
    saved(page)
    page.reload()
    panel(page).get_by_role("button", name="Quality 98").click()
    expect(slider).to_have_value("98")
    (given,) = direct.answers().values()
    assert (given["proof"], given["quality"]) == ("1:0-15 2:0-16", 98)


def test_two_raters_compare_two_systems_by_keys(pairs: Campaign, open_page: OpenPage) -> None:
    first_of = set()
    for width in (1280, 400):
        page = open_page("about:blank", width=width)
        wire = Wire(page)
        page.goto(pairs.link())
        begin(page)
        for number in (1, 2):
            expect(page.get_by_role("group", name=f"item {number} of 2")).to_be_visible()
            at_step(page, "better")  # the panel is drawn last: the evidence is this item's, not the last one's
            sides = page.locator(".vd-compared .vd-rate-side")
            expect(sides).to_have_count(2)
            order = ["better" if GOOD in side else "other" for side in sides.all_inner_texts()]
            first_of.add(order[0])
            if number == 1:
                page.reload()
                expect(sides.first).to_contain_text(GOOD if order[0] == "better" else BAD)
                first, second = (sides.nth(place).bounding_box() for place in (0, 1))
                assert first
                assert second
                assert (second["y"] > first["y"]) is (width == 400), "side by side, and below each other on a phone"
            at_step(page, "better")
            panel(page).wait_for()
            press(page, str(order.index("better") + 1))
            at_step(page, "comment")
            saved(page)
            press(page, "Enter")
        expect(page.get_by_role("heading", name="You have rated all 2")).to_be_visible()
        assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
        assert wire.frames
        assert not [frame for frame in wire.frames if b"SecretSystem" in frame]
    assert first_of == {"better", "other"}, "the order changes from rater to rater"
    responses = campaign_ratings(pairs.store, pairs.id, command_line(pairs.store)).responses
    assert [one.own for one in responses] == [{"better": "SecretSystem good"}] * 4
    desk = open_page(f"{pairs.address}/campaigns?campaign={pairs.id}")
    row = desk.get_by_role("region", name="Systems compared").get_by_role("row").nth(1)
    expect(row).to_contain_text("SecretSystem good")
    expect(row).to_contain_text("1.000")
