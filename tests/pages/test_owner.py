import hashlib
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from core.types import Claim
from core.verification.request import Request
from pages.ui import owner
from pages.ui.app_state import AppState
from pages.ui.claim_form.claim_draft import field
from tests.pages.desks import ANNA, LIGHTNING, html_of, keys, new_app, settled, told

AUTH = {"auth": {"redirect_uri": "http://localhost/oauth2callback", "cookie_secret": "x", "client_id": "x"}}


def visit_as(user: dict[str, object], **query: str) -> AppTest:
    app = new_app()
    app.secrets = AUTH
    app.user = user
    app.query_params.update(query)
    app.run()
    assert not app.exception
    return app


def test_where_sign_in_is_set_up_nobody_gets_past_it(at_desk: AppState) -> None:
    app = visit_as({"is_logged_in": False})
    assert [button.key for button in app.button] == ["sign-in"]
    assert "verify-send" not in keys(app)


def case_of(at: AppState, who: str) -> str:
    case_id = at.cases.start(who, Request(Claim("A claim of one"), example="everest"))
    settled(at, case_id, who)
    return case_id


def test_a_signed_in_user_is_known_by_a_hash_of_issuer_and_subject(at_desk: AppState) -> None:
    case_id = case_of(at_desk, hashlib.sha256(b"user\nhttps://id.example\n42").hexdigest())
    user = {"is_logged_in": True, "iss": "https://id.example", "sub": "42", "email": "jane@example.org"}
    assert "A claim of one" in html_of(visit_as(user, case=case_id))


def test_users_of_one_name_at_two_issuers_are_two(at_desk: AppState) -> None:
    case_id = case_of(at_desk, owner.hashed("user", "https://one.example", "42"))
    first = {"is_logged_in": True, "iss": "https://one.example", "sub": "42"}
    assert "A claim of one" in html_of(visit_as(first, case=case_id))
    assert "A claim of one" not in html_of(visit_as({**first, "iss": "https://two.example"}, case=case_id))


def test_without_sign_in_the_browser_is_not_known_before_it_answers(at_desk: AppState) -> None:
    app = new_app().run()
    assert "owner" not in app.session_state
    assert not app.exception
    assert "verify-send" in keys(app)  # the first paint is the page


def test_a_click_made_before_the_browser_is_known_is_carried_out_once_it_is(at_desk: AppState) -> None:
    at_desk.store.save_draft(ANNA, "verify", {"text": "A draft of last week.", "where": "Example"})
    app = new_app().run()
    app.radio(key=field("example")).set_value("lightning").run()
    app.button(key="verify-send").click().run()
    assert at_desk.cases.search(ANNA).total == 0
    app.session_state["owner"] = ANNA
    app.run()
    (sent,) = at_desk.cases.search(ANNA).entries
    assert sent.title == LIGHTNING
    assert app.query_params["case"] == sent.id
    app.run()
    assert at_desk.cases.search(ANNA).total == 1


def test_an_empty_form_that_was_sent_early_sends_no_draft_of_an_earlier_visit(at_desk: AppState) -> None:
    at_desk.store.save_draft(
        ANNA, "verify", {"text": "A draft of last week.", "where": "Example", "example": "everest"}
    )
    app = new_app().run()
    app.button(key="verify-send").click().run()
    app.session_state["owner"] = ANNA
    app.run()
    assert at_desk.cases.search(ANNA).total == 0
    assert "is empty" in told(app)


def test_the_browser_is_asked_only_after_it_knows_its_page(at_desk: AppState, monkeypatch: pytest.MonkeyPatch) -> None:
    """Asked before, a quick browser answers for the first page, and a link to another page ends there."""
    calls: list[str] = []
    navigation, identify = st.navigation, owner.identify

    def noted(name: str, call: Callable[..., Any], *given: object, **named: object) -> Any:
        calls.append(name)
        return call(*given, **named)

    monkeypatch.setattr(st, "navigation", partial(noted, "navigation", navigation))
    monkeypatch.setattr(owner, "identify", partial(noted, "identify", identify))
    new_app().run()
    assert calls[:2] == ["navigation", "identify"]
