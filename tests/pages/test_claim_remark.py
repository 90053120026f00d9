"""What the form of Verify says of a text that is not one claim."""

from pages.ui.app_state import AppState
from pages.ui.claim_form.claim_draft import ADDRESSES, SEARCH, field
from tests.pages.desks import ANNA, HOSTILE, by_role, keys, look_in, press, visit

STATEMENTS = ("The tower is 330 m high.", "It was built in 1889.", "It is made of iron.")
THREE = " ".join(STATEMENTS)


def typed(text: str):  # type: ignore[no-untyped-def]
    app = visit()
    look_in(app, ADDRESSES)
    app.text_area(key=field("urls")).set_value("https://example.org/page").run()
    return app.text_area(key=field("text")).set_value(text).run()


def test_a_claim_is_left_alone_and_a_question_is_not_stopped(at_desk: AppState) -> None:
    assert not by_role(typed(STATEMENTS[0]), "note")
    app = typed("Is the tower 330 m high?")
    assert len(by_role(app, "note")) == 1
    press(app, "verify-send")
    assert at_desk.cases.search(ANNA).total == 1


def test_several_statements_become_a_claim_each(at_desk: AppState) -> None:
    app = typed(THREE)
    assert len(by_role(app, "note")) == 1
    app.checkbox(key="verify-statements-1").uncheck()
    press(app, "claim-each")  # before the button says that they are two
    listed = at_desk.cases.search(ANNA)
    assert {entry.title for entry in listed.entries} == {STATEMENTS[0], STATEMENTS[2]}


def test_with_a_search_statements_are_taken_one_at_a_time_and_nothing_is_sent(at_desk: AppState) -> None:
    app = typed(THREE)
    look_in(app, SEARCH)
    assert "claim-each" not in keys(app)
    press(app, "verify-statements-take-1")
    assert app.text_area(key=field("text")).value == STATEMENTS[1]
    assert at_desk.cases.search(ANNA).total == 0


def test_of_a_quotation_the_content_can_be_checked(at_desk: AppState) -> None:
    app = typed("The minister claimed that unemployment had halved.")
    assert len(by_role(app, "note")) == 1
    press(app, "claim-statement")
    assert app.text_area(key=field("text")).value == "Unemployment had halved."


def test_hostile_statements_are_text(at_desk: AppState) -> None:
    app = typed(f"{HOSTILE} was built in 1889. The tower is high.")
    assert not app.exception
    assert all("](http" not in box.label.replace("\\", "") or "\\]" in box.label for box in app.checkbox)
