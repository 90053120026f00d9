import json

from core.storage.shares import Shares
from core.types import Claim, Label, Passage
from core.verification.request import Request
from core.verification.review import Conclusion, Mark, Reviews, passage_key, review_from_json
from pages.ui.app_state import AppState
from pages.ui.page_script import MARKED
from pages.verify.hand_over import receipt_file
from tests.pages.desks import ANNA, BERT, answer, hand_made, html_of, keys, press, read, settled, told, visit, work_by

CASE = hand_made(Claim("The wall is visible."))


def finished(at: AppState) -> str:
    work_by(at, answer)
    case_id = at.cases.start(ANNA, Request(Claim("The wall is visible."), example="everest"))
    settled(at, case_id)
    return case_id


def passage() -> Passage:
    found = CASE.evidence[0].passage
    assert found is not None
    return found


def test_a_conclusion_is_saved_and_stands_in_the_report_and_the_receipt(at_desk: AppState) -> None:
    case_id = finished(at_desk)
    app = visit(case=case_id)
    (before,) = read(app, "status")
    app.selectbox(key="own-label").set_value(Label.SUPPORTED)
    app.text_area(key="own-reason").set_value("I went there.").run()
    press(app, "own-save")
    (after,) = read(app, "status")
    assert before != after
    assert " 1" in after  # the first version
    assert "Choose your verdict" not in after
    assert told(app, "note") == "Your conclusion: Supported"
    review = Reviews(at_desk.store).load(case_id)
    assert review.conclusion == Conclusion(Label.SUPPORTED, "I went there.")
    receipt = json.loads(receipt_file(app.session_state["opened"], review))
    assert review_from_json(receipt["review"]) == review
    press(app, "report")
    assert "I went there." in html_of(app)
    assert "back" in keys(app)


def test_what_was_typed_is_not_saved_before_save_and_says_so(at_desk: AppState) -> None:
    case_id = finished(at_desk)
    app = visit(case=case_id)
    app.text_area(key="own-notes").set_value("Call her.").run()
    press(app, "own-save")
    saved = read(app, "status")
    assert "Choose your verdict" in saved[0]
    app.text_area(key="own-notes").set_value("Call him.").run()
    assert read(app, "status") != saved
    press(app, "own-save")
    assert [one.conclusion.notes for one in Reviews(at_desk.store).history(case_id)] == ["Call him.", "Call her."]


def test_notes_stay_with_their_writer_until_they_are_shown(at_desk: AppState) -> None:
    case_id = finished(at_desk)
    app = visit(case=case_id)
    press(app, "share")
    token = app.session_state["shared"][case_id]
    app.text_area(key="own-reason").set_value("I went there.").run()
    app.text_area(key="own-notes").set_value("Call her.").run()
    press(app, "own-save")
    assert "Call her." not in html_of(visit(BERT, shared=token))
    assert "Call her." not in html_of(visit(case=case_id, view="report"))
    assert b"Call her." not in receipt_file(app.session_state["opened"], Reviews(at_desk.store).load(case_id))
    app.checkbox(key="own-show_notes").set_value(True).run()
    press(app, "own-save")
    assert "Call her." in html_of(visit(BERT, shared=token))
    assert b"Call her." in receipt_file(app.session_state["opened"], Reviews(at_desk.store).load(case_id))


def test_two_tabs_that_save_at_once_lose_nothing_and_are_told(at_desk: AppState) -> None:
    case_id = finished(at_desk)
    one, other = visit(case=case_id), visit(case=case_id)
    one.text_area(key="own-reason").set_value("From the first tab.").run()
    other.text_area(key="own-reason").set_value("From the second tab.").run()
    press(one, "own-save")
    press(other, "own-save")
    assert "From the first tab." in told(other)
    assert other.text_area(key="own-reason").value == "From the second tab."
    press(other, "own-mine")
    kept = [version.conclusion.reason for version in Reviews(at_desk.store).history(case_id)]
    assert kept == ["From the second tab.", "From the first tab."]
    one.text_area(key="own-reason").set_value("Once more.").run()
    press(one, "own-save")
    press(one, "own-theirs")
    assert one.text_area(key="own-reason").value == "From the second tab."


def test_a_pressed_button_marks_its_passage_and_pressed_again_takes_that_back(at_desk: AppState) -> None:
    case_id = finished(at_desk)
    app = visit(case=case_id)
    pressed = {"key": passage_key(passage()), "mark": "wrong"}
    app.session_state[MARKED] = pressed
    app.run()
    assert Reviews(at_desk.store).load(case_id).marks == {passage_key(passage()): Mark.WRONG}
    assert 'data-mark="wrong" aria-pressed="true">Wrong' in html_of(app)
    app.session_state[MARKED] = pressed
    app.run()
    assert Reviews(at_desk.store).load(case_id).marks == {}


def test_what_no_button_of_ours_sends_is_passed_over(at_desk: AppState) -> None:
    case_id = finished(at_desk)
    app = visit(case=case_id)
    for sent in ("x", None, {}, {"key": "a", "mark": "lovely"}, {"key": "a" * 1000, "mark": "wrong"}):
        app.session_state[MARKED] = sent
        app.run()
        assert not app.exception
    assert Reviews(at_desk.store).load(case_id).marks == {}


def test_a_colleague_reads_a_shared_case_until_it_is_withdrawn(at_desk: AppState) -> None:
    case_id = finished(at_desk)
    app = visit(case=case_id)
    press(app, "share")
    token = app.session_state["shared"][case_id]
    assert app.code[0].value.endswith(f"/?shared={token}")
    colleague = visit(BERT, shared=token)
    assert "The wall is visible." in html_of(colleague)
    assert not {"own-save", "share", "unshare", "again"} & keys(colleague)
    assert "The wall is visible." not in html_of(visit(BERT, case=case_id))
    press(app, "unshare")
    assert Shares(at_desk.store).find(token) is None
    assert "no case" in told(visit(BERT, shared=token), "note")
    assert "no case" in told(visit(BERT, shared=case_id), "note")
