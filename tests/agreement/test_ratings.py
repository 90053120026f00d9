"""Import of rating forms: what is understood, what is reported, and that nobody's address gets through."""

import csv
import io

import openpyxl
import pytest

from core.agreement.pasted_evidence import PastedForm, read_pasted
from core.agreement.ratings import MajorError, pseudonyms, read_error, read_ratings, read_verdict
from core.agreement.scored_items import read_scored_items
from core.errors import BadInput, BadRecord
from core.types import Evidence, Label

FORM = (
    "Timestamp",
    "Team",
    "Email Address",
    "Enter [Claim ID] below:  *",
    "Enter [Claim] below:",
    "Enter the [Predicted Evidence] text below:",
    "1. Does the predicted evidence contain any of the following three major errors? If yes, which?",
    "2. Now, decide if the claim is (a.) supported by the predicted evidence, (b.) refuted, …",
    '3. If you selected options a.) …, please copy from the field "predicted evidence" the text …',
    "1. Semantic Coverage",
    "2. Relevance to Claim",
)
NO_ERROR = "No major errors. AT LEAST SOME PART of the evidence is non-empty, understandable, and related to the claim."
EMPTY = "Yes, the evidence is ENTIRELY EMPTY"


def row(
    rater="ann@example.org", item="7", error=NO_ERROR, verdict="b. refuted", coverage="4", relevance="5", evidence=""
):
    return ("2025-06-01 10:00", "Team X", rater, item, "A claim", evidence, error, verdict, "", coverage, relevance)


def as_csv(*rows, header=FORM, separator=",", encoding="utf-8", newline="\r\n"):
    out = io.StringIO()
    csv.writer(out, delimiter=separator, lineterminator=newline).writerows([header, *rows])
    return out.getvalue().encode(encoding)


def test_the_forms_own_titles_are_understood():
    result = read_ratings("form.csv", as_csv(row()))
    assert result.scales == ("semantic_coverage", "relevance")
    (response,) = result.responses
    assert (response.row, response.item, response.rater, response.team) == (2, "7", "R01", "Team X")
    assert (response.error, response.verdict) == (MajorError.NONE, Label.REFUTED)
    assert response.ratings == {"semantic_coverage": 4, "relevance": 5}


def test_no_address_gets_through():
    content = as_csv(row("Ann@Example.org "), row("bob@example.org", "8"), row("ann@example.org", "9"), row("A01", "9"))
    result = read_ratings("form.csv", content)
    assert [response.rater for response in result.responses] == ["R01", "R02", "R01", "A01"]
    assert "example.org" not in repr(result).lower()
    assert result.report.renamed == 2


def test_a_pseudonym_in_use_is_not_given_to_somebody_else():
    assert pseudonyms(["x@y.org", "R01", "z@y.org"]) == {"x@y.org": "R02", "R01": "R01", "z@y.org": "R03"}


def test_report_accounts_for_every_row_and_answer():
    rows = [
        row(),
        row(item=""),
        row(rater=""),
        row(error="perhaps"),
        row(coverage="", relevance="6"),
        row(verdict="mostly true"),
        row(error=EMPTY, verdict="", coverage="", relevance=""),
    ]
    report = read_ratings("form.csv", as_csv(*rows)).report
    assert (report.read, report.kept) == (7, 4)
    assert [skip.row for skip in report.skipped] == [3, 4, 5]
    assert "'perhaps'" in report.skipped[-1].reason
    assert [unused.row for unused in report.unused_answers] == [6, 7]
    assert "relevance '6'" in report.unused_answers[0].reason
    # The form skips the scales after a major error, so its empty answers are not missing.
    assert report.missing == {"semantic_coverage": 1, "relevance": 1}


@pytest.mark.parametrize("text", ["0", "6", "3.5", "four", "NaN", "-1", "1e0"])
def test_a_rating_off_the_scale_is_left_out_and_never_0(text):
    (response,) = read_ratings("form.csv", as_csv(row(coverage=text))).responses
    assert "semantic_coverage" not in response.ratings


@pytest.mark.parametrize(
    ("separator", "encoding", "newline", "note"),
    [
        (",", "utf-8-sig", "\r\n", None),
        (";", "utf-8", "\n", "separated by ;"),
        ("\t", "utf-8", "\n", "separated by tabs"),
        (",", "cp1252", "\r\n", "Windows-1252"),
        (",", "utf-16", "\r\n", "UTF-16"),
    ],
)
def test_dialects(separator, encoding, newline, note):
    header = (*(title.replace("…", "") for title in FORM[:-2]), "Semantic Coverage", "relevance")
    cells = row(evidence="1) Café\nnext line")
    content = as_csv(cells, header=header, separator=separator, encoding=encoding, newline=newline)
    result = read_ratings("form.csv", content)
    assert result.responses[0].evidence == (Evidence("", "Café\nnext line"),)
    assert result.responses[0].ratings == {"semantic_coverage": 4, "relevance": 5}
    assert note is None or any(note in line for line in result.report.notes)


def test_xlsx_gives_what_csv_gives():
    book = openpyxl.Workbook()
    sheet = book.active
    sheet.append(FORM)
    sheet.append([*row()[:3], 7, *row()[4:9], 4, 5.0])
    book.create_sheet("notes")
    out = io.BytesIO()
    book.save(out)
    result = read_ratings("form.xlsx", out.getvalue())
    expected = read_ratings("form.csv", as_csv(row()))
    assert result.responses == expected.responses
    assert any("'Sheet'" in note and "other 1" in note for note in result.report.notes)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "is empty"),
        (b"PK\x03\x04 no zip", "not a readable XLSX"),
        (b"\x89PNG\x00\x00", "neither CSV nor XLSX"),
        (b"a,b\n1,2\n", "no column 'id'"),
        (b"id,relevance\n1,2\n", "no column 'Email Address'"),
        (b"id,rater\n1,A01\n", "no rating scale"),
    ],
)
def test_bad_files_name_the_file_and_the_way_out(content, words):
    with pytest.raises(BadInput, match=words) as caught:
        read_ratings("form.csv", content)
    assert "form.csv" in str(caught.value)


def test_a_campaigns_own_scale_and_an_ignored_column():
    content = as_csv((*row(), "3", "Dr Ann"), (*row(item="8"), "", ""), header=(*FORM, "4. Readability", "Full name"))
    result = read_ratings("form.csv", content)
    assert result.scales == ("semantic_coverage", "relevance", "readability")
    assert result.responses[0].ratings["readability"] == 3
    assert "readability" not in result.responses[1].ratings
    assert result.report.ignored_columns == ("Full name",)
    assert "Dr Ann" not in repr(result)


@pytest.mark.parametrize(("cells", "scale"), [("1 10", True), ("2.0 5", True), ("0 1", False), ("1 11", False)])
def test_whole_numbers_from_1_to_10_are_a_scale_and_a_flag_is_none(cells, scale):
    rows = [(*row(item=str(number)), cell) for number, cell in enumerate(cells.split())]
    result = read_ratings("form.csv", as_csv(*rows, header=(*FORM, "Expert")))
    assert ("expert" in result.scales) is scale
    assert result.report.ignored_columns == (() if scale else ("Expert",))


def test_a_second_rating_by_the_same_rater_is_kept_and_said():
    report = read_ratings("form.csv", as_csv(row(), row())).report
    assert report.kept == 2
    (note,) = report.notes
    assert "R01 rated item 7" in note


@pytest.mark.parametrize(
    ("text", "verdict"),
    [
        ("a. supported", Label.SUPPORTED),
        ("Supported", Label.SUPPORTED),
        ("b. refuted", Label.REFUTED),
        ("c. not enough information", Label.NOT_ENOUGH_EVIDENCE),
        ("Not Enough Evidence", Label.NOT_ENOUGH_EVIDENCE),
        ("d. conflicting/cherry-picking", Label.CONFLICTING),
        ("Conflicting Evidence/Cherrypicking", Label.CONFLICTING),
        ("contradicting information (some parts support the claim)", Label.CONFLICTING),
        ("not supported", None),
        ("", None),
    ],
)
def test_verdicts(text, verdict):
    assert read_verdict(text) is verdict


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("Yes, the evidence is NOT UNDERSTANDABLE AT ALL", MajorError.NOT_UNDERSTANDABLE),
        ("The evidence is completely irrelevant to the claim", MajorError.IRRELEVANT),
        ("At least some part of the evidence is non-empty", MajorError.NONE),
        ("No", None),
    ],
)
def test_major_errors_of_both_editions(text, error):
    assert read_error(text) is error


@pytest.mark.parametrize(
    ("text", "form", "pairs"),
    [
        ('[{"question": "Who?", "answer": "He said \\"no\\" \\u2013 twice"}]', PastedForm.FIELDS,
         [("Who?", 'He said "no" – twice')]),
        ("'question': 'A?',\n 'answer': 'It\\'s so',\n {'question': \"B?\"", PastedForm.FIELDS,
         [("A?", "It's so"), ("B?", "")]),
        ("[{'question': 'Q', 'answers': [{'answer': 'one'}, {'answer': 'two'}]}]", PastedForm.FIELDS,
         [("Q", "one"), ("Q", "two")]),
        ('"question": "unfinished', PastedForm.PLAIN, [("", '"question": "unfinished')]),
        ("Question: A?\nAnswer: yes\nmore\n\nQuestion: \nAnswer: no", PastedForm.LINES,
         [("A?", "yes\nmore"), ("", "no")]),
        ("1) one\n2. two\n", PastedForm.NUMBERED, [("", "one"), ("", "two")]),
        ("Too long for Google Forms", PastedForm.NOT_PASTED, []),
        ("He ruled too long." * 10, PastedForm.PLAIN, [("", "He ruled too long." * 10)]),
        ("  ", PastedForm.EMPTY, []),
    ],
)  # fmt: skip
def test_pasted_evidence(text, form, pairs):
    assert read_pasted(text) == (form, tuple(Evidence(question, answer) for question, answer in pairs))


def test_a_long_unclosed_string_is_read_in_linear_time():
    text = '"question": "' + "\\a" * 200_000
    assert read_pasted(text)[0] is PastedForm.PLAIN


WIDE = b"id,gold label,sys_rank,system,bleu,note\n1,Refuted,2,S,0.5,x\n2,,2,S,,y\n"


def test_wide_scores():
    scored = read_scored_items([("scores.csv", WIDE)])
    assert scored.metrics == ("bleu",)
    item = scored.items["1", "S"]
    assert (item.rank, item.gold, item.scores) == (2, Label.REFUTED, (("bleu", 0.5),))
    assert scored.items["2", "S"].scores == ()
    unread, unscored = scored.notes
    assert "'note'" in unread
    assert "1 item" in unscored


def test_long_scores_join_with_wide_ones_and_texts():
    long = b"id,system,metric,value,status\n1,S,ev2r,0.25,scored\n2,S,ev2r,,unscored\n"
    texts = b"id,claim,reference evidence\n1,Earth is flat,Question: ?\n"
    scored = read_scored_items([("a.csv", WIDE), ("b.csv", long), ("c.csv", texts)])
    assert set(scored.items) == {("1", "S"), ("2", "S")}
    assert dict(scored.items["1", "S"].scores) == {"bleu": 0.5, "ev2r": 0.25}
    assert scored.items["1", "S"].claim == "Earth is flat"
    assert scored.metrics == ("bleu", "ev2r")
    assert any(note.startswith("b.csv: 1 row") for note in scored.notes)


def test_contradicting_scores_are_refused():
    with pytest.raises(BadRecord, match=r"bleu scores: 0\.5 and 0\.6"):
        read_scored_items([("a.csv", WIDE), ("b.csv", b"id,system,bleu\n1,S,0.6\n")])


def test_scores_without_ids_are_refused():
    with pytest.raises(BadInput, match=r"a\.csv.* 'id'"):
        read_scored_items([("a.csv", b"bleu\n0.5\n")])
