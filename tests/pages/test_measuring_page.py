"""A model is measured on the Models page: before, during and after, cancelled, failed, and used all the same."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from core.actions.action import ActionContext
from core.interfaces import never
from core.models.choice import add_choice, parse_choice, preferences, set_default
from core.verification.measure_command import MeasureReader
from core.verification.measure_job import measure_reader
from core.verification.stance.measurement import Measurement, newest_of
from core.verification.written_claims import FEW_CLAIMS, FOREIGN_CLAIMS
from pages.ui.app_state import AppState
from pages.ui.claim_form.claim_draft import ADDRESSES, field
from tests.pages.desks import by_role, keys, look_in, press, read, visit
from tests.verification.stance.reading_server import Answers, Careful, reading_server
from tests.waiting import until

PAGE = str(Path(__file__).resolve().parents[2] / "pages" / "models" / "page.py")


@pytest.fixture
def answers(at_desk: AppState, monkeypatch: pytest.MonkeyPatch) -> Iterator[Answers]:
    monkeypatch.setattr("core.verification.measure_job.BuiltInReader", Careful)
    monkeypatch.setattr(at_desk.pool, "open_encoder", object)
    answers = Answers()
    with reading_server(answers) as server:
        choice = parse_choice(f"{server.url}#small")
        add_choice(choice)
        set_default(choice)
        yield answers
        answers.answering.set()


def opened() -> AppTest:
    page = AppTest.from_file(PAGE, default_timeout=120).run()
    assert not page.exception
    return page


def ended(page: AppTest) -> AppTest:
    until(lambda: "cancel-measuring" not in keys(page.run()), seconds=120)
    assert not page.exception
    return page


def kept() -> Measurement:
    found = newest_of("small")
    assert found
    return found


def test_a_model_is_measured_and_the_page_shows_three_ways_to_read(answers: Answers) -> None:
    page = opened()
    before = len(by_role(page, "note"))
    assert "use-anyway" not in keys(page)
    page = ended(press(page, "measure"))
    assert len(by_role(page, "note")) == before + 1
    (table,) = read(page, "region", f"{FEW_CLAIMS} claims in English read on {kept().made.isoformat()}")
    assert all(f"{one.right:.2f}" in table for one in kept().figures.values())
    assert kept().better
    assert {"measure", "measure-more"} <= keys(page)
    assert "use-anyway" not in keys(page)


def test_a_model_that_guesses_is_used_only_if_a_person_wants_it(answers: Answers) -> None:
    answers.right = 0.2
    page = ended(press(opened(), "measure"))
    assert not kept().used
    page = press(page, "use-anyway")
    assert kept().anyway
    press(page, "use-anyway")
    assert not kept().used
    asked = answers.asked
    context = ActionContext(str, print, print, never)
    measure_reader(MeasureReader(preferences().default, use_anyway=True), context)
    assert kept().anyway
    assert answers.asked == asked  # a kept measurement is not repeated


def test_a_measurement_is_cancelled_and_resumed(answers: Answers) -> None:
    answers.answering.clear()
    page = press(opened(), "measure")
    until(lambda: answers.asked)
    assert page.get("progress")
    answers.answering.set()
    until(lambda: answers.asked > 4)
    answers.answering.clear()
    page = press(page.run(), "cancel-measuring")
    answers.answering.set()
    page = ended(page)
    assert newest_of("small") is None
    page = ended(press(page, "resume-measuring"))
    assert kept().claims == FEW_CLAIMS


def test_a_failed_measurement_says_why(answers: Answers) -> None:
    answers.manner = "fails"
    page = ended(press(opened(), "measure"))
    (said,) = read(page, "alert")
    assert "out of memory" in said
    assert "measure" in keys(page)


def test_measured_in_german_it_reads_german_and_the_form_of_a_claim_says_so(answers: Answers) -> None:
    form = german_claim()
    (before,) = read(form, "note")
    page = opened().button_group(key="measure-language").set_value("de").run()
    page = ended(press(page, "measure"))
    found = newest_of("small", "de")
    assert found
    assert (found.better, found.claims, newest_of("small")) == (True, FOREIGN_CLAIMS, None)
    assert "measure-more" not in keys(page)
    (after,) = read(german_claim(), "note")
    assert after != before
    assert "small" in after


def german_claim() -> AppTest:
    app = visit()
    look_in(app, ADDRESSES)
    return app.text_area(key=field("text")).set_value("Der Nil ist der längste Fluss der Welt.").run()
