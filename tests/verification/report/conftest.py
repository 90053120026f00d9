"""Cases to report: a plain one, whose every line is known, and one whose every text is hostile."""

from dataclasses import replace
from datetime import date

import pytest

from core.interfaces import ModelIdentity
from core.types import Case, Claim, CorpusSummary, Document, Evidence, Hit, Label, Passage, StepTime, Verdict
from core.verification.report.case_report import CaseReport, case_report
from core.verification.request import Request
from core.verification.review import Conclusion, Mark, Review, passage_key

MODEL = ModelIdentity("SmolLM2", "ab" * 32)
MEASURED = {"claims": 250, "accuracy": 0.608, "always_refuted": 0.556, "claim_only": 0.648, "calibration_error": 0.05}
TEXT = "The tower was painted in 2010. It is painted every seven years. Nobody paints it in winter."
PAINT = Document("https://www.example.org/paint", TEXT, "How the tower is painted", date(2019, 1, 2))
COPY = Document("https://web.archive.org/web/20200405060708/https://example.com/a", "Every six years.", "A copy")
FIRST, SECOND = Passage(PAINT, 31, 63), Passage(COPY, 0, 16)
CLAIM = Claim("The tower is painted every seven years.", "Jane Doe", date(2020, 5, 1), "Radio 4", "Paris")
CASE = Case(
    CLAIM,
    CorpusSummary(documents=3, passages=9, late=2, undated=1, digest="cd" * 32),
    hits=(Hit(FIRST, 1, bm25_rank=2, dense_rank=1), Hit(SECOND, 2, dense_rank=3)),
    evidence=(
        Evidence("How often is it painted?", "every seven years", FIRST, (45, 62)),
        Evidence("Who paints it?", "nobody said"),
    ),
    verdict=Verdict(dict(zip(Label, (0.7, 0.1, 0.15, 0.05), strict=True)), "fitted head", 0.55, "See [1]."),
    notes=("https://example.net/x: there is no such page.",),
    times=(StepTime("Ask", 12.4, "1 question"),),
)
REQUEST = Request(CLAIM, documents=(PAINT, COPY), seed=3)
REVIEW = Review(
    Conclusion(Label.REFUTED, "It is six years.", "Call the tower.", "Ada", show_notes=True),
    {passage_key(FIRST): Mark.WRONG},
)

NASTY = (
    "</script></title><script>alert(1)</script> | *bold* [a](javascript:x) `c` <img src=x onerror=alert(2)> "
    "\u202eevil\u202c \x00\x07 “quoted” 'it' \ufffe {{ 7 * 7 }} =1+1"
)
HEBREW, ARABIC, CHINESE = "המגדל נצבע כל שבע שנים", "يُطلى البرج كل سبع سنوات", "铁塔每七年粉刷一次"


def reported(case: Case = CASE, review: Review = REVIEW, request: Request = REQUEST) -> CaseReport:
    return case_report(request, case, MODEL, review=review, measured=MEASURED, made=date(2026, 11, 22))


@pytest.fixture(scope="package")
def plain() -> CaseReport:
    return reported()


@pytest.fixture(scope="package")
def hostile() -> CaseReport:
    """A report of 100 passages of 4,000 characters in which every text is hostile."""
    body = f"{NASTY} {HEBREW} {ARABIC} {CHINESE} " * 40
    documents = [Document(f"https://example.org/{n}?q=<x>&y=\"'", f"{n} {body}"[:4000], NASTY) for n in range(100)]
    passages = [Passage(document, 0, len(document.text)) for document in documents]
    claim = Claim(NASTY, NASTY, date(2020, 5, 1), NASTY, ARABIC)
    questions = [f"{n} {HEBREW if n % 2 else NASTY}" for n in range(100)]
    evidence = [Evidence(text, one.text[:900], one, (0, 900)) for text, one in zip(questions, passages, strict=True)]
    case = replace(
        CASE,
        claim=claim,
        hits=tuple(Hit(passage, rank) for rank, passage in enumerate(passages, start=1)),
        evidence=tuple(evidence),
        notes=(NASTY,),
    )
    return reported(
        case, Review(Conclusion(None, NASTY, HEBREW, NASTY, show_notes=True)), replace(REQUEST, claim=claim)
    )
