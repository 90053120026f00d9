"""Recipes: tuples of steps. Published designs are compositions of the same steps, never subclasses."""

from __future__ import annotations

from dataclasses import dataclass

from core.errors import BadInput
from core.ports import Step
from core.steps.control import UnlessDecided
from core.steps.gathering import AnswerJointly, AskOfPassages, QuoteForQuestions
from core.steps.judging import FilterBySimilarity, Weigh
from core.steps.querying import AskQuestions, QueryClaim
from core.steps.retrieving import Diversify, Retrieve


@dataclass(frozen=True)
class Recipe:
    """Steps in order, what they amount to in one sentence, and whose design it is."""

    name: str
    title: str
    summary: str
    source: str
    steps: tuple[Step, ...]


DEFAULT = "quoted_passages"

RECIPES: dict[str, Recipe] = {
    recipe.name: recipe
    for recipe in (
        Recipe(
            name="quoted_passages",
            title="Quoted passages",
            summary="Searches with the claim, keeps ten different passages, and asks what each of them answers. "
            "Answers are quotations, so that a small model cannot invent them.",
            source="Veridesk's own, for small models; retrieval after team CTU AIC, quotation after team EFC.",
            steps=(QueryClaim(), Retrieve(pool=100), Diversify(trade_off=0.9), AskOfPassages(), Weigh()),
        ),
        Recipe(
            name="question_first",
            title="Questions first",
            summary="Asks five questions about the claim, searches with each of them and quotes the passages found. "
            "Evidence that is far from the claim decides at once that there is not enough.",
            source="Upravitelev et al., FEVER 2025 (team EFC). Deviates: five questions in one list, MiniLM in place "
            "of gte-base, thresholds fitted to MiniLM.",
            steps=(
                AskQuestions(),
                Retrieve(keep=10),
                QuoteForQuestions(),
                FilterBySimilarity(),
                UnlessDecided(Weigh()),
            ),
        ),
        Recipe(
            name="evidence_first",
            title="Evidence first",
            summary="Searches with the claim, keeps ten different passages, and has the model write questions, "
            "answers and sources from all of them at once. Wants a model of 7 billion parameters or more.",
            source="Ullrich and Drchal, FEVER 2025 (team CTU AIC). Deviates: BM25 before the dense ranking, five "
            "pairs, probabilities from label likelihoods in place of the ratings.",
            steps=(QueryClaim(), Retrieve(), Diversify(), AnswerJointly(), Weigh()),
        ),
    )
}


def recipe_named(name: str) -> Recipe:
    """Return a recipe. Raises BadInput naming the ones there are."""
    if name not in RECIPES:
        raise BadInput(f"There is no recipe {name!r}; there are: {', '.join(RECIPES)}.")
    return RECIPES[name]
