"""The Score page without a browser: from form to leaderboard, items, downloads, answers and the stress test."""

from __future__ import annotations

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
from pages.ui.app_state import AppState, app_state
from tests.fakes import Reader
from tests.pages.desks import BERT, settled, visit
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


def press(at: AppTest, label: str) -> AppTest:
    return next(button for button in at.button if button.label == label).click().run()


def html(at: AppTest) -> str:
    return "\n".join(element.proto.body for element in at.get("html"))


def add(at: AppTest, gold: bytes, **submissions: bytes) -> AppTest:
    """Upload a gold file and submissions by name, where "__" stands for a dot."""
    at.file_uploader(key="score-gold").set_value([("gold.json", gold, "application/json")])
    files = [(name.replace("__", "."), content, "text/plain") for name, content in submissions.items()]
    at.file_uploader(key="score-submissions").set_value(files)
    return at.run()


def test_the_form_says_what_to_add_and_what_each_score_means(page: AppTest) -> None:
    assert not page.exception
    assert "Add a gold file and at least one submission" in html(page)
    assert next(button for button in page.button if button.label == "Score").disabled
    for words in ("0 to 1, higher is better. Akhtar et al. 2024.", "LiveRAG 2025", "it is not Ev²R"):
        assert words in html(page)


def test_the_example_gives_a_leaderboard_with_signature_items_matched_evidence_and_an_owner(page: AppTest) -> None:
    at = finish(press(page, "Score the example"))
    assert not at.exception
    text = html(at)
    assert text.index("careful") < text.index("hasty")
    assert "0.8333" in text  # 5 of 6 claims: right verdict and evidence above 0.25
    assert at.code[0].value.startswith("hungarian-meteor|")
    assert "Was the Harland footbridge closed in 2023?" in text
    assert "Macro F1" in text
    assert "Conflicting Evidence/<wbr>Cherrypicking" in text  # breaks there and not inside a word
    table = next(frame.value for frame in at.dataframe if "careful" in frame.value)
    assert table["careful"].tolist() == [1.0, 1.0, 1.0, 0.0, 1.0, 1.0]
    ranked = next(box for box in at.selectbox if box.label == "Ranked by")
    at = ranked.set_value("hungarian-meteor:q+a").run()
    table = next(frame.value for frame in at.dataframe if "hasty" in frame.value)
    assert 0 < table["careful"][0] < 1
    at.session_state["owner"] = "someone else"
    at = at.run()
    assert "not here any more" in html(at)
    assert "0.8333" not in html(at)


def test_a_long_answer_can_be_opened_whole_and_seconds_stand_only_where_told(page: AppTest) -> None:
    rows = json.loads((EXAMPLE / "careful.json").read_text(encoding="utf-8"))
    untimed = [{name: value for name, value in row.items() if name != "seconds"} for row in rows]
    long = "The closure log lists two closures. " * 20
    untimed[0]["evidence"][0]["answer"] = long
    gold = (EXAMPLE / "gold.json").read_bytes()
    at = finish(press(add(page, gold, careful__json=json.dumps(untimed).encode()), "Score"))
    text = html(at)
    assert "Seconds" not in text
    assert 'class="vd-long"' in text
    assert long.strip() in text
    assert text.count("<details") == text.count("</details>")
    assert "share of claims with a right verdict and a Q + A score" in text  # each column is explained
    at = finish(press(press(at, "Score other files"), "Score the example"))
    assert "Seconds" in html(at)


def test_ev2r_asks_for_its_judge_and_shows_facts_and_rules(page: AppTest, judge: Reader) -> None:
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


def test_facts_of_several_judgings_are_said_to_be_the_first_ones(page: AppTest, judge: Reader) -> None:
    page.button_group(key="score-metrics").set_value(["ev2r"]).run()
    page.number_input(key="score-repeat").set_value(2)
    at = finish(press(page, "Score the example"))
    assert "these are the facts of the first time" in html(at)


def test_unscored_items_are_shown_with_bounds_and_asked_again(page: AppTest, judge: Reader) -> None:
    def nonsense(prompt: Prompt) -> str:
        return '{"facts": "none"}' if "lake" in prompt[-1].text.lower() else '{"facts": ["The lake was clean."]}'

    judge.reply = nonsense
    page.button_group(key="score-metrics").set_value(["ev2r"]).run()
    at = finish(press(page, "Score the example"))
    assert "the judge listed no facts" in html(at)
    assert "1 unscored: 0.000 … 0.167" in html(at)  # careful's claim 4; no other counts
    judge.reply = None
    at = finish(press(at, "Ask again"))
    assert "the judge listed no facts" not in html(at)
    assert "attempts:2" in at.code[0].value


def test_files_of_another_kind_are_named_and_names_cannot_turn(page: AppTest) -> None:
    careful = (EXAMPLE / "careful.json").read_bytes()
    at = add(page, (EXAMPLE / "gold.json").read_bytes(), virus__exe=b"MZ\0\0", **{"\u202egpj__json": careful})
    assert "virus.exe is not a text file" in html(at)
    assert "Read: gpj (6 claims)" in at.markdown[0].value
    assert "\u202e" not in html(at)
    assert not next(button for button in at.button if button.label == "Score").disabled


def test_problems_stand_in_a_table_the_worst_first_and_can_be_downloaded(page: AppTest) -> None:
    rows = json.loads((EXAMPLE / "careful.json").read_text(encoding="utf-8"))
    unknown = [{**row, "pred_label": "=1+1"} for row in rows]
    at = add(page, (EXAMPLE / "gold.json").read_bytes(), odd__json=json.dumps([*unknown, unknown[0]]).encode())
    text = html(at)
    assert "Before you score" in text
    assert text.index("occurs 2 times; keep one record a claim.") < text.index("none of the four verdicts")
    assert [button.proto.label for button in at.get("download_button")] == ["CSV", "XLSX", "LaTeX", "JSON"]
    twice = [{**row, "claim_id": number} for number, row in enumerate(rows * 10)]
    at = add(at, (EXAMPLE / "gold.json").read_bytes(), many__json=json.dumps(twice).encode())
    assert '<td class="vd-left">ids 6–59</td>' in html(at)  # one line for 54 ids of which one thing is to be said


def test_answers_to_questions_are_scored_against_a_key(page: AppTest, judge: Reader) -> None:
    key = [{"id": 1, "question": "What of the bridge?", "answer": "The bridge fell"}, {"id": 2, "question": "Who?"}]
    given = [{"id": 1, "question": "", "answer": "The bridge fell. It rained", "passages": ["The bridge fell in May"]}]
    rows = [{"answer": "Anna", **row} for row in key]
    at = add(page, json.dumps(rows).encode(), system__json=json.dumps(given).encode())
    assert "Answers to questions are scored for correctness and faithfulness" in html(at)
    at = finish(press(at, "Score"))
    assert not at.exception
    assert at.code[0].value.startswith("answers|")
    assert "Vital facts of the correct answer: 1 of 1 said by the answer" in html(at)
    assert "Statements of the answer: 1 of 2 found in its passages" in html(at)


def test_answers_of_one_name_are_two_systems_and_those_to_another_key_none(page: AppTest, judge: Reader) -> None:
    key = json.dumps([{"id": 1, "question": "Who?", "answer": "Anna"}]).encode()
    other = json.dumps([{"id": 7, "question": "Who?", "answer": "Anna"}]).encode()
    at = add(page, key, other__json=other)
    assert "not scored: other." in at.expander[-1].label
    assert "No submission can be scored" in html(press(at, "Score"))
    at = add(at, key, run__json=key, run__jsonl=key, other__json=other, Id__json=key)
    at = finish(press(at, "Score"))
    assert not at.exception
    table = next(frame.value for frame in at.dataframe if "Question" in frame.value)
    assert list(table) == ["Id", "Question", "Id (2)", "run", "run (2)"]
    assert table["Id"].tolist() == ["1"]


def test_systems_may_be_named_as_the_columns_of_the_claims_are(page: AppTest) -> None:
    gold, careful = ((EXAMPLE / f"{name}.json").read_bytes() for name in ("gold", "careful"))
    at = finish(press(add(page, gold, Gold__json=careful, Id__json=careful), "Score"))
    assert not at.exception
    table = next(frame.value for frame in at.dataframe if "Claim" in frame.value)
    assert list(table) == ["Id", "Claim", "Gold", "Gold (2)", "Id (2)"]
    assert (table["Id"][0], table["Gold"][0], table["Gold (2)"][0]) == ("0", "Refuted", 1.0)


def test_fewer_than_five_claims_have_no_interval_and_the_page_says_so(page: AppTest) -> None:
    gold = json.loads((EXAMPLE / "gold.json").read_text(encoding="utf-8"))[:4]
    rows = json.loads((EXAMPLE / "careful.json").read_text(encoding="utf-8"))[:4]
    at = finish(press(add(page, json.dumps(gold).encode(), careful__json=json.dumps(rows).encode()), "Score"))
    assert not at.exception
    assert "There is no interval for fewer than 5 scored items." in html(at)
    assert "One system has nothing to be compared with." in html(at)


def test_past_cases_are_scored_by_their_claim_or_for_faithfulness(
    page: AppTest, at_desk: AppState, judge: Reader
) -> None:
    request = Request(Claim("Can  the wall be seen?"))
    settled(at_desk, at_desk.cases.start("someone", request), "someone")
    at = page.run()
    at = next(box for box in at.checkbox if "1 past case" in box.label).check().run()
    at = finish(press(at, "Score"))
    assert not at.exception
    assert next(box for box in at.selectbox if box.label == "Ranked by").value == "answers:faithfulness"
    assert "quoted_passages, test" in html(at)  # the recipe and the model that it was checked with
    at = press(at, "Score other files")
    gold = {"claim": "Can the wall be seen?", "label": "Refuted", "questions": [{"question": "Can it be seen?"}]}
    at = add(at, json.dumps([gold]).encode())
    at = next(box for box in at.checkbox if "Also score 1 past case" in box.label).check().run()
    at = finish(press(at, "Score"))
    assert not at.exception
    assert "quoted_passages, test" in html(at)
    assert at.code[0].value.startswith("hungarian-meteor|")


def test_metrics_are_stress_tested_as_a_job(page: AppTest) -> None:
    page.button_group(key="score-task").set_value("Stress-test metrics").run()
    page.button_group(key="stress-metrics").set_value(["hungarian-meteor"]).run()
    at = finish(press(page, "Test with the example"))
    assert not at.exception
    text = html(at)
    assert "Did not hold for: stop words dropped." in text
    assert "answers blank" in text
    assert at.code[0].value.startswith("hungarian-meteor|veridesk-1|")


def test_a_run_is_there_after_a_restart_and_an_interrupted_one_goes_on(page: AppTest, at_desk: AppState) -> None:
    at = finish(press(page, "Score the example"))
    st.cache_resource.clear()
    at = at.run()
    assert not at.exception
    assert "0.8333" in html(at)
    at = press(at, "Score other files")
    assert "careful, hasty" in html(at)
    assert "careful, hasty" not in html(visit(BERT, page="score"))
    at = press(at, "Open")
    assert "0.8333" in html(at)


def test_a_run_whose_server_went_away_goes_on_when_asked(page: AppTest, at_desk: AppState) -> None:
    at_desk.queue.close()
    at = press(page, "Score the example")
    assert "Waiting: 0 scoring runs before this one." in html(at)
    assert at_desk.jobs.claim({SCORE: ()}, server="gone", place="")
    now = time.time()
    at_desk.store.clock = lambda: now + STALE_SECONDS + 1
    assert "The server stopped while it worked on this run" in html(at.run())
    st.cache_resource.clear()
    app_state().store.clock = lambda: now + STALE_SECONDS + 1
    at = finish(press(at.run(), "Go on"))
    assert "0.8333" in html(at)


def test_a_finished_run_is_named_compared_shared_and_deleted(page: AppTest) -> None:
    at = finish(press(page, "Score the example"))
    next(field for field in at.text_input if field.label == "Name of the run").set_value("Spring *draft*")
    at = press(at, "Keep under this name")
    at = press(at, "Make a link")
    link = next(code.value for code in at.code if "shared=" in code.value)
    at = finish(press(press(at, "Score other files"), "Score the example"))
    at = press(at, "Score other files")
    assert "Spring *draft*" in html(at)
    for _ in range(2):
        at = press(at, "Compare")
    at = press(at, "Compare the two chosen runs")
    assert not at.exception
    assert "Two runs side by side" in html(at)
    assert "+0.0000" in html(at)

    token = link.partition("shared=")[2]
    other = visit(BERT, page="score", shared=token)
    assert "An organiser shares the run" in html(other)
    assert "0.8333" in html(other)
    assert [button.label for button in other.button if button.label in ("Ask again", "Name")] == []

    assert "This link leads to no case" in html(visit(BERT, shared=token))

    at = press(at, "Back to all runs")
    for _ in range(2):
        at = press(at, "Delete")
        at = press(at, "Delete it")
    assert "Your scoring runs" not in html(at)
    assert "leads to no run" in html(other.run())
