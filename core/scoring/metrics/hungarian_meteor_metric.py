"""Score with Hungarian METEOR: the registered metric, with verdicts given evidence at six thresholds."""

from __future__ import annotations

import gc
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache

from core.annotations import GoldClaim, Prediction
from core.confined import WORKERS, confined
from core.errors import ModelError
from core.scoring.items import ItemScore
from core.scoring.judging import JudgeAccess
from core.scoring.metrics.hungarian_meteor import (
    LEVELS,
    PAIRS,
    QUESTIONS,
    TYPE_LEVEL,
    cut_at,
    hungarian_meteor,
    meteor_signature,
    veracity_at,
)
from core.scoring.metrics.meteor import Language
from core.scoring.metrics.metric import Measured, Registration
from core.scoring.metrics.words import Words, find_words
from core.scoring.progress import UNMONITORED, ProgressMonitor


@dataclass(frozen=True)
class HungarianMeteor:
    """Legacy scores: questions, pairs, pairs above 0.25, and verdicts given evidence at six thresholds."""

    language: Language
    level: float = TYPE_LEVEL
    name: str = "hungarian-meteor"

    def measure(
        self, gold: Sequence[GoldClaim], predictions: Mapping[str, Prediction], monitor: ProgressMonitor = UNMONITORED
    ) -> Measured:
        items = hungarian_meteor_of_many(gold, predictions, self.language, monitor)
        pairs = [item for item in items if item.metric == PAIRS]
        by_id = {claim.id: claim for claim in gold}
        items += cut_at(TYPE_LEVEL, pairs)
        for level in LEVELS:
            items += veracity_at(level, pairs, by_id, predictions)
        return Measured(tuple(items), meteor_signature(self.language), f"{self.name}:averitec@{self.level:g}")


def _open(judge: JudgeAccess) -> HungarianMeteor:
    return HungarianMeteor(find_words())


HUNGARIAN_METEOR = Registration(
    name="hungarian-meteor",
    title="Hungarian METEOR",
    summary="the shared task's legacy score: best one-to-one METEOR of evidence, and verdicts given it",
    open=_open,
    meanings={
        QUESTIONS: "Hungarian METEOR of the questions alone: the best one-to-one matching with the gold "
        "questions, in words, stems and synonyms. 0 to 1, higher is better. Schlichtkrull et al. 2023.",
        PAIRS: "Hungarian METEOR of questions with their answers. 0 to 1, higher is better. Schlichtkrull et al. 2023.",
        "hungarian-meteor:averitec": "The share of claims with a right verdict and a Q + A score greater than the "
        "threshold. 0 to 1, higher is better. Schlichtkrull et al. 2023.",
    },
    columns=(QUESTIONS, PAIRS),
    evidence=PAIRS,
)


MIN_CLAIMS = 500
"""Of fewer claims the start of a process, which loads NLTK, costs more than it saves."""
CHUNK = 50
CHUNK_SECONDS = 900.0


def hungarian_meteor_of_many(
    gold: Sequence[GoldClaim],
    predictions: Mapping[str, Prediction],
    language: Language,
    monitor: ProgressMonitor = UNMONITORED,
) -> list[ItemScore]:
    """Return the same as `hungarian_meteor`, in the same order; chunks of claims are scored in other processes.

    `language` is the result of `find_words` on this machine. Raises Cancelled if the monitor said so.
    """
    if len(gold) < MIN_CLAIMS or WORKERS == 1:
        return hungarian_meteor(gold, predictions, language, monitor)
    items: list[ItemScore] = []
    monitor.on_progress(0, len(gold))
    with ThreadPoolExecutor(WORKERS) as threads:
        chunks = [gold[start : start + CHUNK] for start in range(0, len(gold), CHUNK)]
        scored = [threads.submit(_elsewhere, chunk, predictions, language.signature, monitor) for chunk in chunks]
        try:
            for done, chunk in enumerate(scored, start=1):
                items += chunk.result()
                monitor.on_progress(min(done * CHUNK, len(gold)), len(gold))
        except BaseException:
            threads.shutdown(cancel_futures=True)
            raise
    return items


def score_chunk(
    _name: str, gold: Sequence[GoldClaim], predictions: Mapping[str, Prediction], signature: str
) -> list[ItemScore]:
    """Score a chunk with the words that have this signature, in any process."""
    if _words().signature != signature:
        _words.cache_clear()  # Punkt or WordNet came after this process had looked for them
    if _words().signature != signature:
        raise ModelError("NLTK's data changed while it was used: score again.")
    gc.disable()  # a chunk makes no circles, and a quarter of reading its texts would go into the search for some
    try:
        return hungarian_meteor(gold, predictions, _words())
    finally:
        gc.enable()


def _elsewhere(
    gold: Sequence[GoldClaim], predictions: Mapping[str, Prediction], signature: str, monitor: ProgressMonitor
) -> list[ItemScore]:
    given = {claim.id: predictions[claim.id] for claim in gold if claim.id in predictions}
    name = "Hungarian METEOR"
    return confined(score_chunk, name, gold, given, signature, stop=monitor.stop, seconds=CHUNK_SECONDS)


@cache
def _words() -> Words:
    words = find_words()
    gc.freeze()  # WordNet's tables stay: no collection needs to look at them
    return words
