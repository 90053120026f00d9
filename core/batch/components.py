"""Work on a batch one component after the other: read and index for all claims, then each step of the recipe.

The submission is the one that comes of claim by claim. After each component what a claim has come to is put on disk.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import cached_property, partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from core.batch.types import Done, Plan
from core.batch.underway import AtWork, Checkpoint, CheckpointFolder
from core.batch.worker import FINDING, Worker, done_with, failure_of, open_worker
from core.errors import BadInput
from core.interfaces import Encoder, Engines, Stop, never, silent
from core.retrieval.corpus import Corpus
from core.retrieval.kept import KeptIndex
from core.types import Case, Claim, Failure, Outcome
from core.verification.runner import (
    CHECKING,
    CachingEncoder,
    Stages,
    add_caveat,
    checked,
    do_one,
    documents_of,
    index_of,
    prepare,
    recipe_of,
    unheard,
)

PREPARING = "Read and index the documents"
OnComponent = Callable[[AtWork], None]


def work_by_components(claims: Sequence[Claim], plan: Plan, folder: Path, told: OnComponent) -> Iterator[Done]:
    """Work on the claims in this process, one component after the other. A `Source` once the rest is given.

    Claims underway lie in `folder`, and a run that finds some there goes on with them. Each claim is yielded when its
    last step is done or one has failed; `told` hears of each component as it begins and after each claim.
    """
    if not claims:
        return
    kept = CheckpointFolder(folder)
    kept.begin(plan)
    worker = open_worker(plan)
    try:
        yield from Components(worker, kept, told).run(claims)
    finally:
        worker.close()


class Components:
    """The components of one batch, done for all claims by one worker."""

    def __init__(self, worker: Worker, kept: CheckpointFolder, told: OnComponent) -> None:
        self.worker, self.kept, self.told = worker, kept, told
        self.recipe = recipe_of(worker.plan.request)
        self.titles = (PREPARING, *(step.title for step in self.recipe.steps))
        self.began = round(time.time(), 3)

    def run(self, claims: Sequence[Claim]) -> Iterator[Done]:
        """Do each component for all claims that are left and yield those that have come to their end."""
        left = list(claims)
        for place in range(len(self.titles)):
            waiting = [claim for claim in left if self.kept.components_of(claim) <= place]
            self._tell(place, len(left) - len(waiting), len(left))
            for number, claim in enumerate(waiting, start=len(left) - len(waiting) + 1):
                done = self._advance(claim, place)
                if done is not None:
                    yield done  # which puts it into the journal
                    self.kept.forget(claim)
                self._tell(place, number, len(left))
            left = [claim for claim in left if self.kept.components_of(claim) > place]

    def _advance(self, claim: Claim, place: int) -> Done | None:
        """Do one component for a claim and keep what it has come to; return it if it has come to its end."""
        started = time.perf_counter()
        before = self.kept.read(claim)
        encoder = CachingEncoder(self.worker.bench.encoder, dict(before.vectors))
        outcome = self._outcome(claim, before.case, encoder, place)
        seconds = before.seconds + time.perf_counter() - started
        if isinstance(outcome, Failure) or place == len(self.recipe.steps):
            return replace(done_with(claim, outcome, seconds), began=self.began)
        self.kept.write(claim, Checkpoint(outcome, place + 1, seconds, encoder.vectors))
        return None

    def _outcome(self, claim: Claim, case: Case, encoder: CachingEncoder, place: int) -> Outcome:
        """Return the case after one component; what is wrong fails this claim and no other."""
        stages = Stages(len(self.titles), unheard, case, stage=FINDING)
        try:
            if place:
                return self._after_step(claim, stages, encoder, place - 1)
            return self._prepared(claim, stages, encoder)
        except Exception as error:
            return failure_of(claim, stages.stage, error)

    def _prepared(self, claim: Claim, stages: Stages, encoder: CachingEncoder) -> Case:
        request = self.worker.request_for(claim)
        stages.stage = CHECKING
        stages.case = Case(checked(request.claim))
        bench = replace(self.worker.bench, encoder=encoder, indexes=self.kept.indexes)
        prepare(replace(request, keep_index=True), bench, stages, never)
        return stages.case

    def _after_step(self, claim: Claim, stages: Stages, encoder: CachingEncoder, place: int) -> Case:
        bench = self.worker.bench
        opened = partial(self._index, claim, stages.case.corpus.digest, encoder)
        seed = self.worker.plan.request.seed
        engines = Engines(LazyIndex(opened, encoder), encoder, bench.llm, bench.judge, bench.examples, seed)
        do_one(place, stages, self.recipe, engines)
        last = place == len(self.recipe.steps) - 1
        return add_caveat(stages.case, self.recipe, self.worker.plan.request) if last else stages.case

    def _index(self, claim: Claim, digest: str, encoder: Encoder) -> KeptIndex:
        """Open the index of a claim. Raises BadInput if its documents are no more those that were read."""
        request = self.worker.request_for(claim)
        documents, corpus, _ = documents_of(request)
        if corpus.digest != digest:
            raise BadInput("The documents have changed since they were read: try the claim again with the new ones.")
        return index_of(request, documents, encoder, self.kept.indexes)

    def _tell(self, place: int, done: int, claims: int) -> None:
        standing = AtWork(self.titles[place], place + 1, len(self.titles), done, claims)
        self.kept.tell(standing)
        self.told(standing)


class LazyIndex:
    """A `core.interfaces.Searcher` that opens a claim's kept index when a step first searches: most steps do not.

    Vectors come from the claim's encoder and never from what the index keeps, which may be of work that a kill undid.
    """

    def __init__(self, opened: Callable[[], KeptIndex], encoder: Encoder) -> None:
        self._opened, self._encoder = opened, encoder

    @cached_property
    def _index(self) -> KeptIndex:
        return self._opened()

    @cached_property
    def passages(self) -> Corpus:
        return self._index.passages

    def search(self, query: str, *, k: int) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
        """See `core.interfaces.Searcher`."""
        return self._index.search(query, k=k)

    def search_dense(
        self, query: str, *, k: int, stop: Stop = never, report: Callable[[str], None] = silent
    ) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
        """See `core.interfaces.Searcher`."""
        return self._index.search_dense(query, k=k, stop=stop, report=report)

    def vectors(self, positions: Sequence[int], *, stop: Stop = never) -> NDArray[np.float32]:
        """See `core.interfaces.Searcher`. Texts are encoded in the order in which an index in memory does it."""
        ordered = sorted(set(positions))
        encoded = self._encoder.encode([self.passages[position].text for position in ordered], stop=stop)
        row = {position: number for number, position in enumerate(ordered)}
        return encoded[[row[position] for position in positions]]
