"""The Score page without a browser: the bundled example from form to leaderboard, item and download."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

import pages.shared.score_runs as score_runs
from core.scoring.opening import Opening
from pages.shared.engines import Desk
from tests.test_scoring_ev2r import Reader

APP = str(Path(__file__).parents[2] / "app.py")


@pytest.fixture
def page(at_desk: Desk) -> Iterator[AppTest]:
    at = AppTest.from_file(APP, default_timeout=30)
    at.session_state["owner"] = "someone"
    yield at.switch_page("pages/score.py").run()
    score_runs.runs.clear()


def finish(at: AppTest) -> AppTest:
    """Run the page until its scoring run has ended."""
    runs = score_runs.runs()
    deadline = time.monotonic() + 60
    while not all(run.ended for run in runs.known.values()):
        assert time.monotonic() < deadline, "the scoring run did not end"
        time.sleep(0.1)
    return at.run()


def press(at: AppTest, label: str) -> AppTest:
    return next(button for button in at.button if button.label == label).click().run()


def html(at: AppTest) -> str:
    return "\n".join(element.proto.body for element in at.get("html"))


def test_the_form_says_what_to_add_and_offers_an_example(page: AppTest) -> None:
    assert not page.exception
    assert "Add a gold file and at least one submission" in html(page)
    assert next(button for button in page.button if button.label == "Score").disabled


def test_the_example_gives_a_leaderboard_with_signature_items_and_matched_evidence(page: AppTest) -> None:
    at = finish(press(page, "Score the example"))
    assert not at.exception
    text = html(at)
    assert text.index("careful") < text.index("hasty")
    assert "0.8333" in text  # 5 of 6 claims: right verdict and evidence above 0.25
    assert at.code[0].value.startswith("hungarian-meteor|")
    assert "Was the Harland footbridge closed in 2023?" in text
    table = next(frame.value for frame in at.dataframe if "careful" in frame.value)
    assert table["careful"].tolist() == [1.0, 1.0, 1.0, 0.0, 1.0, 1.0]


def test_ranking_by_another_score_changes_the_table(page: AppTest) -> None:
    at = finish(press(page, "Score the example"))
    ranked = next(box for box in at.selectbox if box.label == "Ranked by")
    at = ranked.set_value("hungarian-meteor:q+a").run()
    table = next(frame.value for frame in at.dataframe if "hasty" in frame.value)
    assert 0 < table["careful"][0] < 1


def test_a_run_belongs_to_its_owner(page: AppTest) -> None:
    at = finish(press(page, "Score the example"))
    at.session_state["owner"] = "someone else"
    at = at.run()
    assert "not here any more" in html(at)
    assert "0.8333" not in html(at)


def test_ev2r_asks_for_its_judge_and_shows_facts_rules_and_what_is_not_scored(
    page: AppTest, monkeypatch: pytest.MonkeyPatch
) -> None:
    judge = Reader()
    monkeypatch.setattr(Opening, "writer", lambda self: judge)
    at = page
    at.button_group(key="score-metrics").set_value(["ev2r"]).run()
    assert any(box.label == "Judge" for box in at.selectbox)
    at = finish(press(at, "Score the example"))
    assert not at.exception
    text = html(at)
    assert "Facts of the gold evidence: 1 of 3 found in the prediction" in text  # "No" stands in "November"
    assert "No item sits exactly on the threshold" in text
    assert at.code[0].value.endswith("seeds:0|rule:evidence>0.5")
    assert "judge:reader" in at.code[0].value
