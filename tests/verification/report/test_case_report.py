import hashlib
import html
from dataclasses import replace
from datetime import date
from io import BytesIO

import docx

from core.search_report import AskedQuery, LeftOut, Origin, Reason, SearchReport, When
from core.types import Case, Claim, Document, Evidence, Hit, Label, NotSearched, Passage, PassageStance, Stance, Verdict
from core.verification.reading import BY_HAND, LATER
from core.verification.report.case_report import CaseReport
from core.verification.report.html import report_body
from core.verification.report.judge_measurements import UNMEASURED, worth_in_words
from core.verification.report.markdown import to_markdown
from core.verification.report.sources import source_of
from core.verification.report.word import to_docx
from core.verification.review import Conclusion, Review
from core.verification.verdict.classifier import CLASSIFIER
from tests.verification.report.conftest import CASE, FIRST, HEBREW, MEASURED, NASTY, SECOND, TEXT, reported

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
    assert plain.finding.worth == "61% of 250 such verdicts on published claims were right."


def test_what_nobody_measured_is_said_to_be_unmeasured_and_a_caveat_comes_first() -> None:
    assert worth_in_words(VERDICT, None) == UNMEASURED
    assert worth_in_words(replace(VERDICT, caveat="Not here."), MEASURED) == "Not here."


def test_the_persons_conclusion_counts_before_the_machines(plain: CaseReport) -> None:
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
    assert first.source.citation == (
        "“How the tower is painted”, example.org, 2 January 2019, https://www.example.org/paint"
    )
    assert first.source.digest == hashlib.sha256(TEXT.encode()).hexdigest()
    assert second.source is None


def test_what_was_left_out_says_why(plain: CaseReport) -> None:
    assert plain.left_out == (
        "2 documents published after the claim was made, not named here.",
        "https://example.net/x: there is no such page.",
    )


def test_a_document_that_was_left_out_is_named() -> None:
    named = (NotSearched("Late", "https://a.example/b", date(2021, 1, 2), LATER), NotSearched("x", "x", None, BY_HAND))
    report = reported(replace(CASE, corpus=replace(CASE.corpus, late=1, not_searched=named), notes=()))
    assert report.left_out == (
        "“Late”, https://a.example/b, 2 January 2021, published after the claim.",
        "“x”, no date, left out by hand.",
    )


def test_what_the_machine_read_in_a_passage_stands_beside_it() -> None:
    stances = (
        PassageStance(FIRST, Stance.AGAINST, 0.9, "says 6; the claim says 7", "number"),
        PassageStance(SECOND, Stance.ABOUT, 0.9, "is on topic"),
    )
    pair = Evidence("How often?", SECOND.text, SECOND)
    read = replace(VERDICT, stances=stances)
    report = reported(replace(CASE, evidence=(*CASE.evidence, pair), verdict=read))
    assert [one.stance for one in report.cited] == ["Disagrees. Says 6; the claim says 7"]
    assert [one.stance for one in report.listed] == ["Disagrees", "Leaves it open"]
    for written in (report_body(report), to_markdown(report)):
        assert "Disagrees. Says 6" in written
        assert "Leaves it open." in written


def wide(verdict: Verdict = VERDICT) -> tuple[Case, str]:
    """Return a case of four documents: two that take a side, one on the topic and one off it, and that one's text."""
    texts = ("It is painted every six years.", "Every seven years it is painted.", "It is high.", "A cake needs eggs.")
    sides = (Stance.AGAINST, Stance.FOR, Stance.ABOUT, Stance.UNRELATED)
    found = [Passage(Document(f"https://site{at}.example/x", text), 0, len(text)) for at, text in enumerate(texts)]
    stances = tuple(PassageStance(one, side, 0.9, "a reason") for one, side in zip(found, sides, strict=True))
    hits = tuple(Hit(one, rank) for rank, one in enumerate(found, start=1))
    pairs = tuple(Evidence("", one.text, one) for one in found)
    return replace(CASE, hits=hits, evidence=pairs, verdict=replace(verdict, stances=stances)), texts[3]


def test_the_body_has_one_quotation_a_source_that_takes_a_side_and_the_rest_is_in_the_appendix() -> None:
    case, off_topic = wide()
    report = reported(case)
    assert [one.source.site for one in report.cited] == ["site1.example", "site0.example"]  # the verdict's side first
    text = to_markdown(report)
    body, appendix = text.split("## Appendix")
    assert (body.count("> “"), "site2.example" in body, off_topic in text) == (2, False, False)
    assert "> It is high." in appendix
    for quoted in ("It is painted every six years.", "Every seven years it is painted.", "It is high."):
        assert text.count(quoted) == 1
    assert text.index("Limits") < text.index("Hashes and settings") < text.index("ab" * 32)
    assert "### Hashes and settings" in text
    assert "## " not in text[text.index("Hashes and settings") :]


def test_without_a_side_the_nearest_passages_are_quoted() -> None:
    case, _ = wide()
    about = tuple(replace(one, stance=Stance.ABOUT) for one in case.verdict.stances)
    doubtful = replace(case.verdict, grounded=False, stances=about)
    report = reported(replace(case, verdict=doubtful), Review())
    assert [one.source.site for one in report.cited] == ["site0.example", "site1.example"]
    assert report.not_found[0].endswith("“tower”.")


def test_a_signature_and_no_person_are_never_together() -> None:
    signed, unsigned = to_markdown(reported()), to_markdown(reported(review=Review()))
    assert "Signed: Ada" in signed
    assert not any(words in signed for words in ("no person", "A program decided"))
    assert "“Supported”." in signed
    assert "no person" in unsigned
    undecided = to_markdown(reported(review=Review(Conclusion(None, "Call them.", "", "Ada"))))
    assert "By a program. 61%" in undecided
    assert undecided.index("By a program") < undecided.index("Reason by: Ada")
    assert "Signed" not in undecided
    assert "A program decided" in undecided


def test_what_was_asked_and_not_found_is_in_the_body(plain: CaseReport) -> None:
    assert [one.split("?")[0] for one in plain.not_found] == ["Who paints it"]
    queries = tuple(AskedQuery("wikipedia", f"paint {at}", "empty", 0) for at in range(7))
    missed = reported(replace(CASE, search=SearchReport(queries))).not_found
    assert missed[1].startswith("“paint 0”: wikipedia")
    assert missed[-1].startswith("3 more queries")


SEARCH = SearchReport(
    (AskedQuery("wikipedia", "tower paint", "found", 4),),
    (
        Origin(
            "https://a.example",
            "d" * 64,
            "wikipedia",
            "tower paint",
            1,
            "5" * 64,
            When.BEFORE,
            date(2019, 1, 2),
            "page",
        ),
    ),
    (LeftOut("https://b.example/<x>", Reason.LATE, "It was published later.", "wikipedia", "tower paint"),),
)


def test_the_protocol_of_the_search_stands_in_every_format() -> None:
    report = reported(replace(CASE, search=SEARCH))
    assert [grid.title for grid in report.protocol] == ["Queries sent", "Pages read", "Found and left out"]
    word = "\n".join(
        cell.text
        for table in docx.Document(BytesIO(to_docx(report))).tables
        for row in table.rows
        for cell in row.cells
    )
    for written in (html.unescape(report_body(report)), to_markdown(report).replace("\\", ""), word):
        for words in ("tower paint", "5" * 64, "d" * 64, "https://b.example/<x>", "It was published later."):
            assert words in written, words
    assert reported().protocol == ()


def test_the_place_of_a_claim_is_named_in_words() -> None:
    assert reported(replace(CASE, claim=Claim("Bare.", place="IN"))).facts == (("Place", "India"),)


def test_the_method_says_what_was_searched_and_who_decided(plain: CaseReport) -> None:
    said = "Veridesk searched 3 documents (9 passages) and kept 2 passages from 2 documents. It searched nothing else."
    assert plain.method == said
    assert reported(review=Review()).method == f"{said} A program decided (fitted head)."
    by_rules = replace(CASE, verdict=replace(VERDICT, judge=CLASSIFIER, features={}))
    assert "by rules" in reported(by_rules, Review()).method
    assert ("Model weights (SHA-256)", "ab" * 32) in plain.made_with
    assert any(limit.startswith("1 document had") for limit in plain.limits)


def test_signs_that_turn_or_hide_text_are_gone(hostile: CaseReport) -> None:
    assert "\u202e" in NASTY
    passage = hostile.evidence[0].answers[0].passage
    for text in (hostile.claim, passage, hostile.listed[0].source.title, hostile.left_out[-1]):
        assert not {"\u202e", "\x00", "\x07"} & set(text)
    assert hostile.evidence[1].question == f"1 {HEBREW}"


def test_a_quotation_from_a_pdf_names_its_page() -> None:
    pdf = Document("towers.pdf", "One. Two. Three.", pages=(0, 5, 10))
    assert [source_of(pdf, at).page for at in (0, 4, 5, 15)] == ["page 1", "page 1", "page 2", "page 3"]
    assert source_of(pdf, 5).citation == "towers.pdf, no date, page 2"


WHOLE = Passage(FIRST.document, 0, len(TEXT))


def test_cards_come_in_the_order_of_their_stances_and_may_have_no_question() -> None:
    stances = tuple(
        PassageStance(passage, stance, 0.9, "a reason")
        for passage, stance in ((SECOND, Stance.ABOUT), (FIRST, Stance.FOR), (WHOLE, Stance.FOR))
    )
    assert CASE.verdict
    verdict = replace(CASE.verdict, stances=stances, decisive=(2,))
    pairs = (Evidence("", SECOND.text, SECOND), Evidence("How often is it painted?", FIRST.text, FIRST))
    shown = reported(replace(CASE, verdict=verdict, evidence=pairs)).evidence
    assert [exhibit.question for exhibit in shown] == ["How often is it painted?", ""]
    assert [answer.number for exhibit in shown for answer in exhibit.answers] == [2, 1]
