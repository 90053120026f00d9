"""The Score page without a browser: from form to leaderboard, items, downloads, answers and the stress test."""

import json
import time
from pathlib import Path

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from core.jobs.types import STALE_SECONDS
from core.scoring.open_metrics import Opening
from core.scoring.score_job import SCORE
from core.types import Claim, Prompt
from core.verification.request import Request
from pages.score.cases import KEY as CASES
from pages.ui import make_once
from pages.ui.app_state import AppState, app_state
from tests.fakes import Reader
from tests.pages.desks import BERT, html_of, keys, press, read, settled, told, visit
from tests.waiting import until

EXAMPLE = Path(__file__).resolve().parents[2] / "assets" / "scoring"


@pytest.fixture
def page(at_desk: AppState) -> AppTest:
    return visit("someone", page="score")


@pytest.fixture
def judge(monkeypatch: pytest.MonkeyPatch) -> Reader:
    reader = Reader()
    monkeypatch.setattr(Opening, "llm", lambda self: reader)
    return reader


def finish(at: AppTest) -> AppTest:
    """Run the page until its scoring run has ended."""
    runs = app_state().runs
    until(lambda: not any(run.state.live for run in runs.of("someone")))
    return at.run()


def pressable(at: AppTest, start: str) -> list[str]:
    """Return the keys of the buttons that begin so, in the page's order."""
    return [str(button.key) for button in at.button if str(button.key).startswith(start)]


def add(at: AppTest, gold: bytes, **submissions: bytes) -> AppTest:
    """Upload a gold file and submissions by name, where "__" stands for a dot."""
    at.file_uploader(key="score-gold").set_value([("gold.json", gold, "application/json")])
    files = [(name.replace("__", "."), content, "text/plain") for name, content in submissions.items()]
    at.file_uploader(key="score-submission").set_value(files)
    return at.run()


def test_the_form_waits_for_its_files_and_says_what_each_score_means(page: AppTest) -> None:
    assert not page.exception
    assert page.button(key="score-start").disabled
    for words in ("Akhtar et al. 2024", "LiveRAG 2025", "Ev²R"):
        assert words in html_of(page)


def test_the_example_gives_a_leaderboard_that_outlives_a_restart_for_its_owner_alone(page: AppTest) -> None:
    at = finish(press(page, "score-example"))
    assert not at.exception
    text = html_of(at)
    assert text.index("careful") < text.index("hasty")
    assert "0.8333" in text  # 5 of 6 claims: right verdict and evidence above 0.25
    assert at.code[0].value.startswith("hungarian-meteor|")
    assert "Was the Harland footbridge" in text
    assert "Evidence/<wbr>Cherrypicking" in text  # breaks there and not inside a word
    table = next(frame.value for frame in at.dataframe if "careful" in frame.value)
    assert table["careful"].tolist() == [1.0, 1.0, 1.0, 0.0, 1.0, 1.0]
    ranked = at.selectbox(key="score-rank")
    at = ranked.set_value("hungarian-meteor:q+a").run()
    table = next(frame.value for frame in at.dataframe if "hasty" in frame.value)
    assert 0 < table["careful"][0] < 1
    st.cache_resource.clear()  # what a restart of the server forgets
    at = press(at.run(), "score-other")
    assert "careful, hasty" in html_of(at)
    assert "careful, hasty" not in html_of(visit(BERT, page="score"))
    (key,) = pressable(at, "run-open-")
    at = press(at, key)
    assert "0.8333" in html_of(at)
    at.session_state["owner"] = "someone else"
    at = at.run()
    assert "score-rank" not in keys(at)
    assert "0.8333" not in html_of(at)


def test_ev2r_asks_for_its_judge_and_shows_facts_and_rules(page: AppTest, judge: Reader) -> None:
    page.button_group(key="score-metric").set_value(["ev2r"]).run()
    assert "score-judge" in keys(page)
    page.number_input(key="score-repeat").set_value(2)
    at = finish(press(page, "score-example"))
    assert not at.exception
    text = html_of(at)
    assert "1 of 3" in text  # facts found in the prediction: "No" stands in "November"
    assert "first time" in text  # of two judgings
    assert at.code[0].value.endswith("seeds:0,1|rule:evidence>0.5")
    assert "judge:reader" in at.code[0].value


def test_unscored_items_are_shown_with_bounds_and_asked_again(page: AppTest, judge: Reader) -> None:
    def nonsense(prompt: Prompt) -> str:
        return '{"facts": "none"}' if "lake" in prompt[-1].text.lower() else '{"facts": ["The lake was clean."]}'

    judge.reply = nonsense
    page.button_group(key="score-metric").set_value(["ev2r"]).run()
    at = finish(press(page, "score-example"))
    assert "score-ask-again" in keys(at)
    assert "0.000 … 0.167" in html_of(at)  # careful's claim 4; no other counts
    judge.reply = None
    at = finish(press(at, "score-ask-again"))
    assert "score-ask-again" not in keys(at)
    assert "attempts:2" in at.code[0].value


def test_files_of_another_kind_are_named_and_names_cannot_turn(page: AppTest) -> None:
    careful = (EXAMPLE / "careful.json").read_bytes()
    at = add(page, (EXAMPLE / "gold.json").read_bytes(), virus__exe=b"MZ\0\0", **{"\u202egpj__json": careful})
    assert "virus.exe" in told(at)
    assert "gpj (6 claims)" in at.markdown[0].value
    assert "\u202e" not in html_of(at)
    assert not at.button(key="score-start").disabled


def test_problems_stand_in_a_table_the_worst_first_and_can_be_downloaded(page: AppTest) -> None:
    rows = json.loads((EXAMPLE / "careful.json").read_text(encoding="utf-8"))
    unknown = [{**row, "pred_label": "=1+1"} for row in rows]
    at = add(page, (EXAMPLE / "gold.json").read_bytes(), odd__json=json.dumps([*unknown, unknown[0]]).encode())
    table = read(at, "row")
    (doubled,) = [place for place, row in enumerate(table) if " 2 times" in row]
    assert doubled < min(place for place, row in enumerate(table) if "=1+1" in row)
    assert [button.key.rpartition("-")[2] for button in at.download_button] == ["csv", "xlsx", "tex", "json"]
    twice = [{**row, "claim_id": number} for number, row in enumerate(rows * 10)]
    at = add(at, (EXAMPLE / "gold.json").read_bytes(), many__json=json.dumps(twice).encode())
    assert '<td class="vd-left">ids 6–59</td>' in html_of(at)  # one line for 54 ids of which one thing is to be said


def test_answers_to_questions_are_scored_against_a_key(page: AppTest, judge: Reader) -> None:
    key = [{"id": 1, "question": "What of the bridge?", "answer": "The bridge fell"}, {"id": 2, "question": "Who?"}]
    given = [{"id": 1, "question": "", "answer": "The bridge fell. It rained", "passages": ["The bridge fell in May"]}]
    rows = [{"answer": "Anna", **row} for row in key]
    at = add(page, json.dumps(rows).encode(), system__json=json.dumps(given).encode())
    assert "score-metric" not in keys(at)  # there is one way to score them
    at = finish(press(at, "score-start"))
    assert not at.exception
    assert at.code[0].value.startswith("answers|")
    assert "1 of 1" in html_of(at)  # vital facts of the correct answer
    assert "1 of 2" in html_of(at)  # statements found in their passages


def test_past_cases_are_scored_by_their_claim_or_for_faithfulness(
    page: AppTest, at_desk: AppState, judge: Reader
) -> None:
    request = Request(Claim("Can  the wall be seen?"))
    settled(at_desk, at_desk.cases.start("someone", request), "someone")
    at = page.run()
    at = at.checkbox(key=CASES).check().run()
    at = finish(press(at, "score-start"))
    assert not at.exception
    assert at.selectbox(key="score-rank").value == "answers:faithfulness"
    assert "quoted_passages, test" in html_of(at)  # the recipe and the model that it was checked with
    at = press(at, "score-other")
    gold = {"claim": "Can the wall be seen?", "label": "Refuted", "questions": [{"question": "Can it be seen?"}]}
    at = add(at, json.dumps([gold]).encode())
    at = at.checkbox(key=CASES).check().run()
    at = finish(press(at, "score-start"))
    assert not at.exception
    assert "quoted_passages, test" in html_of(at)
    assert at.code[0].value.startswith("hungarian-meteor|")


def test_metrics_are_stress_tested_as_a_job(page: AppTest) -> None:
    page.button_group(key="score-task").set_value("Stress-test metrics").run()
    page.button_group(key="stress-metric").set_value(["hungarian-meteor"]).run()
    at = finish(press(page, "stress-example"))
    assert not at.exception
    text = html_of(at)
    assert "stop words dropped" in text
    assert "answers blank" in text
    assert at.code[0].value.startswith("hungarian-meteor|veridesk-1|")


def test_a_run_whose_server_went_away_goes_on_when_asked(page: AppTest, at_desk: AppState) -> None:
    at_desk.queue.close()
    at = press(page, "score-example")
    assert "run-cancel" in keys(at)
    assert at_desk.jobs.claim({SCORE: ()}, server="gone", place="")
    now = time.time()
    at_desk.store.clock = lambda: now + STALE_SECONDS + 1
    assert "score-resume" in keys(at.run())
    st.cache_resource.clear()
    app_state().store.clock = lambda: now + STALE_SECONDS + 1
    at = finish(press(at.run(), "score-resume"))
    assert "0.8333" in html_of(at)


def test_a_finished_run_is_named_compared_shared_and_deleted(page: AppTest, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(make_once, "SECOND_CLICK_SECONDS", 0)  # a person comes back to the example later
    at = finish(press(page, "score-example"))
    name = next(key for key in keys(at) if key.startswith("run-name-"))
    at.text_input(key=name).set_value("Spring *draft*")
    at = press(at, "run-rename")
    at = press(at, "share")
    link = next(code.value for code in at.code if "shared=" in code.value)
    at = finish(press(press(at, "score-other"), "score-example"))
    at = press(at, "score-other")
    assert "Spring *draft*" in html_of(at)
    for key in pressable(at, "run-compare-"):
        at = press(at, key)
    at = press(at, "run-compare-chosen")
    assert ">0.0000<" in html_of(at)

    token = link.partition("shared=")[2]
    other = visit(BERT, page="score", shared=token)
    assert "0.8333" in html_of(other)
    assert not {key for key in keys(other) if key.startswith(("score-ask-again", "run-name-"))}

    assert "no case" in told(visit(BERT, shared=token), "note")

    at = press(at, "run-back")
    for key in pressable(at, "run-delete-"):
        at = press(press(at, key), "run-delete")
    assert not pressable(at, "run-open-")
    assert "no run" in told(other.run(), "note")
