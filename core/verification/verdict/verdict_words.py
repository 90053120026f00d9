"""Decide how a verdict is shown: one rule for every page, list, file and command."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from core.annotations import Prediction
from core.types import Label, Verdict
from core.verification.verdict.classifier import CLASSIFIER

CANNOT_TELL = "Cannot tell"
"""The label of a case with such a verdict; other cases have the label of their verdict."""


@dataclass(frozen=True)
class VerdictWords:
    """The name of a verdict, and its meaning in one sentence."""

    word: str
    meaning: str


WORDS = {
    Label.SUPPORTED: VerdictWords("Supported", "The documents found are judged to speak for the claim."),
    Label.REFUTED: VerdictWords("Refuted", "The documents found are judged to speak against the claim."),
    Label.NOT_ENOUGH_EVIDENCE: VerdictWords(
        "Not enough evidence", "The documents found are judged to neither support nor refute the claim."
    ),
    Label.CONFLICTING: VerdictWords(
        "Conflicting evidence", "The documents found are judged to disagree, or to tell part of the story."
    ),
}
DOUBT = VerdictWords(CANNOT_TELL, "No verdict is sure enough to be quoted. Read the evidence and judge yourself.")


def shown_label(said: Verdict | Prediction) -> Label | None:
    """Return the label to show; None for "Cannot tell", also with a likeliest label."""
    return None if said.cannot_tell else said.label


def words_of(label: Label | None) -> VerdictWords:
    """Return the words for a shown label."""
    return WORDS[label] if label else DOUBT


def listed_as(label: Label | None) -> str:
    """Return the label under which a case is listed and found."""
    return str(label) if label else CANNOT_TELL


def both_judges(verdict: Verdict) -> str:
    """Return in sentences a model's verdict, the evidence check's, and whether they agree; empty without both."""
    if verdict.check is None:
        return ""
    checked, shown = shown_label(verdict.check), shown_label(verdict)
    said = (
        f"From the questions and answers, {verdict.judge} says “{WORDS[verdict.label].word}”. "
        f"From the passages, the evidence check says “{words_of(checked).word}”."
    )
    if checked is verdict.label:
        return f"{said} Both agree."
    if shown:
        return f"{said} The passages lean to the model’s side."
    why = "They disagree" if checked else "No passage bears the model out"
    return f"{said} {why}, so no verdict is given: read the passages and decide."


def is_rule_based(verdict: Verdict) -> bool:
    """Tell whether a rule decided from clear or silent passages: nothing had to be weighed."""
    return verdict.judge == CLASSIFIER and not verdict.features


def shown_probabilities(verdict: Verdict, measured: Mapping[str, Any] | None) -> dict[Label, float]:
    """Return the probabilities to show; none where a reader could not rely on them.

    There are none if a rule decided, if no passage supports the verdict, or if their error is unknown here. `measured`
    are the judge's figures, as `VerdictClassifier.measured`.
    """
    weighed = verdict.grounded and not is_rule_based(verdict)
    calibrated = bool(measured and "calibration_error" in measured and not verdict.caveat)
    return dict(verdict.probabilities) if weighed and calibrated else {}


def shown_share(verdict: Verdict, measured: Mapping[str, Any] | None) -> float | None:
    """Return the probability to show beside the shown label, None where there is none to show."""
    label = shown_label(verdict)
    return shown_probabilities(verdict, measured).get(label) if label else None
