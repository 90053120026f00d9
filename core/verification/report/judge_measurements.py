"""The measurements of the judge behind a verdict, and how to say them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from core.errors import VerideskError
from core.interfaces import ModelIdentity
from core.models.cards import card_for
from core.types import Verdict
from core.verification.recipes.catalogue import DEFAULT
from core.verification.verdict.classifier import CLASSIFIER, load_classifier

UNMEASURED = "Nobody has measured how often this judge is right: take its verdict as a hint at most."


def judge_measurements(verdict: Verdict, llm: ModelIdentity) -> Mapping[str, Any] | None:
    """Return the measurements of the judge that decided, as `core.models.cards.Measured`; None if nobody did."""
    try:
        if verdict.judge == CLASSIFIER:
            return load_classifier(DEFAULT).measured
        if verdict.judge == llm.name:
            return card_for(llm.digest, name=llm.name).measured
    except VerideskError:
        return None
    return None


def measurements_in_words(verdict: Verdict, measured: Mapping[str, Any] | None) -> tuple[str, ...]:
    """Return the measurements of a verdict's judge in sentences, beside baselines that need no documents."""
    caveat = (verdict.caveat,) if verdict.caveat else ()
    if not measured or "accuracy" not in measured:
        return (*caveat, UNMEASURED)
    claims = measured.get("claims")
    on = f" on {claims:,} published, annotated claims" if isinstance(claims, int) else ""
    right = f"This judge was right {measured['accuracy']:.0%} of the time{on}."
    beside = [
        f"{words} is right {measured[key]:.0%} of the time"
        for key, words in (
            ("always_refuted", "always saying “Refuted”"),
            ("claim_only", "judging by the claim’s words alone, without any document,"),
        )
        if key in measured
    ]
    compared = (f"For comparison: {'; '.join(beside)}.",) if beside else ()
    return (*caveat, right, *compared)
