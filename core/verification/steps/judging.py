"""Come to a verdict."""

from __future__ import annotations

from dataclasses import dataclass, replace

from core.errors import BadInput
from core.interfaces import Engines
from core.types import Case, Verdict
from core.verification.steps.control import verdict_words
from core.verification.verdict.head import closeness
from core.verification.verdict.similarity import load_similarity_card


def with_evidence(case: Case) -> Case:
    """Return the case. Raises BadInput if it has no evidence."""
    if not case.evidence:
        raise BadInput(
            "Nothing in the documents resembles the claim, so there is no evidence to weigh: "
            "add documents, or put the claim in other words."
        )
    return case


@dataclass(frozen=True)
class FilterBySimilarity:
    """Decide that there is not enough evidence where all of it is far from the claim; leave the rest undecided.

    Source: Upravitelev et al., FEVER 2025 (team EFC), with the threshold of the encoder's card.
    """

    title: str = "Set aside claims without close evidence"

    def __call__(self, case: Case, engines: Engines) -> Case:
        card = load_similarity_card(engines.encoder.identity.digest)
        if card is None or card.not_enough_below is None:
            why = "no threshold was fitted to it" if card is None else "none separates claims that lack evidence"
            return replace(
                case, notes=(*case.notes, f"No similarity filter for {engines.encoder.identity.name}: {why}.")
            )
        answers = [pair.answer for pair in with_evidence(case).evidence]
        cosines = closeness(case.claim.text, answers, engines.encoder, stop=engines.stop)
        nearest = float(cosines[:, 0].max())
        if nearest >= card.not_enough_below:
            return case
        said = f"The closest answer has a cosine of {nearest:.2f} with the claim, below {card.not_enough_below:.2f}."
        return replace(case, verdict=Verdict(card.shares, "similarity filter", 0.0, said, {"closest": nearest}))

    def found(self, case: Case) -> str:
        return "not enough evidence" if case.verdict else "undecided"


@dataclass(frozen=True)
class PredictVeracity:
    """Have the judge weigh the evidence: the model itself where its card says it may, else the fitted head."""

    title: str = "Weigh the evidence"

    def __call__(self, case: Case, engines: Engines) -> Case:
        verdict, completions = engines.judge.verdict(with_evidence(case), engines)
        taken = tuple(replace(completion, step=self.title) for completion in completions)
        return replace(case, verdict=verdict, completions=(*case.completions, *taken))

    def found(self, case: Case) -> str:
        return verdict_words(case)
