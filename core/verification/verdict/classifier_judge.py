"""Decide by the verdict classifier, never on evidence that does not speak of the claim."""

from __future__ import annotations

from dataclasses import dataclass, replace

from core.interfaces import RunContext
from core.types import Case, Completion, Label, Stance, Verdict
from core.verification.stance.polarity import turned_probabilities
from core.verification.verdict.classifier import CLASSIFIER, LABELS, VerdictClassifier, load_classifier, with_likeliest
from core.verification.verdict.evidence import EvidenceReading, read_evidence, towards_claim
from core.verification.verdict.explaining import with_explanation

SIDES = {Label.SUPPORTED: Stance.FOR, Label.REFUTED: Stance.AGAINST}
"""The stance that a passage must have before a verdict may be given."""


@dataclass(frozen=True)
class ClassifierJudge:
    """Decides by the classifier of this name; without the claim's wording where `wording` is off."""

    name: str
    wording: bool = True

    def verdict(self, case: Case, context: RunContext) -> tuple[Verdict, tuple[Completion, ...]]:
        classifier = load_classifier(self.name)
        evidence = read_evidence(case, context)
        vector = context.models.encoder.encode([evidence.content.text], stop=context.stop)[0]
        wording = classifier.wording_of(vector)
        judge = _Judgement(classifier, wording, self.wording)
        verdict = judge.of(evidence)
        return with_explanation(verdict, evidence, judge.of), ()


@dataclass(frozen=True)
class _Judgement:
    """A classifier's judgement of evidence, for a claim with a known wording."""

    classifier: VerdictClassifier
    wording: dict[Label, float] | None
    with_wording: bool

    def of(self, evidence: EvidenceReading) -> Verdict:
        """Return the verdict on evidence, which may be less than all of it."""
        found = probabilities_of(self.classifier, evidence, self.wording if self.with_wording else None)
        alone = probabilities_of(self.classifier, evidence, None)
        values = {} if evidence.rule_based else evidence.values
        threshold = 0.0 if evidence.rule_based else self.classifier.threshold  # it is that of weighing
        verdict = Verdict(found, CLASSIFIER, threshold, features=values)
        verdict = replace(verdict, grounded=grounded(verdict.label, evidence))
        turn = turned_probabilities if evidence.content.denied else dict
        return replace(
            verdict,
            probabilities=turn(found),
            wording=turn(self.wording) if self.wording else {},
            from_documents=turn(alone),
            stances=towards_claim(evidence),
        )


def probabilities_of(
    classifier: VerdictClassifier, evidence: EvidenceReading, wording: dict[Label, float] | None
) -> dict[Label, float]:
    """Return the probabilities for the claim's content; without the wording where it is None.

    Silent documents add nothing to the wording; the classifier weighs all others. Where a rule decides, its label is
    the likeliest, and the rest stays as it was weighed.
    """
    if evidence.silent:
        weighed = wording or dict.fromkeys(LABELS, 1 / len(LABELS))
    else:
        weighed = classifier.probabilities(evidence.values, wording)
    return with_likeliest(evidence.rule_based, weighed) if evidence.rule_based else weighed


def grounded(label: Label, evidence: EvidenceReading) -> bool:
    """Say whether a passage stands for a label: on its side, on both for conflicting evidence."""
    if label is Label.CONFLICTING:
        return evidence.takes(Stance.FOR) and evidence.takes(Stance.AGAINST)
    if label is Label.NOT_ENOUGH_EVIDENCE:
        return not evidence.takes(Stance.FOR) and not evidence.takes(Stance.AGAINST)
    other = Stance.AGAINST if SIDES[label] is Stance.FOR else Stance.FOR
    return evidence.takes(SIDES[label]) and not (evidence.takes(other) and _outweighs(other, evidence))


def _outweighs(stance: Stance, evidence: EvidenceReading) -> bool:
    """Say whether more passages have this stance than the contrary one."""
    contrary = Stance.AGAINST if stance is Stance.FOR else Stance.FOR
    count = [one.stance for one in evidence.counted]
    return count.count(stance) > count.count(contrary)
