"""What `check` remarks on: evidence without a separator, ids of a spreadsheet, labels, gold slices, and how briefly."""

import json

import pytest

from core.annotations import GoldClaim, Prediction, Problem, Submission
from core.averitec.averitec import parse_submission
from core.averitec.checking import all_problems, grouped, matched_by_text
from core.scoring.leaderboard import report_system
from core.scoring.metrics.verdict import Verdicts
from core.types import Claim, Label


def said(text: str) -> list[tuple[str, str, bool]]:
    return [(p.where, p.message, p.fatal) for p in parse_submission("s.csv", text.encode()).problems]


def test_evidence_without_a_separator_is_one_question_to_the_official_scorer() -> None:
    text = 'id,claim,evi,label\n1,c,"a bridge fell",Refuted\n2,c,"Q?\t\t\na\t\t\n\n",Refuted\n'
    ((where, message, fatal),) = said(text)
    assert (where, fatal) == ("id 1", False)
    assert "reads one question" in message


@pytest.mark.parametrize("cell", ["", "nan", "NaN", "None"])
def test_empty_evidence_is_remarked_on(cell: str) -> None:
    ((where, message, fatal),) = said(f"id,claim,evi,label\n1,c,{cell},Refuted\n")
    assert (where, fatal) == ("id 1", False)
    assert "official scorer" in message


def test_a_file_without_one_usable_label_is_refused() -> None:
    problems = said("id,claim,evi,label\n1,c,q\t\t\n,nan\n2,c,q\t\t\n,nan\n".replace("q\t\t\n", '"q\t\t\na"'))
    assert [where for where, _, fatal in problems if fatal] == ["file"]


def test_whole_numbers_of_a_spreadsheet_are_the_ids_they_were() -> None:
    row = {"claim": "c", "pred_label": "Refuted", "evidence": ["e"]}
    for given in (250.0, "250.0"):
        read = parse_submission("s.json", json.dumps([{**row, "claim_id": given}]).encode())
        assert read.predictions[0].claim_id == "250"
        assert "'.0'" in read.problems[0].message


def test_remarks_of_one_kind_are_one() -> None:
    problems = [Problem(f"id {i}", "id", "is not in the gold file.") for i in [*range(250), 300]]
    assert [problem.where for problem in grouped(problems)] == ["ids 0–249, 300"]
    scattered = [Problem(f"id {i}", "id", "x") for i in range(0, 30, 2)]
    assert grouped(scattered)[0].where == "ids 0, 2, 4, 6, 8 … (15 ids)"
    assert grouped([Problem("id a", "f", "m"), Problem("file", "f", "m")])[0].where == "id a, file"
    assert [p.fatal for p in grouped([Problem("id 1", "f", "m"), Problem("id 2", "f", "m", fatal=True)])] == [
        False,
        True,
    ]


def slice_of_gold() -> tuple[list[GoldClaim], Submission]:
    """Return the claims 100 to 102 of a file whose records have no ids, and predictions under the file's own ids."""
    gold = [GoldClaim(Claim(f"Claim {100 + i}", id=str(i)), Label.REFUTED, ()) for i in range(3)]
    predictions = [Prediction(str(i), f"claim  {i}", Label.REFUTED, ()) for i in range(99, 103)]
    return gold, Submission("system", tuple(predictions))


def test_a_gold_slice_without_ids_is_matched_by_the_claims_text_and_says_so() -> None:
    gold, submission = slice_of_gold()
    matched = matched_by_text(submission, gold)
    assert [one.claim_id for one in matched.predictions] == ["0", "1", "2"]
    (problem,) = all_problems(submission, gold)
    assert problem.message.startswith("no id fits: 3")
    accuracy = report_system(submission, gold, [Verdicts()]).score("verdict:accuracy")
    assert (accuracy.value, accuracy.n_scored) == (1.0, 3)


def test_five_wrong_ids_of_thirty_are_counted_and_matched_by_text() -> None:
    gold = [GoldClaim(Claim(f"Claim {i}", id=str(i)), Label.REFUTED, ()) for i in range(30)]
    rows = tuple(Prediction(str(i if i < 25 else 1000 + i), f"Claim {i}", Label.REFUTED, ()) for i in range(30))
    matched = matched_by_text(Submission("system", rows), gold)
    assert [one.claim_id for one in matched.predictions] == [str(i) for i in range(30)]
    (problem,) = matched.problems
    assert problem.message.startswith("25 ids fit")


def test_ids_that_fit_stay_and_claims_of_another_split_are_not_matched() -> None:
    gold, submission = slice_of_gold()
    right = Submission("s", tuple(Prediction(c.id, c.claim.text, Label.REFUTED, ()) for c in gold))
    assert matched_by_text(right, gold) is right
    other = Submission("s", (Prediction("0", "Something else", Label.REFUTED, ()),))
    assert matched_by_text(other, gold) is other
    named = [GoldClaim(Claim("Claim 99", id="dev-7"), Label.REFUTED, ())]
    assert matched_by_text(submission, named) is submission  # ids that are no places are meant
