"""Explain a verdict: the passages that decided, and the changes that would turn it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from core.types import Label, Stance, Verdict
from core.verification.stance.stance_words import repeats
from core.verification.verdict.documents_say import documents_say
from core.verification.verdict.evidence import EvidenceReading
from core.verification.verdict.verdict_words import shown_label, words_of
from core.wording import counted

_ANSWERS: dict[Label | None, str] = {
    Label.SUPPORTED: "yes",
    Label.REFUTED: "no",
    Label.CONFLICTING: "the sources disagree",
}
"""The answer of the documents to a part; "open" without a verdict on it."""


def with_explanation(
    claim: str,
    verdict: Verdict,
    readings: Sequence[EvidenceReading],
    judged: Callable[[Sequence[EvidenceReading]], Verdict],
) -> Verdict:
    """Return the verdict with the decisive passages and a counterfactual, found by leaving out each passage.

    Passages that say a sentence again go with the first. An undecidable claim needs no explanation but its caveat.
    """
    if all(one.undecidable for one in readings):
        return verdict
    outcome, again, stances = outcome_of(verdict), repeats(verdict.stances), verdict.stances
    changed = dict[int, str]()
    for place, one in enumerate(stances):
        if one.stance in (Stance.FOR, Stance.AGAINST) and place not in again:
            gone = {other.passage for at, other in enumerate(stances) if again.get(at, at) == place}
            changed[place] = outcome_of(judged([reading.without(gone) for reading in readings]))
    decisive = tuple(place for place, other in changed.items() if other != outcome)
    parts = "" if all(one.silent for one in readings) else verdict.justification
    said = " ".join(filter(None, (parts, documents_say(claim, verdict))))
    return replace(
        verdict, decisive=decisive, counterfactual=_counterfactual(decisive, changed, verdict), justification=said
    )


def of_parts(readings: Sequence[EvidenceReading], labels: Sequence[Label | None]) -> str:
    """Return each part of a claim with the answer of its documents; empty for a claim of one part.

    labels: the shown label of each part.
    """
    if len(readings) == 1:
        return ""
    texts = [one.part.text.rstrip(".") for one in readings]
    found = [f"{_named(text, texts)}: {_ANSWERS.get(label, 'open')}" for text, label in zip(texts, labels, strict=True)]
    said = "; ".join(found)
    return f"{said[0].upper()}{said[1:]}."


def _named(text: str, texts: Sequence[str]) -> str:
    """Return a part in quotation marks. The last part of a claim about an order in time is the claim itself."""
    holds_another = any(other != text and other.lower() in text.lower() for other in texts)
    return "as a whole" if holds_another else f"“{text}”"


def outcome_of(verdict: Verdict) -> str:
    """Return the verdict in the reader's words."""
    return words_of(shown_label(verdict)).word


def _counterfactual(decisive: Sequence[int], changed: dict[int, str], verdict: Verdict) -> str:
    if decisive:
        return " ".join(
            f"Without passage [{place + 1}] the verdict would be “{changed[place]}”." for place in decisive[:3]
        )
    sides = len(changed)
    if not sides:
        return "A passage that says in plain words that it is so, or that it is not, would change this."
    return f"No single one of the {counted(sides, 'passage')} that take a side decides alone." if sides > 1 else ""
