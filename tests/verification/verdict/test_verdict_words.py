"""One rule for what is shown of a verdict, on every page, in every file and list."""

from dataclasses import replace
from datetime import date

import pytest

from core.annotations import prediction_of
from core.batch.command_work import line
from core.batch.types import Done
from core.cli.case_output import case_text, summary_of
from core.jobs.types import Json
from core.types import Claim, Label, Verdict
from core.verification.report.case_report import case_report
from core.verification.report.command import FORMATS
from core.verification.request import Request
from core.verification.review import Review
from core.verification.steps.control import verdict_words
from core.verification.verdict.classifier import CLASSIFIER
from core.verification.verdict.verdict_words import (
    CANNOT_TELL,
    shown_label,
    shown_probabilities,
    shown_share,
    words_of,
)
from core.verification.verify_job import result_of
from pages.score.items import verdict_of
from pages.ui.cases import side
from pages.ui.verdict_card import verdict_card
from pages.ui.verdicts import look_named
from pages.verify.hand_over import claim_and_verdict
from tests.pages.desks import hand_made
from tests.pages.desks import result_of as receipt_of
from tests.verification.report.conftest import MODEL

SURE = Verdict(dict(zip(Label, (0.1, 0.7, 0.15, 0.05), strict=True)), CLASSIFIER, 0.5, "See [1].", {"closest": 0.8})
DOUBTFUL = replace(SURE, threshold=0.9)
UNGROUNDED = replace(SURE, grounded=False)
PLAIN = replace(SURE, features={}, threshold=0.0)
ELSEWHERE = replace(SURE, caveat="Measured on other evidence.")
MEASURED = {"accuracy": 0.6, "claims": 250, "calibration_error": 0.05}
REQUEST = Request(Claim("The wall is visible."), example="everest")


@pytest.mark.parametrize(
    ("verdict", "label", "share"),
    [
        (SURE, Label.REFUTED, 0.7),
        (DOUBTFUL, None, None),
        (UNGROUNDED, None, None),
        (PLAIN, Label.REFUTED, None),
        (ELSEWHERE, Label.REFUTED, None),
    ],
)
def test_the_rule(verdict: Verdict, label: Label | None, share: float | None) -> None:
    assert shown_label(verdict) is label
    assert shown_share(verdict, MEASURED) == share
    assert shown_share(verdict, {"accuracy": 0.6}) is None
    assert shown_share(verdict, None) is None


def test_what_is_in_doubt_still_shows_how_near_the_labels_are() -> None:
    assert shown_probabilities(DOUBTFUL, MEASURED) == SURE.probabilities
    assert shown_probabilities(UNGROUNDED, MEASURED) == {}


def everywhere(verdict: Verdict) -> dict[str, str]:
    """Return what each place says of a verdict, by the place."""
    case = replace(hand_made(REQUEST.claim), verdict=verdict)
    prediction = prediction_of(case)
    receipt: Json = receipt_of(REQUEST, case)
    paper = case_report(REQUEST, case, MODEL, review=Review(), measured=MEASURED, made=date(2026, 11, 23))
    summary = summary_of(case, recipe="r", model="m")
    return {
        "list": look_named(result_of(receipt).label).word,
        "journal": line(1, 1, Done("0", prediction)),
        "items of a score": str(verdict_of(prediction)),
        "card": str(verdict_card(case, MEASURED)),
        "compared": str(side(REQUEST, case)),
        "clipboard": claim_and_verdict(case, Review()),
        "stage": verdict_words(case),
        "command": case_text(case, summary, MEASURED),
        "JSON": str(summary["verdict"]),
        **{name: kind.write(paper).decode() for name, kind in FORMATS.items() if name != "docx"},
    }


@pytest.mark.parametrize("verdict", [SURE, DOUBTFUL, UNGROUNDED, PLAIN, ELSEWHERE])
def test_every_place_says_the_same(verdict: Verdict) -> None:
    word = words_of(shown_label(verdict)).word
    assert [place for place, said in everywhere(verdict).items() if word not in said] == []
    if shown_label(verdict):
        assert [place for place, said in everywhere(verdict).items() if CANNOT_TELL in said] == []


@pytest.mark.parametrize("verdict", [UNGROUNDED, PLAIN, ELSEWHERE])
def test_no_place_shows_a_probability_that_cannot_be_relied_on(verdict: Verdict) -> None:
    assert [place for place, said in everywhere(verdict).items() if "70%" in said] == []
