"""Decide by the verdict classifier, never on evidence that does not speak of the claim."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from core.interfaces import RunContext
from core.types import Case, Label, Stance, Verdict
from core.verification.stance.polarity import content_of, turned_probabilities
from core.verification.verdict.classifier import CLASSIFIER, LABELS, VerdictClassifier, load_classifier, with_likeliest
from core.verification.verdict.evidence import EvidenceReading, read_parts, towards_claim
from core.verification.verdict.explaining import of_parts, with_explanation
from core.verification.verdict.verdict_words import shown_label

SIDES = {Label.SUPPORTED: Stance.FOR, Label.REFUTED: Stance.AGAINST}
"""The stance that a passage must have before a verdict may be given."""


@dataclass(frozen=True)
class ClassifierJudge:
    """Decides by the classifier of this name."""

    name: str

    def verdict(self, case: Case, context: RunContext) -> Verdict:
        classifier = load_classifier(self.name)
        readings = read_parts(case, context)
        text = content_of(case.claim.text).text
        vector = context.models.encoder.encode([text], stop=context.stop)[0]
        judge = _Judgement(classifier, classifier.wording_of(vector))
        return with_explanation(case.claim.text, judge.of_claim(readings), readings, judge.of_claim)


@dataclass(frozen=True)
class _Judgement:
    """A classifier's judgement of evidence, for a claim with a known wording."""

    classifier: VerdictClassifier
    wording: dict[Label, float] | None

    def of_claim(self, readings: Sequence[EvidenceReading]) -> Verdict:
        """Return the verdict on a claim from the readings of its parts: that of the part that decides."""
        verdicts = [self.of_part(one) for one in readings]
        said = of_parts(readings, [shown_label(one) for one in verdicts])
        return replace(deciding(verdicts), stances=towards_claim(readings), justification=said)

    def of_part(self, evidence: EvidenceReading) -> Verdict:
        """Return the verdict on one part, without stances and justification."""
        found = probabilities_of(self.classifier, evidence, self.wording)
        alone = probabilities_of(self.classifier, evidence, None)
        values = evidence.values if evidence.weighed else {}
        threshold = self.classifier.threshold if evidence.weighed else 0.0  # it is that of weighing
        verdict = Verdict(found, CLASSIFIER, threshold, features=values, caveat=evidence.undecidable)
        verdict = replace(verdict, grounded=grounded(verdict.label, evidence))
        turn = turned_probabilities if evidence.content.denied else dict
        return replace(
            verdict,
            probabilities=turn(found),
            wording=turn(self.wording) if self.wording else {},
            from_documents=turn(alone),
        )


def deciding(verdicts: Sequence[Verdict]) -> Verdict:
    """Return the verdict that decides on the whole: the surest that refutes, else the least sure that supports."""
    refuting = [one for one in verdicts if shown_label(one) is Label.REFUTED]
    if refuting:
        return max(refuting, key=lambda one: one.probabilities[Label.REFUTED])
    unsettled = [one for one in verdicts if shown_label(one) is not Label.SUPPORTED]
    return min(unsettled or verdicts, key=lambda one: one.probabilities[Label.SUPPORTED])


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
    if evidence.undecidable or not (evidence.weighed or evidence.rule_based):
        return False
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
