"""Find passages for each query, and choose among them."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from core.index import hybrid, passage_vectors
from core.ports import Engines
from core.ranking import maximal_marginal_relevance, reciprocal_rank_fusion
from core.types import Case, Hit, Passage
from core.wording import counted


@dataclass(frozen=True)
class Retrieve:
    """Search every passage with BM25, compare the best `pool` with the query by their vectors, keep `keep`.

    With several queries the rankings are fused by reciprocal rank.
    """

    pool: int = 100
    keep: int = 40
    title: str = "Search the documents"

    def __call__(self, case: Case, engines: Engines) -> Case:
        rankings = tuple(
            hybrid(engines.searcher, engines.encoder, query, pool=self.pool, k=self.keep, stop=engines.stop)
            for query in case.queries
        )
        best: dict[Passage, Hit] = {}
        for ranking in rankings:
            for hit in ranking.hits:
                best[hit.passage] = min(best.get(hit.passage, hit), hit, key=lambda seen: seen.rank)
        passages = list(best)
        position = {passage: index for index, passage in enumerate(passages)}
        fused = reciprocal_rank_fusion([[position[hit.passage] for hit in found.hits] for found in rankings])
        hits = tuple(replace(best[passages[index]], rank=rank) for rank, index in enumerate(fused, start=1))
        return replace(case, rankings=rankings, hits=hits[: self.keep])

    def found(self, case: Case) -> str:
        documents = {hit.passage.document.digest for hit in case.hits}
        return f"{counted(len(case.hits), 'passage')} in {counted(len(documents), 'document')}"


@dataclass(frozen=True)
class Diversify:
    """Choose `k` passages that are close to the claim and unlike each other (maximal marginal relevance).

    `trade_off` is 1.0 for closeness alone and 0.0 for variety alone.
    Source: Carbonell and Goldstein, SIGIR 1998; team CTU AIC keeps 10 of 40.
    """

    k: int = 10
    trade_off: float = 0.75
    title: str = "Drop repetitions"

    def __call__(self, case: Case, engines: Engines) -> Case:
        if not case.hits:
            return case
        claim = engines.encoder.encode([case.claim.text], stop=engines.stop)[0]
        found = [hit.passage for hit in case.hits]
        passages = passage_vectors(engines.searcher, found, stop=engines.stop)  # encoded when they were found
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
