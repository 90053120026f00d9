"""Give the verdict."""

from __future__ import annotations

from dataclasses import dataclass, replace

from core.errors import ModelError
from core.interfaces import RunContext
from core.types import Case, Verdict
from core.verification.steps.control import verdict_words
from core.verification.steps.gathering import quote
from core.verification.verdict.evidence_features import closeness
from core.verification.verdict.similarity import load_similarity_card

NOT_ABLE = (
    "This recipe leaves the verdict to the language model. {} is not measured as able, so the evidence check decided."
)
NO_ANSWER = "{} gave no verdict, so the evidence check decided. {}"


def with_quotations(case: Case) -> Case:
    """Return the case with the passages found as its answers, where nothing has been asked of them yet."""
    return case if case.evidence else replace(case, evidence=tuple(quote("", hit.passage) for hit in case.hits))


@dataclass(frozen=True)
class FilterBySimilarity:
    """Decide that there is not enough evidence where all of it is far from the claim; leave the rest undecided.

    Source: Upravitelev et al., FEVER 2025 (team EFC), with the threshold of the encoder's card.
    """

    title: str = "Set aside claims without close evidence"

    def __call__(self, case: Case, context: RunContext) -> Case:
        if not case.evidence:
            return case
        card = load_similarity_card(context.models.encoder.identity.digest)
        if card is None or card.not_enough_below is None:
            why = "it was not fitted to" if card is None else "it tells no claims that lack evidence from others with"
            said = f"“{self.title}” was not done: {why} {context.models.encoder.identity.name}."
            return replace(case, notes=(*case.notes, said))
        answers = [pair.answer for pair in case.evidence]
        cosines = closeness(case.claim.text, answers, context.models.encoder, stop=context.stop)
        nearest = float(cosines[:, 0].max())
        if nearest >= card.not_enough_below:
            return case
        said = f"The closest answer has a cosine of {nearest:.2f} with the claim, below {card.not_enough_below:.2f}."
        return replace(case, verdict=Verdict(card.shares, "similarity filter", 0.0, said, {"closest": nearest}))

    def found(self, case: Case) -> str:
        return "not enough evidence" if case.verdict else "undecided"


@dataclass(frozen=True)
class PredictVeracity:
    """Check the passages' stances towards the claim; from answered questions the language model gives the verdict.

    The model must be measured as able; else the evidence check decides, and the caveat says so. Without questions
    before it the check decides on the passages found. Without passages the documents are silent. Where a chosen model
    reads or judges, the built-in reader's first check is shown meanwhile.
    """

    title: str = "Weigh the evidence"

    def __call__(self, case: Case, context: RunContext) -> Case:
        verdict = self._checked(case, context)
        if not any(pair.question for pair in case.evidence):
            return replace(case, verdict=verdict)
        name = context.models.llm.identity.name
        if context.answer_judge is None:
            return replace(case, verdict=_with_caveat(verdict, NOT_ABLE.format(name)))
        try:
            verdict, completions = context.answer_judge.verdict(case, verdict, context)
        except ModelError as error:
            return replace(case, verdict=_with_caveat(verdict, NO_ANSWER.format(name, error)))
        taken = tuple(replace(completion, step=self.title) for completion in completions)
        return replace(case, verdict=verdict, completions=(*case.completions, *taken))

    def _checked(self, case: Case, context: RunContext) -> Verdict:
        """Return the verdict of the evidence check, after the chosen model has read too."""
        quoted, judge, second = with_quotations(case), context.models.judge, context.second
        verdict = judge.verdict(quoted, replace(context, second=None))
        if second or context.answer_judge:
            context.show(replace(case, verdict=verdict))
        if second is None:
            return verdict
        verdict = second.explained(case.claim.text, judge.verdict(quoted, context), context)
        return replace(verdict, second=second.account)

    def found(self, case: Case) -> str:
        return verdict_words(case)


def _with_caveat(verdict: Verdict, said: str) -> Verdict:
    return replace(verdict, caveat=" ".join(filter(None, (verdict.caveat, said))))
