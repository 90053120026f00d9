import csv
import io
import json
from datetime import date
from pathlib import Path

import pytest

from core import records
from core.annotations import GoldAnswer, PredictedEvidence, Prediction, compare_ids
from core.averitec.averitec import (
    parse_gold,
    parse_submission,
    read_claims,
    read_gold,
    read_submission,
    write_gold,
    write_submission,
)
from core.errors import BadInput, BadRecord
from core.types import Label

GOLD = [
    {
        "claim": "The bridge was closed in March.",
        "label": "Refuted",
        "justification": "It stayed open.",
        "claim_date": "5-3-2021",
        "speaker": None,
        "reporting_source": "Facebook",
        "location_ISO_code": "GB",
        "claim_types": ["Event/Property Claim"],
        "questions": [
            {
                "question": "Was the bridge closed?",
                "answers": [
                    {
                        "answer": "No",
                        "answer_type": "Boolean",
                        "boolean_explanation": "Traffic was counted.",
                    },
                    {
                        "answer": "It was open all year.",
                        "answer_type": "Extractive",
                        "source_url": "https://x.test/a",
                    },
                ],
            },
            {"question": "When was it built?", "answers": []},
        ],
    },
    {"claim": "Rents fell.", "label": "Supported", "claim_date": None, "questions": []},
]


def gold_bytes() -> bytes:
    return json.dumps(GOLD).encode()


def submission(*rows: object) -> bytes:
    return json.dumps(list(rows)).encode()


def test_gold_json_gives_ids_by_position_dates_and_every_answer() -> None:
    bridge, rents = parse_gold("dev.json", gold_bytes())
    assert (bridge.id, rents.id) == ("0", "1")
    assert bridge.claim.date == date(2021, 3, 5)
    assert (bridge.claim.source, bridge.claim.place, bridge.claim.speaker) == ("Facebook", "GB", "")
    assert bridge.label is Label.REFUTED
    assert bridge.claim_types == ("Event/Property Claim",)
    assert bridge.pairs == (
        ("Was the bridge closed?", "No. Traffic was counted."),
        ("Was the bridge closed?", "It was open all year."),
        ("When was it built?", "No answer could be found."),
    )
    assert bridge.questions[1].answers == ()
    assert rents.claim.date is None


def test_gold_survives_json_lines_and_csv_where_csv_can_hold_it(tmp_path: Path) -> None:
    claims = parse_gold("dev.json", gold_bytes())
    write_gold(tmp_path / "dev.jsonl", claims)
    assert read_gold(tmp_path / "dev.jsonl") == claims


def test_iso_dates_are_read_too() -> None:
    row = GOLD[1] | {"claim_date": "2021-12-31"}
    assert parse_gold("g.json", submission(row))[0].claim.date == date(2021, 12, 31)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"label": "Maybe"}, ["record 0", "id 0", "'label'", "'Maybe'"]),
        ({"claim_date": "31-31-2021"}, ["record 0", "'claim_date'", "dd-mm-yyyy"]),
        ({"questions": "Was it?"}, ["'questions'", "list", "str"]),
        ({"questions": [{"question": ["a"]}]}, ["question 0", "'question'", "text"]),
        ({"questions": [{"question": "a", "answers": ["yes"]}]}, ["question 0", "'answers'"]),
        ({"id": True}, ["record 0", "'claim_id'"]),
    ],
)
def test_bad_gold_is_refused_naming_file_record_and_field(change: dict[str, object], words: list[str]) -> None:
    with pytest.raises(BadRecord) as caught:
        parse_gold("dev.json", submission(GOLD[0] | change))
    for word in ["dev.json", *words]:
        assert word in str(caught.value)


def test_gold_with_an_id_twice_is_refused() -> None:
    rows = [GOLD[0] | {"id": 7}, GOLD[1] | {"id": "7"}]
    with pytest.raises(BadRecord, match="id 7 occurs"):
        parse_gold("dev.json", submission(*rows))


@pytest.mark.parametrize(
    "row",
    [
        {
            "claim_id": 3,
            "claim": "c",
            "pred_label": "Refuted",
            "evidence": [{"question": "q", "answer": "a"}],
        },
        {"id": "3", "claim": "c", "label": "Refuted", "evidence": [{"question": "q", "answer": "a"}]},
    ],
)
def test_both_spellings_of_the_fields_are_read(row: dict[str, object]) -> None:
    expected = Prediction("3", "c", Label.REFUTED, (PredictedEvidence("q", "a"),), label_text="Refuted")
    assert parse_submission("s.json", submission(row)).predictions == (expected,)


@pytest.mark.parametrize(
    ("evidence", "expected"),
    [
        ({"evidence": ["It rained."]}, (PredictedEvidence("", "It rained."),)),
        ({"evidence": "It rained."}, (PredictedEvidence("", "It rained."),)),
        ({"string_evidence": ["It rained."]}, (PredictedEvidence("", "It rained."),)),
        ({"evidence": []}, ()),
        ({"evidence": None}, ()),
        ({}, ()),
        (
            {"evidence": [{"question": "q", "answer": None, "url": "u", "scraped_text": "t"}]},
            (PredictedEvidence("q", "", "u", "t"),),
        ),
    ],
)
def test_evidence_as_pairs_as_strings_and_missing(
    evidence: dict[str, object], expected: tuple[PredictedEvidence, ...]
) -> None:
    row = {"claim_id": 0, "claim": "c", "pred_label": "Supported"} | evidence
    (prediction,) = parse_submission("s.json", submission(row)).predictions
    assert prediction.evidence == expected


@pytest.mark.parametrize("text", ["None", "N/A", "nan", "", "Not Supported", "support"])
def test_an_unknown_label_is_kept_and_reported_never_mapped(text: str) -> None:
    read = parse_submission("s.json", submission({"claim_id": 4, "claim": "c", "pred_label": text}))
    assert read.predictions[0].label is None
    assert read.predictions[0].label_text == text
    (problem,) = [problem for problem in read.problems if problem.field == "label"]
    assert (problem.where, problem.fatal) == ("id 4", False)


def test_the_papers_spelling_of_conflicting_is_read_and_reported() -> None:
    row = {"claim_id": 4, "claim": "c", "pred_label": "Conflicting Evidence/Cherry-picking"}
    read = parse_submission("s.json", submission(row))
    assert read.predictions[0].label is Label.CONFLICTING
    assert "was read as" in read.problems[0].message
    assert read.accepted


def test_a_bad_record_is_a_fatal_problem_and_the_others_are_still_read() -> None:
    good = {"claim_id": 1, "claim": "c", "pred_label": "Refuted"}
    read = parse_submission("s.json", submission(good | {"evidence": [7]}, good | {"claim_id": 2}))
    assert [p.claim_id for p in read.predictions] == ["2"]
    assert not read.accepted
    assert "record 0 (id 1)" in read.problems[0].message


def test_evidence_cells_may_be_empty_and_must_be_text() -> None:
    row = {"claim": "c", "pred_label": "Refuted"}
    pair = {"question": "q", "answer": "a"}
    read = parse_submission(
        "s.json",
        submission(
            row | {"id": 1, "evi": None}, row | {"id": 2, "evi": [1]}, row | {"id": 3, "evi": None, "evidence": [pair]}
        ),
    )
    assert [[e.answer for e in prediction.evidence] for prediction in read.predictions] == [[], ["a"]]
    assert "'evi' must be text" in read.problems[0].message


def test_duplicate_ids_and_gold_files_are_not_accepted_as_submissions() -> None:
    row = {"claim_id": 1, "claim": "c", "pred_label": "Refuted"}
    twice = parse_submission("s.json", submission(row, row))
    assert [problem.where for problem in twice.problems if problem.fatal] == ["id 1"]
    assert not twice.accepted
    (problem,) = parse_submission("dev.json", gold_bytes()).problems
    assert problem.fatal
    assert "gold file" in problem.message


def test_a_prediction_without_an_id_is_refused_and_never_taken_by_its_place() -> None:
    row = {"claim": "c", "pred_label": "Refuted", "evidence": []}
    read = parse_submission("s.json", submission(row | {"claim_id": 1}, row))
    assert [prediction.claim_id for prediction in read.predictions] == ["1"]
    (problem,) = [problem for problem in read.problems if problem.fatal]
    assert problem.where == "record 1"
    assert "'claim_id' nor 'id'" in problem.message
    assert compare_ids([], ["0"]) == []  # a file with no prediction that could be read is not "another split"


def test_missing_and_extra_ids_are_named() -> None:
    problems = compare_ids(["1", "9"], ["0", "1"])
    assert [(p.where, p.fatal) for p in problems] == [("id 0", False), ("id 9", False)]
    assert [p.fatal for p in compare_ids(["a"], ["0"])] == [True]


def test_json_lines_with_bom_crlf_and_line_separator_characters() -> None:
    row = {"claim_id": 0, "claim": "a\u2028b", "pred_label": "Refuted"}
    text = json.dumps(row, ensure_ascii=False) + "\r\n\r\n" + json.dumps(row | {"claim_id": 1}) + "\r\n"
    read = parse_submission("s.jsonl", b"\xef\xbb\xbf" + text.encode())
    assert [p.claim_id for p in read.predictions] == ["0", "1"]
    assert read.predictions[0].claim == "a\u2028b"


def test_latin_1_is_read_and_reported_in_a_submission_and_refused_in_gold() -> None:
    row = '[{"claim_id": 0, "claim": "café", "pred_label": "Refuted", "label": "Refuted"}]'.encode("latin-1")
    read = parse_submission("s.json", row)
    assert read.predictions[0].claim == "café"
    assert "windows-1252" in read.problems[0].message
    with pytest.raises(BadInput, match="UTF-8"):
        parse_gold("g.json", row)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "is empty"),
        (b"[1]", "record 0 must be an object, got int"),
        (b'{"a": 1}\n{"a"', "line 2, column 5 is not valid JSON"),
        (b'[{"a": 1},\n {"a" 1}]', "line 2, column 7 is not valid JSON"),
        (b"PK\x03\x04\x00", "not a text file"),
        (b"hello,world\n1,2\n", "line 1 must name the columns id, claim, evi, label"),
        (b"[" * 100_000, "nested too deeply"),
    ],
)
def test_files_of_another_kind_are_refused_with_the_place(content: bytes, words: str) -> None:
    with pytest.raises(BadInput, match=words) as caught:
        parse_submission("s.json", content)
    assert "s.json" in str(caught.value)


def test_a_file_over_the_limit_is_refused_before_it_is_read(tmp_path: Path) -> None:
    path = tmp_path / "huge.json"
    with path.open("wb") as file:
        file.truncate(records.MAX_BYTES + 1)  # sparse: takes no space on the disk
    with pytest.raises(BadInput, match=r"huge\.json is 256 MB"):
        read_submission(path)


@pytest.mark.parametrize("suffix", [".json", ".jsonl"])
def test_a_written_submission_reads_back_the_same(tmp_path: Path, suffix: str) -> None:
    evidence = (PredictedEvidence("q?", "tabs\t\t\nand lines", "https://x.test", "text"),)
    predictions = (
        Prediction("0", "c", Label.REFUTED, evidence, label_text="Refuted", justification="j", seconds=1.5),
        Prediction("x-1", "d", None, (), label_text="N/A"),
    )
    path = tmp_path / f"system{suffix}"
    write_submission(path, predictions)
    read = read_submission(path)
    assert read.predictions == predictions
    assert read.name == "system"


def test_claims_are_read_from_an_unlabelled_test_file(tmp_path: Path) -> None:
    path = tmp_path / "test.jsonl"
    path.write_text('{"claim_id": 12, "claim": "c", "claim_date": "01-02-2024", "speaker": "s"}\n')
    (claim,) = read_claims(path)
    assert (claim.id, claim.text, claim.speaker, claim.date) == ("12", "c", "s", date(2024, 2, 1))


def test_absent_files_and_folders_are_named(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=r"none\.json"):
        read_gold(tmp_path / "none.json")
    with pytest.raises(BadInput, match="cannot be written"):
        write_submission(tmp_path / "no" / "folder.json", [])


def test_a_boolean_without_explanation_is_its_answer() -> None:
    assert GoldAnswer("Yes", kind="Boolean").full_text == "Yes"
    assert GoldAnswer("Yes", kind="Extractive", explanation="b").full_text == "Yes"


def test_half_a_character_is_refused_because_it_could_not_be_written() -> None:
    row = rb'[{"claim_id": 0, "claim": "a\ud800b", "pred_label": "Refuted"}]'
    with pytest.raises(BadRecord, match="holds half a character"):
        parse_submission("s.json", row)


@pytest.mark.parametrize("content", [b"[]", b"id,claim,evi,label,split\n"])
def test_a_file_without_records_is_refused(content: bytes) -> None:
    with pytest.raises(BadInput, match="holds no records"):
        parse_submission("s.json", content)


@pytest.mark.parametrize("separator", [",", ";", "\t"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_a_submission_may_have_any_separator_and_be_utf_16(separator: str, encoding: str) -> None:
    rows = [["id", "claim", "evi", "label", "split"]]
    rows += [[str(n), f"Größe, {n}; ja", f"Who?\t\t\nAnn; Bob, {n}\t\t\n\n", "Refuted", "pred"] for n in range(3)]
    text = io.StringIO(newline="")
    csv.writer(text, delimiter=separator).writerows(rows)
    read = parse_submission("s.csv", text.getvalue().encode(encoding))
    assert [one.claim for one in read.predictions] == [f"Größe, {n}; ja" for n in range(3)]
    assert [one.evidence[0].answer for one in read.predictions] == [f"Ann; Bob, {n}" for n in range(3)]
    assert not any(problem.fatal for problem in read.problems)
    fields = {problem.field for problem in read.problems}
    assert ("separator" in fields) == (separator != ",")
    assert ("encoding" in fields) == (encoding == "utf-16")


def test_utf_16_json_is_read_and_half_of_it_refused() -> None:
    content = json.dumps([{"claim_id": 1, "pred_label": "Refuted", "evidence": []}]).encode("utf-16")
    assert parse_submission("s.json", content).predictions[0].claim_id == "1"
    with pytest.raises(BadInput):
        parse_submission("s.json", content[:-1])


def test_more_pairs_than_count_and_ids_that_do_not_fit_are_named() -> None:
    evidence = [{"question": f"Q{n}?", "answer": "A."} for n in range(50)]
    rows = [{"claim_id": n, "claim": "", "pred_label": "Refuted", "evidence": evidence} for n in range(5, 35)]
    found = parse_submission("s.json", json.dumps(rows).encode())
    assert {p.message.split(":")[0] for p in found.problems if p.field == "evidence"} == {"has 50 pairs"}
    problems = compare_ids([one.claim_id for one in found.predictions], [str(n) for n in range(30)])
    assert sum("25 fit, 5" in problem.message for problem in problems) == 5
