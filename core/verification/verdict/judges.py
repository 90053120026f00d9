"""Who decides: the verdict classifier, or the language model where its card says that it may."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from core.errors import BadRecord
from core.files import json_of
from core.interfaces import Judge, LanguageModel, RunContext, Schema
from core.llm.prompts import about, numbered, pair_line, render
from core.models.cards import ModelCard
from core.statistics.logistic import softmax
from core.types import Case, Completion, Label, Verdict
from core.verification.verdict.classifier_judge import ClassifierJudge, grounded
from core.verification.verdict.documents_say import SILENT
from core.verification.verdict.evidence import read_parts, towards_claim

LETTERS = ("A", "B", "C", "D")
"""The answers of the verdict prompt, in the order of Label."""

PAIR_TOKENS = 120
"""How much of each pair a judging model reads."""


@dataclass(frozen=True)
class ModelJudge:
    """Decides by the calibrated likelihoods that the language model gives to the four labels."""

    name: str
    calibration: tuple[float, ...]
    threshold: float

    def verdict(self, case: Case, context: RunContext) -> tuple[Verdict, tuple[Completion, ...]]:
        readings = read_parts(case, context)
        stances = towards_claim(readings)
        if all(one.silent for one in readings):
            rest = (1 - self.threshold) / (len(Label) - 1)
            silence = {**dict.fromkeys(Label, rest), Label.NOT_ENOUGH_EVIDENCE: self.threshold}
            return Verdict(silence, self.name, self.threshold, SILENT, stances=stances), ()
        slots = read_of(case, context.models.llm)
        likelihoods, weighed = context.models.llm.log_likelihoods(render("verdict", slots), LETTERS, stop=context.stop)
        verdict = Verdict(
            calibrated(likelihoods.tolist(), self.calibration), self.name, self.threshold, stances=stances
        )
        explained = context.models.llm.generate(
            render("justification", {**slots, "label": str(verdict.label)}),
            schema=JUSTIFICATION,
            max_tokens=200,
            seed=context.seed,
            stop=context.stop,
        )
        said = json_of(explained.text)["justification"] + partly_read(case, context.models.llm)
        parts = [grounded(verdict.label, one) for one in readings]
        stands = all(parts) if verdict.label is Label.SUPPORTED else any(parts)
        return replace(verdict, justification=said, grounded=stands), (weighed, explained)


def read_of(case: Case, llm: LanguageModel) -> dict[str, str]:
    """Return the slots of the verdict prompt: a case as a judging model reads it."""
    return {**about(case.claim), "evidence": numbered(case.evidence, llm, tokens=PAIR_TOKENS)}


def partly_read(case: Case, llm: LanguageModel) -> str:
    """Return the words that say how many pairs a judging model read in part only; none where it read all."""
    long = sum(llm.count_tokens(pair_line(pair)) > PAIR_TOKENS for pair in case.evidence)
    if not long:
        return ""
    return f" (The model read {long} of {len(case.evidence)} pairs only to their first {PAIR_TOKENS} tokens.)"


JUSTIFICATION: Schema = {
    "type": "object",
    "required": ["justification"],
    "properties": {"justification": {"type": "string", "minLength": 20, "maxLength": 500}},
}


def calibrated(log_likelihoods: list[float], calibration: tuple[float, ...]) -> dict[Label, float]:
    """Return probabilities from four log-likelihoods: softmax of slope × likelihood + bias.

    calibration is (slope, and the biases of Supported, Not Enough Evidence and Conflicting against Refuted).
    """
    slope, supported, not_enough, conflicting = calibration
    scores = slope * np.array(log_likelihoods) + np.array([supported, 0.0, not_enough, conflicting])
    return dict(zip(Label, softmax(scores[np.newaxis])[0].tolist(), strict=True))


def judge_for(card: ModelCard, classifier: str) -> Judge:
    """Return the model itself if its card says that it may judge, else the classifier of this name.

    Raises BadRecord for a card that lets a model judge without saying how far to trust it.
    """
    if not card.may_judge:
        return ClassifierJudge(classifier)
    if card.calibration is None or card.threshold is None:
        raise BadRecord(f"The card of {card.name} lets it judge without a calibration: fit it again.")
    return ModelJudge(card.name, card.calibration, card.threshold)
