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
    """Return which parts of a claim its documents refute, or else leave open; empty for a claim of one part.

    labels: the shown label of each part.
    """
    if len(readings) == 1:
        return ""
    named = list(zip([one.part.text for one in readings], labels, strict=True))
    refuted = [text for text, label in named if label is Label.REFUTED]
    if refuted:
        return f"Refuted by its part {_quoted(refuted)}"
    unsettled = [text for text, label in named if label is not Label.SUPPORTED]
    return f"Not settled: {_quoted(unsettled)}" if unsettled else ""


def _quoted(texts: Sequence[str]) -> str:
    """Return texts in quotation marks, without those that hold another one: the claim itself may be the last part."""
    least = [one for one in texts if not any(other != one and other.lower() in one.lower() for other in texts)]
    return "; ".join(f"“{text.rstrip('.')}”" for text in least) + "."


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
