"""Give the verdict."""

from __future__ import annotations

from dataclasses import dataclass, replace

from core.interfaces import RunContext
from core.types import Case, Verdict
from core.verification.steps.control import verdict_words
from core.verification.steps.gathering import quote
from core.verification.verdict.evidence_features import closeness
from core.verification.verdict.similarity import load_similarity_card


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
    """Take the stance of each passage towards the claim, and have the judge give a verdict on these stances.

    The judge is the model itself if its card allows it, else the verdict classifier. It needs no questions: before
    they are written it reads the passages found. Without passages it says that the documents are silent. Where a chosen
    reader reads too, the classifier decides again after it; its first verdict is shown meanwhile.
    """

    title: str = "Weigh the evidence"

    def __call__(self, case: Case, context: RunContext) -> Case:
        quoted, judge, second = with_quotations(case), context.models.judge, context.second
        verdict, completions = judge.verdict(quoted, replace(context, second=None))
        if second and not completions:
            context.show(replace(case, verdict=verdict))
            verdict = second.explained(case.claim.text, judge.verdict(quoted, context)[0], context)
            verdict = replace(verdict, second=second.account)
        taken = tuple(replace(completion, step=self.title) for completion in completions)
        return replace(case, verdict=verdict, completions=(*case.completions, *taken))

    def found(self, case: Case) -> str:
        return verdict_words(case)
