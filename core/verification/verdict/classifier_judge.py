"""Decide by the verdict classifier, never on evidence that does not speak of the claim, and explain the verdict."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from core.interfaces import RunContext
from core.types import Case, Label, Stance, Verdict
from core.verification.stance.polarity import content_of, turned_probabilities
from core.verification.stance.stance_words import repeats
from core.verification.verdict.classifier import CLASSIFIER, LABELS, VerdictClassifier, load_classifier, with_likeliest
from core.verification.verdict.documents_say import documents_say
from core.verification.verdict.evidence import EvidenceReading, read_parts, towards_claim
from core.verification.verdict.verdict_words import shown_label, words_of
from core.wording import counted

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
