import csv
import io
import re

from streamlit.testing.v1 import AppTest

from core.documents.examples import examples
from core.interfaces import Stop
from core.jobs.types import Json
from core.types import Claim, Label
from core.verification.progress import OnProgress
from core.verification.request import Request
from core.verification.review import Conclusion, Reviews
from pages.history.folders import cases_csv
from pages.ui.app_state import AppState
from pages.ui.claim_form.claim_draft import field
from tests.pages.desks import (
    ANNA,
    BERT,
    by_role,
    hand_made,
    html_of,
    keys,
    press,
    read,
    result_of,
    settled,
    visit,
    work_by,
)


def add(at: AppState, claim: str, owner: str = ANNA, *, text: str = "The wall is long.") -> str:
    def work(request: Request, on_progress: OnProgress, stop: Stop) -> Json:
        return result_of(request, hand_made(request.claim, text=text))

    work_by(at, work)
    case_id = at.cases.start(owner, Request(Claim(claim), example="everest"))
    settled(at, case_id, owner)
    return case_id


def test_without_cases_an_example_is_offered(at_desk: AppState) -> None:
    app = visit(page="history")
    assert len(by_role(app, "note")) == 1
    press(app, "history-example")
    assert app.text_area(key=field("text")).value == examples()[0].claim.text


def test_only_ones_own_cases_are_listed_newest_first(at_desk: AppState) -> None:
    add(at_desk, "The first claim")
    add(at_desk, "The second claim")
    add(at_desk, "Someone else's claim", BERT)
    page = html_of(visit(page="history"))
    assert page.index("The second claim") < page.index("The first claim")
    assert "Someone else" not in page


def test_search_and_filter_narrow_the_list(at_desk: AppState) -> None:
    add(at_desk, "The wall is old")
    add(at_desk, "The river is long")
    app = visit(page="history")
    app.text_input(key="history-text").set_value("RIVER").run()
    assert "The river" in html_of(app)
    assert "The wall is old" not in html_of(app)
    app.selectbox(key="history-label").set_value("Supported").run()
    assert len(by_role(app, "note")) == 1
    app.selectbox(key="history-label").set_value("Refuted").run()
    assert "The river" in html_of(app)


def test_two_cases_are_compared_by_verdict_questions_and_documents(at_desk: AppState) -> None:
    left, right = add(at_desk, "One claim", text="Left only."), add(at_desk, "Another claim", text="Right only.")
    app = visit(page="history")
    press(app, f"compare-{left}")
    assert "compare-chosen" not in keys(app)
    press(app, f"compare-{right}")
    press(app, "compare-chosen")
    page = html_of(app)
    for words in (
        "One claim",
        "Another claim",
        "Quoted passages",
        "In both: 0",
        "Only on the left: 1",
        "Only on the right: 1",
    ):
        assert words in page, words


def test_another_owners_cases_cannot_be_compared(at_desk: AppState) -> None:
    left, right = add(at_desk, "One claim"), add(at_desk, "Another claim")
    app = visit(BERT, page="history", left=left, right=right)
    assert len(by_role(app, "note")) == 1
    assert "One claim" not in html_of(app)


def test_a_case_is_deleted_only_after_confirmation(at_desk: AppState) -> None:
    case_id = add(at_desk, "The wall is old")
    app = visit(page="history")
    app.button(key=f"delete-{case_id}").click().run()
    assert at_desk.jobs.load(case_id, ANNA) is not None
    press(app, "history-delete")
    assert at_desk.jobs.load(case_id, ANNA) is None


def test_the_list_shows_both_verdicts_and_only_the_table_the_probability(at_desk: AppState) -> None:
    case_id = add(at_desk, "The wall is old")
    Reviews(at_desk.store).conclude(case_id, ANNA, Conclusion(Label.SUPPORTED, "I saw it."), seen=0)
    page = html_of(visit(page="history"))
    assert "Refuted</span></span>" in page
    assert "%" not in re.sub("<style>.*?</style>", "", page, flags=re.DOTALL)
    assert "You: Supported" in page
    rows = list(csv.DictReader(io.StringIO(cases_csv(at_desk, ANNA, "", "").decode("utf-8-sig"))))
    assert [(row["Claim"], row["Verdict"], row["Own verdict"], row["Why"]) for row in rows] == [
        ("The wall is old", "Refuted", "Supported", "I saw it.")
    ]
    assert rows[0]["Probability"] == "0.7"


def test_numbers_are_found_however_they_are_written(at_desk: AppState) -> None:
    add(at_desk, "The mountain is 8,848.86 metres high")
    app = visit(page="history")
    for written in ("8848.86", "8 848,86", "8.848,86 metres"):
        app.text_input(key="history-text").set_value(written).run()
        assert "The mountain is" in html_of(app), written
    app.text_input(key="history-text").set_value("8849").run()
    assert len(by_role(app, "note")) == 1


def filed(app: AppTest, case: str, name: str) -> AppTest:
    press(app, f"folder-{case}")
    app.text_input(key=f"history-folder-name-{case}").set_value(name)
    return press(app, "history-folder-put")


def test_cases_of_a_story_are_put_in_a_folder_shown_alone_renamed_and_taken_out(at_desk: AppState) -> None:
    bridge, wall = add(at_desk, "The bridge is long"), add(at_desk, "The wall is long")
    add(at_desk, "The wall is long", BERT)
    app = filed(visit(page="history"), bridge, "Bridge <b>")
    assert at_desk.cases.folders(BERT) == []
    app.selectbox(key="history-folder").set_value("Bridge <b>").run()
    assert {f"open-{bridge}"} == {key for key in keys(app) if key.startswith("open-")}
    assert "<b>" not in html_of(app)
    app.text_input(key="history-folder-name-Bridge <b>").set_value("The Lee bridge")
    press(app, "history-folder-rename")
    assert at_desk.cases.folders(ANNA) == ["The Lee bridge"]
    assert f"open-{bridge}" in keys(app)
    assert f"open-{wall}" not in keys(app)
    press(press(app, f"folder-{bridge}"), "history-folder-out")
    assert at_desk.cases.folders(ANNA) == []
    assert f"open-{wall}" in keys(app)


def test_a_folder_is_one_in_any_capitals_and_holds_its_own_persons_cases_only(at_desk: AppState) -> None:
    mine, second, theirs = add(at_desk, "A claim"), add(at_desk, "Another"), add(at_desk, "Theirs", BERT)
    cases = at_desk.cases
    for case, owner, name in ((mine, ANNA, "Bridge"), (second, ANNA, " bridge "), (theirs, BERT, "Bridge")):
        status = cases.status(case, owner)
        assert status
        cases.put_in(status, name)
    assert cases.folders(ANNA) == ["Bridge"]
    assert cases.rename_folder(ANNA, "Bridge", "BRIDGE") == "BRIDGE"
    assert cases.search(ANNA, folder="BRIDGE").total == 2
    assert cases.folders(BERT) == ["Bridge"]


def test_the_address_of_a_case_can_be_copied(at_desk: AppState) -> None:
    case = add(at_desk, "A claim")
    assert any(one.get("data-copy", "").endswith(f"?case={case}") for one in by_role(visit(page="history"), "button"))
    copies = [one.get("data-copy", "") for one in by_role(visit(case=case), "button")]
    assert "A claim" in copies
    assert any(one.endswith(f"?case={case}") for one in copies)


def test_a_claim_that_its_owner_checked_before_is_recognised_before_it_starts(at_desk: AppState) -> None:
    case = add(at_desk, "The wall is 8,848 metres long.")
    add(at_desk, "Somebody else's claim.", BERT)
    app = visit()
    for typed, known in (
        ("the wall is 8848 metres long", True),
        ("The wall is 884 metres long.", False),
        ("The wall is 8,848 metres", False),
        ("Somebody else's claim.", False),
        ("", False),
    ):
        app.text_area(key=field("text")).set_value(typed).run()
        assert ("vd-before" in keys(app)) is known, typed
    app.text_area(key=field("text")).set_value("The wall is 8,848 metres long!").run()
    assert "Refuted" in read(app, "note")[0]
    Reviews(at_desk.store).conclude(case, ANNA, Conclusion(Label.SUPPORTED), seen=0)
    assert "Supported" in read(app.run(), "note")[0]
