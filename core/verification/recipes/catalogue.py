"""Recipes: tuples of steps. Published designs are compositions of the same steps, never subclasses."""

from __future__ import annotations

from dataclasses import dataclass

from core.errors import BadInput
from core.interfaces import Step
from core.verification.recipes import DEFAULT as DEFAULT
from core.verification.steps.answering import AnswerQuestions, RewriteAnswers, Summarise
from core.verification.steps.asking import AskOfAnswers, AskOfPassages
from core.verification.steps.control import Repeat, UnlessDecided
from core.verification.steps.gathering import AnswerJointly, KeepClosestPairs, QuoteForQuestions
from core.verification.steps.judging import FilterBySimilarity, PredictVeracity
from core.verification.steps.querying import (
    AskQuestions,
    DropSimilarQuestions,
    ImagineAnswers,
    ImagineArticles,
    QueryClaim,
    WriteQueries,
)
from core.verification.steps.retrieving import Diversify, GroupSentences, Retrieve


@dataclass(frozen=True)
class Recipe:
    """Steps in order, a summary in one or two sentences, and the source of the design."""

    name: str
    title: str
    summary: str
    source: str
    steps: tuple[Step, ...]


RECIPES: dict[str, Recipe] = {
    recipe.name: recipe
    for recipe in (
        Recipe(
            name="quoted_passages",
            title="Quoted passages",
            summary="Searches with the claim and keeps ten different passages. Takes the stance of each towards the "
            "claim, and asks the question that those on it answer. Answers are quotations, so that a small model "
            "cannot invent them.",
            source="Veridesk's own, for small models; retrieval after team CTU AIC, quotation after team EFC.",
            steps=(
                QueryClaim(),
                Retrieve(pool=100, every_passage=True),
                Diversify(trade_off=0.9),
                PredictVeracity(),
                AskOfPassages(),
            ),
        ),
        Recipe(
            name="evidence_first",
            title="Evidence first",
            summary="Searches with the claim and keeps ten different passages. The model writes questions, answers and "
            "sources from all of them at once. Wants a model of 7 billion parameters or more.",
            source="Ullrich and Drchal, FEVER 2025 (team CTU AIC). Deviates: BM25 before the dense ranking, five "
            "pairs, probabilities from label likelihoods in place of the ratings.",
            steps=(QueryClaim(), Retrieve(), Diversify(), AnswerJointly(), PredictVeracity()),
        ),
        Recipe(
            name="rewritten_answers",
            title="Rewritten answers",
            summary="Imagines fact-checking articles, searches by meaning with them, and sums up five passages. Asks "
            "the question that each summary answers, and rewrites the answer to fit its question.",
            source="Yoon et al., FEVER 2025 (team HUMANE). Deviates: two short articles; a summary for each passage in "
            "place of one for all; no fine-tuned judge. BM25 and static vectors of all passages choose those that "
            "MiniLM ranks.",
            steps=(
                ImagineArticles(),
                Retrieve(pool=60, keep=20, ranking="dense", dense_first_stage=True),
                Diversify(k=5),
                Summarise(),
                AskOfAnswers(),
                RewriteAnswers(),
                PredictVeracity(),
            ),
        ),
        Recipe(
            name="synthetic_answers",
            title="Synthetic answers",
            summary="Asks questions, imagines an answer to each and searches with both. Similar neighbouring "
            "sentences become one passage, and passages are quoted as answers.",
            source="Dharamvaram and Hakak, and Rashid and Hakak, FEVER 2025 (teams Yellow Flash and Checkmate). "
            "Deviates: four questions, BM25 finds passages of three sentences before sentences are grouped, MiniLM in "
            "place of arctic-embed.",
            steps=(
                AskQuestions(count=4),
                ImagineAnswers(),
                Retrieve(pool=15, keep=15, ranking="bm25"),
                GroupSentences(),
                QuoteForQuestions(),
                PredictVeracity(),
            ),
        ),
        Recipe(
            name="graph_of_thoughts",
            title="Graph of thoughts",
            summary="Asks three questions, drops similar ones, answers them from passages and weighs the answers. "
            "While that is not enough evidence, it asks on, in up to three rounds.",
            source="Rolinger and Liu, FEVER 2025 (team FZIGOT). Deviates: no fine-tuned adapters (a recipe file can "
            "name one for each step). BM25 and static vectors of all passages choose those that MiniLM ranks.",
            steps=(
                Repeat(
                    steps=(
                        AskQuestions(count=3),
                        DropSimilarQuestions(),
                        Retrieve(pool=60, keep=10, ranking="dense", dense_first_stage=True),
                        AnswerQuestions(),
                        PredictVeracity(),
                    )
                ),
            ),
        ),
        Recipe(
            name="question_first",
            title="Questions first",
            summary="Asks five questions about the claim, searches with each of them and quotes the passages found. "
            "Evidence that is far from the claim decides at once that there is not enough.",
            source="Upravitelev et al., FEVER 2025 (team EFC). Deviates: five questions in one list, MiniLM in place "
            "of gte-base, a threshold fitted to MiniLM. Far evidence means Not Enough Evidence, never Conflicting.",
            steps=(
                AskQuestions(),
                Retrieve(keep=10),
                QuoteForQuestions(),
                FilterBySimilarity(),
                UnlessDecided(PredictVeracity()),
            ),
        ),
        Recipe(
            name="fused_queries",
            title="Fused queries",
            summary="Asks three questions and writes four search queries for each. Fuses the rankings by words and by "
            "meaning, and answers each question from its best passages.",
            source="Ftouhi et al., FEVER 2025 (team OldJoe). Deviates: three questions; over the whole "
            "store by static vectors distilled from MiniLM, and MiniLM itself in place of jina-embeddings-v3.",
            steps=(
                AskQuestions(count=3),
                WriteQueries(),
                Retrieve(pool=40, keep=10, ranking="rrf", dense_first_stage=True),
                AnswerQuestions(),
                PredictVeracity(),
            ),
        ),
        Recipe(
            name="hypothetical_document",
            title="Hypothetical document",
            summary="Imagines fact-checking articles, finds passages that share their words, and ranks these by "
            "meaning. Asks the question that each of the best ten answers.",
            source="Yoon et al., FEVER 2024 (HerO), as the baseline of Akhtar et al., FEVER 2025. Deviates: two short "
            "articles, BM25 over all passages in place of 5,000 sentences, 150 re-ranked in place of 500. It keeps "
            "its prompts; Veridesk's judge of questions leaves out bad ones.",
            steps=(
                ImagineArticles(),
                Retrieve(pool=150, keep=10, ranking="dense"),
                AskOfPassages(trained=False),
                PredictVeracity(),
            ),
        ),
        Recipe(
            name="question_per_sentence",
            title="A question per sentence",
            summary="Finds sentences that share words with the claim, and asks the question that each answers. Similar "
            "training claims serve as examples, if there are any. Keeps the three closest questions with answers.",
            source="Schlichtkrull et al., NeurIPS 2023 (the first AVeriTeC baseline). Deviates: the 20 closest "
            "sentences of BM25's best 100 passages, MiniLM in place of the fine-tuned BERT that re-ranks the pairs. It "
            "keeps its prompts; Veridesk's judge of questions leaves out bad ones.",
            steps=(
                QueryClaim(),
                Retrieve(pool=100, keep=100, ranking="bm25"),
                GroupSentences(most=1, keep=20, title="Take single sentences"),
                AskOfPassages(examples=10, trained=False),
                KeepClosestPairs(),
                PredictVeracity(),
            ),
        ),
    )
}


def recipe_named(name: str) -> Recipe:
    """Return a recipe. Raises BadInput naming the ones there are."""
    if name not in RECIPES:
        raise BadInput(
            f"There is no recipe {name!r}; there are: {', '.join(RECIPES)}. The path of your own ends in .toml."
        )
    return RECIPES[name]
