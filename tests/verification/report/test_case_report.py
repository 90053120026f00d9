import hashlib
from dataclasses import replace
from datetime import date

import pytest

from core.types import Claim, Document, Label, Verdict
from core.verification.report.case_report import CaseReport
from core.verification.report.sources import source_of
from core.verification.report.worth import UNMEASURED, worth_in_words
from core.verification.review import Review
from tests.verification.report.conftest import CASE, HEBREW, MEASURED, NASTY, TEXT, reported

VERDICT = CASE.verdict
assert VERDICT is not None


def test_a_report_says_who_said_what_when_and_where(plain: CaseReport) -> None:
    assert plain.claim == "The tower is painted every seven years."
    assert plain.facts == (
        ("Said by", "Jane Doe"),
        ("Said on", "1 May 2020"),
        ("Appeared in", "Radio 4"),
        ("Place", "Paris"),
    )
    assert reported(replace(CASE, claim=Claim("Bare."))).facts == ()


def test_the_verdict_stands_in_words_with_what_it_is_worth(plain: CaseReport) -> None:
    assert plain.finding.word == "Supported"
    assert plain.finding.shares[0] == ("Supported", 0.7)
    assert plain.finding.worth == (
        "This judge was right 61% of the time on 250 published, annotated claims.",
        "For comparison: always saying “Refuted” is right 56% of the time; "
        "judging by the claim’s words alone, without any document, is right 65% of the time.",
    )


def test_what_nobody_measured_is_said_to_be_unmeasured_and_a_caveat_comes_first() -> None:
    assert worth_in_words(VERDICT, None) == (UNMEASURED,)
    assert worth_in_words(replace(VERDICT, caveat="Not here."), MEASURED)[0] == "Not here."


def test_the_persons_conclusion_counts_before_the_machines(plain: CaseReport) -> None:
    assert plain.own is not None
    assert (plain.own.word, plain.own.reason, plain.own.name) == ("Refuted", "It is six years.", "Ada")
    assert plain.label is Label.REFUTED
    assert reported(review=Review()).label is Label.SUPPORTED
    assert reported(review=Review()).own is None


def test_a_verdict_that_cannot_be_told_counts_for_none() -> None:
    doubtful = replace(CASE, verdict=Verdict(dict.fromkeys(Label, 0.25), "fitted head", 0.55))
    report = reported(doubtful, Review())
    assert report.label is None
    assert report.finding.word == "Cannot tell"


def test_evidence_names_its_source_so_that_it_can_be_found_again(plain: CaseReport) -> None:
    (first,), (second,) = (exhibit.answers for exhibit in plain.evidence)
    assert first.passage == "It is painted every seven years."
    assert first.mark == "wrong"
    assert first.source is not None
    assert first.source.citation == (
        "“How the tower is painted”, example.org, 2 January 2019, https://www.example.org/paint"
    )
    assert first.source.digest == hashlib.sha256(TEXT.encode()).hexdigest()
    assert second.source is None


def test_a_copy_in_an_archive_says_when_it_was_taken(plain: CaseReport) -> None:
    copy = plain.listed[1].source
    assert (copy.site, copy.snapshot, copy.published) == ("example.com", "copy of 5 April 2020", "")


def test_what_was_left_out_says_why(plain: CaseReport) -> None:
    assert plain.left_out == (
        "2 documents published after the claim was made.",
        "https://example.net/x: there is no such page.",
    )


def test_the_method_says_what_was_searched_and_who_decided(plain: CaseReport) -> None:
    assert plain.method.startswith(
        "3 documents (9 passages) were searched on one machine with the recipe “Quoted passages”."
    )
    assert "2 passages from 2 documents were kept" in plain.method
    assert ("Model weights (SHA-256)", "ab" * 32) in plain.made_with
    assert any(limit.startswith("1 document had no publication date") for limit in plain.limits)


def test_signs_that_turn_or_hide_text_are_gone(hostile: CaseReport) -> None:
    assert "\u202e" in NASTY
    passage = hostile.evidence[0].answers[0].passage
    for text in (hostile.claim, passage, hostile.listed[0].source.title, hostile.left_out[-1]):
        assert not {"\u202e", "\x00", "\x07"} & set(text)
    assert hostile.evidence[1].question == f"1 {HEBREW}"


@pytest.mark.parametrize("stamp", ["20200405060708", "20209905060708"])
def test_an_archives_stamp_that_is_no_date_stays_as_it_is(stamp: str) -> None:
    snapshot = source_of(Document(f"https://web.archive.org/web/{stamp}id_/http://a.org/", ""), 0).snapshot
    assert snapshot == ("copy of 5 April 2020" if stamp[4:6] == "04" else f"copy of {stamp}")


def test_a_quotation_from_a_pdf_names_its_page() -> None:
    pdf = Document("towers.pdf", "One. Two. Three.", pages=(0, 5, 10))
    assert [source_of(pdf, at).page for at in (0, 4, 5, 15)] == ["page 1", "page 1", "page 2", "page 3"]
    assert source_of(pdf, 5).citation == "towers.pdf, no date, page 2"


def test_a_report_keeps_its_day(plain: CaseReport) -> None:
    assert plain.made == date(2026, 11, 22)
