"""The first minute: three doors on Verify, and an example on every page."""

import pytest

from core.campaigns.rating import my_campaigns
from core.documents.examples import examples
from pages.ui.app_state import AppState
from pages.ui.claim_form.claim_draft import ADDRESSES, COLLECTION, DOORS, EXAMPLE, FILES, SEARCH, field
from pages.ui.claim_form.evidence_fields import DOOR
from tests.pages.desks import ANNA, keys, look_in, press, visit

OWN = "The bridge over the Lee opened in 2006."


def test_a_new_visitor_sees_three_doors_and_the_examples_behind_the_open_one(at_desk: AppState) -> None:
    app = visit()
    assert app.radio(key=DOOR).options == list(DOORS)
    assert field("where") not in keys(app)
    assert len(app.radio(key=field("example")).options) == len(examples())


def test_what_was_typed_behind_one_door_is_there_after_another_and_after_a_refresh(at_desk: AppState) -> None:
    app = visit()
    app.text_area(key=field("text")).set_value(OWN).run()
    look_in(app, ADDRESSES)
    app.text_area(key=field("urls")).set_value("https://a.example/x").run()
    look_in(app, SEARCH)
    app.text_area(key=field("queries")).set_value("Lee bridge 2006").run()
    for one in (app, visit()):
        one.radio(key=DOOR).set_value("I have documents").run()
        assert one.session_state[field("where")] == ADDRESSES
        assert one.text_area(key=field("urls")).value == "https://a.example/x"
        look_in(one, SEARCH)
        assert one.text_area(key=field("queries")).value == "Lee bridge 2006"
        assert one.text_area(key=field("text")).value == OWN


def test_a_claim_that_an_example_replaced_comes_back_behind_another_door(at_desk: AppState) -> None:
    app = visit()
    app.text_area(key=field("text")).set_value(OWN).run()
    look_in(app, EXAMPLE)
    app.radio(key=field("example")).set_value("lightning").run()
    app.radio(key=field("example")).set_value("everest").run()
    assert app.text_area(key=field("text")).value != OWN
    look_in(app, FILES)
    assert app.text_area(key=field("text")).value == OWN


def test_the_example_of_rate_opens_its_first_item(at_desk: AppState) -> None:
    app = press(visit(page="rate"), "rate-example")
    [campaign] = my_campaigns(at_desk.store, ANNA)
    assert app.query_params["campaign"] == campaign.id
    press(app, "rate-begin")
    assert "rate-items" in keys(app)


def test_the_example_of_build_shows_its_queries_before_any_is_sent(at_desk: AppState) -> None:
    app = visit(page="build")
    assert app.button(key="build-send").disabled
    app.toggle(key="build-example").set_value(True).run()
    assert not app.button(key="build-send").disabled
    assert not at_desk.builds.of(ANNA)


@pytest.mark.parametrize(("page", "place"), [("models", EXAMPLE), ("stores", COLLECTION), ("history", EXAMPLE)])
def test_the_example_of_a_page_is_sent_from_verify(page: str, place: str, at_desk: AppState) -> None:
    app = press(visit(page=page), f"{page}-example")
    assert app.session_state[field("where")] == place
    press(app, "verify-send")
    [case] = at_desk.cases.search(ANNA).entries
    assert case.title == examples()[0].claim.text
