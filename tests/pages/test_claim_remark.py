"""What the form of Verify says of a text that is not one claim."""

from __future__ import annotations

from pages.ui.app_state import AppState
from pages.ui.claim_form.claim_draft import ADDRESSES, SEARCH, field
from tests.pages.desks import ANNA, HOSTILE, html_of, visit, work_by
from tests.pages.test_verify_page import button

THREE = "The tower is 330 m high. It was built in 1889. It is made of iron."


def typed(text: str):  # type: ignore[no-untyped-def]
    app = visit()
    app.button_group(key=field("where")).set_value(ADDRESSES).run()
    app.text_area(key=field("urls")).set_value("https://example.org/page").run()
    return app.text_area(key=field("text")).set_value(text).run()


def test_a_claim_is_left_alone_and_a_question_is_not_stopped(at_desk: AppState) -> None:
    assert "This is" not in html_of(typed("The tower is 330 m high."))
    app = typed("Is the tower 330 m high?")
    assert "A question is neither true nor false" in html_of(app)
    button(app, "Verify").click().run()
    assert at_desk.cases.search(ANNA).total == 1


def test_several_statements_become_a_claim_each(at_desk: AppState) -> None:
    app = typed(THREE)
    assert "These are several statements." in html_of(app)
    app.checkbox(key="verify-statements-1").uncheck()
    button(app, "Check 3 statements one by one").click().run()  # before the button says that they are two
    assert not app.exception
    listed = at_desk.cases.search(ANNA)
    assert {entry.title for entry in listed.entries} == {"The tower is 330 m high.", "It is made of iron."}


def test_statements_that_the_queue_has_no_room_for_stay_in_the_form(at_desk: AppState) -> None:
    app = typed(" ".join(f"The tower number {number} was built in 1889." for number in range(12)))
    work_by(at_desk, lambda request, on_progress, stop: at_desk.queue.closed.wait(30) and {})  # type: ignore[assignment]
    button(app, "Check 12 statements one by one").click().run()
    assert "of your claims are waiting already" in html_of(app)
    left = app.text_area(key=field("text")).value or ""
    assert left.count("\n") + 1 + at_desk.cases.search(ANNA).total == 12


def test_with_a_search_statements_are_taken_one_at_a_time_and_nothing_is_sent(at_desk: AppState) -> None:
    app = typed(THREE)
    app.button_group(key=field("where")).set_value(SEARCH).run()
    assert "take one statement at a time" in html_of(app)
    assert not [one for one in app.button if "one by one" in one.label]
    app.button(key="verify-statements-take-1").click().run()
    assert app.text_area(key=field("text")).value == "It was built in 1889."
    assert at_desk.cases.search(ANNA).total == 0


def test_of_a_quotation_the_content_can_be_checked(at_desk: AppState) -> None:
    app = typed("The minister claimed that unemployment had halved.")
    assert "Do you want to check that somebody said it" in html_of(app)
    button(app, "Check the statement itself").click().run()
    assert app.text_area(key=field("text")).value == "Unemployment had halved."


def test_hostile_statements_are_text(at_desk: AppState) -> None:
    app = typed(f"{HOSTILE} was built in 1889. The tower is high.")
    assert not app.exception
    assert all("](http" not in box.label.replace("\\", "") or "\\]" in box.label for box in app.checkbox)
