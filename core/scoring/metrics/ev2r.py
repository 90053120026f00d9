"""Ev²R: the atomic facts of two evidence sets, each checked against the other side by a judging model.

Source: Akhtar, Schlichtkrull & Vlachos 2024, as used by the 2025 AVeriTeC shared task. The prompts are ours. Recall is
the share of reference facts in the prediction, precision the share of predicted facts in the reference.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from core.interfaces import Schema
from core.scoring.metrics.judgements import JudgementFailed, JudgeModel

Pair = tuple[str, str]

MAX_FACTS = 4
"""The most facts of one question-answer pair; a question is one fact."""

MAX_COUNTED = 24
"""The most facts of one side in a list."""

FACT_TOKENS = 60
"""Tokens for one listed fact of 200 characters."""


def facts_schema(most: int) -> Schema:
    """Return the schema of a list of one to `most` facts."""
    fact = {"type": "string", "minLength": 8, "maxLength": 200}
    listed = {"type": "array", "minItems": 1, "maxItems": most, "items": fact}
    return {"type": "object", "required": ["facts"], "properties": {"facts": listed}}


def counts_schema(reference: int, predicted: int) -> Schema:
    """Return the schema of the counting answer, with limits on the facts of both sides."""
    fields: dict[str, Schema] = {}
    for side, most in (("reference", reference), ("predicted", predicted)):
        # Without a limit, a small model lists facts until its tokens end.
        fact = {"type": "string", "maxLength": 200}
        fields[f"{side}_facts"] = {"type": "array", "minItems": 1, "maxItems": most, "items": fact}
        fields[f"{side}_supported"] = {"type": "integer", "minimum": 0, "maximum": most}
    return {"type": "object", "required": list(fields), "properties": fields}


@dataclass(frozen=True)
class FactJudgement:
    """One fact of one side ("reference" or "predicted") and whether the other side contains it."""

    side: str
    fact: str
    supported: bool


@dataclass(frozen=True)
class Comparison:
    """Mutual coverage of two evidence sets, each in [0, 1].

    `precision` is None if not requested or without a prediction. `facts` is empty for the official way, in which the
    judge only counts.
    """

    recall: float
    precision: float | None
    facts: tuple[FactJudgement, ...] = ()

    @property
    def f1(self) -> float | None:
        if self.precision is None:
            return None
        total = self.precision + self.recall
        return 2 * self.precision * self.recall / total if total else 0.0


def compare_stepwise(
    reference: Sequence[Pair], predicted: Sequence[Pair], judge: JudgeModel, *, words: int, precision: bool
) -> Comparison:
    """Extract the facts pair by pair, then judge each, yes or no, against the other side.

    `words` limits the evidence that the judge reads. `reference` must not be empty; an empty prediction has recall 0
    without judging. Raises JudgementFailed or ModelError if the judge fails.
    """
    if not predicted:
        return Comparison(0.0, None)
    facts = _judged("reference", reference, predicted, judge, words)
    if precision:
        facts += _judged("predicted", predicted, reference, judge, words)
    return Comparison(_share(facts, "reference") or 0.0, _share(facts, "predicted"), tuple(facts))


def compare_questions(
    reference: Sequence[str], predicted: Sequence[str], judge: JudgeModel, *, words: int
) -> Comparison:
    """Judge each reference question: do the predicted questions ask for it?

    Each question counts as one atomic fact.
    """
    asked = [question for question in predicted if question.strip()]
    if not asked:
        return Comparison(0.0, None)
    listed = numbered([(question, "") for question in asked], words)
    facts = [
        FactJudgement("reference", question, _supports(judge, "ev2r_question", listed, question))
        for question in reference
    ]
    return Comparison(_share(facts, "reference") or 0.0, None, tuple(facts))


def compare_officially(
    claim: str, reference: Sequence[Pair], predicted: Sequence[Pair], judge: JudgeModel, *, words: int
) -> Comparison:
    """Ask once for the facts of both sides and how many the other side contains, as the published scorer does.

    Raises JudgementFailed if the counts contradict the lists; counts are never clamped.
    """
    if not predicted:
        return Comparison(0.0, None)
    slots = {"claim": claim, "reference": numbered(reference, words // 2), "predicted": numbered(predicted, words // 2)}
    most = _most_facts(reference), _most_facts(predicted)
    tokens = min(1500, FACT_TOKENS * (1 + sum(most)))
    return judge.json(judge.render("ev2r_counts", slots), counts_schema(*most), _counted_comparison, max_tokens=tokens)


def _most_facts(pairs: Sequence[Pair]) -> int:
    return min(MAX_COUNTED, sum(MAX_FACTS if answer else 1 for _, answer in pairs))


def _counted_comparison(answer: object) -> Comparison:
    return Comparison(_counted(answer, "reference"), _counted(answer, "predicted"))


def _counted(answer: object, side: str) -> float:
    record = answer if isinstance(answer, dict) else {}
    facts, supported = record.get(f"{side}_facts"), record.get(f"{side}_supported")
    if not isinstance(facts, list) or not facts or isinstance(supported, bool) or not isinstance(supported, int):
        raise JudgementFailed(f"the judge gave no {side} facts or no count of them")
    if not 0 <= supported <= len(facts):
        raise JudgementFailed(f"the judge says that {supported} of {len(facts)} {side} facts are supported")
    return supported / len(facts)


def _judged(
    side: str, pairs: Sequence[Pair], against: Sequence[Pair], judge: JudgeModel, words: int
) -> list[FactJudgement]:
    facts = [fact for pair in pairs for fact in facts_of(pair, judge, words=words)]
    evidence = numbered(against, words)
    return [FactJudgement(side, fact, _supports(judge, "ev2r_support", evidence, fact)) for fact in facts]


def facts_of(pair: Pair, judge: JudgeModel, *, words: int) -> list[str]:
    """Return one to four atomic facts of a question-answer pair, without repetitions."""
    question, answer = pair
    prompt = judge.render("ev2r_facts", {"question": question or "none", "answer": first_words(answer, words)})
    return judge.json(prompt, facts_schema(MAX_FACTS), listed_facts, max_tokens=FACT_TOKENS * (1 + MAX_FACTS))


def listed_facts(answer: object) -> list[str]:
    """Return the facts that a judge listed, without repetitions. Raises JudgementFailed if it listed none."""
    facts = answer.get("facts") if isinstance(answer, dict) else None
    if not isinstance(facts, list) or not facts or not all(isinstance(fact, str) and fact.strip() for fact in facts):
        raise JudgementFailed("the judge listed no facts")
    return list(dict.fromkeys(fact.strip() for fact in facts))


def _supports(judge: JudgeModel, template: str, evidence: str, fact: str) -> bool:
    # The evidence is first in the prompt, so that the model reads it once for all facts.
    return judge.yes(judge.render(template, {"evidence": evidence, "fact": fact}))


def _share(facts: Sequence[FactJudgement], side: str) -> float | None:
    judged = [fact.supported for fact in facts if fact.side == side]
    return sum(judged) / len(judged) if judged else None


def numbered(pairs: Sequence[Pair], words: int) -> str:
    """Return pairs as numbered lines that share `words` words equally."""
    each = max(8, words // max(1, len(pairs)))
    return "\n".join(f"[{n}] {first_words(f'{q} {a}', each)}" for n, (q, a) in enumerate(pairs, start=1))


def first_words(text: str, words: int) -> str:
    """Return the first words of a text on one line."""
    found = text.split()
    return " ".join(found[:words]) + (" …" if len(found) > words else "")


Rule = Callable[[float], bool]

RULES: dict[str, Rule] = {
    ">0.5": lambda recall: recall > 0.5,
    ">=0.5": lambda recall: recall >= 0.5,
    ">0.46": lambda recall: recall > 0.46,
}
"""The threshold rules of published scorers: the paper's, and two from their code."""


def written_rule(rule: str) -> str:
    """Return a rule as people write it: "≥ 0.5" for ">=0.5"."""
    return rule.replace(">=", "≥ ").replace(">", "> ")
