"""The measurements of the judge behind a verdict, and how to say them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from typing import Any

from core.errors import VerideskError
from core.files import ASSETS
from core.types import Label, Verdict
from core.verification.recipes.catalogue import DEFAULT
from core.verification.verdict.classifier import CLASSIFIER, load_classifier
from core.verification.verdict.verdict_words import is_rule_based, shown_label

UNMEASURED = "Nobody has measured how often such verdicts are right: take this one as a hint at most."


def judge_measurements(verdict: Verdict) -> Mapping[str, Any] | None:
    """Return the figures of the classifier if it decided, as `VerdictClassifier.measured`; None of any other judge."""
    try:
        return load_classifier(DEFAULT).measured if verdict.judge == CLASSIFIER else None
    except VerideskError:
        return None


@cache
def own_documents() -> Mapping[str, Any]:
    """Return the counts of a test of verdicts on few documents: claims with a side, right ones, and open ones."""
    counts: dict[str, Any] = json.loads((ASSETS / "verdicts" / "own_documents.json").read_text(encoding="utf-8"))
    return counts


def worth_in_words(verdict: Verdict, measured: Mapping[str, Any] | None) -> str:
    """Return the one figure that was measured for verdicts such as this, in a sentence; else that there is none.

    `measured` is the result of `judge_measurements`.
    """
    if verdict.caveat:
        return verdict.caveat
    label, test = shown_label(verdict), own_documents()
    if is_rule_based(verdict) and label in (Label.SUPPORTED, Label.REFUTED):
        share = test["right"] / test["sided"]
        sided, documents = f"{test['sided']} verdicts with a side", f"{test['documents']} documents"
        return f"In a test on {documents}, {share:.0%} of {sided} were right."
    if label is Label.CONFLICTING and is_rule_based(verdict):
        return UNMEASURED
    if is_rule_based(verdict):
        count, share = test["open"], test["open_with_answer"] / test["open"]
        return (
            f"The answer may still be there: in a test, {share:.0%} of {count} open claims had one. Read the documents."
        )
    if label is None or not measured or "accuracy" not in measured:
        return UNMEASURED if label else ""
    rows = [row for row in measured.get("risk_coverage", ()) if row["threshold"] <= verdict.threshold + 1e-9]
    right, kept = (rows[-1]["accuracy"], rows[-1]["coverage"]) if rows else (measured["accuracy"], 1.0)
    count = f"{kept * measured['claims']:,.0f} such verdicts" if "claims" in measured else "such verdicts"
    return f"{right:.0%} of {count} on published claims were right."
