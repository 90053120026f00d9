"""Find passages for each question, and choose among them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from core.errors import BadInput
from core.interfaces import RunContext
from core.retrieval.chunking import group_neighbours, sentences_of, stretches
from core.retrieval.index import hybrid, lexical, passage_vectors
from core.retrieval.ranking import maximal_marginal_relevance, ordered, reciprocal_rank_fusion
from core.types import Case, Hit, Passage, Ranking
from core.verification.steps.values import Cosine, Passages, Share, SmallCount
from core.wording import counted

RankBy = Literal["hybrid", "bm25", "dense", "rrf"]
"""How passages are ordered: by cosine and BM25 score together, BM25 alone, cosine alone, or both ranks fused."""


def asked(case: Case) -> dict[str, list[str]]:
    """Return the queries of each question, in order. A query without a question is its own."""
    found: dict[str, list[str]] = {}
    for query, question in zip(case.queries, case.questions or case.queries, strict=True):
        found.setdefault(question, []).append(query)
    return found


def fused(question: str, rankings: list[Ranking], *, keep: int) -> Ranking:
    """Return the first `keep` passages of several rankings, fused by reciprocal rank, as those of one question."""
    best: dict[Passage, Hit] = {}
    for ranking in rankings:
        for hit in ranking.hits:
            best[hit.passage] = min(best.get(hit.passage, hit), hit, key=lambda seen: seen.rank)
    passages = list(best)
    position = {passage: index for index, passage in enumerate(passages)}
    order = reciprocal_rank_fusion([[position[hit.passage] for hit in found.hits] for found in rankings])
    hits = tuple(replace(best[passages[index]], rank=rank) for rank, index in enumerate(order[:keep], start=1))
    return Ranking(question, hits)


@dataclass(frozen=True)
class Retrieve:
    """Search every passage with BM25, compare the best `pool` with the query by their vectors, keep `keep`.

    `ranking` names the order of passages. With `dense_first_stage`, static vectors of all passages choose the pool as
    well. A passage then needs no word of the query. With several queries for a question, and for the case as a whole,
    the rankings are fused by reciprocal rank. With `every_passage` it needs none in a collection of up to `pool`
    passages either.
    """

    pool: Passages = 100
    keep: Passages = 40
    ranking: RankBy = "hybrid"
    dense_first_stage: bool = False
    every_passage: bool = False
    title: str = "Search the documents"

    def __call__(self, case: Case, context: RunContext) -> Case:
        if not case.queries and not case.evidence:
            raise BadInput("There is nothing to search for: put QueryClaim or AskQuestions before Retrieve.")
        rankings = tuple(
            fused(question, [self.search(query, context) for query in queries], keep=self.keep)
            for question, queries in asked(case).items()
        )
        hits = fused(case.claim.text, list(rankings), keep=self.keep).hits
        return replace(case, rankings=rankings, hits=hits, notes=(*case.notes, *self.notes(case, context)))

    def search(self, query: str, context: RunContext) -> Ranking:
        """Return the passages for one query. This is the one place where a step searches."""
        if self.ranking == "bm25":
            return lexical(context.retriever, query, k=self.pool)
        found = hybrid(
            context.retriever,
            context.models.encoder,
            query,
            pool=self.pool,
            k=self.pool,
            dense_first_stage=self.dense_first_stage,
            every_passage=self.every_passage,
            stop=context.stop,
            report=context.report,
        )
        return Ranking(query, tuple(ordered(found.hits, self.ranking)))

    def notes(self, case: Case, context: RunContext) -> list[str]:
        """Return a note if the design compares all passages by meaning and this run did not."""
        if self.ranking in ("hybrid", "bm25") or self.dense_first_stage or len(context.retriever.passages) <= self.pool:
            return []
        said = (
            f"By meaning, only the {counted(self.pool, 'passage')} with most of each query's words were compared, of "
            f"{len(context.retriever.passages):,}."
        )
        return [] if said in case.notes else [said]

    def found(self, case: Case) -> str:
        documents = {hit.passage.document.digest for hit in case.hits}
        return f"{counted(len(case.hits), 'passage')} in {counted(len(documents), 'document')}"


@dataclass(frozen=True)
class GroupSentences:
    """Cut the passages found into sentences, put similar neighbours together, and rank these groups by meaning.

    Neighbouring sentences with a cosine of at least `similarity` form a group of up to `most`. For each question the
    `keep` groups closest to its queries are kept. Source: Dharamvaram and Hakak, FEVER 2025 (team Yellow Flash), for
    groups; the AVeriTeC baseline, for sentences.
    """

    most: SmallCount = 6
    similarity: Cosine = 0.4
    keep: Passages = 10
    title: str = "Group similar sentences"

    def __call__(self, case: Case, context: RunContext) -> Case:
        found = stretches([hit.passage for ranking in case.rankings for hit in ranking.hits])
        groups: dict[str, Passage] = {}
        for group in self.groups([sentences_of(stretch) for stretch in found], context):
            groups.setdefault(" ".join(group.text.split()).casefold(), group)
        if not groups:
            return case
        vectors = context.models.encoder.encode([group.text for group in groups.values()], stop=context.stop)
        rankings = tuple(
            self.ranking(question, queries, list(groups.values()), vectors, context)
            for question, queries in asked(case).items()
        )
        hits = fused(case.claim.text, list(rankings), keep=self.keep).hits
        return replace(case, rankings=rankings, hits=hits)

    def groups(self, stretches: list[list[Passage]], context: RunContext) -> list[Passage]:
        """Return the groups of each stretch of sentences, one stretch after the other."""
        sentences = [sentence for stretch in stretches for sentence in stretch]
        if self.most == 1 or not sentences:
            return sentences
        vectors = context.models.encoder.encode([sentence.text for sentence in sentences], stop=context.stop)
        near = np.sum(vectors[:-1] * vectors[1:], axis=1).tolist()
        groups: list[Passage] = []
        start = 0
        for stretch in stretches:
            similarity = near[start : start + len(stretch) - 1]
            groups += group_neighbours(stretch, similarity, threshold=self.similarity, most=self.most)
            start += len(stretch)
        return groups

    def ranking(
        self,
        question: str,
        queries: list[str],
        groups: list[Passage],
        vectors: NDArray[np.float32],
        context: RunContext,
    ) -> Ranking:
        """Return the groups closest to a question; with several queries the closest of them counts."""
        cosines = (vectors @ context.models.encoder.encode(queries, stop=context.stop).T).max(axis=1)
        order = np.argsort(-cosines, kind="stable")[: self.keep].tolist()
        hits = (
            Hit(groups[index], rank, dense_rank=rank, cosine=float(cosines[index]))
            for rank, index in enumerate(order, start=1)
        )
        return Ranking(question, tuple(hits))

    def found(self, case: Case) -> str:
        return f"{counted(len({hit.passage for each in case.rankings for hit in each.hits}), 'passage')} kept"


@dataclass(frozen=True)
class Diversify:
    """Choose `k` passages that are close to the claim and unlike each other (maximal marginal relevance).

    `trade_off` is 1.0 for closeness alone and 0.0 for variety alone.
    Source: Carbonell and Goldstein, SIGIR 1998; team CTU AIC keeps 10 of 40.
    """

    k: Passages = 10
    trade_off: Share = 0.75
    title: str = "Drop repetitions"

    def __call__(self, case: Case, context: RunContext) -> Case:
        if not case.hits:
            return case
        claim = context.models.encoder.encode([case.claim.text], stop=context.stop)[0]
        found = [hit.passage for hit in case.hits]
        # Most were encoded when they were found.
        passages = passage_vectors(context.retriever, context.models.encoder, found, stop=context.stop)
        chosen = maximal_marginal_relevance(
            np.asarray(passages @ claim, dtype=np.float64),
            np.asarray(passages @ passages.T, dtype=np.float64),
            k=self.k,
            trade_off=self.trade_off,
        )
        hits = tuple(replace(case.hits[index], rank=rank) for rank, index in enumerate(chosen, start=1))
        return replace(case, hits=hits)

    def found(self, case: Case) -> str:
        return f"{counted(len(case.hits), 'passage')} kept"
